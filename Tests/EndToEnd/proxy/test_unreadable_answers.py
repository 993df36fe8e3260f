"""Good answers that Catraca can't read: they are charged what was held, the row, `explain` and the
log say so, and no object in them becomes somebody's without being recorded."""

import gzip
import json
import threading

import openai
import pytest
from harness.catraca import Catraca
from harness.codings import encode
from harness.configuration import Configuration
from harness.forms import form, sound
from harness.hostile_provider import HostileProvider
from harness.objects import owners
from harness.raw_http import Truncated
from harness.realtime import open_session, respond
from harness.recording_server import ANSWER
from harness.waiting import eventually
from websockets.sync.server import serve

MEGABYTE = 1 << 20
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
TRANSCRIPTIONS, SPEECH = "/v1/audio/transcriptions", "/v1/audio/speech"
JSON, EVENTS = "application/json", "text/event-stream"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
STREAM = {**BODY, "stream": True, "stream_options": {"include_usage": True}}
CONTENT = json.dumps(ANSWER).encode()
# As long as what stands in its place.
KEY = "sk-14-letters."


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


def answers(provider, kind, *pieces, status=b"200", coding=None):
    fields = b"connection: close\r\n"
    if kind is not None:
        fields += b"content-type: " + kind.encode() + b"\r\n"
    if coding is not None:
        fields += b"content-encoding: " + coding.encode() + b"\r\n"
    provider.answer = lambda: [b"HTTP/1.1 " + status + b" Status\r\n" + fields + b"\r\n", *pieces]


def event(**values):
    return b"data: " + json.dumps({"model": "gpt-4o-mini", **values}).encode() + b"\n\n"


def delta(content, **values):
    return event(choices=[{"index": 0, "delta": {"content": content}}], **values)


USAGE = event(choices=[], usage=ANSWER["usage"])
DONE = b"data: [DONE]\n\n"
GROWING = delta("a", usage={"prompt_tokens": 9, "completion_tokens": 0})
COUNTS = {
    f"output {count!r}": {"prompt_tokens": 9, "completion_tokens": count}
    for count in [None, "1", 1.5, -1, (1 << 63) - 1]
}


def unreadable_lines(house):
    return [line for line in house.process.log if line["event"] == "answer_unreadable"]


def assert_charged_its_hold(house, outcome="ok"):
    row = house.row()
    assert (row["usage_source"], row["outcome"]) == ("estimated", outcome)
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0
    assert row["total_tokens"] == row["held_tokens"]
    [line] = eventually(lambda: unreadable_lines(house), "a line")
    assert (line["request_id"], line["charged"]) == (row["request_id"], "hold")
    explained = house.command("explain", row["request_id"]).stdout
    assert "couldn't be read" in explained and "all that was held is charged" in explained
    assert house.command("audit").returncode == 0


WHOLE = {
    "no JSON": (JSON, b"<html>"),
    "a part of JSON": (JSON, CONTENT[:-20]),
    "nothing": (JSON, b""),
    "another coding": (JSON, encode("zstd", CONTENT), b"200", "gzip"),
    "half a coding": (JSON, encode("gzip", CONTENT)[:-20], b"200", "gzip"),
    "an unknown coding": (JSON, CONTENT, b"200", "compress"),
    "too dense a coding": (JSON, gzip.compress(CONTENT + b" " * 8 * MEGABYTE), b"200", "gzip"),
    # A part of an answer may look whole, and say what an app has put into it.
    "a range": (JSON, CONTENT, b"206"),
    **{name: (JSON, json.dumps({**ANSWER, "usage": COUNTS[name]}).encode()) for name in COUNTS},
}


@pytest.mark.parametrize("case", WHOLE)
def test_an_answer_that_cannot_be_read_is_charged_what_was_held(house, provider, case):
    kind, body, *others = WHOLE[case]
    answers(provider, kind, body, **dict(zip(["status", "coding"], others, strict=False)))
    answer = house.post(BODY)
    assert answer.status in (200, 206) and answer.body == body
    assert_charged_its_hold(house)


