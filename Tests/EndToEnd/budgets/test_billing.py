"""Plans with a price: what is charged when, and that it is charged once."""

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest
from harness.billing import CHARGES, PROCESS_USAGE, charges, declare_plan, price, report, summary
from harness.crowd import at_once
from harness.waiting import eventually

CHAT = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.fixture
def billed(catraca, tokens):
    """The admin API of a server where `acme` has the plan of the article Billing."""
    declare_plan(catraca.configuration)
    return catraca.start().admin(tokens["admin"])


def test_the_example_of_document_001(catraca, billed):
    assert summary(billed) | {"period": None} == {
        "total_tokens": 0,
        "current_tier": "0-8M",
        "fixed_fee_charged": 40000,
        "tier_charges_count": 0,
        "tier_charges_total": 0,
        "total_charged": 40000,
        "currency": "BRL",
        "period": None,
    }
    within = report(billed, 8_000_000, metadata={"conversationId": "conv-123"})
    assert (within["totalTokens"], within["tierCharges"]) == (8_000_000, [])
    beyond = report(billed, 1)
    [charge] = beyond["tierCharges"]
    assert charge == {
        "id": "chg_02",
        "billing_tier": "8M-16M",
        "amount_charged": 10000,
        "status": "recorded",
    }
    assert summary(billed)["current_tier"] == "8M-16M"
    jump = report(billed, 17_000_000)
    assert jump["totalTokens"] == 25_000_001
    assert [charge["billing_tier"] for charge in jump["tierCharges"]] == ["16M-24M", "24M-32M"]
    total = summary(billed)
    assert (total["tier_charges_count"], total["tier_charges_total"]) == (3, 30000)
    assert (total["total_charged"], total["current_tier"]) == (70000, "24M-32M")
    assert catraca.command("audit").returncode == 0


def test_three_blocks_at_once_make_three_charges(billed):
    made = report(billed, 25_000_000)["tierCharges"]
    assert [charge["billing_tier"] for charge in made] == ["8M-16M", "16M-24M", "24M-32M"]


def test_a_repeated_report_charges_once_and_answers_the_same(catraca, billed):
    key = {"idempotency-key": "order-1"}
    body = {"userId": "acme", "tokensUsed": 10_000_000}
    first, again = [billed.post(PROCESS_USAGE, body, headers=key).json() for _ in range(2)]
    assert first == again and len(first["data"]["tierCharges"]) == 1
    assert len(catraca.ledger.charges()) == 2


def test_proxied_requests_count_alike(catraca, tokens):
    declare_plan(catraca.configuration, included=0, every=1_000_000, charge="1")
    admin = catraca.start().admin(tokens["admin"])
    assert [charge["block"] for charge in charges(admin)] == [0]
    assert catraca.post(CHAT).status == 200
    row = catraca.row()
    [charge] = catraca.ledger.charges(block=1)
    assert charge["request_id"] == row["request_id"]
    assert charge["tokens_total"] == row["total_tokens"]
    assert (charge["billing_tier"], charge["amount_charged"]) == ("0-1M", 100)
    assert catraca.command("audit").returncode == 0


def test_each_block_is_charged_once_under_load_and_across_kills(catraca, tokens):
    """Reports and requests at once; a report that a kill leaves unanswered is repeated."""
    declare_plan(catraca.configuration, included=1000, every=1000, charge="1")
    admin = catraca.start().admin(tokens["admin"])
    numbers = iter(range(1000))

    def use(_):
        number = next(numbers)
        body = {"userId": "acme", "tokensUsed": 137}
        headers = {"idempotency-key": f"report-{number}"}
        while True:
            try:
                reply = catraca.admin(tokens["admin"]).post(PROCESS_USAGE, body, headers=headers)
            except OSError:
                return body, headers
            if reply.status != 409:
                assert reply.status == 200, reply
                return None

    for _ in range(3):
        at_once(4, lambda _: catraca.post(CHAT).status)
        unanswered = at_once(24, use)
        catraca.kill()
        admin = catraca.start().admin(tokens["admin"])
        for body, headers in filter(None, unanswered):
            assert admin.post(PROCESS_USAGE, body, headers=headers).status == 200
    used = sum(row["total_tokens"] for row in catraca.ledger.usage())
    begun = (used - 1000 - 1) // 1000 + 1
    made = [charge["block"] for charge in catraca.ledger.charges()]
    assert sorted(made) == list(range(begun + 1))
    assert summary(admin)["total_tokens"] == used
    assert catraca.command("audit").returncode == 0


