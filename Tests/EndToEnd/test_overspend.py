"""The overspend attack: ten rounds of a crowd on a budget that pays for seven.

Beyond what the rows say, the limit is compared with what the provider served: its own journal.
"""

from collections import Counter

import pytest
from harness.crowd import at_once
from harness.sandbox import script, script_of
from harness.usage import Usage

ROUNDS = range(10)
CROWD = 200
PAYABLE = 7
OUTPUT = 50
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": OUTPUT,
}


def mixed(index):
    return {**BODY, "stream": index % 2 == 0}


def learn_bound(catraca):
    catraca.start()
    catraca.post(BODY)
    bound = catraca.row()["held_tokens"]
    assert catraca.terminate() == 0
    return bound


def start_with_budgets(catraca, limit, per):
    """A client a round, since each round uses a budget up."""
    for round_ in ROUNDS:
        budget = {
            "name": "all",
            "mode": "tokens",
            "tokens": limit,
            "period": "total",
            "per": per,
        }
        catraca.configuration.add_client(f"round{round_}", [budget])
    # On a slow machine too, all that can be paid for has its turn.
    catraca.configuration.settings["budgets"] = {"admission_wait": "60s"}
    catraca.start()


def attack(catraca, sandbox, client, bodies, headers):
    """What the crowd was answered, and what the provider served of it."""
    sandbox.clear()
    answers = at_once(
        CROWD, lambda index: catraca.post(bodies(index), client=client, headers=headers).status
    )
    # What is billed nothing is a count of input tokens, asked for in the last mile.
    served = [
        entry["prompt_tokens"] + entry["completion_tokens"]
        for entry in sandbox.journal()
        if entry["prompt_tokens"] is not None
    ]
    return Counter(answers), served


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_where_each_uses_its_bound_exactly_seven_pass(catraca, sandbox, stream):
    bound = learn_bound(catraca)
    start_with_budgets(catraca, PAYABLE * bound + OUTPUT - 1, per="client")
    for round_ in ROUNDS:
        client = f"round{round_}"
        dearest = script_of(Usage(prompt=bound - OUTPUT, completion=OUTPUT))
        answers, served = attack(
            catraca, sandbox, client, lambda _: {**BODY, "stream": stream}, dearest
        )
        assert answers == {200: PAYABLE, 429: CROWD - PAYABLE}, client
        assert served == [bound] * PAYABLE, client
        rows = catraca.ledger.usage(client_id=client)
        assert [row["total_tokens"] for row in rows] == [bound] * PAYABLE


def test_the_first_requests_of_a_user_never_seen_are_no_way_around(catraca, sandbox):
    bound = learn_bound(catraca)
    start_with_budgets(catraca, PAYABLE * bound, per="user")
    for round_ in ROUNDS:
        client = f"round{round_}"
        dearest = script_of(Usage(prompt=bound - OUTPUT, completion=OUTPUT))
        answers, served = attack(
            catraca,
            sandbox,
            client,
            lambda index: {**mixed(index), "user": "newcomer"},
            dearest,
        )
        assert answers == {200: PAYABLE, 429: CROWD - PAYABLE}, client
        assert served == [bound] * PAYABLE, client


def test_where_each_uses_less_the_budget_is_used_up_to_less_than_a_bound(catraca, sandbox):
    bound = learn_bound(catraca)
    limit = PAYABLE * bound
    start_with_budgets(catraca, limit, per="client")
    for round_ in ROUNDS:
        client = f"round{round_}"
        modest = script(completion_tokens=OUTPUT // (round_ + 1))
        answers, served = attack(catraca, sandbox, client, mixed, modest)
        assert limit - bound < sum(served) <= limit, client
        assert answers == {200: len(served), 429: CROWD - len(served)}, client
    assert catraca.ledger.in_flight() == []
