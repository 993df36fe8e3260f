"""Requests without end to several replicas, as a load balancer spreads them."""

import itertools
import random
import threading
from collections import Counter

from .load import CHAT, any_request, by_user, check_budget, check_rows
from .raw_http import Truncated
from .waiting import PATIENCE, eventually

CALLERS = 12
REFUSALS = {"shutting_down", "ledger_unavailable"}
"""Refusals that send a caller to the next replica, like a connection that fails."""
PAUSE = 0.02


class BalancedLoad:
    """Callers that each send one request after the other, to the next replica where one fails.

    `answered` has the users whose answer came whole; each request has a user of its own. `answers`
    counts statuses, codes of refusals that are for now, and "no answer".
    """

    def __init__(self, replicas, client, seed="load"):
        self.answered = set()
        self.answers = Counter()
        self._replicas = replicas
        self._client = client
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._failures = []
        self._threads = [
            threading.Thread(target=self._call, args=(index, random.Random(f"{seed}/{index}")))
            for index in range(CALLERS)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Lets requests under way end."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        assert not self._failures, self._failures[0]

    def wait_for(self, count, answer=200, within=PATIENCE):
        """Waits for `count` more answers of a kind."""
        wanted = self.answers[answer] + count
        eventually(
            lambda: self._failures or self.answers[answer] >= wanted,
            f"{count} of {answer}",
            within,
        )

    def assert_recorded(self, served, limit):
        """That nothing is in flight, each request that was served has a row as it was served, none
        was ended by another replica, and the limit held."""
        ledger = self._replicas.ledger
        assert ledger.in_flight() == []
        rows = by_user(ledger.usage())
        assert {row["outcome"] for row in rows.values()} <= {"ok", "client_disconnected"}
        check_rows(rows, served, self.answered)
        check_budget(ledger, self._client, rows, served, limit)
        self._replicas.assert_sound()

    def _call(self, index, choices):
        users = (f"{self._client}-{index}-{number}" for number in itertools.count())
        replica = index
        try:
            while not self._stopping.is_set():
                self._use(self._replicas[replica % len(self._replicas)], users, choices)
                replica += 1
                self._stopping.wait(PAUSE)
        except Exception as failure:
            self._failures.append(failure)

    def _use(self, replica, users, choices):
        """Sends requests on one connection until one fails, or is refused for now."""
        try:
            with replica.connect() as connection:
                while not self._stopping.is_set():
                    if self._send(connection, next(users), choices) in REFUSALS:
                        return
        except (OSError, Truncated):
            self._count("no answer")

    def _send(self, connection, user, choices):
        """Sends a request; returns the status, or the code of a refusal."""
        body, headers = any_request(user, choices)
        key = self._replicas.configuration.keys[self._client]
        answer = connection.post(CHAT, body, key, headers)
        result = answer.code if answer.status == 503 else answer.status
        assert result in {200, 429, *REFUSALS}, answer
        if result == 200:
            self.answered.add(user)
        self._count(result)
        return result

    def _count(self, result):
        with self._lock:
            self.answers[result] += 1
