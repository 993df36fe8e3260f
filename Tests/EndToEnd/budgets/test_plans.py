"""Plans and subscriptions through the admin API."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
PLANS = "/api/admin/plans"
SUBSCRIPTION = "/api/admin/clients/acme/subscription"
ZONE = ZoneInfo("America/Sao_Paulo")
NO_PLAN = {"monthly_tokens": None, "monthly_conversations": None, "billing": None}


def today(zone=ZONE):
    return datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)


def period(admin, client="acme"):
    return admin.done("GET", f"/api/usage/current-period?client={client}")


def test_a_plan_is_made_changed_and_removed(admin):
    billing = {
        "currency": "BRL",
        "fixed_fee": "400.00",
        "included_tokens": 8_000_000,
        "overage": {"every_tokens": 8_000_000, "charge": "100"},
    }
    fields = {"name": "pro", "display_name": "Pro", "billing": billing}
    made = admin.done("POST", PLANS, fields, 201)
    assert made == {
        "name": "pro",
        "display_name": "Pro",
        "source": "api",
        "monthly_tokens": None,
        "monthly_conversations": None,
        "billing": {
            **billing,
            "fixed_fee": "400.000000000",
            "overage": {"every_tokens": 8_000_000, "charge": "100.000000000"},
        },
        "markup": None,
    }
    again = admin.post(PLANS, {"name": "pro"})
    assert (again.status, again.code) == (409, "already_exists")
    changed = admin.done("PATCH", f"{PLANS}/pro", {"monthly_tokens": 5, "billing": None})
    assert (changed["monthly_tokens"], changed["billing"]) == (5, None)
    assert changed["display_name"] == "Pro"
    assert [plan["name"] for plan in admin.done("GET", PLANS)["data"]] == ["free", "pro"]
    first = admin.done("GET", f"{PLANS}?limit=1")
    assert first["has_more"] and first["next"] == "free"
    assert admin.delete(f"{PLANS}/pro").status == 204
    assert admin.get(f"{PLANS}/pro").status == 404
    log = admin.done("GET", "/api/admin/audit-log")["data"]
    assert [entry["action"] for entry in log] == ["plan.delete", "plan.update", "plan.create"]
    assert log[1]["before"]["monthly_tokens"] is None and log[1]["after"]["monthly_tokens"] == 5


@pytest.mark.parametrize(
    "fields, param",
    [
        ({}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "x", "monthly_tokens": -1}, "monthly_tokens"),
        ({"name": "x", "billing": 5}, "billing"),
        ({"name": "x", "billing": {"fixed_fee": 5}}, "fixed_fee"),
        ({"name": "x", "billing": {"overage": {"every_tokens": 1}}}, "charge"),
        ({"name": "x", "tokens": 1}, "tokens"),
    ],
)
def test_a_wrong_plan_is_400_and_names_its_field(admin, fields, param):
    reply = admin.post(PLANS, fields)
    assert (reply.status, reply.error["param"]) == (400, param)


def test_a_declared_plan_is_read_only_and_one_in_use_stays(admin):
    for method in ["PATCH", "DELETE"]:
        reply = admin.call(method, f"{PLANS}/free", {} if method == "PATCH" else None)
        assert (reply.status, reply.code) == (409, "declared_in_file")
        assert "clients.yaml:" in reply.error["message"]
    admin.done("POST", PLANS, {"name": "pro"}, 201)
    admin.done("POST", SUBSCRIPTION, {"plan": "pro"})
    reply = admin.delete(f"{PLANS}/pro")
    assert (reply.status, reply.code) == (409, "in_use")


def test_without_a_subscription_a_client_is_on_the_trial_plan(catraca, tokens):
    trial = {"display_name": "Trial", "monthly_tokens": 50000, "monthly_conversations": 50}
    catraca.configuration.clients = {
        "plans": {"trial": trial},
        "clients": catraca.configuration.clients["clients"],
    }
    admin = catraca.start().admin(tokens["admin"])
    assert catraca.post(BODY, headers={"x-catraca-conversation": "c1"}).status == 200
    used = catraca.row()["total_tokens"]
    first = today().replace(day=1)
    now = period(admin)
    assert now == {
        "client_id": "acme",
        "has_subscription": False,
        "plan_name": "Trial",
        "plan_id": "trial",
        "status": "trial",
        "tokens_used": used,
        "tokens_limit": 50000,
        "tokens_remaining": 50000 - used,
        "percentage_used": used * 1000 // 50000 / 10,
        "conversations_used": 1,
        "conversations_limit": 50,
        "period_start": first.isoformat(),
        "period_end": (first + timedelta(days=32)).replace(day=1).isoformat(),
        "is_over_limit": False,
    }
    assert admin.get(SUBSCRIPTION).status == 404
    catraca.post({**BODY, "max_completion_tokens": 60_000})
    [denial] = catraca.denials(1)
    assert (denial["budget_id"], denial["reason"]) == ("acme/plan", "token_limit")


def test_a_subscription_counts_from_its_start_and_keeps_its_period(catraca, admin):
    assert catraca.post(BODY, headers={"x-catraca-conversation": "c1"}).status == 200
    used = catraca.row()["total_tokens"]
    admin.done("POST", PLANS, {"name": "pro", "monthly_tokens": used + 100}, 201)
    start = today() - timedelta(days=40)
    made = admin.done("POST", SUBSCRIPTION, {"plan": "pro", "start": f"{start:%Y-%m-%d}"})
    assert (made["plan"], made["status"]) == ("pro", "active")
    assert made["started_at"] == start.isoformat()
    assert (made["tokens_used_this_period"], made["conversations_used_this_period"]) == (used, 1)
    begun = datetime.fromisoformat(made["current_period_start"])
    assert begun <= datetime.now(ZONE) < datetime.fromisoformat(made["current_period_end"])
    assert begun.hour == 0 and start < begun

    refused = catraca.post({**BODY, "max_completion_tokens": 200})
    assert (refused.status, refused.fields["x-catraca-denied"]) == (429, "token_limit")
    budget = refused.json()["budget"]
    assert (budget["id"], budget["used"], budget["limit"]) == ("acme/plan", used, used + 100)
    assert refused.json()["resetDate"] == made["current_period_end"]

    admin.done("POST", PLANS, {"name": "big", "monthly_tokens": 1_000_000}, 201)
    changed = admin.done("POST", SUBSCRIPTION, {"plan": "big"})
    assert changed == {**made, "plan": "big"}
    assert catraca.post(BODY).status == 200
    now = period(admin)
    assert (now["has_subscription"], now["status"], now["plan_id"]) == (True, "active", "big")
    assert now["tokens_used"] == sum(row["total_tokens"] for row in catraca.ledger.usage())

    catraca.kill()
    admin = catraca.start().admin(admin.token)
    status = admin.done("GET", "/api/admin/budgets/acme/plan")
    assert status["current_tokens"] == now["tokens_used"]
    assert status["next_reset_at"] == made["current_period_end"]
    assert catraca.command("audit").returncode == 0

    assert admin.delete(SUBSCRIPTION).status == 204
    assert admin.get(SUBSCRIPTION).status == 404
    assert period(admin)["period_start"] == today().replace(day=1).isoformat()


def test_a_period_begins_at_midnight_where_clocks_change(catraca, admin):
    zone = ZoneInfo("America/New_York")
    admin.done("POST", "/api/admin/clients", {"id": "nyc", "timezone": str(zone)}, 201)
    made = admin.done(
        "POST", "/api/admin/clients/nyc/subscription", {"plan": "free", "start": "2026-01-31"}
    )
    assert made["started_at"] == "2026-01-31T00:00:00-05:00"
    begin = datetime.fromisoformat(made["current_period_start"])
    end = datetime.fromisoformat(made["current_period_end"])
    for instant in [begin, end]:
        local = instant.astimezone(zone)
        assert (local.hour, local.utcoffset()) == (0, instant.utcoffset())
        assert (local + timedelta(days=1)).day == 1 or local.day == 31


@pytest.mark.parametrize(
    "body, param",
    [
        ({}, "plan"),
        ({"plan": "none"}, "plan"),
        ({"plan": "free", "start": "2999-01-01"}, "start"),
        ({"plan": "free", "start": "yesterday"}, "start"),
        ({"plan": "free", "until": "x"}, "until"),
    ],
)
def test_a_wrong_subscription_is_400(admin, body, param):
    reply = admin.post(SUBSCRIPTION, body)
    assert (reply.status, reply.error["param"]) == (400, param)


def test_a_plan_that_the_file_names_is_read_only(catraca, tokens):
    catraca.configuration.clients["plans"]["pro"] = {"display_name": "Pro"}
    catraca.configuration.clients["clients"]["acme"]["plan"] = "pro"
    admin = catraca.start().admin(tokens["admin"])
    shown = admin.done("GET", SUBSCRIPTION)
    assert shown["plan"] == "pro"
    assert shown["current_period_start"] == today().replace(day=1).isoformat()
    for method, body in [("POST", {"plan": "free"}), ("DELETE", None)]:
        reply = admin.call(method, SUBSCRIPTION, body)
        assert (reply.status, reply.code) == (409, "declared_in_file")


def test_a_clients_plan_is_short_for_a_subscription(admin):
    admin.done("POST", PLANS, {"name": "pro"}, 201)
    path = "/api/admin/clients"
    made = admin.done("POST", path, {"id": "beta", "plan": "pro"}, 201)
    assert made["plan"] == "pro"
    shown = admin.done("GET", f"{path}/beta/subscription")
    assert shown["current_period_start"] == f"{today(ZoneInfo('UTC')):%Y-%m-%d}T00:00:00Z"
    assert admin.done("PATCH", f"{path}/beta", {"plan": "free"})["plan"] == "free"
    assert admin.done("GET", f"{path}/beta/subscription")["plan"] == "free"
    assert admin.done("PATCH", f"{path}/beta", {"plan": None})["plan"] == "free"
    assert admin.get(f"{path}/beta/subscription").status == 404
    assert admin.delete(f"{PLANS}/pro").status == 204
    # Two things changed, and each has its entry.
    log = admin.done("GET", "/api/admin/audit-log?client=beta")["data"]
    assert [(entry["action"], entry["target"]) for entry in reversed(log)][:2] == [
        ("client.create", "client:beta"),
        ("subscription.create", "subscription:beta"),
    ]


def test_a_plans_budget_has_the_plans_source(catraca, admin):
    admin.done("POST", PLANS, {"name": "small", "monthly_tokens": 500}, 201)
    admin.done("POST", "/api/admin/clients", {"id": "beta", "plan": "small"}, 201)
    assert admin.done("GET", "/api/admin/budgets/beta/plan")["source"] == "api"
    assert admin.delete("/api/admin/budgets/beta/plan").status == 400
    catraca.terminate()
    catraca.configuration.clients["plans"]["declared"] = {"monthly_tokens": 500}
    restarted = catraca.start().admin(admin.token)
    restarted.done("PATCH", "/api/admin/clients/beta", {"plan": "declared"})
    assert restarted.done("GET", "/api/admin/budgets/beta/plan")["source"] == "file"


def test_keys_see_neither_plans_nor_subscriptions(catraca, admin):
    client = catraca.admin(catraca.key())
    for path in [PLANS, SUBSCRIPTION, "/api/admin/credits?client=acme"]:
        assert client.get(path).status == 403


def test_a_viewer_reads_and_changes_nothing(catraca, admin, tokens):
    viewer = catraca.admin(tokens["viewer"])
    assert viewer.get(PLANS).status == 200
    for path in [PLANS, SUBSCRIPTION, "/api/admin/credits", "/api/token-billing/process-usage"]:
        assert viewer.post(path, {}).status == 403
