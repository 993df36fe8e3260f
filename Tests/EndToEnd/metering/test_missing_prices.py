"""Prices that requests need and the price book doesn't have: seen before they cost."""

import json

import pytest
import test_batches as batches
from harness.metrics import Metrics
from harness.receivers import WebReceiver
from harness.sandbox import script, script_of
from harness.usage import Usage
from harness.waiting import eventually

MISSING = "/api/admin/prices/missing"
MODEL = "gpt-4o-mini"
BODY = {
    "model": MODEL,
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
PRICES = """
provider: openai
currency: USD
source: https://example.com/prices
as_of: 2026-11-22
models:
  gpt-4o-mini:
    context_tokens: 128000
    per_million_tokens: { input: "0.15", output: "0.6" }
"""
CACHED = script_of(Usage(prompt=100, completion=10, cached=60))


@pytest.fixture
def bare(catraca, tokens):
    """A server whose pricing file has few prices."""
    catraca.configuration.add_client("globex")
    catraca.configuration.price_file("openai").write_text(PRICES)
    catraca.configuration.settings["pricing"] = ["pricing/openai.yaml"]
    catraca.configuration.settings["admin"]["metrics"] = "open"
    catraca.token = tokens["viewer"]
    return catraca.start()


def listed(catraca, query=""):
    page = catraca.admin(catraca.token).done("GET", f"{MISSING}{query}")
    assert (page["has_more"], page["next"]) == (False, None)
    return page["data"]


def listed_by_command(catraca, *options):
    done = catraca.command("prices", "missing", "--format", "json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["data"]


def summary(entry):
    counts = tuple(entry[name] for name in ("refused", "assumed", "free"))
    assert entry["requests"] == sum(counts)
    assert entry["first_seen"] <= entry["last_seen"]
    return (entry["provider"], entry["model"], entry["kind"], entry["name"]), counts


def found(catraca, count):
    """The listed prices, once there are `count`."""
    entries = eventually(lambda: [e for e in [listed(catraca)] if len(e) == count], "the prices")
    return dict(summary(entry) for entry in entries[0])


def test_what_requests_show_and_what_answers_show_is_listed(bare):
    refused = [
        bare.post({**BODY, "model": "gpt-99"}),
        bare.post({**BODY, "model": "gpt-99"}, client="globex"),
        bare.post({**BODY, "service_tier": "express"}),
    ]
    assert {reply.json()["error"]["code"] for reply in refused} == {"model_not_priced"}
    assert bare.post({**BODY, "web_search_options": {}}).status == 200
    for _ in range(3):
        assert bare.post(BODY, headers=CACHED).status == 200
    assert found(bare, 4) == {
        ("openai", "gpt-99", "model", None): (2, 0, 0),
        ("openai", MODEL, "tier", "express"): (1, 0, 0),
        ("openai", MODEL, "call", "web_search"): (0, 0, 1),
        ("openai", MODEL, "quantity", "cached_input"): (0, 3, 0),
    }
    by_model = {entry["model"]: entry for entry in listed(bare, "?provider=openai&days=1")}
    assert sorted(by_model["gpt-99"]["clients"]) == ["acme", "globex"]
    [own] = listed(bare, "?client=globex")
    assert (own["clients"], own["refused"]) == (["globex"], 1)
    assert listed(bare, "?provider=groq") == []
    # The command and a restarted server say the same.
    entries = listed(bare)
    bare.terminate()
    assert listed_by_command(bare) == entries
    assert listed_by_command(bare, "--client", "globex", "--provider", "openai") == [own]
    shown = bare.command("prices", "missing").stdout
    assert "Other price" in shown and "cached_input" in shown and "express" in shown
    bare.start()
    assert listed(bare) == entries


def test_a_price_that_is_there_by_now_is_listed_no_more(bare):
    bare.post({**BODY, "model": "gpt-99"})
    bare.post({**BODY, "service_tier": "express"})
    bare.post(BODY, headers=CACHED)
    assert len(found(bare, 3)) == 3
    file = bare.configuration.price_file("openai")
    file.write_text(
        PRICES.replace('input: "0.15"', 'input: "0.15", cached_input: "0.075"')
        + '    tiers: { express: { per_million_tokens: { input: "0.3" } } }\n'
        + '  gpt-99: { per_million_tokens: { input: "1", output: "1" } }\n'
    )
    bare.process.event("configuration_reloaded")
    assert listed(bare) == [] and listed_by_command(bare) == []
    shown = bare.command("prices", "missing")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("No price was missing since 20")


def test_models_that_pass_without_a_price_are_listed(bare):
    bare.configuration.settings["metering"] = {"unknown_model": "free"}
    bare.configuration.write()
    bare.process.event("configuration_reloaded")
    assert bare.post({**BODY, "model": "gpt-98"}).status == 200
    bare.configuration.settings["metering"] = {"unknown_model": {"as": MODEL}}
    bare.configuration.write()
    eventually(
        lambda: bare.post({**BODY, "model": "gpt-97"}).status == 200
        and bare.ledger.usage()[-1]["cost_nano_usd"] > 0,
        "the model has another one's price",
    )
    entries = found(bare, 2)
    assert entries[("openai", "gpt-98", "model", None)] == (0, 0, 1)
    assert entries[("openai", "gpt-97", "model", None)][1] >= 1


def test_batches_that_pass_without_a_price_are_listed(bare):
    bare.configuration.settings["metering"] = {"unknown_model": "free"}
    bare.configuration.write()
    bare.process.event("configuration_reloaded")
    client = bare.openai()
    batches.submit(client, batches.lines(model="gpt-96"))
    row, *_ = batches.settled(bare, 3)
    assert row["cost_nano_usd"] == 0
    # One for each line.
    assert found(bare, 1) == {("openai", "gpt-96", "model", None): (0, 0, 3)}
    moderation = {"model": "omni-moderation-latest", "input": "Hello"}
    request = {"custom_id": "a", "method": "POST", "url": "/v1/moderations", "body": moderation}
    batches.submit(client, [request], endpoint="/v1/moderations")
    batches.settled(bare, 4)
    assert len(found(bare, 1)) == 1


def test_a_window_whose_price_vanishes_is_listed(bare):
    file = bare.configuration.price_file("openai")
    window = '{ per_million_tokens: { input: "0.1", output: "0.4" } }'
    file.write_text(f"{PRICES}    completion_windows: {{ 2h: {window} }}\n")
    bare.process.event("configuration_reloaded")
    made = bare.openai().responses.create(
        model=MODEL,
        input="Hello",
        max_output_tokens=100,
        background=True,
        extra_body={"background_options": {"completion_window": "2h"}},
        extra_headers=script(pending_looks=30),
    )
    assert made.status == "queued"
    file.write_text(PRICES)
    eventually(
        lambda: "2h" not in bare.openai().models.retrieve(MODEL).model_dump_json(), "new prices"
    )
    eventually(
        lambda: bare.openai().responses.retrieve(made.id).status == "completed", "the answer"
    )
    row = bare.row_in_time()
    cost = row["prompt_tokens"] * 150 + row["completion_tokens"] * 600
    assert row["cost_nano_usd"] == cost
    assert found(bare, 1) == {("openai", MODEL, "window", "2h"): (0, 1, 0)}


def test_the_log_tells_a_price_once_an_hour_and_the_metric_counts_each(bare):
    for _ in range(3):
        bare.post({**BODY, "model": "gpt-99"})
        assert bare.post(BODY, headers=CACHED).status == 200
    assert len(found(bare, 2)) == 2
    lines = [line for line in bare.process.log if line["event"] == "price_missing"]
    parts = ("level", "provider", "model", "kind", "name", "outcome", "client")
    assert [tuple(line[part] for part in parts) for line in lines] == [
        ("warn", "openai", "gpt-99", "model", "", "refused", "acme"),
        ("warn", "openai", MODEL, "quantity", "cached_input", "assumed", "acme"),
    ]
    assert Metrics.of(bare).series("catraca_unpriced_total") == {
        (("kind", "model"), ("provider", "openai")): 3,
        (("kind", "quantity"), ("provider", "openai")): 3,
    }


def test_the_command_says_what_is_wrong(bare, tmp_path):
    wrong = bare.command("prices", "missing", "--days", "0")
    assert (wrong.returncode, wrong.stdout) == (2, "") and "--days" in wrong.stderr
    nowhere = bare.command("prices", "missing", "--ledger", f"sqlite:{tmp_path}/none.db")
    assert (nowhere.returncode, nowhere.stdout) == (1, "")
    assert "there is no ledger yet" in nowhere.stderr
    bare.configuration.write_text("catraca.yaml", "proxy: [")
    broken = bare.command("prices", "missing")
    assert (broken.returncode, broken.stdout) == (1, "") and "catraca.yaml:2:1" in broken.stderr


def warnings(catraca):
    checked = catraca.command("check")
    assert checked.returncode == 0, checked.stderr
    return [line for line in checked.stderr.splitlines() if "no price for" in line]


def test_check_warns_of_what_answers_can_report_and_the_file_has_no_price_for(bare):
    file = bare.configuration.price_file("openai")
    file.write_text(PRICES + """  gpt-6-sol:
    operation: responses
    per_million_tokens:
      { input: "1", cached_input: "0.1", cache_write: "2", image_input: "1", output: "3" }
  tts-1: { operation: speech, per_million_characters: "15" }
  text-embedding-3-small: { operation: embedding, per_million_tokens: { input: "1" } }
""")
    told = warnings(bare)
    assert [line.split(": ", 1)[1].split(", which")[0].split(":")[0] for line in told] == [
        "gpt-4o-mini has no price for cached_input, image_input",
        "gpt-6-sol has no price for cache_write_12h",
        "no price for web_search",
        "no price for file_search",
        "no price for sessions of containers",
    ]
    assert all(line.startswith("pricing/openai.yaml: ") for line in told)


def test_check_knows_a_further_provider_by_its_other_models(bare):
    prices = '{ per_million_tokens: { input: "1", cached_input: "0.1", output: "2" } }'
    odd = '{ per_million_tokens: { input: "1", output: "2" } }'
    models = "".join(f"  m{number}: {prices}\n" for number in range(3)) + f"  odd: {odd}\n"
    text = PRICES.replace("openai", "elsewhere").split("models:")[0]
    bare.configuration.write_text("pricing/elsewhere.yaml", f"{text}models:\n{models}")
    bare.configuration.settings["providers"]["elsewhere"] = {
        **bare.configuration.settings["providers"]["groq"]
    }
    bare.configuration.settings["pricing"] = ["pricing/elsewhere.yaml"]
    bare.configuration.write()
    assert [line.split(": ")[1] for line in warnings(bare)] == ["odd has no price for cached_input"]


@pytest.mark.parametrize("provider", ["openai", "groq", "google", "anthropic"])
def test_the_files_that_come_along_lack_nothing(catraca, provider):
    configuration = catraca.configuration
    providers = configuration.settings["providers"]
    providers.setdefault(provider, {**providers["groq"]})
    configuration.settings["pricing"] = [f"pricing/{provider}.yaml"]
    configuration.write()
    assert warnings(catraca) == []


def test_people_are_told_once_a_day(bare, tokens):
    bare.terminate()
    receiver = WebReceiver()
    bare.configuration.settings["alerts"] = {"webhooks": [{"url": f"{receiver.url}/hook"}]}
    bare.start()
    for _ in range(2):
        bare.post({**BODY, "model": "gpt-99"})
        assert bare.post(BODY, headers=CACHED).status == 200
        found(bare, 2)
    receiver.received(2)
    told = {json.loads(delivery.body)["text"] for delivery in receiver.deliveries}
    assert told == {
        "A price is missing: openai/gpt-99 (refused); see catraca prices missing",
        f"A price is missing: cached_input of openai/{MODEL} (charged otherwise); "
        "see catraca prices missing",
    }
    assert len(receiver.deliveries) == 2
    receiver.close()
