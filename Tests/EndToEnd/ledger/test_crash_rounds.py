"""SIGKILL at random moments under load, again and again, on one ledger.

    CATRACA_CRASH_ROUNDS   how many moments; 10 where it isn't said, 100 in CI
    CATRACA_CRASH_SEED     repeats the choices of a run that printed it

The machine's loss of power is a kill after which what wasn't synchronized is gone as well: a tenth
of as many moments, twice, plain requests and streams apart.
"""

import json
import os
import random
import secrets
import time
from collections import Counter

import pytest
from harness.chosen_ledger import need_sqlite
from harness.disk import UnreliableDisk
from harness.load import Load, add_clients, by_user, check_budget, check_rows
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

ROUNDS = int(os.environ.get("CATRACA_CRASH_ROUNDS", "10"))
SEED = os.environ.get("CATRACA_CRASH_SEED") or secrets.token_hex(4)
LIFE_SECONDS = (0.05, 0.4 * TIME_FACTOR)
# Losses of power of which one at least must lose what was synchronized nowhere.
MOST_LOSSES = 10
# On PostgreSQL, 15 seconds until a start takes over what another life had, and five of patience.
SETTLED = 20.0 * TIME_FACTOR


class Deaths:
    """Lives of a server under load on one ledger, each ended by a kill, and checked."""

    def __init__(self, catraca, sandbox, rounds, **load):
        self.outcomes = Counter()
        self._catraca = catraca
        self._sandbox = sandbox
        self._rounds = rounds
        self._load = load
        self._before = {}
        add_clients(catraca.configuration, rounds)
        catraca.start()

    def run(self, after_kill=lambda: None):
        choices = random.Random(SEED)
        for round_ in range(self._rounds):
            print(f"round {round_} of seed {SEED}")
            answered, served = self.die(round_, choices.uniform(*LIFE_SECONDS))
            after_kill()
            self._catraca.start()
            eventually(lambda: not self._catraca.ledger.in_flight(), "settled", SETTLED)
            self._check(f"round{round_}", answered, served)
        audit = self._catraca.command("audit")
        assert audit.returncode == 0, audit.stdout + audit.stderr
        assert self.outcomes["interrupted"] > 0 and self.outcomes["ok"] > 0

    def die(self, round_, seconds):
        """Whose requests were answered, and what the provider served of each."""
        self._sandbox.clear()
        load = Load(self._catraca, f"round{round_}", f"{SEED}/{round_}", **self._load)
        time.sleep(seconds)
        self._catraca.kill()
        load.join()
        # A request that was sent and not read yet is the provider's too.
        served = {json.loads(entry["body"])["user"]: entry for entry in billed(self._sandbox)}
        return load.answered, served

    def _check(self, client, answered, served):
        ledger = self._catraca.ledger
        assert ledger.in_flight() == []
        every = by_user(ledger.usage())
        assert all(every[user] == row for user, row in self._before.items())
        rows = {user: row for user, row in every.items() if user not in self._before}
        check_rows(rows, served, answered)
        check_budget(ledger, client, rows, served)
        self._before = every
        self.outcomes.update(row["outcome"] for row in rows.values())

    def __str__(self):
        counts = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.items())
        return (
            f"{self._rounds} moments, seed {SEED}: {self.outcomes.total()} requests"
            f" ({counts}); 0 lost, 0 doubled, 0 holds pinned, no budget above its limit"
        )


def billed(sandbox):
    return [entry for entry in sandbox.journal() if entry["prompt_tokens"] is not None]


def test_no_moment_to_die_loses_or_doubles_anything(catraca, sandbox, capsys):
    deaths = Deaths(catraca, sandbox, ROUNDS)
    deaths.run()
    with capsys.disabled():
        print(f"\nSIGKILL: {deaths}")


def start_on_unreliable_disk(catraca, folder, durability):
    need_sqlite()
    catraca.configuration.settings["ledger"]["durability"] = durability
    return UnreliableDisk(catraca, folder)


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_no_loss_of_power_loses_or_doubles_anything(
    catraca, sandbox, tmp_path, capsys, stream
):
    disk = start_on_unreliable_disk(catraca, tmp_path, "power")
    deaths = Deaths(catraca, sandbox, max(ROUNDS // 10, 3), streams=[stream])
    deaths.run(disk.lose_what_is_not_synchronized)
    with capsys.disabled():
        print(f"\nloss of power, {'streams' if stream else 'plain'}: {deaths}")


def test_what_only_a_process_outlives_is_lost_with_the_power(catraca, sandbox, tmp_path):
    """So that the disk of the tests above is seen to lose something: not at each moment, since a
    checkpoint may just have been made."""
    disk = start_on_unreliable_disk(catraca, tmp_path, "process")
    deaths = Deaths(catraca, sandbox, MOST_LOSSES)

    def loses(round_):
        answered, _ = deaths.die(round_, LIFE_SECONDS[1])
        assert answered <= by_user(catraca.ledger.usage()).keys()
        disk.lose_what_is_not_synchronized()
        catraca.start()
        return answered - by_user(catraca.ledger.usage()).keys()

    assert any(loses(round_) for round_ in range(MOST_LOSSES))
