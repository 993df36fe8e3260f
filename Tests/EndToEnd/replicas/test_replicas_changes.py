"""A change at one replica is in force at the others within a second."""

import time

import pytest
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

# A second, and one for a busy machine.
IN_FORCE = 2.0 * TIME_FACTOR
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 40,
}
ADMIN = "/api/admin"


@pytest.fixture
def admins(replicas, tokens):
    """The admin API of each, once all are started."""
    replicas.configuration.add_client("other")
    replicas.start()
    return [replica.admin(tokens["admin"]) for replica in replicas]


def at_all(replicas, expected, **options):
    """Waits until every replica gives the answer, a status and the code of a refusal."""

    def answer(replica):
        answer = replica.post(BODY, **options)
        return answer.status, None if answer.status == 200 else answer.code

    deadline = time.monotonic() + IN_FORCE
    for replica in replicas:
        rest = deadline - time.monotonic()
        eventually(lambda: answer(replica) == expected, f"{expected} at all", max(rest, 0))


PASSES = (200, None)


def test_budgets_and_what_is_done_to_them(replicas, admins):
    changes = admins[0]
    at_all(replicas, PASSES)
    budget = {"client_id": "acme", "name": "cap", "tokens": 1, "period": "total"}
    changes.done("POST", f"{ADMIN}/budgets", budget, 201)
    at_all(replicas, (429, "budget_exceeded"))
    changes.done("POST", f"{ADMIN}/budgets", {**budget, "tokens": 100_000})
    at_all(replicas, PASSES)
    cap = f"{ADMIN}/budgets/acme/cap"
    changes.done("POST", f"{cap}/pause", {"note": "for a while"})
    at_all(replicas, (429, "budget_paused"))
    changes.done("POST", f"{cap}/resume", {})
    at_all(replicas, PASSES)
    changes.done("POST", f"{ADMIN}/budgets", {**budget, "tokens": 1})
    at_all(replicas, (429, "budget_exceeded"))
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))
    changes.done("POST", f"{cap}/raise", {"tokens": 100_000, "until": until})
    at_all(replicas, PASSES)
    changes.done("POST", f"{cap}/raise", {"tokens": 0, "until": until})
    at_all(replicas, (429, "budget_exceeded"))
    changes.done("DELETE", cap, status=204)
    at_all(replicas, PASSES)


def test_a_cleared_budget_pays_again_everywhere(replicas, admins):
    budget = {"client_id": "acme", "name": "cap", "tokens": 120, "period": "total"}
    admins[0].done("POST", f"{ADMIN}/budgets", budget, 201)
    eventually(lambda: replicas[1].post(BODY).status == 429, "it is used up")
    at_all(replicas, (429, "budget_exceeded"))
    admins[0].done("POST", f"{ADMIN}/budgets/acme/cap/reset", {"usage": "clear"})
    eventually(lambda: replicas[2].post(BODY).status == 200, "it pays again", IN_FORCE)
    eventually(lambda: replicas[1].post(BODY).status == 429, "it is used up")


def test_keys_and_clients(replicas, admins):
    keys = f"{ADMIN}/clients/acme/keys"
    replicas.configuration.keys["made"] = admins[0].done("POST", keys, {"name": "web"}, 201)[
        "secret"
    ]
    at_all(replicas, PASSES, client="made")
    admins[1].done("DELETE", f"{keys}/web", status=204)
    at_all(replicas, (401, "invalid_api_key"), client="made")
    admins[2].done("POST", f"{ADMIN}/clients", {"id": "late"}, 201)
    eventually(
        lambda: admins[0].get(f"{ADMIN}/clients/late").status == 200, "known at once", IN_FORCE
    )
    secret = admins[0].done("POST", f"{ADMIN}/clients/late/keys", {"name": "k"}, 201)["secret"]
    replicas.configuration.keys["late"] = secret
    at_all(replicas, PASSES, client="late")
    admins[1].done("PATCH", f"{ADMIN}/clients/late", {"status": "suspended"})
    at_all(replicas, (429, "budget_paused"), client="late")
    admins[2].done("PATCH", f"{ADMIN}/clients/late", {"status": "active"})
    at_all(replicas, PASSES, client="late")


def test_plans_and_subscriptions(replicas, admins):
    admins[0].done("POST", f"{ADMIN}/plans", {"name": "tiny", "monthly_tokens": 1}, 201)
    admins[0].done("POST", f"{ADMIN}/clients/acme/subscription", {"plan": "tiny"})
    at_all(replicas, (429, "budget_exceeded"))
    admins[1].done("PATCH", f"{ADMIN}/plans/tiny", {"monthly_tokens": 1_000_000})
    at_all(replicas, PASSES)


def test_prices(replicas, admins):
    def costs():
        """The costs of a request at the replicas now."""
        before = len(replicas.ledger.usage())
        for replica in replicas:
            assert replica.post(BODY).status == 200
        return {row["cost_nano_usd"] for row in replicas.ledger.usage()[before:]}

    [listed] = costs()
    override = {"client_id": "acme", "provider": "openai", "model": "gpt-4o-mini"}
    rates = {"per_million_tokens": {"input": "300", "output": "1200"}}
    admins[0].done("POST", "/api/pricing-config", {**override, **rates}, 201)

    eventually(lambda: min(costs()) > listed, "the new price everywhere", IN_FORCE)
    query = "client=acme&provider=openai&model=gpt-4o-mini"
    admins[1].done("DELETE", f"/api/pricing-config?{query}", status=204)
    eventually(lambda: costs() == {listed}, "the old price everywhere", IN_FORCE)


def test_changes_by_a_command(replicas, admins):
    arguments = ["--client", "acme", "--name", "cap", "--tokens", "1"]
    done = replicas[0].command("budget", "set", *arguments)
    assert done.returncode == 0, done.stderr
    at_all(replicas, (429, "budget_exceeded"))


def test_use_is_seen_everywhere(replicas, admins):
    """Use that one replica recorded is in the figures of the others."""
    budget = {"client_id": "acme", "name": "cap", "tokens": 100_000, "period": "total"}
    admins[0].done("POST", f"{ADMIN}/budgets", budget, 201)
    for replica in replicas:
        eventually(lambda: replica.post(BODY).status == 200, "served")
    used = sum(row["total_tokens"] for row in replicas.ledger.usage())

    def figures():
        return [
            (
                admin.done("GET", "/api/budget/status?client=acme")["current_tokens"],
                admin.done("GET", "/api/usage/summary?client=acme&days=1")["total_tokens"],
            )
            for admin in admins
        ]

    eventually(lambda: figures() == [(used, used)] * len(admins), "the use", IN_FORCE)