def test_a_plan_is_charged_from_its_beginning_and_a_second_one_keeps_the_period(catraca, admin):
    admin.done("POST", "/api/admin/clients", {"id": "beta", "timezone": "UTC"}, status=201)
    report(admin, 30, userId="beta")
    for name, billing in [
        ("small", price("9", included=10, every=15, charge="1")),
        ("large", price("90", included=50, every=50, charge="7")),
    ]:
        admin.done("POST", "/api/admin/plans", {"name": name, "billing": billing}, status=201)
    assert summary(admin, "beta")["current_tier"] is None
    path = "/api/admin/clients/beta/subscription"
    yesterday = (datetime.now(timezone.utc) - timedelta(days=1)).date()
    admin.done("POST", path, {"plan": "small", "start": yesterday.isoformat()})
    made = charges(admin, "client=beta")
    assert [(charge["block"], charge["amount_charged"]) for charge in made] == [
        (0, 900),
        (1, 100),
        (2, 100),
    ]
    assert all(charge["period"] == yesterday.strftime("%Y-%m") for charge in made)
    admin.done("POST", path, {"plan": "large"})
    report(admin, 200, userId="beta")
    made = charges(admin, "client=beta")
    # Blocks 1 and 2 are charged; 230 tokens begin the larger plan's block 4.
    assert [charge["amount_charged"] for charge in made] == [900, 100, 100, 700, 700]
    admin.done("DELETE", path, status=204)
    report(admin, 1000, userId="beta")
    assert len(charges(admin, "client=beta")) == 5
    assert catraca.command("audit").returncode == 0


def test_what_is_charged_for_can_be_measured_in_money(catraca, tokens):
    billing = {
        "currency": "BRL",
        "fixed_fee": "0",
        "included_cost": "0.001",
        "overage": {"every_cost": "0.001", "charge": "0.05"},
    }
    configuration = catraca.configuration
    configuration.clients["plans"]["pro"] = {"display_name": "Pro", "billing": billing}
    configuration.clients["clients"]["acme"]["plan"] = "pro"
    admin = catraca.start().admin(tokens["admin"])
    shown = admin.done("GET", "/api/admin/plans/pro")["billing"]
    assert shown == {
        "currency": "BRL",
        "fixed_fee": "0.000000000",
        "included_cost": "0.001000000",
        "overage": {"every_cost": "0.001000000", "charge": "0.050000000"},
    }
    priced = {"model": "gpt-4o-mini", "inputTokens": 1000, "outputTokens": 0}
    # 1,000 tokens at 0.15 dollars a million and 5.40 BRL a dollar are 0.00081 BRL.
    assert report(admin, 1000, **priced)["tierCharges"] == []
    [charge] = report(admin, 1000, **priced)["tierCharges"]
    assert (charge["billing_tier"], charge["amount_charged"]) == ("0.001-0.002 BRL", 5)
    assert catraca.command("audit").returncode == 0


@pytest.mark.parametrize(
    "billing, param",
    [
        ({"fixed_fee": "0.001"}, "fixed_fee"),
        ({"overage": {"every_tokens": 5, "charge": "0.001"}}, "charge"),
        ({"currency": "JPY", "fixed_fee": "1.5"}, "fixed_fee"),
        ({"overage": {"charge": "1"}}, "every_tokens"),
        ({"overage": {"every_tokens": 5, "every_cost": "5", "charge": "1"}}, "every_tokens"),
        ({"included_tokens": 5, "included_cost": "5"}, "included_tokens"),
        ({"overage": {"every_cost": "0", "charge": "1"}}, "every_cost"),
        ({"currency": "EUR", "included_cost": "5"}, "currency"),
    ],
)
def test_billing_that_makes_no_sense_is_refused(catraca, admin, billing, param):
    reply = admin.post("/api/admin/plans", {"name": "odd", "billing": billing})
    assert (reply.status, reply.code, reply.error["param"]) in [
        (400, "invalid_value", param),
        (400, "missing_field", param),
    ]
    catraca.configuration.clients["plans"]["odd"] = {"billing": billing}
    catraca.configuration.write()
    checked = catraca.command("check")
    assert checked.returncode == 1 and f" {param}" in checked.stderr + checked.stdout


