"""Credits: drawn when the plan is used up, exact whatever happens."""

import json
from datetime import datetime, timedelta, timezone

import pytest
from harness.crowd import at_once
from harness.raw_http import Truncated
from harness.sandbox import script
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
CREDITS = "/api/admin/credits"


@pytest.fixture
def admin(catraca, tokens):
    """A client on a plan that lets nothing through."""
    catraca.configuration.clients["plans"]["free"]["monthly_tokens"] = 0
    return catraca.start().admin(tokens["admin"])


def add(admin, **fields):
    return admin.done("POST", CREDITS, {"client_id": "acme", **fields}, 201)


def remaining(admin):
    data = admin.done("GET", f"{CREDITS}?client=acme")["data"]
    return [credit["tokens_remaining"] or credit["cost_remaining"] for credit in data]


def used(catraca):
    return sum(row["total_tokens"] for row in catraca.ledger.usage())


def test_a_credit_pays_what_the_plan_does_not(catraca, admin):
    assert catraca.post(BODY).status == 429
    made = add(admin, tokens=20_000, note="goodwill")
    assert made["created_at"].endswith("Z")
    assert made == {
        "id": "crd_01",
        "client_id": "acme",
        "tokens_granted": 20_000,
        "tokens_remaining": 20_000,
        "cost_granted": None,
        "cost_remaining": None,
        "currency": None,
        "expires_at": None,
        "note": "goodwill",
        "created_at": made["created_at"],
    }
    assert catraca.post(BODY).status == 200
    assert remaining(admin) == [20_000 - used(catraca)]
    check = admin.done("GET", "/api/usage/check?client=acme&tokens=100")
    assert (check["allowed"], check["extra_credits"]) == (True, 20_000 - used(catraca))
    assert (check["tokens_remaining"], check["total_available"]) == (0, check["extra_credits"])
    now = admin.done("GET", "/api/usage/current-period?client=acme")
    assert (now["tokens_used"], now["is_over_limit"]) == (used(catraca), True)
    [entry] = admin.done("GET", "/api/admin/audit-log")["data"]
    assert (entry["action"], entry["target"]) == ("credit.create", "credit:crd_01")


def test_the_soonest_to_expire_goes_first_and_tokens_before_money(catraca, admin):
    later = datetime.now(timezone.utc) + timedelta(days=9)
    add(admin, cost="1.00", currency="BRL")
    add(admin, tokens=1000)
    add(admin, tokens=1000, expires_at=later.isoformat())
    assert catraca.post(BODY).status == 200
    assert remaining(admin) == ["1.000000000", 1000, 1000 - used(catraca)]


def test_money_pays_what_the_request_costs(catraca, admin):
    add(admin, cost="1.00", currency="BRL")
    assert catraca.post(BODY).status == 200
    [left] = remaining(admin)
    assert left == f"0.{10**9 - catraca.row()['cost_nano']:09}"
    check = admin.done("GET", "/api/usage/check?client=acme")
    assert (check["allowed"], check["extra_credits"]) == (True, 0)


def test_fifty_at_once_use_a_credit_up_and_never_more(catraca, admin):
    add(admin, tokens=1500)
    answers = at_once(50, lambda _: catraca.post({**BODY, "max_completion_tokens": 100}).status)
    assert set(answers) == {200, 429}
    [left] = remaining(admin)
    assert left == 1500 - used(catraca) and 0 <= left < 200
    assert catraca.command("audit").returncode == 0


def test_a_kill_loses_no_draw_and_repeats_none(catraca, admin, sandbox):
    add(admin, tokens=100_000)
    add(admin, cost="50.00", currency="USD")

    def send(index):
        if index == 20:
            eventually(
                lambda: sum(entry["completed"] for entry in sandbox.journal()) >= 5,
                "some requests finished",
            )
            return catraca.kill()
        try:
            return catraca.post(BODY, headers=script(delay_ms=index * 40)).status
        except (OSError, Truncated):
            return None

    at_once(21, send)
    admin = catraca.start().admin(admin.token)
    assert remaining(admin) == [100_000 - used(catraca), "50.000000000"]
    assert catraca.ledger.in_flight() == []
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout
    status = admin.done("GET", "/api/admin/budgets/acme/plan")
    assert status["remaining_tokens"] == 100_000 - used(catraca)


def test_a_credit_widens_the_plan_and_no_budget(catraca, admin):
    budget = {"client_id": "acme", "name": "cap", "tokens": 30}
    admin.done("POST", "/api/admin/budgets", budget, 201)
    add(admin, tokens=10_000)
    refused = catraca.post(BODY)
    assert refused.status == 429 and json.loads(refused.body)["budget"]["id"] == "acme/cap"


def test_an_ended_credit_pays_nothing(catraca, admin):
    reply = admin.post(CREDITS, {"client_id": "acme", "tokens": 5, "expires_at": "2026-01-01"})
    assert (reply.status, reply.error["param"]) == (400, "expires_at")
    soon = datetime.now(timezone.utc) + timedelta(seconds=1)
    add(admin, tokens=5000, expires_at=soon.isoformat())
    while datetime.now(timezone.utc) <= soon:
        admin.get("/healthz")
    assert catraca.post(BODY).status == 429


@pytest.mark.parametrize(
    "fields, param",
    [
        ({}, "tokens"),
        ({"tokens": 0}, "tokens"),
        ({"tokens": 1, "cost": "1", "currency": "BRL"}, "tokens"),
        ({"cost": "1"}, "currency"),
        ({"cost": "1", "currency": "EUR"}, "currency"),
        ({"cost": 1, "currency": "BRL"}, "cost"),
        ({"cost": "0", "currency": "BRL"}, "cost"),
        ({"tokens": 1, "currency": "BRL"}, "currency"),
    ],
)
def test_a_wrong_credit_is_400_and_names_its_field(admin, fields, param):
    reply = admin.post(CREDITS, {"client_id": "acme", **fields})
    assert (reply.status, reply.error["param"]) == (400, param)


def test_the_command_adds_a_credit(catraca, admin):
    add_tokens = ["credit", "add", "--client", "acme", "--tokens", "500"]
    done = catraca.command(*add_tokens, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tokens_remaining"] == 500
    bare = catraca.command("credit", "add", "--client", "acme")
    assert bare.returncode == 2
    assert "a credit needs one amount; allowed: tokens, or cost with currency" in bare.stderr
    money = catraca.command(
        "credit", "add", "--client", "acme", "--cost", "2.50", "--currency", "BRL"
    )
    assert money.returncode == 0
    assert remaining(admin) == [500, "2.500000000"]
