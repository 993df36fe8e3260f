"""Requests that may cost more than one run over their input: agents, runs that are summed, tiers of
the project; and containers that several answers use."""

import json

import pytest
from harness.admin import add_tokens
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.objects import assign
from harness.prices import Prices
from harness.replay import WHOLE, Replay

RESPONSES = "/openai/v1/responses"
JSON = {"content-type": "application/json"}
HARD = {"mode": "cost", "cost": "1000.00", "period": "monthly", "enforcement": "hard"}
MODEL = "gpt-5.4-nano"


@pytest.fixture
def house(tmp_path):
    """A server whose provider plays recordings, and that provider."""
    provider = Replay()
    configuration = Configuration(tmp_path, sandbox_providers(provider.url))
    configuration.add_client("acme", budgets=[HARD])
    catraca = Catraca(configuration)
    try:
        yield catraca, provider
        audit = catraca.command("audit")
        assert audit.returncode == 0, audit.stdout + audit.stderr
    finally:
        catraca.end()
        provider.end()


def body(**others):
    return {"model": MODEL, "input": "Hello", "max_output_tokens": 100, **others}


def answer(*items, **usage):
    tokens = {"input_tokens": 10, "output_tokens": 5, **usage}
    response = {"id": "resp_1", "object": "response", "status": "completed", "model": MODEL}
    return json.dumps(response | {"output": list(items), "usage": tokens}).encode()


def ask(house, **members):
    """The last row."""
    catraca, provider = house
    if not members.pop("keeps", False):
        provider.play(200, JSON, answer(), WHOLE)
    asked = catraca.post(body(**members), RESPONSES)
    assert asked.status == 200, asked.body
    row = catraca.ledger.usage()[-1]
    assert row["overrun_nano_usd"] == 0 and row["overrun_tokens"] == 0
    return row


def test_agents_are_refused_by_a_hard_budget_and_held_for_by_the_operators_number(house):
    catraca, provider = house
    catraca.start()
    provider.play(200, JSON, answer(), WHOLE)
    refused = catraca.post(body(multi_agent={"enabled": True}), RESPONSES)
    assert (refused.status, refused.code) == (400, "unsupported_parameter")
    assert refused.json()["error"]["param"] == "multi_agent"
    assert provider.requests == [] and catraca.ledger.usage() == []
    assert catraca.terminate() == 0
    catraca.configuration.settings.setdefault("metering", {})["agents"] = 3
    catraca.start()
    one = ask(house, multi_agent={"enabled": False})
    three = ask(house, multi_agent={"enabled": True})
    # Each agent may fill the model's context, and write as much as the request allows.
    assert three["held_tokens"] == 3 * (400_000 + 100) > 3 * one["held_tokens"]


def test_agents_pass_where_no_hard_budget_pays(house):
    catraca, _ = house
    catraca.configuration.clients["clients"]["acme"]["budgets"][0]["enforcement"] = "soft"
    catraca.start()
    assert ask(house, multi_agent={"enabled": True})["status"] == 200


def test_runs_that_are_summed_and_compaction_are_held_for(house):
    catraca, _ = house
    catraca.start()
    plain = ask(house, reasoning={"mode": "standard"})["held_tokens"]
    assert ask(house, reasoning={"mode": "pro"})["held_tokens"] == 12 * plain
    compacted = ask(house, context_management=[{"type": "compaction", "compact_threshold": 1000}])
    assert compacted["held_tokens"] == 2 * (plain - 100) + 100


TIERS = [(None, "priority"), ("default", "base"), ("flex", "base")]


@pytest.mark.parametrize("tier, dearest", TIERS)
def test_the_operator_says_which_tier_the_project_has(house, tier, dearest):
    catraca, _ = house
    if tier:
        catraca.configuration.settings["providers"]["openai"]["auto_tier"] = tier
    catraca.start()
    for asked in [{}, {"service_tier": "auto"}]:
        row = ask(house, model="gpt-5.4-mini", **asked)
        base = ask(house, model="gpt-5.4-mini", service_tier="default")
        times = 2 if dearest == "priority" else 1
        assert row["held_nano_usd"] == times * base["held_nano_usd"]


def ran_in(container):
    return {"type": "code_interpreter_call", "id": "ci_1", "container_id": container}


def interpreter(container):
    return {"tools": [{"type": "code_interpreter", "container": container}], "max_tool_calls": 2}


