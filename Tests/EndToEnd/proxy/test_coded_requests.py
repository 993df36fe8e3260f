"""Requests with a `Content-Encoding`: what is metered and forwarded is the decoded body."""

import gzip
import json

import pytest
from harness.catraca import Catraca
from harness.codings import encode
from harness.configuration import Configuration
from harness.forms import form, sound
from harness.recording_server import RecordingServer

CHAT = "/v1/chat/completions"
TRANSCRIPTIONS = "/v1/audio/transcriptions"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello " * 100}]}
TEXT = json.dumps(BODY).encode()
TAKEN = ["gzip", "zstd"]


@pytest.fixture(scope="module")
def provider():
    provider = RecordingServer()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory, provider):
    folder = tmp_path_factory.mktemp("coded")
    url = f"http://127.0.0.1:{provider.port}/v1"
    configuration = Configuration(folder, {"openai": {"base_url": url}})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.settings["limits"] = {"request_body": "8MiB"}
    configuration.settings["metering"] = {"unmetered_endpoints": ["/v1/threads"]}
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


def send(house, provider, body, path=CHAT, **fields):
    provider.taken()
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    with house.connect() as connection:
        return connection.post(path, body, house.key(), fields)


def row(house, answer):
    identifier = answer.fields["x-catraca-request-id"]
    [row] = [row for row in house.ledger.usage() if row["request_id"] == identifier]
    return row


@pytest.mark.parametrize("said", ["gzip", "zstd", "GZIP", "x-gzip", "identity, gzip", "identity"])
def test_a_coded_request_is_held_as_a_plain_one_and_forwarded_decoded(house, provider, said):
    plain = row(house, send(house, provider, TEXT))
    coding = next((name for name in TAKEN if name in said.lower()), None)
    answer = send(
        house, provider, encode(coding, TEXT) if coding else TEXT, content_encoding=said
    )
    assert answer.status == 200
    [seen] = provider.taken()
    assert seen.body == TEXT and seen.values("content-encoding") == []
    assert seen.values("content-length") == [str(len(TEXT))]
    assert seen.values("accept-encoding") == ["identity"]
    coded = row(house, answer)
    for fact in ["held_tokens", "held_nano_usd", "cost_nano_usd", "model"]:
        assert coded[fact] == plain[fact], fact


@pytest.mark.parametrize("coding", TAKEN)
def test_a_coded_stream_request_gets_what_catraca_adds(house, provider, coding):
    body = encode(coding, json.dumps({**BODY, "stream": True}).encode())
    send(house, provider, body, content_encoding=coding)
    [seen] = provider.taken()
    assert json.loads(seen.body)["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize("coding", TAKEN)
def test_a_coded_form_is_metered_and_forwarded_decoded(house, provider, coding):
    kind, body = form(sound(2), model="whisper-1", response_format="verbose_json")
    fields = {"content_type": kind, "content_encoding": coding}
    answer = send(house, provider, encode(coding, body), TRANSCRIPTIONS, **fields)
    assert answer.status == 200
    [seen] = provider.taken()
    assert seen.body == body and seen.values("content-type") == [kind]


@pytest.mark.parametrize("coding", TAKEN)
def test_a_coded_request_that_costs_nothing_is_forwarded_decoded(house, provider, coding):
    body = encode(coding, b'{"a":1}')
    answer = send(house, provider, body, "/v1/threads", content_encoding=coding)
    assert answer.status == 200
    [seen] = provider.taken()
    assert seen.body == b'{"a":1}' and seen.values("content-encoding") == []


@pytest.mark.parametrize("path", [CHAT, "/v1/files", "/v1/batches", "/v1/threads"])
@pytest.mark.parametrize("said", ["deflate", "br", "compress", "x", "gzip, zstd", "gzip, gzip"])
def test_another_coding_is_415_and_names_those_that_are_taken(house, provider, path, said):
    answer = send(house, provider, TEXT, path, content_encoding=said)
    assert (answer.status, answer.code) == (415, "unsupported_content_encoding")
    assert answer.json()["error"]["param"] == "Content-Encoding"
    assert answer.fields["accept-encoding"] == "gzip, zstd"
    assert provider.taken() == []


WRONG = {
    "plain text": TEXT,
    "another coding": encode("deflate", TEXT),
    "half of it": encode("gzip", TEXT)[:-20],
    "without its checksum": encode("gzip", TEXT)[:-8],
    "garbage behind it": encode("gzip", TEXT) + b"garbage",
    "zeros behind it": encode("gzip", TEXT) + bytes(512),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_body_that_is_not_what_it_says_is_refused(house, provider, case):
    answer = send(house, provider, WRONG[case], content_encoding="gzip")
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert "'Content-Encoding'" in answer.message
    assert provider.taken() == []


def test_members_of_gzip_are_one_body(house, provider):
    body = gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:])
    assert send(house, provider, body, content_encoding="gzip").status == 200
    assert provider.taken()[0].body == TEXT


@pytest.mark.parametrize("coding", TAKEN)
def test_what_is_read_twice_is_refused_behind_a_coding_too(house, provider, coding):
    body = encode(coding, b'{"model":"gpt-4o-mini","model":"gpt-4o","messages":[]}')
    answer = send(house, provider, body, content_encoding=coding)
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert provider.taken() == []


@pytest.mark.parametrize("coding", TAKEN)
def test_a_body_that_is_too_large_decoded_is_413(house, provider, coding):
    # 8 MiB and a little, which can't be called dense.
    noise = json.dumps({**BODY, "user": "x"}).encode() + bytes(range(256)) * (32 << 10)
    answer = send(house, provider, _slightly(coding, noise), content_encoding=coding)
    assert (answer.status, answer.code) == (413, "request_too_large")
    assert "8388608 bytes" in answer.message
    assert provider.taken() == []


def _slightly(coding, content):
    """Coded in members and frames of little density."""
    pieces = [content[at : at + 2048] for at in range(0, len(content), 2048)]
    return b"".join(encode(coding, piece) for piece in pieces)
