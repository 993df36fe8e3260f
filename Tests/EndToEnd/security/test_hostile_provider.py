"""A provider that means harm: its answer stays one answer, and takes no more memory than it may."""

import itertools
import json
import re
import threading

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration
from harness.hostile_provider import HostileProvider
from harness.recording_server import ANSWER
from harness.sanitizers import MEMORY_FACTOR
from harness.waiting import eventually

MEGABYTE = 1 << 20
CHAT = "/v1/chat/completions"
# A path that passes unmetered.
OPENED = "/v1/threads"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
CONTENT = json.dumps(ANSWER).encode()
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
SIZED = b"Content-Length: %d\r\n" % len(CONTENT)
INJECTED = b"HTTP/1.1 200 OK\r\nX-Injected: yes\r\nContent-Length: 8\r\n\r\ninjected"
CHUNK = b"%x\r\n" % len(CONTENT) + CONTENT + b"\r\n"


def with_field(field):
    return OK + field + b"\r\n" + SIZED + b"\r\n" + CONTENT


def chunked(body):
    return OK + b"Transfer-Encoding: chunked\r\n\r\n" + body


BROKEN = {
    # Heads that aren't HTTP: nothing of them may be passed on.
    "a carriage return in a value": with_field(b"X: a\rX-Injected: yes"),
    "a line feed in a value": with_field(b"X: a\nX-Injected: yes"),
    "a NUL in a value": with_field(b"X: a\x00X-Injected: yes"),
    "a control byte in a value": with_field(b"X: a\x1bb"),
    "a folded field": with_field(b"X: a\r\n X-Injected: yes"),
    "a field without a colon": with_field(b"injected"),
    "a field without a name": with_field(b": injected"),
    "a name with a space": with_field(b"X-Injected : yes"),
    "line feeds alone": with_field(b"X: y").replace(b"\r\n", b"\n"),
    "a status of two digits": with_field(b"X: y").replace(b"200", b"20"),
    "a status of four digits": with_field(b"X: y").replace(b"200", b"2000"),
    "a status of letters": with_field(b"X: y").replace(b"200", b"2oo"),
    "a status below 100": with_field(b"X: y").replace(b"200", b"099"),
    "no status line": CONTENT,
    "another protocol": b"220 mail.example ESMTP\r\n",
    "an upgrade that nobody asked for": b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + INJECTED,
    "nothing": b"",
    "half a head": OK,
    # Bodies without a certain end.
    "a length below zero": OK + b"Content-Length: -1\r\n\r\n" + CONTENT,
    "two lengths": OK + b"Content-Length: 3\r\n" + SIZED + b"\r\n" + CONTENT,
    "a length beyond 64 bits": OK + b"Content-Length: 99999999999999999999\r\n\r\n" + CONTENT,
    "a length of letters": OK + b"Content-Length: many\r\n\r\n" + CONTENT,
    "less than the length": OK + b"Content-Length: 9999\r\n\r\n" + CONTENT,
    "a chunk without a size": chunked(b"\r\n" + CONTENT),
    "a size of letters": chunked(b"xyz\r\n" + CONTENT),
    "a size beyond 64 bits": chunked(b"f" * 17 + b"\r\n" + CONTENT),
    "a chunk without an end": chunked(CHUNK[:-2] + b"XX0\r\n\r\n"),
    "no last chunk": chunked(CHUNK),
    "half a chunk": chunked(CHUNK[:-9]),
}
WHOLE = {
    "more than the length": OK + SIZED + b"\r\n" + CONTENT + INJECTED,
    "a second answer after chunks": chunked(CHUNK + b"0\r\n\r\n" + INJECTED),
    "trailers": chunked(CHUNK + b"0\r\nX-Injected: yes\r\nSet-Cookie: a=b\r\n\r\n"),
    "chunks and a length": OK
    + SIZED
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + CHUNK
    + b"0\r\n\r\n",
    "an interim answer with fields": b"HTTP/1.1 103 Early Hints\r\nX-Injected: yes\r\n\r\n"
    + OK + SIZED + b"\r\n" + CONTENT,
    "fields for one hop": with_field(b"Connection: x-injected\r\nX-Injected: yes"),
    "fields that claim to be Catraca's": with_field(b"X-Catraca-Cost-Usd: 0.000000000"),
}


@pytest.fixture
def provider():
    provider = HostileProvider()
    yield provider
    provider.close()


@pytest.fixture
def house(tmp_path, provider):
    configuration = Configuration(tmp_path, {"openai": {"base_url": provider.url}})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.settings["limits"] = {"upstream_idle": "5s"}
    configuration.settings["metering"] = {"unmetered_endpoints": [OPENED]}
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


def received(house, body=BODY):
    """All that a client gets on a connection of its own that it wants closed."""
    with house.connect() as connection:
        fields = {"connection": "close"}
        connection.send(connection.request("POST", CHAT, body, house.key(), fields))
        try:
            return connection.rest()
        except ConnectionError:
            return b""


def assert_one_answer(data):
    assert len(re.findall(rb"HTTP/1\.1 \d", data)) == 1, data
    assert b"njected" not in data, data


def assert_goes_on(house):
    """The next request isn't answered with what was left of an answer before."""
    with house.connect() as connection:
        assert connection.get(OPENED, house.key()).body == HostileProvider.HONEST


