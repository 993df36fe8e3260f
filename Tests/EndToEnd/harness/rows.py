"""The expected columns of a row of `usage_logs`."""

from decimal import Decimal

from .configuration import BRL_PER_USD
from .prices import Prices


def assert_row(row, configuration, usage, *, provider="openai", model, stream, **others):
    """The row has exactly this usage, reported by the provider, and exactly its cost."""
    expected = {
        "source": provider,
        "model": model,
        "client_id": "acme",
        "key_name": "main",
        "operation": "chat",
        "endpoint": "/v1/chat/completions",
        "stream": int(stream),
        "status": 200,
        "outcome": "ok",
        "usage_source": "reported",
        "overrun_tokens": 0,
        "overrun_nano_usd": 0,
        **usage.columns,
        **others,
    }
    assert {name: row[name] for name in expected} == expected
    assert row["held_tokens"] >= usage.total
    assert_cost(row, configuration, usage, provider, model)


def assert_cost(row, configuration, usage, provider, model):
    prices = Prices(configuration.folder / "pricing")
    nano_usd = prices.nano_usd(provider, model, usage)
    assert row["cost_nano_usd"] == nano_usd
    assert row["cost_nano"] == prices.nano(provider, model, usage, BRL_PER_USD)
    assert row["currency"] == "BRL"
    assert row["cost_usd"] == f"{Decimal(nano_usd) / 10**9:.9f}"
    assert row["held_nano_usd"] >= nano_usd


def assert_estimated(row, outcome, **others):
    """The provider reported nothing: the row is an estimate within the hold, and says so."""
    expected = {"outcome": outcome, "usage_source": "estimated", **others}
    assert {name: row[name] for name in expected} == expected
    assert 0 < row["total_tokens"] <= row["held_tokens"]
    assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]
