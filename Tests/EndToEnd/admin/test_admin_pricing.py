"""A client's own prices, and the price book."""

from decimal import Decimal

import pytest
from harness.waiting import eventually

PRICES = "/api/pricing-config"
MODEL = "gpt-4o-mini"
ALIAS = "gpt-4o-mini-2024-07-18"
BODY = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
OWN = {
    "client_id": "acme",
    "provider": "openai",
    "model": MODEL,
    "per_million_tokens": {"input": "0.30", "output": "1.2"},
}


def selection(client="acme", provider="openai", model=MODEL):
    return f"{PRICES}?client={client}&provider={provider}&model={model}"


def costs(row):
    """The cost of a row at the prices of `OWN`, in nano-dollars."""
    assert row["cached_tokens"] == 0
    own = OWN["per_million_tokens"]
    return row["prompt_tokens"] * Decimal(own["input"]) * 1000 + row[
        "completion_tokens"
    ] * Decimal(own["output"]) * 1000


def test_own_prices_are_in_force_for_the_next_request(catraca, admin):
    made = admin.done("POST", PRICES, OWN, status=201)
    assert made.pop("updated_at").endswith("Z")
    assert made == {
        **OWN,
        "currency": "USD",
        "per_million_tokens": {"input": "0.300000000", "output": "1.200000000"},
        "price_version": "acme/1",
    }
    assert catraca.post(BODY).status == 200
    assert catraca.post({**BODY, "model": ALIAS}).status == 200
    for row in catraca.ledger.usage():
        assert row["cost_nano_usd"] == costs(row)
        assert row["price_version"].endswith("+acme/1")
        assert row["overrun_nano_usd"] == 0 and row["held_nano_usd"] >= row["cost_nano_usd"]
        one = admin.done("GET", f"/api/admin/usage-logs/{row['request_id']}")
        assert {line["unit_price_usd"] for line in one["explain"]} == {
            "0.000000300",
            "0.000001200",
        }
        assert "acme/1" in catraca.command("explain", row["request_id"]).stdout
    assert admin.delete(selection(model=ALIAS)).status == 204
    assert catraca.post(BODY).status == 200
    assert "acme" not in catraca.ledger.usage()[-1]["price_version"]
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr


def test_they_are_the_clients_alone_and_survive_a_restart(configuration, catraca, tokens):
    configuration.add_client("other")
    admin = catraca.start().admin(tokens["admin"])
    admin.done("POST", PRICES, OWN, status=201)
    catraca.terminate()
    catraca.start()
    for client in ["acme", "other"]:
        assert catraca.post(BODY, client=client).status == 200
    own, others = (catraca.ledger.usage(client_id=client)[0] for client in ["acme", "other"])
    assert own["cost_nano_usd"] == costs(own)
    assert others["cost_nano_usd"] < costs(others)


def test_what_is_not_named_keeps_the_price_of_the_book(catraca, admin):
    own = {**OWN, "per_million_tokens": {"output": "0"}}
    admin.done("POST", PRICES, own, status=201)
    assert catraca.post(BODY).status == 200
    row = catraca.row()
    assert row["cost_nano_usd"] == row["prompt_tokens"] * 150


def test_replacing_makes_another_version(catraca, admin):
    admin.done("POST", PRICES, OWN, status=201)
    replaced = admin.done("POST", PRICES, {**OWN, "model": ALIAS, "per_call": "0.02"})
    assert (replaced["model"], replaced["price_version"]) == (MODEL, "acme/2")
    assert replaced["per_call"] == "0.020000000"
    [listed] = admin.done("GET", selection(model=ALIAS))["overrides"]
    assert listed == replaced
    assert admin.delete(selection()).status == 204
    assert admin.done("GET", selection())["overrides"] == []
    assert admin.delete(selection()).code == "not_found"
    log = admin.done("GET", "/api/admin/audit-log?client=acme")["data"]
    assert [entry["action"] for entry in log] == [
        "pricing.delete",
        "pricing.update",
        "pricing.create",
    ]
    assert {entry["target"] for entry in log} == {f"pricing:acme/openai/{MODEL}"}
    assert log[1]["before"]["price_version"] == "acme/1"
    assert log[1]["after"]["price_version"] == "acme/2"


def test_a_budget_holds_at_own_prices(catraca, admin):
    """A request that fits at the book's price doesn't at a thousand times that price."""
    budget = {"client_id": "acme", "name": "cap", "cost": "0.01", "currency": "USD"}
    admin.done("POST", "/api/admin/budgets", budget, status=201)
    body = {**BODY, "max_completion_tokens": 100}
    assert catraca.post(body).status == 200
    dear = {**OWN, "per_million_tokens": {"output": "600"}}
    admin.done("POST", PRICES, dear, status=201)
    refused = catraca.post(body)
    assert (refused.status, refused.code) == (429, "budget_exceeded")


