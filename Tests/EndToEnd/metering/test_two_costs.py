"""The provider's charge beside the client's: markups, and prices of its own."""

import json
from decimal import Decimal, ROUND_CEILING

import pytest
from harness.crowd import at_once
from harness.raw_http import Truncated
from harness.realtime import MODEL as REALTIME, open_session, respond
from harness.sandbox import script
from harness.waiting import eventually
from test_background import create as create_in_background
from test_batches import lines, settled, submit

MODEL = "gpt-4o-mini"
BODY = {
    "model": MODEL,
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 100,
}
# Numbers of tokens that make fractions of a nano-dollar with the markups.
ODD = script(prompt_tokens=333, cached_tokens=100, completion_tokens=7)
BOOK = {"input": "0.15", "cached": "0.075", "output": "0.6"}
BRL = Decimal("5.40")


def ceiling(amount):
    return int(amount.to_integral_value(ROUND_CEILING))


def charged(row, markup, book=BOOK):
    """The cost of the row's tokens with the markup: in nano-dollars, and in nano-reais."""
    fresh = row["prompt_tokens"] - row["cached_tokens"]
    exact = 1000 * (
        fresh * Decimal(book["input"])
        + row["cached_tokens"] * Decimal(book["cached"])
        + row["completion_tokens"] * Decimal(book["output"])
    )
    exact *= 1 + Decimal(markup.rstrip("%")) / 100
    return ceiling(exact), ceiling(exact * BRL)


def assert_costs(row, markup, own=BOOK):
    assert row["provider_cost_nano_usd"] == charged(row, "0%")[0]
    assert (row["cost_nano_usd"], row["cost_nano"]) == charged(row, markup, own)
    assert row["overrun_nano_usd"] == 0 and row["held_nano_usd"] >= row["cost_nano_usd"]


def set_markup(catraca, plan=None, client=None):
    if plan:
        catraca.configuration.clients["plans"]["free"]["markup"] = plan
    if client:
        catraca.configuration.clients["clients"]["acme"]["markup"] = client


def assert_audited(catraca):
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr


@pytest.mark.parametrize(
    "plan, client, markup",
    [
        (None, None, "0%"),
        ("20%", None, "20%"),
        (None, "12.75%", "12.75%"),
        ("20%", "-5%", "-5%"),
        ("20%", "0%", "0%"),
        ("1000%", "-99.99%", "-99.99%"),
    ],
)
def test_a_client_is_charged_with_its_markup_or_its_plans(catraca, plan, client, markup):
    set_markup(catraca, plan, client)
    catraca.start()
    for body in [BODY, {**BODY, "stream": True}]:
        answer = catraca.post(body, headers=ODD)
        assert answer.status == 200
        row = catraca.ledger.usage()[-1]
        assert_costs(row, markup)
        if not body.get("stream"):
            assert answer.fields["x-catraca-cost-usd"] == row["cost_usd"]
    assert_audited(catraca)


def test_own_prices_and_a_markup_go_together(catraca, tokens):
    set_markup(catraca, client="20%")
    admin = catraca.start().admin(tokens["admin"])
    own = {"input": "0.30", "cached_input": "0.3", "output": "0"}
    long = [{"role": "user", "content": "Hello " * 100}]
    prices = {"client_id": "acme", "provider": "openai", "model": MODEL}
    admin.done("POST", "/api/pricing-config", {**prices, "per_million_tokens": own}, status=201)
    assert catraca.post({**BODY, "messages": long}, headers=ODD).status == 200
    row = catraca.row()
    assert_costs(row, "20%", {"input": "0.30", "cached": "0.3", "output": "0"})
    explained = catraca.command("explain", row["request_id"]).stdout
    assert "What the provider charges, by the book:" in explained
    assert "by its own prices and a markup of 20%" in explained
    document = json.loads(catraca.command("explain", row["request_id"], "--format", "json").stdout)
    assert document["markup"] == "20%"
    for lines_of, cost in [("explain", "cost_usd"), ("explain_provider", "provider_cost_usd")]:
        total = sum(Decimal(line["cost_usd"]) for line in document[lines_of])
        assert ceiling(total * 10**9) == Decimal(document[cost]) * 10**9
    assert_audited(catraca)


def test_who_sees_a_request_sees_prices_that_make_its_charge_and_no_markup(catraca, tokens):
    set_markup(catraca, client="20%")
    admin = catraca.start().admin(tokens["admin"])
    assert catraca.post(BODY, headers=ODD).status == 200
    row = catraca.row()
    one = admin.done("GET", f"/api/admin/usage-logs/{row['request_id']}")
    total = sum(Decimal(line["cost_usd"]) for line in one["explain"])
    assert ceiling(total * 10**9) == row["cost_nano_usd"]
    own = catraca.admin(catraca.key())
    for path in ["/api/usage/current-period", "/api/budget/status"]:
        answer = own.get(path)
        assert answer.status == 200
        assert "provider" not in answer.text and "markup" not in answer.text
    assert "20%" not in row["price_version"]


