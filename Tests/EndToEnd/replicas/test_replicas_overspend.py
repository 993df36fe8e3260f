"""The overspend attack across three replicas: ten rounds on a budget that pays for seven requests.

Tokens that aren't used while others hold them can be used when their leases have returned.
"""

import pytest
from harness.overspend import (
    BODY,
    CROWD,
    OUTPUT,
    PAYABLE,
    assert_used_up,
    attack,
    billed,
    dearest,
    learn_bound,
    mixed,
    token_budget,
)
from harness.sandbox import script

ROUNDS = range(10)
SKEW_SECONDS = 30


def start_with_budgets(replicas, limit, per="client"):
    """A client a round, since each round uses a budget up."""
    for round_ in ROUNDS:
        replicas.configuration.add_client(f"round{round_}", [token_budget(limit, per=per)])
    # On a slow machine too, all that can be paid for has its turn.
    replicas.configuration.settings["budgets"] = {"admission_wait": "60s"}
    replicas.start()


def run(replicas, sandbox, limit, bound, bodies, headers):
    """Ten rounds; `headers` gives those of a round."""
    for round_ in ROUNDS:
        client = f"round{round_}"
        answers, served = attack(replicas.post, sandbox, client, bodies, headers(round_))
        assert sum(served) <= limit, client
        assert answers == {200: len(served), 429: CROWD - len(served)}, client
        assert_used_up(replicas, sandbox, limit, bound, client, bodies(0), headers(round_))
        rows = replicas.ledger.usage(client_id=client)
        assert sorted(row["total_tokens"] for row in rows) == sorted(billed(sandbox)), client
        [budget] = replicas.ledger.budgets(client_id=client)
        assert budget["current_tokens"] == sum(billed(sandbox)), client
    replicas.assert_sound()


@pytest.mark.parametrize(
    ("per", "skew"),
    [("client", 0), ("user", 0), ("client", SKEW_SECONDS)],
    ids=["client", "user", "clocks wrong"],
)
def test_where_each_uses_its_bound_exactly_seven_pass(replicas, sandbox, per, skew):
    bound = learn_bound(replicas[0])
    if skew:
        replicas[0].set_clock_ahead(skew)
        replicas[2].set_clock_ahead(-skew)
    limit = PAYABLE * bound + OUTPUT - 1
    start_with_budgets(replicas, limit, per)
    run(
        replicas,
        sandbox,
        limit,
        bound,
        lambda index: {**mixed(index), "user": "newcomer"},
        lambda _: dearest(bound),
    )


def test_where_each_uses_less_the_budget_is_used_up_to_less_than_a_bound(replicas, sandbox):
    bound = learn_bound(replicas[0])
    limit = PAYABLE * bound
    start_with_budgets(replicas, limit)
    run(
        replicas,
        sandbox,
        limit,
        bound,
        mixed,
        lambda round_: script(completion_tokens=OUTPUT // (round_ + 1)),
    )