def peak_bytes(house):
    with open(f"/proc/{house.process.pid}/status") as status:
        [line] = [line for line in status if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_answer_is_502_and_nothing_of_it_passes(house, provider, case):
    provider.answer = lambda: [BROKEN[case]]
    data = received(house)
    assert data.startswith(b"HTTP/1.1 502 "), data
    assert_one_answer(data)
    assert_goes_on(house)
    assert len(house.ledger.usage()) == 1
    assert house.ledger.in_flight() == []


@pytest.mark.parametrize("stays_open", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("case", WHOLE)
def test_what_comes_with_an_answer_and_isnt_its_own_is_dropped(house, provider, case, stays_open):
    provider.answer = lambda: [WHOLE[case]]
    provider.stays_open = stays_open
    data = received(house)
    assert data.startswith(b"HTTP/1.1 200 ")
    assert data.count(CONTENT) == 1
    assert data.lower().count(b"x-catraca-cost-usd") == 1
    assert b"x-catraca-cost-usd: 0.000000000" not in data.lower()
    assert_one_answer(data)
    assert_goes_on(house)
    assert house.row()["outcome"] == "ok"


ENDLESS = {
    "fields": (OK, b"X-Injected: yes\r\n" * 1000),
    "a field": (OK + b"X: ", b"injected" * 1000),
    "a status line": (b"HTTP/1.1 200 ", b"injected" * 1000),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "trailers": (chunked(CHUNK + b"0\r\n"), b"X-Injected: yes\r\n" * 1000),
    "a chunk's size": (chunked(b""), b"0" * 8000),
}
# libcurl reads over these: to whoever waits for content they are silence.
SILENT = {
    "an extension of a chunk": (chunked(b"%x;" % len(CONTENT)), b"injected" * 1000),
    "an extension of the last chunk": (chunked(CHUNK + b"0;"), b"injected" * 1000),
}


@pytest.mark.parametrize("case", [*ENDLESS, *SILENT])
def test_what_never_becomes_an_answer_is_cut_off_in_bounded_memory(house, provider, case):
    first, more = {**ENDLESS, **SILENT}[case]
    provider.answer = lambda: itertools.chain([first], itertools.repeat(more))
    base = peak_bytes(house)
    data = received(house)
    status = b"502" if case in ENDLESS else b"504"
    assert data.startswith(b"HTTP/1.1 %b " % status), data[:200]
    assert_one_answer(data)
    assert peak_bytes(house) - base < 16 * MEGABYTE * MEMORY_FACTOR
    assert_goes_on(house)


def test_an_endless_answer_passes_in_bounded_memory(house, provider):
    pieces = itertools.chain([OK + b"\r\n"], itertools.repeat(b" " * MEGABYTE))
    provider.answer = lambda: pieces
    base = peak_bytes(house)
    with house.connect() as connection:
        connection.send(connection.request("POST", CHAT, BODY, house.key()))
        connection.head()
        for size, chunk in enumerate(connection.chunks()):
            if size > 500:
                break
    assert peak_bytes(house) - base < 96 * MEGABYTE * MEMORY_FACTOR
    assert eventually(house.ledger.usage, "a row")[0]["usage_source"] == "estimated"
    assert_goes_on(house)


def test_an_answer_that_is_too_large_to_be_read_is_charged_what_was_held(house, provider):
    """An app can ask for one: with several choices, and the probabilities of each token."""
    head = OK + b"Content-Length: %d\r\n\r\n" % (34 * MEGABYTE + len(CONTENT))
    provider.answer = lambda: itertools.chain(
        [head], itertools.repeat(b" " * MEGABYTE, 34), [CONTENT]
    )
    data = received(house, BODY)
    assert data.startswith(b"HTTP/1.1 200 ")
    row = house.row()
    assert (row["outcome"], row["usage_source"]) == ("ok", "estimated")
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0
    assert row["completion_tokens"] == 16_384
    assert_goes_on(house)


FLOODS = {
    "an event without an end": (b"data: ", b"x" * MEGABYTE),
    "an event of many lines": (b"", b"data: x\n" * (MEGABYTE // 8)),
}


@pytest.mark.parametrize("case", FLOODS)
def test_a_flood_of_events_passes_in_bounded_memory(house, provider, case):
    first, more = FLOODS[case]
    head = OK.replace(b"application/json", b"text/event-stream") + b"\r\n"
    provider.answer = lambda: itertools.chain([head, first], itertools.repeat(more, 20))
    base = peak_bytes(house)
    data = received(house, {**BODY, "stream": True})
    assert len(data) >= 20 * len(more)
    assert peak_bytes(house) - base < 96 * MEGABYTE * MEMORY_FACTOR
    assert house.row()["usage_source"] == "estimated"
    assert_goes_on(house)


def test_a_head_doesnt_wait_for_an_event_that_has_only_begun(house, provider):
    got_head, was_in_time = threading.Event(), []

    def answer():
        head = chunked(b"").replace(b"application/json", b"text/event-stream")
        yield head + b"6\r\ndata: \r\n"
        was_in_time.append(got_head.wait(4))
        yield b"8\r\n[DONE]\n\n\r\n0\r\n\r\n"

    provider.answer = answer
    with house.connect() as connection:
        connection.send(connection.request("POST", CHAT, {**BODY, "stream": True}, house.key()))
        assert connection.head()[0] == 200
        got_head.set()
        assert b"".join(connection.chunks()) == b"data: [DONE]\n\n"
    assert was_in_time == [True]