def test_budgets_hold_refuse_and_count_what_is_charged(catraca, tokens):
    """100 tokens of output fit into the budget at the book's price, and not at eleven times it."""
    budget = {"name": "cap", "cost": "0.0002", "currency": "USD"}
    catraca.configuration.add_client("plain", [budget])
    catraca.configuration.add_client("dear", [budget])
    catraca.configuration.clients["clients"]["dear"]["markup"] = "1000%"
    catraca.configuration.add_client("cheap", [{**budget, "cost": "0.00002"}])
    catraca.configuration.clients["clients"]["cheap"]["markup"] = "-90%"
    admin = catraca.start().admin(tokens["admin"])
    for client, status in [("plain", 200), ("dear", 429), ("cheap", 200)]:
        assert catraca.post(BODY, client=client).status == status
    row = catraca.ledger.usage(client_id="cheap")[0]
    assert_costs(row, "-90%")
    assert row["held_nano_usd"] < 20_000
    spent = admin.done("GET", "/api/admin/budgets/cheap/cap")["current_cost"]
    assert Decimal(spent) * 10**9 == row["cost_nano_usd"]
    assert_audited(catraca)


def test_batches_are_charged_line_by_line(catraca):
    set_markup(catraca, plan="20%")
    catraca.start()
    submit(catraca.openai(), lines())
    half = {name: str(Decimal(price) / 2) for name, price in BOOK.items()}
    for row in settled(catraca, 3):
        assert row["provider_cost_nano_usd"] == charged(row, "0%", half)[0]
        assert row["cost_nano_usd"] == charged(row, "20%", half)[0]


def test_a_batch_goes_on_with_the_markup_that_it_began_with(catraca):
    set_markup(catraca, client="20%")
    catraca.start()
    submit(catraca.openai(), lines(), script(pending_looks=3))
    catraca.kill()
    set_markup(catraca, client="500%")
    catraca.start()
    rows = settled(catraca, 3)
    half = {name: str(Decimal(price) / 2) for name, price in BOOK.items()}
    assert [row["cost_nano_usd"] for row in rows] == [
        charged(row, "20%", half)[0] for row in rows
    ]


