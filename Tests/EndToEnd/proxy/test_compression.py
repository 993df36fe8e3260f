"""Answers with a `Content-Encoding`: what is metered is what they say decoded, and what passes is
what came."""

import gzip
import json
import time

import pytest
from harness.catraca import Catraca
from harness.coding_proxy import CodingProxy
from harness.codings import CODINGS, Encoder, encode
from harness.configuration import PROVIDER_KEYS, Configuration
from harness.forms import sound
from harness.hostile_provider import HostileProvider
from harness.recording_server import ANSWER
from harness.sandbox import Sandbox
from harness.waiting import eventually

MEGABYTE = 1 << 20
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES}
CONTENT = json.dumps(ANSWER).encode()
KEY = PROVIDER_KEYS["TEST_OPENAI_KEY"]
COUNTS = ["prompt_tokens", "completion_tokens", "cost_nano_usd"]
FACTS = ["operation", "usage_source", "status", *COUNTS]


def started(folder, url):
    provider = {"base_url": f"{url}/v1", "api_key_env": "TEST_OPENAI_KEY"}
    configuration = Configuration(folder, {"openai": provider})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.add_client("acme")
    return Catraca(configuration).start()


# With the real SDK


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    sandbox = Sandbox(tmp_path_factory.mktemp("sandbox"))
    yield sandbox
    sandbox.end()


@pytest.fixture(scope="module")
def proxy(sandbox):
    proxy = CodingProxy(sandbox.host, sandbox.port)
    yield proxy
    proxy.close()


@pytest.fixture(scope="module")
def coded(tmp_path_factory, proxy):
    catraca = started(tmp_path_factory.mktemp("coded"), proxy.url)
    yield catraca
    catraca.end()


def text(stream):
    return "".join(c.choices[0].delta.content or "" for c in stream if c.choices)


def completed(stream):
    ends = [event for event in stream if event.type == "response.completed"]
    return [event.response.usage.output_tokens for event in ends]


CALLS = {
    "chat": lambda c: c.chat.completions.create(**BODY).choices[0].message.content,
    "a chat's stream": lambda c: text(c.chat.completions.create(**BODY, stream=True)),
    "a chat's stream with usage": lambda c: text(
        c.chat.completions.create(**BODY, stream=True, stream_options={"include_usage": True})
    ),
    "a response": lambda c: c.responses.create(model="gpt-4o-mini", input="Hello").output_text,
    "a response's stream": lambda c: completed(
        c.responses.create(model="gpt-4o-mini", input="Hello", stream=True)
    ),
    "embeddings": lambda c: c.embeddings.create(
        model="text-embedding-3-small", input="Hello", encoding_format="float"
    ).usage.total_tokens,
    "a transcription": lambda c: c.audio.transcriptions.create(
        model="whisper-1", file=("a.wav", sound(2))
    ).text,
    "a transcription as text": lambda c: c.audio.transcriptions.create(
        model="whisper-1", file=("a.wav", sound(2)), response_format="text"
    ),
    "speech": lambda c: c.audio.speech.create(
        model="tts-1", voice="alloy", input="Hello"
    ).content[:3],
}


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@pytest.mark.parametrize("case", CALLS)
def test_coded_answers_cost_what_plain_ones_cost(coded, proxy, case, coding):
    client = coded.openai()
    results = []
    for proxy.coding in [None, coding]:
        before = len(coded.ledger.usage())
        result = CALLS[case](client)
        [row] = eventually(lambda: coded.ledger.usage()[before:], "a row")
        results.append((result, [row[fact] for fact in FACTS]))
    plain, other = results
    assert plain[1][FACTS.index("usage_source")] == "reported" or "speech" in case
    assert other == plain


