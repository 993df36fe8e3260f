"""A provider's `price_factor`: its regional endpoints charge more for tokens of some models."""

import json
from decimal import Decimal, ROUND_CEILING

import pytest
from harness.sandbox import script
from test_dashboard_access import Visitor
from test_models_list import listed
from test_two_costs import assert_audited, set_markup

UPLIFTED, PLAIN = "gpt-5.4-nano", "gpt-4o-mini"
BOOK = {UPLIFTED: ("0.2", "0.02", "1.25"), PLAIN: ("0.15", "0.075", "0.6")}
ODD = script(prompt_tokens=333, cached_tokens=100, completion_tokens=7, service_tier="default")


def body(model, **others):
    messages = [{"role": "user", "content": "Hello"}]
    return {"model": model, "messages": messages, "max_completion_tokens": 100, **others}


def cost(model, factor, markup="1"):
    """In nano-dollars, rounded once."""
    fresh, cached, output = (Decimal(price) for price in BOOK[model])
    exact = (233 * fresh + 100 * cached + 7 * output) * Decimal(factor) * Decimal(markup)
    return int((exact * 1000).to_integral_value(ROUND_CEILING))


@pytest.fixture
def regional(catraca):
    """A configuration whose provider has the factor 1.1; its pricing file is the one shipped."""
    catraca.configuration.settings["providers"]["openai"]["price_factor"] = "1.1"
    return catraca


@pytest.mark.parametrize("markup", [None, "20%"])
def test_both_costs_are_higher_for_the_models_that_cost_more_there(regional, markup):
    set_markup(regional, client=markup)
    regional.start()
    for model, factor in [(UPLIFTED, "1.1"), (PLAIN, "1")]:
        answer = regional.post(body(model), headers=ODD)
        assert answer.status == 200
        row = regional.ledger.usage()[-1]
        assert row["provider_cost_nano_usd"] == cost(model, factor)
        assert row["cost_nano_usd"] == cost(model, factor, "1.2" if markup else "1")
        assert row["overrun_nano_usd"] == 0 and row["held_nano_usd"] >= row["cost_nano_usd"]
        explained = regional.command("explain", row["request_id"]).stdout
        assert ("tokens multiplied by 1.1" in explained) == (model == UPLIFTED)
    assert_audited(regional)


def test_what_is_held_is_higher_as_well(regional):
    regional.start()
    assert regional.post(body(UPLIFTED), headers=ODD).status == 200
    assert regional.terminate() == 0
    del regional.configuration.settings["providers"]["openai"]["price_factor"]
    regional.start()
    assert regional.post(body(UPLIFTED), headers=ODD).status == 200
    held, plain = (row["held_nano_usd"] for row in regional.ledger.usage())
    assert abs(held * 10 - plain * 11) <= 11


def test_commands_lists_and_pages_show_it(regional, tokens):
    admin = regional.start().admin(tokens["admin"])
    million = ["--in", "1000000", "--out", "0", "--format", "json"]
    priced = json.loads(regional.command("price", PLAIN, *million).stdout)
    assert "price_factor" not in priced and priced["cost_usd"] == "0.150000000"
    priced = json.loads(regional.command("price", UPLIFTED, *million).stdout)
    assert (priced["price_factor"], priced["cost_usd"]) == ("1.1", "0.220000000")
    terms = listed(regional)[UPLIFTED]["catraca"]
    assert terms["per_million_tokens"]["input"] == "0.220000000"
    models = admin.done("GET", "/api/pricing-config?client=acme")["price_book"]
    shown = {model["model"]: model for model in models}
    for name, factor, price in [(UPLIFTED, "1.1", "0.220000000"), (PLAIN, "1", "0.150000000")]:
        assert shown[name]["price_factor"] == factor
        assert shown[name]["per_million_tokens"]["input"] == price
    visitor = Visitor(admin.url)
    visitor.sign_in(tokens["admin"])
    for language, sentence in [
        ("en", "include the provider&#39;s factor of 1.1."),
        ("pt-BR", "incluem o fator 1,1 do provedor."),
    ]:
        for model in BOOK:
            page = visitor.get(
                f"/dashboard/prices?model={model}&in=1000", {"accept-language": language}
            ).text
            assert 'id="cost"' in page and (sentence in page) == (model == UPLIFTED)


@pytest.mark.parametrize("factor", ["0", "1.00001", "11", "-1", "10%", "fast"])
def test_a_wrong_factor_is_told(catraca, factor):
    catraca.configuration.settings["providers"]["openai"]["price_factor"] = factor
    catraca.configuration.write()
    done = catraca.command("check")
    assert done.returncode == 1
    assert "price_factor" in done.stderr and "allowed: a decimal such as" in done.stderr


def test_the_list_of_models_has_names_of_models(catraca):
    catraca.configuration.write()
    path = catraca.configuration.folder / "pricing/openai.yaml"
    wrong = path.read_text().replace("  gpt-5.4, ", "  gpt-5.4o, ", 1)
    catraca.configuration.write_text("pricing/openai.yaml", wrong)
    done = catraca.command("check")
    assert done.returncode == 1
    assert 'price_factor_models: this file has no model "gpt-5.4o"; did you mean' in done.stderr
