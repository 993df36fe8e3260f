"""A hard budget is never passed, however many ask at once, and is used up to its end."""

from collections import Counter

import pytest
from harness.crowd import at_once
from harness.sandbox import script, script_of
from harness.usage import Usage

CROWD = 200
PAYABLE = 7
OUTPUT = 50
MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES, "max_completion_tokens": OUTPUT}


@pytest.fixture
def bound(catraca):
    """The tokens that are held for BODY, learnt from a row."""
    catraca.start()
    catraca.post(BODY)
    bound = catraca.row()["held_tokens"]
    assert catraca.terminate() == 0
    return bound


def start_with_budget(catraca, sandbox, budget):
    catraca.configuration.add_client("small", [{"name": "all", "period": "total", **budget}])
    catraca.start()
    sandbox.clear()


def rows(catraca):
    return catraca.ledger.usage(client_id="small")


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_exactly_as_many_pass_as_the_budget_pays_for(catraca, sandbox, bound, stream):
    start_with_budget(catraca, sandbox, {"mode": "tokens", "tokens": PAYABLE * bound})
    dearest = script_of(Usage(prompt=bound - OUTPUT, completion=OUTPUT))
    body = {**BODY, "stream": stream}
    answers = at_once(CROWD, lambda _: catraca.post(body, client="small", headers=dearest).status)
    assert Counter(answers) == {200: PAYABLE, 429: CROWD - PAYABLE}
    assert len(sandbox.journal()) == PAYABLE
    assert [row["total_tokens"] for row in rows(catraca)] == [bound] * PAYABLE
    catraca.denials(CROWD - PAYABLE)


def test_a_cost_budget_is_as_hard(catraca, sandbox, bound):
    catraca.start()
    dearest = script_of(Usage(prompt=bound - OUTPUT, completion=OUTPUT))
    catraca.post(BODY, headers=dearest)
    cost = catraca.ledger.usage()[-1]["cost_nano"]
    assert catraca.terminate() == 0
    limit = PAYABLE * cost
    money = f"{limit // 10**9}.{limit % 10**9:09}"
    start_with_budget(catraca, sandbox, {"mode": "cost", "cost": money, "currency": "BRL"})
    answers = at_once(CROWD, lambda _: catraca.post(BODY, client="small", headers=dearest).status)
    spent = sum(row["cost_nano"] for row in rows(catraca))
    assert spent <= limit
    assert limit - spent < max(row["held_nano_usd"] * 6 for row in rows(catraca))
    served = [entry for entry in sandbox.journal() if entry["path"].endswith("/completions")]
    assert Counter(answers)[200] == len(served) == len(rows(catraca))


@pytest.mark.parametrize("open_ended", [False, True], ids=["limited", "open-ended"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_burst_uses_a_budget_up_to_less_than_one_bound(
    catraca, sandbox, bound, stream, open_ended
):
    limit = 20 * bound
    start_with_budget(catraca, sandbox, {"mode": "tokens", "tokens": limit})
    body = {**BODY, "stream": stream}
    least = bound
    if open_ended:
        body.pop("max_completion_tokens")
        least = bound - OUTPUT + 256
    answers = at_once(CROWD, lambda _: catraca.post(body, client="small").status)
    used = sum(row["total_tokens"] for row in rows(catraca))
    assert used <= limit
    assert limit - used < least
    assert Counter(answers) == {
        200: len(rows(catraca)),
        429: CROWD - len(rows(catraca)),
    }
    assert catraca.ledger.in_flight() == []


def test_a_request_that_others_hold_up_waits_and_passes(catraca, sandbox, bound):
    start_with_budget(catraca, sandbox, {"mode": "tokens", "tokens": 2 * bound})
    slow = script(delay_ms=50)
    answers = at_once(5, lambda _: catraca.post(BODY, client="small", headers=slow).status)
    assert answers == [200] * 5


def test_one_that_waits_too_long_is_told_to_come_again(catraca, sandbox, bound):
    catraca.configuration.settings["budgets"] = {"admission_wait": "100ms"}
    start_with_budget(catraca, sandbox, {"mode": "tokens", "tokens": bound + bound // 2})
    slow = script(delay_ms=1000)
    answers = at_once(2, lambda _: catraca.post(BODY, client="small", headers=slow))
    passed, contended = sorted(answers, key=lambda answer: answer.status)
    assert (passed.status, contended.status) == (200, 429)
    assert contended.code == "budget_contended"
    assert contended.json()["error"]["type"] == "rate_limit_error"
    assert contended.fields["retry-after"] == "1"
    assert contended.fields["x-should-retry"] == "true"
    assert contended.fields["x-catraca-denied"] == "contended"
    assert [row["reason"] for row in catraca.denials(1)] == ["budget_contended"]