def test_charges_are_listed_in_pages_and_by_filters(catraca, billed, tokens):
    report(billed, 25_000_000)
    made = charges(billed)
    assert [charge["block"] for charge in made] == [0, 1, 2, 3]
    first = made[1]
    assert {name: first[name] for name in ["client_id", "user_id", "billing_tier", "currency"]} == {
        "client_id": "acme",
        "user_id": "acme",
        "billing_tier": "8M-16M",
        "currency": "BRL",
    }
    page = billed.done("GET", f"{CHARGES}?limit=3")
    assert (page["data"], page["has_more"]) == (made[:3], True)
    rest = billed.done("GET", f"{CHARGES}?after={page['next']}")
    assert (rest["data"], rest["has_more"], rest["next"]) == (made[3:], False, None)
    period = made[0]["period"]
    assert charges(billed, f"client=acme&period={period}&status=recorded") == made
    assert charges(billed, "status=failed") == [] == charges(billed, "period=2020-01")
    for query, param in [("period=2026-13", "period"), ("status=paid", "status")]:
        reply = billed.get(f"{CHARGES}?{query}")
        assert (reply.status, reply.error["param"], reply.json()["success"]) == (400, param, False)
    viewer = catraca.admin(tokens["viewer"])
    assert charges(viewer) == made
    assert viewer.post(f"{CHARGES}/{first['id']}/retry").status == 403
    # Nobody collects it here, so there is nothing to try again.
    again = billed.done("POST", f"{CHARGES}/{first['id']}/retry", {})
    assert again == {"success": True, "data": first}
    assert billed.post(f"{CHARGES}/chg_99/retry").status == 404


def test_a_client_sees_its_own_summary_alone(catraca, tokens):
    declare_plan(catraca.configuration)
    catraca.configuration.add_client("beta")
    admin = catraca.start().admin(tokens["admin"])
    report(admin, 10_000_000)
    own = catraca.admin(catraca.key("acme"))
    assert summary(own) == summary(admin)
    for path in ["user-summary/beta", "user-summary/nobody", "charges"]:
        reply = own.get(f"/api/token-billing/{path}")
        assert (reply.status, reply.json()["success"]) == (403, False), path
    assert admin.get("/api/token-billing/user-summary/nobody").status == 404
    month = datetime.now(timezone.utc).strftime("%Y-%m")
    assert summary(admin, query=f"?period={month}") == summary(admin)
    unbilled = summary(admin, query="?period=2020-01")
    assert (unbilled["total_tokens"], unbilled["total_charged"]) == (0, 0)


def test_a_subscription_puts_a_client_on_a_plan(catraca, admin, tokens):
    admin.done("POST", "/api/admin/clients", {"id": "beta"}, status=201)
    admin.done("POST", "/api/admin/plans", {"name": "pro", "billing": price()}, status=201)
    path = "/api/token-billing/create-subscription"
    body = {"customerId": "cus_1", "clientId": "beta", "plan": "pro"}
    made = admin.done("POST", path, body)
    end = admin.done("GET", "/api/admin/clients/beta/subscription")["current_period_end"]
    assert made == {
        "success": True,
        "data": {
            "subscriptionId": "sub_beta",
            "customerId": "cus_1",
            "clientId": "beta",
            "plan": "pro",
            "status": "active",
            "currentPeriodEnd": end,
        },
    }
    assert summary(admin, "beta")["fixed_fee_charged"] == 40000
    # The customer is known now, and so is its plan.
    assert admin.done("POST", path, {"customerId": "cus_1"}) == made
    for wrong, status, param in [
        ({"customerId": "cus_2"}, 400, "clientId"),
        ({"clientId": "beta"}, 400, "customerId"),
        ({**body, "plan": "gold"}, 400, "plan"),
        ({**body, "clientId": "nobody"}, 404, None),
    ]:
        reply = admin.post(path, wrong)
        assert (reply.status, reply.error["param"]) == (status, param), wrong
        assert reply.json()["success"] is False


DOCUMENT_001 = {
    "consumption": """
        -- Consumo de tokens por operação
        SELECT
          operation_type,
          SUM(tokens_used) as total_tokens,
          COUNT(*) as operations
        FROM token_consumption
        WHERE user_id = 'acme'
          AND created_at >= date_trunc('month', NOW())
        GROUP BY operation_type;""",
    "charges": """
        -- Cobranças por faixas no período
        SELECT
          billing_tier,
          COUNT(*) as charges_count,
          SUM(amount_charged) as total_charged
        FROM token_billing_charges
        WHERE user_id = 'acme'
          AND created_at >= date_trunc('month', NOW())
        GROUP BY billing_tier;""",
    "summary": "SELECT * FROM token_usage_summary WHERE user_id = 'acme'",
}


