"""The overspend attack: ten rounds of a crowd on a budget that pays for seven.

Beyond what the rows say, the limit is compared with what the provider served: its own journal.
"""

import pytest
from harness import overspend
from harness.overspend import (
    BODY,
    CROWD,
    OUTPUT,
    PAYABLE,
    dearest,
    learn_bound,
    mixed,
    token_budget,
)
from harness.sandbox import script

ROUNDS = range(10)


def start_with_budgets(catraca, limit, per):
    """A client a round, since each round uses a budget up."""
    for round_ in ROUNDS:
        catraca.configuration.add_client(f"round{round_}", [token_budget(limit, per=per)])
    # On a slow machine too, all that can be paid for has its turn.
    catraca.configuration.settings["budgets"] = {"admission_wait": "60s"}
    catraca.start()


def attack(catraca, *arguments):
    return overspend.attack(
        lambda _, body, **options: catraca.post(body, **options), *arguments
    )


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_where_each_uses_its_bound_exactly_seven_pass(catraca, sandbox, stream):
    bound = learn_bound(catraca)
    start_with_budgets(catraca, PAYABLE * bound + OUTPUT - 1, per="client")
    for round_ in ROUNDS:
        client = f"round{round_}"
        answers, served = attack(
            catraca, sandbox, client, lambda _: {**BODY, "stream": stream}, dearest(bound)
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
        answers, served = attack(
            catraca,
            sandbox,
            client,
            lambda index: {**mixed(index), "user": "newcomer"},
            dearest(bound),
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


@pytest.mark.parametrize("smaller", ["max_tokens", "max_completion_tokens"])
def test_of_two_output_limits_the_larger_is_held(catraca, sandbox, smaller):
    """Nobody says which of them a provider keeps to."""
    catraca.configuration.add_client("small", [token_budget(1000)])
    catraca.start()
    limits = {"max_tokens": 5000, "max_completion_tokens": 5000, smaller: 10}
    for names in [sorted(limits), sorted(limits, reverse=True)]:
        body = {"model": BODY["model"], "messages": BODY["messages"]}
        body |= {name: limits[name] for name in names}
        answer = catraca.post(body, client="small")
        assert (answer.status, answer.code) == (429, "budget_exceeded")
    assert not sandbox.served()