@pytest.mark.parametrize("coding", CODINGS)
def test_a_batch_is_settled_by_coded_files(coded, proxy, coding):
    proxy.coding = None
    client = coded.openai()
    lines = [
        {"custom_id": str(n), "method": "POST", "url": CHAT, "body": {**BODY, "max_tokens": 9}}
        for n in range(3)
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    file = client.files.create(file=("batch.jsonl", content), purpose="batch")
    before = len(coded.ledger.usage())
    proxy.coding = coding
    body = {"input_file_id": file.id, "endpoint": CHAT, "completion_window": "24h"}
    answer = coded.post(body, "/v1/batches")
    assert answer.status == 200 and answer.fields["content-encoding"] == coding
    assert answer.body == proxy.sent[-1]
    rows = eventually(lambda: len(r := coded.ledger.usage()[before:]) == 3 and r, "three rows")
    assert {row["usage_source"] for row in rows} == {"reported"}


# With bytes of the test's choice


@pytest.fixture
def provider():
    provider = HostileProvider()
    yield provider
    provider.close()


@pytest.fixture
def house(tmp_path, provider):
    catraca = started(tmp_path, provider.url.removesuffix("/v1"))
    yield catraca
    catraca.end()


def head(coding, kind="application/json", status=b"200"):
    fields = f"content-type: {kind}\r\ncontent-encoding: {coding}\r\nconnection: close\r\n\r\n"
    return b"HTTP/1.1 " + status + b" Status\r\n" + fields.encode()


def answers(provider, coding, *pieces, **values):
    provider.answer = lambda: [head(coding, **values), *pieces]


@pytest.mark.parametrize("coding", [*CODINGS, "bare deflate"])
def test_a_coded_answer_passes_byte_for_byte_and_is_metered(house, provider, coding):
    body, name = encode(coding, CONTENT), coding.removeprefix("bare ")
    answers(provider, name, body[:9], body[9:])
    answer = house.post(BODY)
    assert answer.fields["content-encoding"] == name and answer.body == body
    row = house.row()
    assert row["usage_source"] == "reported"
    assert (row["prompt_tokens"], row["completion_tokens"]) == (9, 1)


UNDECODABLE = {
    "another coding than it says": ("gzip", encode("zstd", CONTENT)),
    "plain text": ("br", CONTENT),
    "half of it": ("gzip", encode("gzip", CONTENT)[:-20]),
    "garbage behind it": ("gzip", encode("gzip", CONTENT) + b"garbage"),
    "an unknown coding": ("compress", CONTENT),
    "one in the other": ("gzip, br", encode("br", encode("gzip", CONTENT))),
    "too dense": ("gzip", gzip.compress(CONTENT + b" " * 8 * MEGABYTE)),
}


@pytest.mark.parametrize("case", UNDECODABLE)
def test_an_answer_that_cannot_be_decoded_passes_and_costs_its_hold(house, provider, case):
    coding, body = UNDECODABLE[case]
    answers(provider, coding, body)
    answer = house.post(BODY)
    assert answer.status == 200 and answer.body == body
    row = house.row()
    assert row["usage_source"] == "estimated"
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0

    def is_told():
        return "answer_unreadable" in [line["event"] for line in house.process.log]

    eventually(is_told, "a line")


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_a_coded_error_passes_as_it_came_unless_it_shows_the_key(house, provider, path, coding):
    for message, shown in [("Slow down", "Slow down"), (f"key {KEY}", "key [provider key]")]:
        body = encode(coding, json.dumps({"error": {"message": message}}).encode())
        answers(provider, coding, body, status=b"429")
        provider.get = head(coding, status=b"429") + body
        with house.connect() as connection:
            answer = (
                connection.get(path, house.key())
                if path != CHAT
                else connection.post(path, BODY, house.key())
            )
        assert answer.status == 429
        if message == shown and path == CHAT:
            assert answer.body == body and answer.fields["content-encoding"] == coding
        else:
            # A list is read and made anew, and so is its error.
            assert answer.json()["error"]["message"] == shown
            assert "content-encoding" not in answer.fields


@pytest.mark.parametrize("coding", CODINGS)
def test_a_coded_list_shows_the_clients_own_objects(house, provider, coding):
    provider.get = head(coding) + encode(coding, b'{"object":"list","data":[],"has_more":false}')
    with house.connect() as connection:
        answer = connection.get("/v1/files", house.key())
    assert answer.status == 200 and "content-encoding" not in answer.fields
    assert answer.json()["data"] == []


def test_an_error_that_cannot_be_decoded_does_not_pass(house, provider):
    answers(provider, "gzip, gzip", gzip.compress(gzip.compress(KEY.encode())), status=b"401")
    answer = house.post(BODY)
    assert (answer.status, answer.code) == (401, "upstream_invalid_response")
    assert "content-encoding" not in answer.fields
    assert house.row()["cost_nano_usd"] == 0


# Streams


def event(**values):
    return b"data: " + json.dumps({"model": "gpt-4o-mini", **values}).encode() + b"\n\n"


def delta(content):
    return event(choices=[{"index": 0, "delta": {"content": content}}])


USAGE = event(choices=[], usage=ANSWER["usage"])
DONE = b"data: [DONE]\n\n"
WITH_USAGE = {**BODY, "stream": True, "stream_options": {"include_usage": True}}


@pytest.mark.parametrize("coding", [*CODINGS, "bare deflate"])
def test_each_event_of_a_coded_stream_passes_as_soon_as_it_came(house, provider, coding):
    encoder = Encoder(coding)
    blocks = [encoder.flushed(e) for e in [delta("a"), delta("b"), USAGE]]
    last = encoder.flushed(DONE, ends=True)
    seen, waits = [], []

    def slow():
        yield head(coding.removeprefix("bare "), "text/event-stream")
        for index, block in enumerate([*blocks, last]):
            begin = time.monotonic()
            while len(b"".join(seen)) < len(b"".join(blocks[:index])):
                assert time.monotonic() - begin < 10, "the block before has not passed"
                time.sleep(0.005)
            yield block

    provider.answer = slow
    with house.connect() as connection:
        connection.send(connection.request("POST", CHAT, WITH_USAGE, house.key()))
        status, fields = connection.head()
        for chunk in connection.chunks():
            seen.append(chunk)
    assert fields["content-encoding"] == coding.removeprefix("bare ")
    assert b"".join(seen) == b"".join(blocks) + last
    row = house.row()
    assert (row["usage_source"], row["completion_tokens"]) == ("reported", 1)


@pytest.mark.parametrize("size", [1, 7, 100000])
@pytest.mark.parametrize("coding", CODINGS)
def test_a_coded_stream_goes_on_decoded_where_usage_is_taken_out(house, provider, coding, size):
    body = encode(coding, delta("a") + delta("b") + USAGE + DONE)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    answers(provider, coding, *pieces, kind="text/event-stream")
    answer = house.post({**BODY, "stream": True})
    assert "content-encoding" not in answer.fields
    assert answer.body == delta("a") + delta("b") + DONE
    assert house.row()["usage_source"] == "reported"


@pytest.mark.parametrize("size", [1, 7, 100000])
@pytest.mark.parametrize("coding", CODINGS)
def test_a_coded_stream_that_is_cut_anywhere_passes_byte_for_byte(house, provider, coding, size):
    body = encode(coding, delta("a") + delta("b") + USAGE + DONE)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    answers(provider, coding, *pieces, kind="text/event-stream")
    answer = house.post(WITH_USAGE)
    assert answer.fields["content-encoding"] == coding and answer.body == body
    assert house.row()["usage_source"] == "reported"
