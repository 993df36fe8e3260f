"""Answers that come seldom, and what they cost."""

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.forms import form, sound
from harness.recording_server import RecordingServer

TRANSCRIPTIONS = "/v1/audio/transcriptions"
MODERATIONS = "/v1/moderations"


@pytest.fixture(scope="module")
def provider():
    provider = RecordingServer()
    yield provider
    provider.close()


@pytest.fixture
def house(tmp_path, provider):
    url = f"http://127.0.0.1:{provider.port}/v1"
    configuration = Configuration(tmp_path, {"openai": {"base_url": url}})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


@pytest.mark.parametrize(
    "answer",
    [{"usage": {"type": "duration", "seconds": 30}}, {"duration": 30.0}],
    ids=["usage", "duration"],
)
def test_a_duration_is_estimated_in_tokens_where_those_are_priced(house, provider, answer):
    """A second of sound is ten tokens; the hold has more."""
    provider.answer = (200, {"text": "Hello there", **answer})
    kind, body = form(sound(60), model="gpt-4o-transcribe")
    assert house.post(body, TRANSCRIPTIONS, headers={"content-type": kind}).status == 200
    row = house.row()
    assert (row["usage_source"], row["audio_ms"]) == ("estimated", 30_000)
    assert row["prompt_tokens"] == row["audio_input_tokens"] == 300
    assert 0 < row["completion_tokens"] < 20
    assert 0 < row["cost_nano_usd"] < row["held_nano_usd"] / 2
    assert house.command("audit").returncode == 0


def test_an_overrun_of_sound_raises_the_next_bound(house, provider):
    provider.answer = (200, {"text": "Hello", "usage": {"type": "duration", "seconds": 90}})
    kind, body = form(sound(60), model="whisper-1", response_format="json")
    for _ in range(3):
        assert house.post(body, TRANSCRIPTIONS, headers={"content-type": kind}).status == 200
    first, second, third = house.ledger.usage()
    assert first["audio_ms"] == 90_000
    # 29 seconds more than the 61 that were held for the file, at 0.006 USD a minute.
    excess = 2_900_000
    assert first["overrun_nano_usd"] == excess
    assert second["held_nano_usd"] == third["held_nano_usd"] == first["held_nano_usd"] + excess
    assert second["overrun_nano_usd"] == third["overrun_nano_usd"] == 0


@pytest.mark.parametrize("model", ["another-moderation-model", "omni-moderation-latest"])
def test_moderation_needs_no_price(house, provider, model):
    provider.answer = (200, {"id": "modr-1", "model": model, "results": []})
    assert house.post({"model": model, "input": "Hello"}, MODERATIONS).status == 200
    row = house.row()
    assert (row["operation"], row["model"]) == ("moderation", model)
    assert (row["cost_nano_usd"], row["usage_source"]) == (0, "reported")
    assert house.command("audit").returncode == 0


def test_other_requests_need_a_price(house, provider):
    provider.taken()
    body = {"model": "another-moderation-model", "input": "Hello"}
    answer = house.post(body, "/v1/embeddings")
    assert (answer.status, answer.code) == (400, "model_not_priced")
    assert provider.taken() == []