def test_the_sql_of_document_001_runs_on_the_ledger(catraca, billed):
    """With PostgreSQL's two functions of time, which SQLite doesn't have."""
    report(billed, 25_000_000)
    report(billed, 5, operationType="embedding")
    with closing(sqlite3.connect(catraca.configuration.ledger)) as database:
        database.create_function("NOW", 0, lambda: datetime.now(timezone.utc).isoformat())
        database.create_function("date_trunc", 2, lambda _, now: f"{now[:7]}-01")
        rows = {name: database.execute(sql).fetchall() for name, sql in DOCUMENT_001.items()}
    assert sorted(rows["consumption"]) == [("chat", 25_000_000, 1), ("embedding", 5, 1)]
    assert sorted(rows["charges"]) == [
        ("0-8M", 1, 40000),
        ("16M-24M", 1, 10000),
        ("24M-32M", 1, 10000),
        ("8M-16M", 1, 10000),
    ]
    [(user, client, _, tokens, operations)] = rows["summary"]
    assert (user, client, tokens, operations) == ("acme", "acme", 25_000_005, 2)


def test_the_command_sums_up_as_the_api_does(catraca, billed):
    report(billed, 10_000_000)
    shown = catraca.command("billing", "summary", "acme", "--format", "json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout) == summary(billed)
    text = catraca.command("billing", "summary", "acme").stdout
    assert "8M-16M" in text and "500.00 BRL" in text
    assert catraca.command("billing", "summary", "nobody").returncode == 1
    assert catraca.command("billing", "summary", "acme", "--period", "2026").returncode == 2


def test_an_invoice_says_how_many_blocks_are_beyond_the_charges_of_a_period(catraca, billed):
    report(billed, 8_000_000 * 10_003 + 1)
    period = summary(billed)["period"]
    invoice = catraca.command("invoice", "acme", "--period", period)
    assert invoice.returncode == 1
    assert "10003 blocks were begun, and a period has 10000 charges at most" in invoice.stderr
    assert "the last 3 are not charged" in invoice.stderr


def test_the_log_says_once_that_a_period_has_all_its_charges(catraca, billed):
    def told():
        return [line for line in catraca.process.log if line["event"] == "charges_exhausted"]

    report(billed, 10_000 * 8_000_000)
    assert told() == []
    report(billed, 8_000_000)
    report(billed, 8_000_000)
    [line] = eventually(told, "a line")
    month = datetime.now(timezone.utc).strftime("%Y-%m")
    assert (line["client"], line["period"], line["charges"]) == ("acme", month, 10_000)
    report(billed, 8_000_000)
    assert len(told()) == 1


def test_an_invoice_is_the_sum_of_its_lines_and_traced_to_its_requests(catraca, billed):
    first = report(billed, 8_000_000)["consumptionId"]
    second = report(billed, 9_000_000)["consumptionId"]
    period = summary(billed)["period"]
    shown = catraca.command("invoice", "acme", "--period", period, "--format", "json")
    assert shown.returncode == 0, shown.stderr
    invoice = json.loads(shown.stdout)
    assert (invoice["client_id"], invoice["plan"], invoice["period"]) == ("acme", "pro", period)
    amounts = [line["amount"] for line in invoice["lines"]]
    assert amounts == ["400.000000000", "100.000000000", "100.000000000"]
    assert invoice["totals"] == [{"amount": "600.000000000", "currency": "BRL"}]
    assert invoice["tokens_total"] == 17_000_000
    assert [line["first_request_id"] for line in invoice["lines"]] == [first, second, second]
    assert [line["begun_by_request_id"] for line in invoice["lines"]] == [None, second, second]
    assert invoice["audit"] == {"ok": True, "differences": []}
    page = catraca.command("invoice", "acme", "--period", period, "--format", "html").stdout
    assert page.startswith("<!DOCTYPE html>") and "600.00 BRL" in page and second in page
    lines = catraca.command("invoice", "acme", "--period", period, "--format", "csv").stdout
    assert len(lines.splitlines()) == 4
    assert catraca.command("invoice", "acme", "--period", "2020-01").returncode == 1
    catraca.kill()
    with catraca.ledger.changing() as database:
        database.execute("DELETE FROM token_billing_charges WHERE block = 1")
    wrong = catraca.command("invoice", "acme", "--period", period)
    assert wrong.returncode == 1 and "block 1 was begun and not charged" in wrong.stderr
    assert catraca.command("audit").returncode == 1