def test_the_price_book_is_listed_with_the_prices_in_force(admin):
    answer = admin.done("GET", selection())
    assert (answer["client_id"], answer["overrides"]) == ("acme", [])
    [entry] = answer["price_book"]
    assert (entry["provider"], entry["model"]) == ("openai", MODEL)
    assert ALIAS in entry["aliases"] and entry["operation"] == "chat"
    assert entry["currency"] == "USD" and entry["as_of"] and entry["source"]
    assert entry["file"] == "pricing/openai.yaml" and MODEL in entry["price_version"]
    assert entry["per_million_tokens"]["input"] == "0.150000000"
    assert entry["tiers"]["batch"]["per_million_tokens"]["input"] == "0.075000000"
    groq = admin.done("GET", f"{PRICES}?client=acme&provider=groq")["price_book"]
    assert groq and {entry["provider"] for entry in groq} == {"groq"}
    assert admin.done("GET", selection(model="no-such"))["price_book"] == []


def test_a_price_that_changes_is_listed_as_of_now(catraca, admin):
    file = catraca.configuration.price_file("openai")
    dated = """
  dated:
    prices:
      - { per_million_tokens: { input: "1", output: "2" } }
      - { from: 2026-01-01, per_million_tokens: { input: "3", output: "4" } }
      - { from: 2199-01-01, per_million_tokens: { input: "5", output: "6" } }
"""
    text = file.read_text()
    catraca.configuration.write_text("pricing/openai.yaml", text + dated)

    def entry():
        return admin.done("GET", selection(model="dated"))["price_book"]

    eventually(entry, "the new model")
    assert entry()[0]["per_million_tokens"] == {"input": "3.000000000", "output": "4.000000000"}


@pytest.mark.parametrize(
    "change, status, code, param",
    [
        ({"client_id": None}, 400, "missing_field", "client_id"),
        ({"provider": None}, 400, "missing_field", "provider"),
        ({"model": None}, 400, "missing_field", "model"),
        ({"per_million_tokens": None}, 400, "missing_field", "per_million_tokens"),
        ({"per_million_tokens": {}}, 400, "missing_field", "per_million_tokens"),
        ({"per_million_tokens": "1"}, 400, "invalid_value", "per_million_tokens"),
        (
            {"per_million_tokens": {"input": 0.3}},
            400,
            "invalid_value",
            "per_million_tokens.input",
        ),
        (
            {"per_million_tokens": {"input": "-1"}},
            400,
            "invalid_value",
            "per_million_tokens.input",
        ),
        (
            {"per_million_tokens": {"inptu": "1"}},
            400,
            "unknown_field",
            "per_million_tokens.inptu",
        ),
        ({"per_minute": "0.1"}, 400, "invalid_value", "per_minute"),
        ({"per_call": 1}, 400, "invalid_value", "per_call"),
        ({"currency": "BRL"}, 400, "invalid_value", "currency"),
        ({"price": "1"}, 400, "unknown_field", "price"),
        ({"client_id": "nobody"}, 404, "not_found", None),
        ({"provider": "groq"}, 404, "not_found", None),
        ({"model": "no-such"}, 404, "not_found", None),
    ],
)
def test_wrong_prices_are_refused(admin, change, status, code, param):
    body = {name: value for name, value in {**OWN, **change}.items() if value is not None}
    reply = admin.post(PRICES, body)
    assert (reply.status, reply.code, reply.error["param"]) == (status, code, param)
    assert admin.done("GET", f"{PRICES}?client=acme")["overrides"] == []


def test_whoever_may_not_is_refused(catraca, admin, tokens):
    viewer = catraca.admin(tokens["viewer"])
    assert viewer.get(selection()).status == 200
    assert viewer.post(PRICES, OWN).status == 403
    assert viewer.delete(selection()).status == 403
    key = catraca.admin(catraca.key())
    for reply in [key.get(selection()), key.post(PRICES, OWN), key.delete(selection())]:
        assert (reply.status, reply.code) == (403, "forbidden")
    assert admin.get(PRICES).error["param"] == "client"
    assert admin.get(selection(client="nobody")).status == 404
    assert admin.delete(f"{PRICES}?client=acme&provider=openai").error["param"] == "model"


def test_a_model_of_another_unit_takes_its_price_in_that(admin):
    own = {"client_id": "acme", "provider": "openai", "model": "whisper-1", "per_minute": "1"}
    assert admin.done("POST", PRICES, own, status=201)["per_minute"] == "1.000000000"
