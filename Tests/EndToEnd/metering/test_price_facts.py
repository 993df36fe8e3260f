"""The pricing files say what the providers publish: every model and every price of it.

`prices/facts.json` is what was read on 2026-11-22 from the providers' pages and from two public
tables, by provider and model. A price that the files leave out or state otherwise stands here with
its reason; without one, a difference fails."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from harness.process import REPOSITORY

FACTS = json.loads((Path(__file__).parents[1] / "prices/facts.json").read_text())
READ_ON = date(2026, 11, 22)

ROUTER = "a router's name for a model, which the provider itself doesn't serve"
SESSION = "billed by the session, on a path that is refused by default"
VIDEO = "videos are refused by default"
LEFT_OUT = {
    "openai": {
        "gpt-4o:extended": ROUTER,
        "gpt-5-image": ROUTER,
        "gpt-5-image-mini": ROUTER,
        "gpt-5.4-image-2": ROUTER,
        "gpt-oss-120b": ROUTER,
        "gpt-oss-20b": ROUTER,
        "gpt-oss-safeguard-20b": ROUTER,
        "gpt-4o-mini-2024-07-18.ft-": "one table's spelling of ft:gpt-4o-mini-2024-07-18",
        "gpt-live-1": SESSION,
        "gpt-live-1.1": SESSION,
        "sora-2": VIDEO,
        "sora-2-pro": VIDEO,
        "sora-2-pro-high-res": VIDEO,
    },
    "groq": {},
}

TOKENS_PAY = "the published estimate of what its tokens cost, which are what is billed"
DEARER = "the tables differ, and the higher price stands"
OTHERWISE = {
    ("chatgpt-image-latest", "cached_input"): "that of images in a batch, half of the base's",
    ("ft:gpt-4o-2024-11-20", "cache_write"): "the price of reading, in the wrong column",
    ("gpt-4o-mini-transcribe-2025-03-20", "audio_input"): DEARER,
    ("gpt-4o-mini-transcribe-2025-12-15", "audio_input"): DEARER,
    ("openai/gpt-oss-safeguard-20b", "cached_input"): DEARER,
    ("whisper-large-v3-turbo", "per_minute"): "0.04 an hour, of which the table rounds the minute",
    ("gpt-4o-mini-transcribe", "per_minute"): TOKENS_PAY,
    ("gpt-4o-mini-transcribe-2025-03-20", "per_minute"): TOKENS_PAY,
    ("gpt-4o-mini-transcribe-2025-12-15", "per_minute"): TOKENS_PAY,
    ("gpt-4o-transcribe", "per_minute"): TOKENS_PAY,
    ("gpt-4o-transcribe-diarize", "per_minute"): TOKENS_PAY,
}


def book(provider):
    """The models of a provider's file, by name and by alias."""
    text = (REPOSITORY / f"config/pricing/{provider}.yaml").read_text()
    # BaseLoader leaves every scalar a string: no price passes through a float.
    models = yaml.load(text, yaml.BaseLoader)["models"]
    return {
        name: model
        for main, model in models.items()
        for name in [main, *model.get("aliases", [])]
    }


def in_force(model):
    """A model's prices on the day of the facts."""
    started = [
        dated
        for dated in model.get("prices", [])
        if date.fromisoformat(dated.get("from", "2000-01-01")) <= READ_ON
    ]
    return started[-1] if started else model


def stated(model, facts, tier, quantity):
    """One price in the files; a quantity that a tier leaves out keeps the price of the base."""
    prices = in_force(model)
    name = tier.removesuffix("_long_context")
    tables = [prices] if name == "standard" else [prices.get("tiers", {}).get(name), prices]
    if name != tier:
        step = str(facts["above_input_tokens"])
        tables = [table.get("above_input_tokens", {}).get(step) for table in tables[:1] if table]
    elif tables[0] is None:
        return None
    found = [table.get("per_million_tokens", {}).get(quantity) for table in tables if table]
    return next((Decimal(price) for price in found if price is not None), None)


def expected(model, prices):
    """The facts of one table of prices in our quantities: all that is cached has one price."""
    prices = {quantity: Decimal(price) for quantity, price in prices.items()}
    sound = prices.pop("cached_audio_input", None)
    image = prices.pop("cached_image_input", None)
    # Models of images read images from the cache; the realtime ones read sound.
    other = image if model["operation"] == "image" else sound
    if other is not None:
        prices["cached_input"] = max(prices.get("cached_input", other), other)
    return prices


def differences(provider):
    models = book(provider)
    for name, facts in FACTS[provider].items():
        if name in LEFT_OUT[provider]:
            continue
        if name not in models:
            yield name, "the model", None
            continue
        model = models[name]
        for alias in facts.get("aliases", []):
            if models.get(alias) is not model:
                yield name, f"alias {alias}", None
        for tier, prices in facts.get("per_million_tokens", {}).items():
            for quantity, price in expected(model, prices).items():
                says = stated(model, facts, tier, quantity)
                if says != price:
                    yield name, quantity if says is not None else (quantity, tier), says
        for unit, price in facts.get("units", {}).items():
            if Decimal(model.get(unit, "-1")) != Decimal(price):
                yield name, unit, model.get(unit)


def explained(name, what):
    """Whether a difference has a reason: of its quantity, or of a whole tier."""
    parts = [what] if isinstance(what, str) else [what[0], what[1].removesuffix("_long_context")]
    return any((name, part) in OTHERWISE for part in parts)


@pytest.mark.parametrize("provider", FACTS)
def test_the_files_say_what_is_published(provider):
    found = list(differences(provider))
    assert [entry for entry in found if not explained(entry[0], entry[1])] == []


def test_every_reason_is_needed():
    found = [entry[:2] for provider in FACTS for entry in differences(provider)]
    for reason in OTHERWISE:
        names = [
            (name, part)
            for name, what in found
            for part in ([what] if isinstance(what, str) else [what[0], what[1]])
        ]
        assert reason in names, f"{reason} explains no difference"


@pytest.mark.parametrize("provider", FACTS)
def test_what_is_left_out_is_not_there_and_the_rest_has_its_facts(provider):
    models = book(provider)
    facts = FACTS[provider]
    known = {name for main in facts for name in [main, *facts[main].get("aliases", [])]}
    left_out = set(LEFT_OUT[provider])
    assert left_out <= set(facts) and not left_out & set(models)
    assert set(models) <= known
