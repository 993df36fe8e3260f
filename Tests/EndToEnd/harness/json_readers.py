"""JSON as other programs read it: a provider may be written with any of these."""

import io
import json

import ijson
import orjson
import rapidjson
import simdjson
import ujson

READERS = {
    "json": json.loads,
    "orjson": orjson.loads,
    "simdjson": lambda text: simdjson.Parser().parse(text, True),
    "rapidjson": rapidjson.loads,
    "ujson": ujson.loads,
    "ijson": lambda text: next(ijson.items(io.BytesIO(text), "")),
}
METERED = ["model", "stream", "max_tokens", "max_completion_tokens", "n", "user", "service_tier"]


def readings(text):
    """The value that each reader finds in the text, by the reader's name; some refuse it."""
    values = {}
    for name, read in READERS.items():
        try:
            values[name] = read(text)
        except (ValueError, ijson.JSONError, RecursionError):
            continue
    return values


def metered(value):
    """The members that decide a request's cost and payer; types count: 1 isn't 1.0 or true."""
    assert isinstance(value, dict), value
    facts = {name: value.get(name) for name in METERED}
    facts["include_usage"] = (value.get("stream_options") or {}).get("include_usage")
    facts["conversation"] = (value.get("metadata") or {}).get("conversation_id")
    return {name: (type(fact).__name__, fact) for name, fact in facts.items()}
