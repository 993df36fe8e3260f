"""Requests without end, until the server is gone, and what must be true of them afterwards."""

import random
import threading
from collections import Counter

from .raw_http import Truncated
from .sandbox import script

CALLERS = 24
OUTPUT = 40
# So few that some rounds use them up, and some don't.
BUDGET = 1_500
CHAT = "/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "Hello"}]


class Load:
    """Callers that each send one request after the other: plain ones, streams or both.

    Half of them are of a client that has a budget, which they use up together.
    """

    def __init__(self, catraca, client, seed, streams=(False, True)):
        self.answered = set()
        self._catraca = catraca
        self._client = client
        self._streams = streams
        self._threads = [
            threading.Thread(target=self._call, args=(index, random.Random(f"{seed}/{index}")))
            for index in range(CALLERS)
        ]
        for thread in self._threads:
            thread.start()

    def join(self):
        for thread in self._threads:
            thread.join()

    def _call(self, index, choices):
        number = 0
        try:
            with self._catraca.connect() as connection:
                while True:
                    number += 1
                    self._send(connection, f"{self._client}-{index}-{number}", choices)
        except (OSError, Truncated):
            pass

    def _send(self, connection, user, choices):
        client = self._client if choices.random() < 0.5 else "acme"
        body, headers = any_request(user, choices, self._streams)
        answer = connection.post(CHAT, body, self._catraca.key(client), headers)
        if answer.status == 200:
            self.answered.add(user)
        else:
            assert answer.status == 429, answer


def any_request(user, choices, streams=(False, True)):
    """Body and header fields of a request, and of the answer that the provider is to give."""
    body = {
        "model": "gpt-4o-mini",
        "messages": MESSAGES,
        "user": user,
        "max_completion_tokens": OUTPUT,
        "stream": choices.choice(streams),
    }
    headers = script(
        delay_ms=choices.choice([0, 0, 5, 30]),
        chunk_delay_ms=choices.choice([0, 0, 1, 5]),
        completion_tokens=choices.randrange(1, OUTPUT + 1),
    )
    return body, headers


def add_clients(configuration, rounds):
    """One a round, whose budget is used by that round alone."""
    budget = {"name": "all", "mode": "tokens", "tokens": BUDGET, "period": "total"}
    for round_ in range(rounds):
        configuration.add_client(f"round{round_}", [budget])


def by_user(rows):
    counts = Counter(row["user_id"] for row in rows)
    assert set(counts.values()) <= {1}, counts.most_common(3)
    return {row["user_id"]: row for row in rows}


def check_rows(rows, served, answered):
    """Nothing that was served is missing, and what was answered is recorded as it was served."""
    assert served.keys() <= rows.keys(), served.keys() - rows.keys()
    assert answered <= served.keys()
    for user, row in rows.items():
        if row["outcome"] == "interrupted":
            assert user not in answered
            assert (row["status"], row["usage_source"]) == (0, "estimated")
            assert 0 < row["total_tokens"] <= row["held_tokens"]
        else:
            used = served[user]
            recorded = (row["prompt_tokens"], row["completion_tokens"])
            assert recorded == (used["prompt_tokens"], used["completion_tokens"])


def check_budget(ledger, client, rows, served, limit=BUDGET):
    """The limit holds for what was recorded, and for what the provider served."""
    recorded = sum(row["total_tokens"] for row in rows.values() if row["client_id"] == client)
    assert recorded <= limit
    [budget] = ledger.budgets(client_id=client)
    assert budget["current_tokens"] == recorded
    billed = [
        entry["prompt_tokens"] + entry["completion_tokens"]
        for user, entry in served.items()
        if rows[user]["client_id"] == client
    ]
    assert sum(billed) <= limit
