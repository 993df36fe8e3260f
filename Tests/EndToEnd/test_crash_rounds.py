"""SIGKILL at random moments under load, again and again, on one ledger.

    CATRACA_CRASH_ROUNDS   how many moments; 10 where it isn't said, 100 and more for a release
    CATRACA_CRASH_SEED     repeats the choices of a run that printed it
"""

import json
import os
import random
import secrets
import threading
import time
from collections import Counter

from harness.raw_http import Truncated
from harness.sandbox import script

ROUNDS = int(os.environ.get("CATRACA_CRASH_ROUNDS", "10"))
SEED = os.environ.get("CATRACA_CRASH_SEED") or secrets.token_hex(4)
CALLERS = 24
LIFE_SECONDS = (0.05, 0.4)
OUTPUT = 40
# So few that some rounds use them up, and some don't.
BUDGET = 1_500
MESSAGES = [{"role": "user", "content": "Hello"}]


class Load:
    """Callers that each send one request after the other, until the server is gone."""

    def __init__(self, catraca, client, seed):
        self.answered = set()
        self.asked = 0
        self._catraca = catraca
        self._client = client
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
        # Half of them have a budget that they use up together.
        client = self._client if choices.random() < 0.5 else "acme"
        body = {
            "model": "gpt-4o-mini",
            "messages": MESSAGES,
            "user": user,
            "max_completion_tokens": OUTPUT,
            "stream": choices.random() < 0.5,
        }
        headers = script(
            delay_ms=choices.choice([0, 0, 5, 30]),
            chunk_delay_ms=choices.choice([0, 0, 1, 5]),
            completion_tokens=choices.randrange(1, OUTPUT + 1),
        )
        key = self._catraca.key(client)
        answer = connection.post("/v1/chat/completions", body, key, headers)
        if answer.status == 200:
            self.answered.add(user)
        else:
            assert answer.status == 429, answer


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


def check_budget(ledger, client, rows, served):
    """The limit holds for what was recorded, and for what the provider served."""
    recorded = sum(row["total_tokens"] for row in rows.values() if row["client_id"] == client)
    assert recorded <= BUDGET
    [budget] = ledger.budgets(client_id=client)
    assert budget["current_tokens"] == recorded
    billed = [
        entry["prompt_tokens"] + entry["completion_tokens"]
        for user, entry in served.items()
        if rows[user]["client_id"] == client
    ]
    assert sum(billed) <= BUDGET


def test_no_moment_to_die_loses_or_doubles_anything(catraca, sandbox, capsys):
    choices = random.Random(SEED)
    seen = Counter()
    before = {}
    with capsys.disabled():
        print(f"\ncrash rounds: {ROUNDS}, seed {SEED}")
    add_clients(catraca.configuration)
    catraca.start()
    for round_ in range(ROUNDS):
        print(f"round {round_} of seed {SEED}")
        client = f"round{round_}"
        sandbox.clear()
        load = Load(catraca, client, f"{SEED}/{round_}")
        time.sleep(choices.uniform(*LIFE_SECONDS))
        catraca.kill()
        load.join()
        # A request that was sent and not read yet is the provider's too.
        served = {json.loads(entry["body"])["user"]: entry for entry in billed(sandbox)}

        catraca.start()
        assert catraca.ledger.in_flight() == []
        every = by_user(catraca.ledger.usage())
        assert all(every[user] == row for user, row in before.items())
        rows = {user: row for user, row in every.items() if user not in before}
        check_rows(rows, served, load.answered)
        check_budget(catraca.ledger, client, rows, served)
        before = every
        seen.update(row["outcome"] for row in rows.values())
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    with capsys.disabled():
        print(f"{seen.total()} requests at the provider, none lost or doubled: {dict(seen)}")
    assert seen["interrupted"] > 0 and seen["ok"] > 0


def add_clients(configuration):
    """One a round, whose budget is used by that round alone."""
    budget = {"name": "all", "mode": "tokens", "tokens": BUDGET, "period": "total"}
    for round_ in range(ROUNDS):
        configuration.add_client(f"round{round_}", [budget])


def billed(sandbox):
    return [entry for entry in sandbox.journal() if entry["prompt_tokens"] is not None]
