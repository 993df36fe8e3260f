"""The cost of usage, computed from the price files without any of Catraca's code."""

from decimal import ROUND_CEILING, Decimal
from pathlib import Path

import yaml

NANO = Decimal(10) ** 9
MILLION = Decimal(10) ** 6

# The parts of the input and of the output that may have a price apart; reasoning is output.
PARTS = {
    "input": ["cached_input", "cache_write", "audio_input", "image_input"],
    "output": ["audio_output", "image_output"],
}


class Prices:
    def __init__(self, folder):
        self._models = {}
        self._surcharges = {}
        self._containers = {}
        for path in sorted(Path(folder).glob("*.yaml")):
            # BaseLoader leaves every scalar a string: no price passes through a float.
            declared = yaml.load(path.read_text(), yaml.BaseLoader)
            self._surcharges[declared["provider"]] = declared.get("surcharges", {})
            self._containers[declared["provider"]] = declared.get("containers", {})
            for name, model in declared["models"].items():
                for alias in [name, *model.get("aliases", [])]:
                    self._models[declared["provider"], alias] = model

    def nano_usd(self, provider, model, usage):
        """The cost in nano-dollars, rounded up once."""
        return ceiling(self._dollars(provider, model, usage) * NANO)

    def batch_nano_usd(self, provider, model, usage):
        """The cost of a batch's line, whose usage has no parts."""
        rates = self._models[provider, model]["tiers"]["batch"]["per_million_tokens"]
        cost = usage.prompt * Decimal(rates["input"]) + usage.completion * Decimal(rates["output"])
        return ceiling(cost / MILLION * NANO)

    def nano(self, provider, model, usage, rate):
        """The cost in nano-units of the billing currency, from the exact cost in dollars."""
        return ceiling(self._dollars(provider, model, usage) * Decimal(rate) * NANO)

    def bill(self, provider, answering, parts, calls, rate=1):
        """The cost in nano-units of what several models used, and of calls by their surcharge.

        `parts` are pairs of model and usage; the surcharges of the model that answers precede."""
        dollars = sum(self._dollars(provider, model, usage) for model, usage in parts)
        own = self._models[provider, answering].get("surcharges", {})
        for name, count in calls.items():
            price = {**self._surcharges[provider], **own}[name]["per_call"]
            dollars += count * Decimal(price)
        return ceiling(dollars * Decimal(rate) * NANO)

    def whole_bill(
        self, provider, asked, parts, calls, tier=None, rate=1, window=None, sessions=None
    ):
        """The cost in nano-units of quantities of every kind, by the models that used them.

        `parts` are mappings of quantities as the recordings name them; what a model's price for a
        tier or a completion window leaves out keeps the base price."""
        dollars = sum(
            self._whole_dollars(provider, model, usage, tier, window)
            for model, usage in parts.items()
        )
        own = self._models[provider, asked].get("surcharges", {})
        for name, count in calls.items():
            price = {**self._surcharges[provider], **own}[name]["per_call"]
            dollars += count * Decimal(price)
        for size, count in (sessions or {}).items():
            prices = self._containers[provider]
            # One of an unknown size has the price of the dearest.
            dollars += count * (Decimal(prices[size]) if size in prices else dearest(prices))
        return ceiling(dollars * Decimal(rate) * NANO)

    def _whole_dollars(self, provider, model, usage, tier, window):
        declared = self._models[provider, model]
        tiered = declared.get("tiers", {}).get(tier, {})
        tiered = tiered or declared.get("completion_windows", {}).get(window, {})
        rates = {
            **declared.get("per_million_tokens", {}),
            **tiered.get("per_million_tokens", {}),
        }
        cost = Decimal(0)
        for total, parts in PARTS.items():
            rest = usage.get(f"{total}_tokens", 0)
            for part in parts:
                count = usage.get(f"{part}_tokens", 0)
                rest -= count
                cost += count * Decimal(rates[part]) if count else 0
            cost += rest * Decimal(rates[total]) if rest else 0
        cost += usage.get("characters", 0) * Decimal(declared.get("per_million_characters", 0))
        seconds = usage.get("seconds")
        if seconds is not None:
            billed = max(Decimal(seconds), Decimal(declared.get("minimum_seconds", 0)))
            cost += billed / 60 * Decimal(declared["per_minute"]) * MILLION
        return cost / MILLION

    def _dollars(self, provider, model, usage):
        rates = self._models[provider, model]["per_million_tokens"]
        plain = usage.prompt - usage.cached - usage.audio_input
        cost = plain * Decimal(rates["input"])
        if usage.cached:
            cost += usage.cached * Decimal(rates["cached_input"])
        if usage.audio_input:
            cost += usage.audio_input * Decimal(rates["audio_input"])
        cost += usage.completion * Decimal(rates["output"])
        return cost / MILLION


def dearest(prices):
    return max(Decimal(price) for price in prices.values())


def ceiling(amount):
    return int(amount.to_integral_value(ROUND_CEILING))