STREAMS = {
    "a page": (b"<html>",),
    "a list": (b"[1]",),
    "half an object": (CONTENT[:-20],),
    "text": (b"Hello there\n\n",),
    "nothing": (b"",),
    "comments alone": (b": hello\n\n" * 3,),
    "an event that is no JSON": (delta("a") + b"data: {\n\n" + DONE,),
    "half an event": (delta("a") + USAGE[:-9],),
    "an event that is too large": (delta("a"), b"data: ", b"x" * 17 * MEGABYTE, b"\n\n" + DONE),
    "usage before a large event": (GROWING, b"data: ", b"x" * 17 * MEGABYTE, b"\n\n" + DONE),
    **{name: (delta("a", usage=COUNTS[name]), DONE) for name in COUNTS},
}


@pytest.mark.parametrize("asked", [STREAM, {**BODY, "stream": True}], ids=["asked", "added"])
@pytest.mark.parametrize("case", STREAMS)
def test_a_stream_that_cannot_be_read_is_charged_what_was_held(house, provider, case, asked):
    answers(provider, EVENTS, *STREAMS[case])
    assert house.post(asked).body == b"".join(STREAMS[case])
    assert_charged_its_hold(house)


@pytest.mark.parametrize("case", ["another", "half", "unknown"])
@pytest.mark.parametrize("decoded", [False, True], ids=["coded", "decoded"])
def test_a_stream_in_a_wrong_coding_is_charged_what_was_held(house, provider, case, decoded):
    stream = (delta("a") + delta("b")) * 50
    coding, body = {
        "another": ("gzip", encode("zstd", stream)),
        "half": ("gzip", encode("gzip", stream)[:-20]),
        "unknown": ("compress", stream),
    }[case]
    answers(provider, EVENTS, body, coding=coding)
    # Where usage was asked for on the app's behalf, the decoded events pass.
    passes = not decoded or case == "unknown"
    try:
        assert house.post({**BODY, "stream": True} if decoded else STREAM).body == body
        assert passes
    except Truncated:
        assert not passes
    assert_charged_its_hold(house, "ok" if passes else "upstream_broken")


@pytest.mark.parametrize("asked", [STREAM, {**BODY, "stream": True}], ids=["asked", "added"])
def test_usage_before_too_dense_a_coding_does_not_count(house, provider, asked):
    body = gzip.compress(delta("a") + USAGE + b"data: " + b"x" * 70 * MEGABYTE + b"\n\n" + DONE)
    answers(provider, EVENTS, body, coding="gzip")
    if asked is STREAM:
        assert house.post(asked).body == body
    else:
        with pytest.raises(Truncated):
            house.post(asked)
    assert_charged_its_hold(house, "ok" if asked is STREAM else "upstream_broken")


# Answers that can be read in two ways


def twice(usage, other):
    """An answer with the two as its `usage`."""
    answer = {**ANSWER, "usage": 0}
    pair = f'"usage": {json.dumps(usage)}, "usage": {json.dumps(other)}'
    return json.dumps(answer).replace('"usage": 0', pair).encode()


NOTHING = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
REPEATED = [(ANSWER["usage"], NOTHING), (NOTHING, ANSWER["usage"])]


@pytest.mark.parametrize("pair", REPEATED, ids=["first", "last"])
def test_an_answer_with_two_usages_is_charged_what_was_held(house, provider, pair):
    answers(provider, JSON, twice(*pair))
    assert house.post(BODY).body == twice(*pair)
    assert_charged_its_hold(house)


@pytest.mark.parametrize("pair", REPEATED, ids=["first", "last"])
def test_a_stream_with_two_usages_is_charged_what_was_held(house, provider, pair):
    stream = delta("a") + b"data: " + twice(*pair) + b"\n\n" + DONE
    answers(provider, EVENTS, stream)
    assert house.post(STREAM).body == stream
    assert_charged_its_hold(house)


@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
def test_an_error_with_two_usages_is_charged_what_was_held(house, provider, order):
    answers(provider, JSON, twice(*REPEATED[0][::order]), status=b"500")
    assert house.post(BODY).status == 500
    assert_charged_its_hold(house, "provider_error")


@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
def test_of_two_usages_the_one_above_the_hold_is_charged(house, provider, order):
    large = {"prompt_tokens": 9, "completion_tokens": 10**6, "total_tokens": 10**6 + 9}
    answers(provider, JSON, twice(*[large, NOTHING][::order]))
    assert house.post(BODY).status == 200
    row = house.row()
    assert (row["usage_source"], row["total_tokens"]) == ("estimated", 10**6 + 9)
    assert row["cost_nano_usd"] > row["held_nano_usd"]
    assert house.command("audit").returncode == 0


