"""Every recorded answer through the real server, whole and byte by byte: the client gets the
provider's bytes, and the row has the usage and the cost."""

from dataclasses import dataclass, field

import pytest
from harness.catraca import Catraca
from harness.configuration import BRL_PER_USD, Configuration, sandbox_providers
from harness.objects import assign
from harness.prices import Prices
from harness.raw_http import Answer, Truncated
from harness.recordings import recordings
from harness.replay import CUTS, Replay
from harness.waiting import eventually

COLUMNS = {
    "input_tokens": "prompt_tokens",
    "cached_input_tokens": "cached_tokens",
    "cache_write_tokens": "cache_write_tokens",
    "audio_input_tokens": "audio_input_tokens",
    "image_input_tokens": "image_input_tokens",
    "output_tokens": "completion_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "audio_output_tokens": "audio_output_tokens",
    "image_output_tokens": "image_output_tokens",
    "images": "images",
    "characters": "characters",
}
# The names that compound models give to their tools, and the names of their prices.
SURCHARGES = {"search": "web_search", "visit": "visit_website"}


@dataclass
class House:
    """A server whose providers play recordings."""

    catraca: Catraca
    provider: Replay
    # The recordings whose sessions of containers were charged: once in 20 minutes.
    paid: set = field(default_factory=set)

    def __post_init__(self):
        self.prices = Prices(self.catraca.configuration.folder / "pricing")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    provider = Replay()
    folder = tmp_path_factory.mktemp("recordings")
    configuration = Configuration(folder, sandbox_providers(provider.url))
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    assign(catraca.ledger, "cntr_D09", "container")
    try:
        yield House(catraca, provider)
        audit = catraca.command("audit")
        assert audit.returncode == 0, audit.stdout + audit.stderr
        assert catraca.ledger.in_flight() == []
    finally:
        catraca.end()
        provider.end()


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("recording", recordings(), ids=str)
def test_a_recorded_answer_passes_and_is_charged(house, recording, cut):
    house.provider.play(
        recording.status, recording.fields, recording.answer, cut, recording.is_torn
    )
    known = {row["request_id"] for row in house.catraca.ledger.usage()}
    answer = ask(house.catraca, recording)
    rows = eventually(lambda: [row for row in rows_after(house, known)], "a row of usage")
    assert len(rows) == len(house.provider.requests) == 1

    assert answer.status == recording.status
    if recording.is_torn:
        assert recording.seen_by_client.startswith(answer.body)
    else:
        assert answer.body == recording.seen_by_client
    assert {name: answer.fields.get(name) for name in recording.fields} == recording.fields
    check(house, recording, rows[0])


def test_the_sdk_reads_decisions(house):
    [recording] = [entry for entry in recordings() if str(entry) == "c37-decisions"]
    house.provider.play(recording.status, recording.fields, recording.answer)
    request = recording.facts["request"]
    decision = house.catraca.openai().decisions.create(**request)
    assert decision.answers[0].probability == 0.97
    assert decision.usage.input_tokens == recording.expected["input_tokens"]


def rows_after(house, known):
    return [row for row in house.catraca.ledger.usage() if row["request_id"] not in known]


def ask(catraca, recording):
    """The answer as the client sees it, also one that is cut off."""
    body, kind = recording.request()
    path = f"/{recording.provider}{recording.path}"
    with catraca.connect() as connection:
        headers = {"content-type": kind}
        connection.send(connection.request("POST", path, body, catraca.key(), headers))
        if not recording.is_torn:
            return connection.answer()
        status, fields = connection.head()
        seen = []
        with pytest.raises(Truncated):
            for chunk in connection.chunks():
                seen.append(chunk)
        return Answer(status, fields, b"".join(seen))


def check(house, recording, row):
    expected = recording.expected
    facts = {
        "source": recording.provider,
        "model": recording.model or expected["model"],
        "response_model": expected.get("model"),
        "endpoint": recording.path,
        "stream": int(recording.streaming),
        "status": recording.status,
        "outcome": recording.outcome,
        "overrun_tokens": 0,
        "overrun_nano_usd": 0,
    }
    if row["status"] >= 400:
        del facts["response_model"]
    assert {name: row[name] for name in facts} == facts
    if expected["usage_found"] or expected.get("fallback") == "characters":
        check_reported(house, recording, row)
    elif expected.get("billable", True):
        check_estimated(house.prices, recording, row)
    else:
        free = {"usage_source": "reported", "total_tokens": 0, "cost_nano_usd": 0}
        assert {name: row[name] for name in free} == free


def check_reported(house, recording, row):
    prices, expected = house.prices, recording.expected
    drawn = expected.get("image_tool", {})
    usage = {column: expected.get(name, 0) for name, column in COLUMNS.items()}
    usage["prompt_tokens"] += drawn.get("input_tokens", 0)
    usage["completion_tokens"] += drawn.get("image_output_tokens", 0)
    usage["image_output_tokens"] += drawn.get("image_output_tokens", 0)
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    usage["audio_ms"] = round(float(expected.get("seconds", 0)) * 1000)
    sessions = expected.get("container_sessions", {})
    if sessions:
        sessions = {} if str(recording) in house.paid else sessions
        house.paid.add(str(recording))
    usage["calls"] = sum(calls(recording).values()) + sum(sessions.values())
    usage["usage_source"] = "reported"
    assert {name: row[name] for name in usage} == usage

    model = expected.get("model") or recording.model
    parts = expected.get("by_model") or {model: expected}
    if drawn:
        parts = {**parts, drawn["model"]: {**drawn, "output_tokens": drawn["image_output_tokens"]}}
    tier = expected.get("price_class") or expected.get("service_tier")
    bill = (recording.provider, recording.model, parts, calls(recording), tier)
    assert row["cost_nano_usd"] == prices.whole_bill(*bill, sessions=sessions)
    whole = prices.whole_bill(*bill, rate=BRL_PER_USD, sessions=sessions)
    assert row["cost_nano"] == whole


def calls(recording):
    counts = recording.expected.get("tool_calls", {})
    # Drawing is billed by its tokens, and what runs in containers by their sessions: no calls with
    # a price.
    ran = {"code_interpreter", "shell"} if "container_sessions" in recording.expected else set()
    return {
        SURCHARGES.get(name, name): count
        for name, count in counts.items()
        if not (name == "image_generation" and "image_tool" in recording.expected)
        and name not in ran
    }


def check_estimated(prices, recording, row):
    assert row["usage_source"] == "estimated"
    assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]
    assert row["total_tokens"] <= row["held_tokens"]
    if recording.expected["fallback"] == "duration":
        seconds = recording.facts["request"]["multipart"]["file"]["seconds"]
        assert row["audio_ms"] == round(float(seconds) * 1000)
        parts = {recording.model: {"seconds": seconds}}
        cost = prices.whole_bill(recording.provider, recording.model, parts, {})
        assert row["cost_nano_usd"] == cost
