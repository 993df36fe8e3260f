"""Credits across three replicas: none pays more than it was, and what is left of it can be used.

A client a round, since each round uses its plan and its credit up.
"""

import pytest
from harness.overspend import (
    CROWD,
    OUTPUT,
    assert_used_up,
    attack,
    billed,
    dearest,
    learn_bound,
    mixed,
)
from harness.sandbox import script

ROUNDS = range(3)
BY_PLAN = 2
BY_CREDIT = 3
"""How many requests each pays for, and some tokens beside."""


@pytest.fixture
def bound(replicas):
    return learn_bound(replicas[0])


@pytest.fixture
def start(replicas, tokens):
    """Starts the replicas, whose plan gives `plan_tokens`; returns an administrator."""

    def start(plan_tokens):
        replicas.configuration.clients["plans"]["free"]["monthly_tokens"] = plan_tokens
        for round_ in ROUNDS:
            replicas.configuration.add_client(f"round{round_}")
        # On a slow machine too, all that can be paid for has its turn.
        replicas.configuration.settings["budgets"] = {"admission_wait": "60s"}
        return replicas.start()[0].admin(tokens["admin"])

    return start


def give(admin, client, **amount):
    admin.done("POST", "/api/admin/credits", {"client_id": client, **amount}, 201)


def credits_left(replicas, client):
    return replicas.ledger.query(
        "SELECT tokens_remaining, cost_remaining_nano FROM token_credits WHERE client_id = %s",
        client,
    )


def assert_given_back(replicas):
    """When all have stopped nothing is leased, and all figures are what the rows say."""
    replicas.assert_sound()
    replicas.terminate()
    assert replicas.ledger.query("SELECT * FROM credit_leases") == []
    assert replicas.ledger.query("SELECT * FROM budget_leases") == []
    replicas.assert_sound()


def test_a_plan_and_a_credit_in_tokens_pay_together_and_no_more(replicas, sandbox, bound, start):
    plan = BY_PLAN * bound + bound // 2
    credit = BY_CREDIT * bound - bound // 2 + OUTPUT - 1
    admin = start(plan)
    for round_ in ROUNDS:
        client = f"round{round_}"
        give(admin, client, tokens=credit)
        # The last round's requests use less than is held for them.
        headers = script(completion_tokens=OUTPUT // 4) if round_ == 2 else dearest(bound)
        answers, served = attack(replicas.post, sandbox, client, mixed, headers)
        assert sum(served) <= plan + credit, client
        assert answers == {200: len(served), 429: CROWD - len(served)}, client
        assert_used_up(replicas, sandbox, plan + credit, bound, client, mixed(0), headers)
        [left] = credits_left(replicas, client)
        [use] = replicas.ledger.query(
            "SELECT tokens, paid_by_credits FROM budget_accounts WHERE budget_id = %s",
            f"{client}/plan",
        )
        assert use["tokens"] == sum(billed(sandbox)), client
        assert use["paid_by_credits"] == credit - left["tokens_remaining"] <= credit, client
        assert use["tokens"] - use["paid_by_credits"] <= plan, client
    assert_given_back(replicas)


def test_a_credit_in_money_pays_no_more_than_it_was(replicas, sandbox, bound, start):
    admin = start(0)
    give(admin, "acme", cost="1.00", currency="BRL")
    assert replicas[0].post(mixed(1), headers=dearest(bound)).status == 200
    row = replicas.ledger.usage(client_id="acme")[-1]
    price = row["cost_nano"]
    held = price * row["held_nano_usd"] // row["cost_nano_usd"] + 1
    credit = (BY_CREDIT - 1) * price + held + price // 2
    for round_ in ROUNDS[:2]:
        client = f"round{round_}"
        give(admin, client, cost=f"0.{credit:09}", currency="BRL")
        headers = dearest(bound)
        answers, served = attack(replicas.post, sandbox, client, mixed, headers)
        assert answers == {200: len(served), 429: CROWD - len(served)}, client
        limit = BY_CREDIT * bound + bound // 2
        assert_used_up(replicas, sandbox, limit, bound, client, mixed(0), headers)
        assert len(billed(sandbox)) == BY_CREDIT, client
        [left] = credits_left(replicas, client)
        assert left["cost_remaining_nano"] == credit - BY_CREDIT * price, client
    assert_given_back(replicas)
