"""Sounds whose headers lie, in wrappers of all kinds: however a request ends, what a decoder would
make of the file is charged."""

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.forms import form
from harness.recording_server import RecordingServer
from harness.sandbox import script
from harness.waiting import eventually
from harness.wrappers import TRUE_MILLISECONDS, WRAPPED

TRANSCRIPTIONS = "/v1/audio/transcriptions"
MODELS = ["whisper-1", "gpt-4o-transcribe"]
# Sound has ten tokens a second, and fast speech four.
SOUND_TOKENS = TRUE_MILLISECONDS // 100
TEXT_TOKENS = TRUE_MILLISECONDS * 4 // 1000


def house_of(tmp_path_factory, openai):
    configuration = Configuration(tmp_path_factory.mktemp("house") / "config", {"openai": openai})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.add_client("acme")
    return Catraca(configuration).start()


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox_process):
    house = house_of(tmp_path_factory, sandbox_providers(sandbox_process.url)["openai"])
    yield house
    house.end()


@pytest.fixture(scope="module")
def quiet_house(tmp_path_factory):
    """Its provider says nothing of usage."""
    provider = RecordingServer()
    provider.answer = (200, {"text": "Hello there"})
    house = house_of(tmp_path_factory, {"base_url": f"http://127.0.0.1:{provider.port}/v1"})
    yield house
    house.end()
    provider.close()


def request(wrapper, model):
    kind, body = form(WRAPPED[wrapper], model=model)
    return body, {"content-type": kind, "x-catraca-user": f"{model}, {wrapper}"}


def assert_charged(house, wrapper, model, outcome):
    def rows():
        return house.ledger.usage(user_id=f"{model}, {wrapper}", outcome=outcome)

    [row] = eventually(rows, "a row of usage")
    assert row["usage_source"] == "estimated"
    assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]
    if model == "whisper-1":
        assert row["audio_ms"] >= TRUE_MILLISECONDS
        assert row["cost_nano_usd"] >= TRUE_MILLISECONDS * 6_000_000 // 60_000
    else:
        assert row["audio_input_tokens"] >= SOUND_TOKENS
    return row


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("wrapper", WRAPPED)
def test_a_hang_up_saves_nothing(house, sandbox, wrapper, model):
    body, headers = request(wrapper, model)
    with house.connect() as connection:
        sent = connection.request(
            "POST", TRANSCRIPTIONS, body, house.key(), headers | script(hang=True)
        )
        connection.send(sent)
        eventually(sandbox.journal, "the request at the provider")
    row = assert_charged(house, wrapper, model, "client_disconnected")
    if model != "whisper-1":
        assert row["completion_tokens"] >= TEXT_TOKENS


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("wrapper", WRAPPED)
def test_an_answer_that_breaks_off_saves_nothing(house, wrapper, model):
    body, headers = request(wrapper, model)
    answer = house.post(body, TRANSCRIPTIONS, headers=headers | script(cut_after=0))
    assert answer.status == 502
    row = assert_charged(house, wrapper, model, "upstream_broken")
    if model != "whisper-1":
        assert row["completion_tokens"] >= TEXT_TOKENS


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("wrapper", WRAPPED)
def test_an_answer_without_usage_saves_nothing(quiet_house, wrapper, model):
    body, headers = request(wrapper, model)
    assert quiet_house.post(body, TRANSCRIPTIONS, headers=headers).status == 200
    row = assert_charged(quiet_house, wrapper, model, "ok")
    assert row["completion_tokens"] < 20


@pytest.mark.parametrize("model", MODELS)
def test_a_kill_saves_nothing(house, sandbox, model):
    connections = []
    for count, wrapper in enumerate(WRAPPED, 1):
        body, headers = request(wrapper, model)
        connection = house.connect()
        connection.__enter__()
        sent = connection.request(
            "POST", TRANSCRIPTIONS, body, house.key(), headers | script(hang=True)
        )
        connection.send(sent)
        connections.append(connection)
        eventually(lambda: len(sandbox.journal()) >= count, "the request at the provider")
    house.kill()
    house.start()
    for connection in connections:
        connection.__exit__(None, None, None)
    for wrapper in WRAPPED:
        row = assert_charged(house, wrapper, model, "interrupted")
        if model != "whisper-1":
            assert row["completion_tokens"] >= TEXT_TOKENS
