"""The cost of requests, compared with the PyPI packages genai-prices and litellm.

Every model that both know is priced by `catraca price` and by the package. Where they differ, the
reason stands here; without one, a difference fails."""

import functools
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from decimal import ROUND_CEILING, Decimal

import genai_prices
import pytest
import yaml
from harness.process import REPOSITORY, binary

DAY = "2026-11-22"
AT_ONCE = 4

# Input, cached input and output tokens: a short request, and one beyond every length step.
SHORT = (10_000, 4_000, 2_000)
LONG = (300_000, 0, 1_000)

CACHED_IMAGES = "ours is the price of cached images, the dearer of the two"
CACHED_SOUND = "ours is the price of cached sound, the dearer of the two"
NO_DISCOUNT = "theirs has no price of cached input; ours is LiteLLM's"
ALL_SOUND = "theirs takes all output for sound; ours goes by the parts that are reported"
ROUNDED = "theirs is rounded to nine decimals a token"
GENAI_REASONS = {
    "chatgpt-image-latest": CACHED_IMAGES,
    "gpt-image-1": CACHED_IMAGES,
    "gpt-image-1-mini": CACHED_IMAGES,
    "gpt-image-1.5": CACHED_IMAGES,
    "gpt-image-2": CACHED_IMAGES,
    "gpt-image-2.5-flare": CACHED_IMAGES,
    "gpt-image-2.5-sunburst": CACHED_IMAGES,
    "ft:gpt-4o-2024-08-06": NO_DISCOUNT,
    "ft:gpt-4o-mini-2024-07-18": NO_DISCOUNT,
    "gpt-4o-search-preview": NO_DISCOUNT,
    "gpt-4o-mini-tts": ALL_SOUND,
    "gpt-5.6-cyber": "theirs has no length step; ours is that of gpt-5.6",
    "gpt-realtime-mini": CACHED_SOUND,
    "gpt-realtime-mini-2025-12-15": CACHED_SOUND,
    "gpt-realtime-2.1-mini": CACHED_SOUND,
}
LITELLM_REASONS = {
    "chatgpt-image-latest": CACHED_IMAGES,
    "gpt-image-1": CACHED_IMAGES,
    "gpt-image-1-mini": CACHED_IMAGES,
    "gpt-image-1.5": CACHED_IMAGES,
    "gpt-image-2": CACHED_IMAGES,
    "gpt-image-2.5-flare": CACHED_IMAGES,
    "gpt-image-2.5-sunburst": CACHED_IMAGES,
    "gpt-realtime-mini": CACHED_SOUND,
    "gpt-realtime-mini-2025-12-15": CACHED_SOUND,
    "gpt-realtime-2.1-mini": CACHED_SOUND,
    "openai/gpt-oss-safeguard-20b": ROUNDED,
}


def by_genai_prices(provider, model, tokens):
    """None where the package doesn't know the model."""
    total, cached, output = tokens
    usage = genai_prices.Usage(
        input_tokens=total, cache_read_tokens=cached, output_tokens=output
    )
    at = datetime.fromisoformat(DAY).replace(tzinfo=timezone.utc)
    try:
        answer = genai_prices.calc_price(
            usage, model_ref=model, provider_id=provider, genai_request_timestamp=at
        )
    except LookupError:
        return None
    return answer.total_price


@functools.cache
def litellm():
    """The package, with the prices that it ships: it would fetch newer ones."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    return litellm


def by_litellm(provider, model, tokens):
    """None where the package doesn't know the model, or has no price of it."""
    from litellm.types.utils import PromptTokensDetailsWrapper, Usage

    total, cached, output = tokens
    usage = Usage(
        prompt_tokens=total,
        completion_tokens=output,
        total_tokens=total + output,
        prompt_tokens_details=PromptTokensDetailsWrapper(cached_tokens=cached),
    )
    try:
        costs = litellm().cost_per_token(
            model=model, usage_object=usage, custom_llm_provider=provider
        )
    except Exception as error:
        if "isn't mapped" in str(error):
            return None
        raise
    # They are floats: what lies beyond their precision is none of their price.
    return Decimal(repr(sum(costs))).quantize(Decimal("1e-13")) or None


@functools.cache
def ours(provider, model, tokens):
    total, cached, output = map(str, tokens)
    done = subprocess.run(
        [binary(), "price", model, "--in", total, "--cached", cached, "--out", output]
        + ["--provider", provider, "--at", DAY, "--format", "json"]
        + ["--config", str(REPOSITORY / "config")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return Decimal(json.loads(done.stdout)["cost_usd"])


def shared(provider, theirs):
    """The models that are priced by tokens here, and known there."""
    text = (REPOSITORY / f"config/pricing/{provider}.yaml").read_text()
    for name, model in yaml.load(text, yaml.BaseLoader)["models"].items():
        prices = model.get("prices", [model])[0]
        if "per_million_tokens" not in prices:
            continue
        for tokens in [SHORT, LONG] if "above_input_tokens" in prices else [SHORT]:
            if (price := theirs(provider, name, tokens)) is not None:
                yield name, tokens, price


def check(theirs, provider, least, reasons):
    cases = list(shared(provider, theirs))
    assert len(cases) >= least
    with ThreadPoolExecutor(AT_ONCE) as pool:
        costs = list(pool.map(lambda case: ours(provider, *case[:2]), cases))
    differences = {}
    for (name, tokens, price), cost in zip(cases, costs):
        # Ours is rounded up at the nano-dollar.
        if cost != price.quantize(Decimal("1e-9"), ROUND_CEILING):
            differences[name] = f"{tokens}: ours {cost}, theirs {price}; {reasons.get(name)}"
    print("\n".join(f"{name} {text}" for name, text in differences.items()))
    assert {name: text for name, text in differences.items() if name not in reasons} == {}
    known = {name for name, *_ in cases}
    assert {name for name in reasons if name in known} == set(differences)


@pytest.mark.parametrize("provider, least", [("openai", 80), ("groq", 20)])
def test_costs_are_those_of_genai_prices(provider, least):
    check(by_genai_prices, provider, least, GENAI_REASONS)


@pytest.mark.parametrize("provider, least", [("openai", 100), ("groq", 7)])
def test_costs_are_those_of_litellm(provider, least):
    check(by_litellm, provider, least, LITELLM_REASONS)