def test_a_container_of_several_answers_is_paid_for_once_at_the_memory_it_was_made_with(house):
    catraca, provider = house
    catraca.start()
    sessions = Prices(catraca.configuration.folder / "pricing")
    tokens = {MODEL: {"input_tokens": 10, "output_tokens": 5}}
    paid = sessions.whole_bill("openai", MODEL, tokens, {}, sessions={"4g": 1})
    free = sessions.whole_bill("openai", MODEL, tokens, {})
    provider.play(200, JSON, answer(ran_in("cntr_1")), WHOLE)
    made = ask(house, keeps=True, **interpreter({"type": "auto", "memory_limit": "4g"}))
    assert (made["calls"], made["cost_nano_usd"]) == (1, paid)
    for _ in range(2):
        again = ask(house, keeps=True, **interpreter("cntr_1"))
        assert (again["calls"], again["cost_nano_usd"]) == (0, free)
    # One that was made before is charged as the largest.
    assign(catraca.ledger, "cntr_2", "container")
    provider.play(200, JSON, answer(ran_in("cntr_2")), WHOLE)
    other = ask(house, keeps=True, **interpreter("cntr_2"))
    dearest = sessions.whole_bill("openai", MODEL, tokens, {}, sessions={"64g": 1})
    assert (other["calls"], other["cost_nano_usd"]) == (1, dearest)


def test_a_session_of_a_container_is_paid_for_once_across_restarts(house):
    catraca, provider = house
    catraca.start()
    provider.play(200, JSON, answer(ran_in("cntr_1")), WHOLE)
    made = ask(house, keeps=True, **interpreter({"type": "auto", "memory_limit": "4g"}))
    catraca.kill()
    catraca.start()
    again = ask(house, keeps=True, **interpreter("cntr_1"))
    assert (made["calls"], again["calls"]) == (1, 0)
    assert again["cost_nano_usd"] < made["cost_nano_usd"]


def test_a_client_has_prices_of_its_own_for_windows_and_containers(house):
    catraca, provider = house
    token = add_tokens(catraca.configuration)["admin"]
    admin = catraca.start().admin(token)
    prices = {
        "client_id": "acme",
        "provider": "openai",
        "model": MODEL,
        "completion_windows": {"2h": {"per_million_tokens": {"input": "0.1", "output": "0.5"}}},
        "containers": {"4g": "0.05"},
    }
    made = admin.done("POST", "/api/pricing-config", prices, status=201)
    own = {"input": "0.100000000", "output": "0.500000000"}
    assert made["completion_windows"] == {"2h": {"per_million_tokens": own}}
    assert made["containers"] == {"4g": "0.050000000"} and "per_million_tokens" not in made
    [shown] = admin.done("GET", "/api/pricing-config?client=acme")["overrides"]
    assert shown == made
    provider.play(200, JSON, answer(ran_in("cntr_1")), WHOLE)
    row = ask(house, keeps=True, **interpreter({"type": "auto", "memory_limit": "4g"}))
    book = Prices(catraca.configuration.folder / "pricing")
    used = {MODEL: {"input_tokens": 10, "output_tokens": 5}}
    tokens_cost = book.whole_bill("openai", MODEL, used, {})
    assert row["cost_nano_usd"] == tokens_cost + 50_000_000
    assert row["provider_cost_nano_usd"] == tokens_cost + 120_000_000
    work = {"background": True, "background_options": {"completion_window": "2h"}}
    provider.play(200, JSON, answer(input_tokens=60, output_tokens=40), WHOLE)
    row = ask(house, keeps=True, service_tier="default", **work)
    assert row["cost_nano_usd"] == 60 * 100 + 40 * 500
    assert row["provider_cost_nano_usd"] == 60 * 140 + 40 * 875
    terms = catraca.openai().models.retrieve(MODEL).model_dump()["catraca"]
    assert terms["completion_windows"]["2h"]["per_million_tokens"]["input"] == "0.100000000"
    assert (terms["containers"]["4g"], terms["containers"]["1g"]) == ("0.050000000", "0.030000000")


@pytest.mark.parametrize(
    "wrong, told",
    [
        ({"completion_windows": {"9h": {"per_million_tokens": {"input": "1"}}}}, "2h, 8h"),
        ({"completion_windows": {"2h": {"per_call": "1"}}}, "per_million_tokens alone"),
        ({"completion_windows": []}, "an object"),
        ({"containers": {"5g": "1"}}, "16g, 1g, 4g, 64g"),
        ({"containers": {"4g": 1}}, "a decimal in text"),
        ({}, "per_million_tokens"),
    ],
)
def test_wrong_prices_of_ones_own_are_told(catraca, tokens, wrong, told):
    admin = catraca.start().admin(tokens["admin"])
    prices = {"client_id": "acme", "provider": "openai", "model": MODEL, **wrong}
    answer = admin.post("/api/pricing-config", prices)
    assert answer.status == 400 and told in answer.text