def test_background_responses_are_charged_at_their_end(catraca):
    set_markup(catraca, client="-5%")
    catraca.start()
    create_in_background(catraca)
    eventually(catraca.ledger.usage, "a row of usage")
    row = catraca.row()
    provider, cost = row["provider_cost_nano_usd"], row["cost_nano_usd"]
    assert cost == -(-provider * 95 // 100) and provider > 0
    assert_audited(catraca)


def test_realtime_responses_are_charged_each(catraca):
    set_markup(catraca, client="20%")
    catraca.start()
    with open_session(catraca) as session:
        usage = respond(session)["response"]["usage"]
    row = catraca.row()
    provider = usage["input_tokens"] * 4000 + usage["output_tokens"] * 16000
    assert (row["model"], row["provider_cost_nano_usd"]) == (REALTIME, provider)
    assert row["cost_nano_usd"] == -(-provider * 120 // 100)
    eventually(lambda: not catraca.ledger.in_flight(), "no intent is left")
    assert_audited(catraca)


def test_a_realtime_session_keeps_the_markup_that_it_began_with(catraca):
    def ratio():
        row = catraca.ledger.usage()[-1]
        return Decimal(row["cost_nano_usd"]) / row["provider_cost_nano_usd"]

    def is_in_force():
        assert catraca.post(BODY, headers=ODD).status == 200
        return ratio() == 6

    set_markup(catraca, client="20%")
    catraca.start()
    with open_session(catraca) as session:
        respond(session)
        assert ratio() == Decimal("1.2")
        set_markup(catraca, client="500%")
        catraca.configuration.write()
        eventually(is_in_force, "the new markup", 20)
        respond(session)
        assert ratio() == Decimal("1.2")
    with open_session(catraca) as session:
        respond(session)
        assert ratio() == 6
    eventually(lambda: not catraca.ledger.in_flight(), "no intent is left")
    assert_audited(catraca)


def test_use_from_outside_is_charged_too(catraca, tokens):
    set_markup(catraca, plan="20%")
    admin = catraca.start().admin(tokens["admin"])
    told = {"userId": "acme", "tokensUsed": 1001, "inputTokens": 601, "model": MODEL}
    admin.done("POST", "/api/token-billing/process-usage", told)
    assert_costs({**catraca.row(), "held_nano_usd": 10**9}, "20%")
    assert_audited(catraca)


def test_a_killed_process_leaves_both_costs(catraca, sandbox):
    set_markup(catraca, client="20%")
    catraca.start()

    def kill_while_it_hangs(index):
        if index == 0:
            try:
                return catraca.post(BODY, headers=script(delay_ms=60_000)).status
            except (OSError, Truncated):
                return None
        eventually(lambda: len(sandbox.journal()) == 1, "it has come")
        return catraca.kill()

    at_once(2, kill_while_it_hangs)
    catraca.start()
    eventually(lambda: not catraca.ledger.in_flight(), "settled", 20)
    row = catraca.row()
    assert row["outcome"] == "interrupted"
    assert_costs(row, "20%")
    assert_audited(catraca)


def test_a_whole_hold_costs_the_provider_the_hold_without_the_markup(catraca):
    """Work in the background whose answer is cut: nobody learns what it used."""
    set_markup(catraca, client="20%")
    catraca.start()
    body = {"model": "gpt-5-mini", "input": "Hello", "background": True, "max_output_tokens": 500}
    assert catraca.post(body, "/v1/responses", headers=script(cut_after=1)).status == 502
    row = catraca.row()
    assert row["usage_source"] == "estimated"
    assert row["cost_nano_usd"] == row["held_nano_usd"]
    assert row["provider_cost_nano_usd"] == -(-row["held_nano_usd"] * 100 // 120)
    assert_audited(catraca)


@pytest.mark.parametrize("client, change", [("20%", 1), ("20%", -1), (None, 1)])
def test_a_tampered_cost_of_the_provider_is_found(catraca, client, change):
    set_markup(catraca, client=client)
    catraca.start()
    assert catraca.post(BODY, headers=ODD).status == 200
    assert_audited(catraca)
    assert catraca.terminate() == 0
    with catraca.ledger.changing() as database:
        database.execute(
            f"UPDATE usage_logs SET provider_cost_nano_usd = provider_cost_nano_usd + {change}"
        )
    audit = catraca.command("audit")
    assert audit.returncode == 1
    assert f"cost {catraca.row()['request_id']}" in audit.stdout
    assert "charged by the provider" in audit.stdout


def test_plans_and_clients_that_the_api_makes_have_markups(catraca, admin):
    plans, clients = "/api/admin/plans", "/api/admin/clients"
    plan = admin.done("POST", plans, {"name": "pro", "markup": "20%"}, status=201)
    assert plan["markup"] == "20%"
    client = {"id": "shop", "plan": "pro"}
    assert admin.done("POST", clients, client, status=201)["markup"] is None
    key = admin.done("POST", f"{clients}/shop/keys", {"name": "main"}, status=201)["secret"]
    catraca.configuration.keys["shop"] = key
    markups = ["20%"]

    def use():
        assert catraca.post(BODY, client="shop", headers=ODD).status == 200
        assert_costs(catraca.ledger.usage()[-1], markups[-1])

    use()
    for change in ["-5%", "12.5%", None]:
        answer = admin.done("PATCH", f"{clients}/shop", {"markup": change})
        assert answer["markup"] == change
        markups.append(change or "20%")
        use()
    admin.done("PATCH", f"{plans}/pro", {"markup": None})
    markups.append("0%")
    use()
    for wrong in ["20", "20.001%", "-100%", "1000.01%", "+5%", "% 5", 20]:
        for path in [f"{plans}/pro", f"{clients}/shop"]:
            refused = admin.patch(path, {"markup": wrong})
            assert (refused.status, refused.code) == (400, "invalid_value"), wrong
    [entry] = [
        entry
        for entry in admin.done("GET", "/api/admin/audit-log?client=shop")["data"]
        if entry["action"] == "client.update" and entry["after"]["markup"] == "12.5%"
    ]
    assert entry["before"]["markup"] == "-5%"
    assert_audited(catraca)


@pytest.mark.parametrize("place", ["plans", "clients"])
@pytest.mark.parametrize("wrong", ["20", "-100%", "1000.01%", "5.125%", "a fifth"])
def test_a_wrong_markup_is_a_mistake_of_its_line(catraca, place, wrong):
    owner = {"plans": "free", "clients": "acme"}[place]
    catraca.configuration.clients[place][owner]["markup"] = wrong
    catraca.configuration.write()
    check = catraca.command("check")
    assert check.returncode != 0
    assert f'markup: "{wrong}" is not valid; allowed: a percentage' in check.stdout + check.stderr


def test_the_providers_report_is_compared_with_the_providers_cost(catraca, tokens):
    from test_reconcile import reconcile

    set_markup(catraca, client="300%")
    catraca.start()
    assert catraca.post(BODY, headers=ODD).status == 200
    assert catraca.terminate() == 0
    status, report, _ = reconcile(catraca)
    assert (status, report["differences"]) == (0, [])
