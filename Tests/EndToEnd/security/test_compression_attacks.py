"""Small bodies that are huge when they are decoded, from both sides: memory stays bounded."""

import functools
import itertools
import threading
import zlib

import pytest
from harness.catraca import Catraca
from harness.codings import CODINGS, Encoder, encode
from harness.configuration import Configuration
from harness.hostile_provider import HostileProvider
from harness.sanitizers import MEMORY_FACTOR

MEGABYTE = 1 << 20
CHAT, FILES = "/v1/chat/completions", "/v1/files"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
# The bytes that a client may have in memory at once, here.
BODY_MEMORY = 64 * MEGABYTE


@pytest.fixture
def provider():
    provider = HostileProvider()
    yield provider
    provider.close()


@pytest.fixture
def house(tmp_path, provider):
    configuration = Configuration(tmp_path, {"openai": {"base_url": provider.url}})
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.settings["limits"] = {"body_memory": "128MiB", "body_memory_per_key": "64MiB"}
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


@functools.cache
def bomb(coding, unit=b" ", size=128 * MEGABYTE):
    """As many bytes, coded; the encoder is shown a megabyte at a time."""
    encoder, piece = Encoder(coding), unit * (MEGABYTE // len(unit))
    blocks = [encoder.flushed(piece) for _ in range(size // MEGABYTE)]
    return b"".join(blocks) + encoder.flushed(b"", ends=True)


def peak_bytes(house):
    with open(f"/proc/{house.process.pid}/status") as status:
        [line] = [line for line in status if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def grown(house, act):
    """By how much the process grew at most."""
    base = peak_bytes(house)
    result = act()
    return peak_bytes(house) - base, result


def answers(provider, coding, kind, *pieces, status=b"200"):
    fields = f"content-type: {kind}\r\ncontent-encoding: {coding}\r\nconnection: close\r\n\r\n"
    provider.answer = lambda: [b"HTTP/1.1 " + status + b" Status\r\n" + fields.encode(), *pieces]


@pytest.mark.parametrize("coding", CODINGS)
def test_an_answer_that_is_a_bomb_is_not_unpacked(house, provider, coding):
    body = bomb(coding)
    answers(provider, coding, "application/json", body)
    growth, answer = grown(house, lambda: house.post(BODY))
    assert answer.body == body and answer.fields["content-encoding"] == coding
    assert growth < 48 * MEGABYTE * MEMORY_FACTOR
    row = house.row()
    assert row["usage_source"] == "estimated"
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0


@pytest.mark.parametrize("coding", CODINGS)
def test_an_error_that_is_a_bomb_is_not_unpacked(house, provider, coding):
    answers(provider, coding, "application/json", bomb(coding), status=b"500")
    growth, answer = grown(house, lambda: house.post(BODY))
    assert (answer.status, answer.code) == (500, "upstream_invalid_response")
    assert growth < 48 * MEGABYTE * MEMORY_FACTOR


@pytest.mark.parametrize("unit", [b"data: x\n\n", b"data: x\n", b" "], ids=repr)
@pytest.mark.parametrize("adds_usage", [True, False], ids=["decoded", "coded"])
@pytest.mark.parametrize("coding", CODINGS)
def test_a_stream_that_is_a_bomb_is_not_unpacked(house, provider, coding, adds_usage, unit):
    body = bomb(coding, unit)
    answers(provider, coding, "text/event-stream", body)
    options = {} if adds_usage else {"stream_options": {"include_usage": True}}
    request = {**BODY, "stream": True, **options}

    def passed():
        with house.connect() as connection:
            fields = {"connection": "close"}
            connection.send(connection.request("POST", CHAT, request, house.key(), fields))
            return connection.rest()

    growth, data = grown(house, passed)
    assert growth < 64 * MEGABYTE * MEMORY_FACTOR
    if adds_usage:
        assert len(data) < 32 * MEGABYTE and b"\r\n0\r\n\r\n" not in data[-9:]
    else:
        assert data.endswith(b"\r\n0\r\n\r\n")
    row = house.row()
    assert row["usage_source"] == "estimated"
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0


@pytest.mark.parametrize("path", [CHAT, FILES])
@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_request_that_is_a_bomb_is_refused(house, provider, coding, path):
    body = bomb(coding)
    fields = {"content-encoding": coding}
    growth, answer = grown(house, lambda: house.post(body, path, headers=fields))
    assert (answer.status, answer.code) == (413, "request_too_large")
    assert "100 times as large" in answer.message
    assert growth < 16 * MEGABYTE * MEMORY_FACTOR
    assert house.ledger.usage() == []


def test_bombs_of_many_layers_and_members_are_refused(house, provider):
    layers = zlib.compress(zlib.compress(bytes(64 * MEGABYTE)))
    members = encode("gzip", b"") * 200_000
    for body, coding, status in [(layers, "gzip", 400), (members, "gzip", 400)]:
        answer = house.post(body, CHAT, headers={"content-encoding": coding})
        assert answer.status == status, answer


def test_many_dense_requests_at_once_take_the_memory_that_bodies_may_take(house, provider):
    body = bomb("zstd", size=3 * MEGABYTE)
    statuses, wait = [], threading.Event()
    provider.answer = lambda: (wait.wait(30) and b"" for _ in itertools.repeat(None, 1))

    def ask():
        statuses.append(house.post(body, FILES, headers={"content-encoding": "zstd"}).status)

    def all_ask():
        threads = [threading.Thread(target=ask) for _ in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    growth, _ = grown(house, all_ask)
    wait.set()
    assert set(statuses) <= {400, 429}
    assert growth < 2 * BODY_MEMORY * MEMORY_FACTOR
