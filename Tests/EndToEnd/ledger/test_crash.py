"""A killed process loses nothing and counts nothing twice."""

import json
from collections import Counter

import pytest
from harness.crowd import at_once
from harness.raw_http import Truncated
from harness.sandbox import script
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

CROWD = 200
# On PostgreSQL, 15 seconds until a start takes over what another life had, and five of patience.
SETTLED = 20.0 * TIME_FACTOR
MESSAGES = [{"role": "user", "content": "Hello"}]


def send_one(catraca, index):
    """Some are quick, some slow, half are streams; each has a user of its own."""
    body = {
        "model": "gpt-4o-mini",
        "messages": MESSAGES,
        "user": f"u{index}",
        "max_completion_tokens": 40,
        "stream": index % 2 == 0,
    }
    headers = script(delay_ms=index % 10 * 40, chunk_delay_ms=index % 7)
    try:
        return catraca.post(body, headers=headers).status
    except (OSError, Truncated):
        return None


def start_again(catraca):
    """Once all that was in flight is settled."""
    catraca.start()
    eventually(lambda: not catraca.ledger.in_flight(), "settled", SETTLED)


@pytest.mark.parametrize("finished", [0, 20, 100], ids=["at once", "early", "midway"])
def test_after_a_kill_each_served_request_has_exactly_one_row(catraca, sandbox, finished):
    catraca.configuration.add_client("small")
    catraca.start()

    def kill_in_time(index):
        if index < CROWD:
            return send_one(catraca, index)
        eventually(
            lambda: (
                len(sandbox.journal()) > finished
                and sum(entry["completed"] for entry in sandbox.journal()) >= finished
            ),
            f"{finished} requests finished",
        )
        catraca.kill()
        return None

    statuses = at_once(CROWD + 1, kill_in_time)
    served = {json.loads(entry["body"])["user"] for entry in sandbox.journal()}
    answered = {f"u{index}" for index, status in enumerate(statuses) if status == 200}
    assert answered <= served and len(answered) < CROWD

    start_again(catraca)
    rows = catraca.ledger.usage()
    users = Counter(row["user_id"] for row in rows)
    assert set(users.values()) == {1}
    assert served <= set(users)
    assert len({row["request_id"] for row in rows}) == len(rows)
    for row in rows:
        if row["outcome"] == "interrupted":
            assert row["user_id"] not in answered
            assert (row["status"], row["usage_source"]) == (0, "estimated")
            assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]
        else:
            assert row["user_id"] in served
    assert catraca.ledger.in_flight() == []

    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr


def test_a_second_start_settles_nothing_again(catraca, sandbox):
    catraca.start()

    def kill_while_it_hangs(index):
        if index == 0:
            try:
                return catraca.post(
                    {"model": "gpt-4o-mini", "messages": MESSAGES}, headers=script(hang=True)
                )
            except (OSError, Truncated):
                return None
        eventually(sandbox.journal, "a request at the provider")
        return catraca.kill()

    at_once(2, kill_while_it_hangs)
    start_again(catraca)
    first = catraca.ledger.usage()
    assert [row["outcome"] for row in first] == ["interrupted"]
    catraca.kill()
    catraca.start()
    assert catraca.ledger.usage() == first


def test_a_budget_remembers_what_was_used_before_a_kill(catraca):
    budget = {"name": "all", "mode": "tokens", "tokens": 600, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    body = {"model": "gpt-4o-mini", "messages": MESSAGES, "max_completion_tokens": 300}
    exact = script(completion_tokens=300)
    assert catraca.post(body, client="small", headers=exact).status == 200
    catraca.kill()
    catraca.start()
    answer = catraca.post(body, client="small", headers=exact)
    assert answer.status == 429
    assert answer.json()["budget"]["used"] == catraca.row()["total_tokens"]
