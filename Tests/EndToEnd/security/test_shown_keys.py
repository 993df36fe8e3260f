"""The provider's key never leaves Catraca in an answer, whole or as a stream, however the provider
writes it."""

import base64
import json

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.hostile_provider import HostileProvider
from harness.recording_server import ANSWER

KEY = "sk-proj-AbCdEf0123456789wxyz"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
STREAM = {**BODY, "stream": True, "stream_options": {"include_usage": True}}

SPELLINGS = {
    "plain": KEY,
    "JSON": "".join(f"\\u00{ord(letter):02x}" for letter in KEY),
    "JSON in part": "sk\\u002Dproj" + KEY[7:],
    "URL": "".join(f"%{ord(letter):02X}" for letter in KEY),
    "UTF-16": "".join(f"{letter}\\u0000" for letter in KEY),
    "Base64": base64.b64encode(f"Bearer {KEY}".encode()).decode(),
    "Base64 at another place": base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode(),
}
spellings = pytest.mark.parametrize("spelling", SPELLINGS)


@pytest.fixture
def provider():
    provider = HostileProvider()
    yield provider
    provider.close()


@pytest.fixture
def house(tmp_path, provider):
    (tmp_path / "key").write_text(KEY)
    settings = {"base_url": provider.url, "api_key_file": str(tmp_path / "key")}
    configuration = Configuration(tmp_path, {"openai": settings})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


def answers(provider, kind, *pieces):
    head = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: " + kind + b"\r\n\r\n"
    provider.answer = lambda: [head, *pieces]


def with_echo(value, text):
    """The value's JSON with a member that shows the text as it is."""
    return json.dumps({"echo": "?", **value}).replace('"?"', f'"{text}"').encode()


def assert_hidden(shown, spelling):
    text = SPELLINGS[spelling].encode()
    assert b"[provider key]" in shown
    assert text not in shown and text[8:24] not in shown


@spellings
def test_an_answer_shows_no_key(house, provider, spelling):
    answers(provider, b"application/json", with_echo(ANSWER, SPELLINGS[spelling]))
    shown = house.post(BODY)
    assert_hidden(shown.body, spelling)
    assert shown.json()["usage"] == ANSWER["usage"]
    assert house.row()["usage_source"] == "reported"


def event(text, **values):
    return b"data: " + with_echo({"model": "gpt-4o-mini", **values}, text) + b"\n\n"


def delta(content, text=""):
    return event(text, choices=[{"index": 0, "delta": {"content": content}}])


END = event("", choices=[], usage=ANSWER["usage"]) + b"data: [DONE]\n\n"


@spellings
@pytest.mark.parametrize("place", ["first", "later", "comment", "event", "text", "last"])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "bytes"])
def test_a_stream_shows_no_key(house, provider, spelling, place, whole):
    text = SPELLINGS[spelling]
    ordinary = delta("a") + delta("b") + delta("c")
    stream = {
        "first": delta("a", text) + ordinary + END,
        "later": ordinary + delta("d", text) + ordinary + END,
        "comment": ordinary + f": {text}\n\n".encode() + ordinary + END,
        "event": ordinary + f"event: {text}\n".encode() + delta("d") + END,
        # Escapes are the text's own, as the provider writes them.
        "text": ordinary + delta("?d").replace(b"?d", text.encode()) + ordinary + END,
        "last": ordinary + END + f": {text}\n\n".encode(),
    }[place]
    size = len(stream) if whole else 7
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    answers(provider, b"text/event-stream", *pieces)
    shown = house.post(STREAM).body
    assert_hidden(shown, spelling)
    assert shown.count(b"data: ") == stream.count(b"data: ")
    assert house.row()["usage_source"] == "reported"