# Readable answers


LABELS = [EVENTS, JSON, "text/plain", "text/html; charset=utf-8", None]


@pytest.mark.parametrize("kind", [*LABELS, "application/octet-stream"])
@pytest.mark.parametrize("coding", [None, "gzip"])
@pytest.mark.parametrize("asked", [STREAM, {**BODY, "stream": True}], ids=["asked", "added"])
def test_a_stream_is_metered_whatever_it_is_called(house, provider, kind, coding, asked):
    stream = delta("a") + USAGE + DONE
    body = encode(coding, stream) if coding else stream
    answers(provider, kind, body[:30], body[30:], coding=coding)
    answer = house.post(asked)
    if asked is STREAM:
        assert answer.body == body
    else:
        assert answer.body == delta("a") + DONE
        assert "content-encoding" not in answer.fields
    row = house.row()
    assert (row["usage_source"], row["total_tokens"]) == ("reported", 10)
    assert unreadable_lines(house) == []


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("coding", [None, "gzip"])
def test_json_in_place_of_a_stream_is_metered(house, provider, kind, coding):
    content = b"\n " + CONTENT
    body = encode(coding, content) if coding else content
    answers(provider, kind, body[:30], body[30:], coding=coding)
    assert house.post(STREAM).body == body
    row = house.row()
    assert (row["usage_source"], row["total_tokens"]) == ("reported", 10)
    assert unreadable_lines(house) == []


def test_an_error_in_place_of_a_stream_does_not_cost_the_hold(house, provider):
    answers(provider, EVENTS, json.dumps({"error": {"message": f"no {KEY}"}}).encode())
    answer = house.post(STREAM)
    assert answer.json() == {"error": {"message": "no [provider key]"}}
    row = house.row()
    assert (row["outcome"], row["completion_tokens"]) == ("provider_error", 0)
    assert row["cost_nano_usd"] < row["held_nano_usd"]


def test_a_good_answer_without_usage_is_estimated(house, provider):
    answer = {name: value for name, value in ANSWER.items() if name != "usage"}
    answers(provider, JSON, json.dumps(answer).encode())
    assert house.post(BODY).status == 200
    row = house.row()
    assert row["usage_source"] == "estimated" and row["total_tokens"] < row["held_tokens"]
    answers(provider, EVENTS, delta("a") + DONE)
    assert house.post(STREAM).status == 200
    row = house.ledger.usage()[-1]
    assert row["usage_source"] == "estimated" and row["total_tokens"] < row["held_tokens"]
    assert unreadable_lines(house) == []


@pytest.mark.parametrize(
    "format, body, is_read",
    [("text", b"Hello there\n", True), ("text", CONTENT[:-9], False), ("json", b"Hello", False)],
)
def test_a_transcript_is_text_where_text_was_asked_for(house, provider, format, body, is_read):
    answers(provider, "text/plain", body)
    kind, request = form(sound(60), model="gpt-4o-transcribe", response_format=format)
    assert house.post(request, TRANSCRIPTIONS, headers={"content-type": kind}).body == body
    if not is_read:
        return assert_charged_its_hold(house)
    row = house.row()
    assert row["usage_source"] == "estimated"
    assert 0 < row["cost_nano_usd"] < row["held_nano_usd"]
    assert unreadable_lines(house) == []


