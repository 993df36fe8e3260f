"""The JSON Schema of pricing files, for editors, and the decoder mean the same."""

import json
import re

import jsonschema
import pytest
import yaml
from harness.process import REPOSITORY

FOLDER = REPOSITORY / "config/pricing"
SCHEMA = json.loads((FOLDER / "pricing.schema.json").read_text())
UNKNOWN = "qqqqqqqqqqqq"


class Loader(yaml.SafeLoader):
    """YAML as editors see it, but that a day stays text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def errors(file):
    # Keys of JSON are text.
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in validator.iter_errors(json.loads(json.dumps(file)))]


def properties(*path):
    """The keys that the schema knows at a place."""
    place = SCHEMA
    for name in path:
        place = place[name]
    return set(place["properties"])


def file(model=None, **others):
    return {"provider": "openai", "as_of": "2026-11-01", "models": {"m": model or {}}, **others}


def priced(**others):
    return {"per_million_tokens": {"input": "1"}, **others}


TOKENS = ("$defs", "table", "properties", "per_million_tokens")
STEPPED_TOKENS = ("$defs", "stepped", "properties", "per_million_tokens")
SURCHARGE = ("$defs", "surcharges", "additionalProperties")
PLACES = {
    "the file": (file(priced(), **{UNKNOWN: 1}), ()),
    "a model": (file(priced(**{UNKNOWN: 1})), ("$defs", "model")),
    "tokens": (file({"per_million_tokens": {"input": "1", UNKNOWN: "1"}}), TOKENS),
    "a tier": (file(priced(tiers={"flex": {UNKNOWN: 1}})), ("$defs", "stepped")),
    "a window": (
        file(priced(completion_windows={"2h": {UNKNOWN: 1}})),
        ("$defs", "stepped"),
    ),
    "a tier's tokens": (
        file(priced(tiers={"flex": {"per_million_tokens": {UNKNOWN: "1"}}})),
        STEPPED_TOKENS,
    ),
    "a step": (file(priced(above_input_tokens={"5": {UNKNOWN: 1}})), ("$defs", "table")),
    "a date": (file({"prices": [priced(**{UNKNOWN: 1})]}), ("$defs", "dated")),
    "a surcharge": (
        file(priced(), surcharges={"s": {"per_call": "1", UNKNOWN: 1}}),
        SURCHARGE,
    ),
}


@pytest.mark.parametrize("provider", ["openai", "groq", "anthropic", "google"])
def test_the_files_that_are_shipped_follow_the_schema(provider):
    text = (FOLDER / f"{provider}.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=pricing.schema.json\n")
    assert errors(yaml.load(text, Loader)) == []


@pytest.mark.parametrize("place", PLACES)
def test_schema_and_decoder_know_the_same_keys(catraca, place):
    content, path = PLACES[place]
    catraca.configuration.settings["pricing"] = ["pricing/openai.yaml"]
    catraca.configuration.write()
    catraca.configuration.write_text("pricing/openai.yaml", json.dumps(content))
    done = catraca.command("check")
    [allowed] = re.findall(f'unknown key "{UNKNOWN}"; allowed: (.*)', done.stderr)
    assert set(allowed.split(", ")) == properties(*path)
    assert any(UNKNOWN in error for error in errors(content)), errors(content)


def test_every_table_of_prices_knows_the_same():
    tables = [properties("$defs", name) for name in ["table", "stepped", "dated", "model"]]
    assert all(tables[0] <= table for table in tables)


@pytest.mark.parametrize(
    "wrong",
    [
        file({"per_million_tokens": {"input": "-1"}}),
        file({"per_million_tokens": {"input": "0.1234567890123"}}),
        file({"per_minute": "1", "operation": "singing"}),
        file({"per_minute": "1", "max_output_tokens": 0}),
        file({"per_minute": "1", "minimum_seconds": 3601}),
        file(priced(above_input_tokens={"0": priced()})),
        file(priced(), currency="BRL"),
        file(priced(), as_of="soon"),
        file(priced(), surcharges={"s": {}}),
        {"models": {}},
    ],
)
def test_both_refuse_what_is_wrong(catraca, wrong):
    catraca.configuration.settings["pricing"] = ["pricing/openai.yaml"]
    catraca.configuration.write()
    catraca.configuration.write_text("pricing/openai.yaml", json.dumps(wrong))
    assert catraca.command("check").returncode == 1
    assert errors(wrong) != []


def test_the_schema_alone_wants_prices_in_quotes():
    """The decoder reads a price as it is written; an editor would read a binary float."""
    assert errors(file({"per_million_tokens": {"input": 1.5}})) != []