def test_events_of_speech_are_metered_whatever_they_are_called(house, provider):
    usage = {"input_tokens": 5, "output_tokens": 40, "total_tokens": 45}
    done = event(type="speech.audio.done", usage=usage)
    body = {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": "Hello"}
    for kind in [JSON, "text/plain", EVENTS]:
        answers(provider, kind, event(type="speech.audio.delta", audio="AAAA") + done)
        assert house.post({**body, "stream_format": "sse"}, SPEECH).status == 200
    answers(provider, "audio/mpeg", b"\xff\xfb" * 1000)
    assert house.post({**body, "stream_format": "sse"}, SPEECH).status == 200
    rows = house.ledger.usage()
    assert [row["usage_source"] for row in rows[:3]] == ["reported"] * 3
    assert [row["total_tokens"] for row in rows[:3]] == [45] * 3
    assert 0 < rows[3]["cost_nano_usd"] <= rows[3]["held_nano_usd"]
    assert unreadable_lines(house) == []


# Objects


RESPONSE = {"id": "resp_1", "object": "response", "model": "gpt-4o-mini", "output": []}
ENDED = {**RESPONSE, "usage": {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}}
CREATED = event(type="response.created", response=RESPONSE)
COMPLETED = event(type="response.completed", response=ENDED)
ASKED = {"model": "gpt-4o-mini", "input": "Hello", "stream": True}


@pytest.mark.parametrize("kind", [*LABELS, "application/octet-stream"])
def test_objects_of_a_stream_are_recorded_whatever_it_is_called(house, provider, kind):
    answers(provider, kind, CREATED + COMPLETED)
    assert house.post(ASKED, RESPONSES).body == CREATED + COMPLETED
    assert owners(house.ledger) == {"resp_1": "acme"}
    assert house.row()["total_tokens"] == 10


@pytest.mark.parametrize("kind", LABELS)
def test_objects_of_json_in_place_of_a_stream_are_recorded(house, provider, kind):
    answers(provider, kind, json.dumps(ENDED).encode())
    assert house.post(ASKED, RESPONSES).json() == ENDED
    assert owners(house.ledger) == {"resp_1": "acme"}
    assert house.row()["total_tokens"] == 10


LARGE = [b'data: {"type": "response.output_item.added", "item": {"id": "msg_1", "text": "']
LARGE += [b"x" * MEGABYTE] * 33 + [b'"}}\n\n']


def test_a_stream_ends_with_an_error_at_an_event_that_is_too_large_to_be_recorded(house, provider):
    answers(provider, EVENTS, CREATED, *LARGE, COMPLETED)
    answer = house.post(ASKED, RESPONSES)
    assert answer.body.startswith(CREATED + b"event: error\ndata: ")
    assert b"msg_1" not in answer.body and len(answer.body) < 2000
    error = json.loads(answer.body.rsplit(b"data: ", 1)[1])
    assert (error["type"], error["code"]) == ("error", "upstream_invalid_response")
    assert error["error"]["code"] == "upstream_invalid_response"
    assert owners(house.ledger) == {"resp_1": "acme"}
    assert_charged_its_hold(house, "upstream_broken")


def test_a_coded_stream_is_cut_at_an_event_that_is_too_large_to_be_recorded(house, provider):
    # A denser body is a bomb, and isn't decoded.
    body = gzip.compress(CREATED + b"".join(LARGE) + COMPLETED, compresslevel=0)
    answers(provider, EVENTS, body[: len(CREATED)], body[len(CREATED) :], coding="gzip")
    with pytest.raises(Truncated):
        house.post(ASKED, RESPONSES)
    assert owners(house.ledger) == {"resp_1": "acme"}
    assert_charged_its_hold(house, "upstream_broken")


def test_the_real_sdk_raises_at_the_error_that_ends_a_stream(house, provider):
    answers(provider, EVENTS, CREATED, *LARGE, COMPLETED)
    with pytest.raises(openai.APIError) as raised:
        list(house.openai(max_retries=0).responses.create(**ASKED))
    assert "32" not in raised.value.message and "16777216 bytes" in raised.value.message


def test_a_key_as_long_as_what_stands_for_it_is_not_passed_in_a_coded_stream(house, provider):
    body = encode("gzip", delta("a") + event(error={"message": f"no {KEY}"}))
    answers(provider, EVENTS, body, coding="gzip")
    with pytest.raises(Truncated):
        house.post(STREAM)
    row = house.row()
    assert row["outcome"] == "upstream_broken"
    assert row["cost_nano_usd"] < row["held_nano_usd"]


# Sessions


def test_a_response_of_a_session_that_says_nothing_is_charged_what_was_held(house, provider):
    def answer(session):
        session.send(json.dumps({"type": "session.created", "session": {}}))
        for message in session:
            if json.loads(message)["type"] == "response.create":
                session.send(json.dumps({"type": "response.done", "response": "?"}))

    with serve(answer, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        settings = house.configuration.settings["providers"]["openai"]
        settings["base_url"] = f"http://127.0.0.1:{port}/v1"
        house.end()
        house.start()
        with open_session(house) as session:
            respond(session)
        server.shutdown()
    assert_charged_its_hold(house)
