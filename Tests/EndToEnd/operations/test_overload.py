"""Too much at once: refused quickly, and memory within bounds.

    CATRACA_OVERLOAD_STREAMS   how many streams rest at once; 200 where it isn't said
"""

import os
import resource
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from harness.crowd import at_once
from harness.process import binary
from harness.sandbox import script
from harness.sanitizers import MEMORY_FACTOR
from harness.waiting import eventually

CONNECTIONS = 20
STREAMS = int(os.environ.get("CATRACA_OVERLOAD_STREAMS", "200"))
# With libcurl's and the kernel's share that counts as the process's. Debug builds need more, and a
# sanitizer adds more to many small blocks than to others.
IS_RELEASE = "release" in Path(binary()).parts
LARGEST_STREAM_KIB = 48 if MEMORY_FACTOR == 1 else 2 * 48 * MEMORY_FACTOR
LARGEST_STREAM_OF_RELEASE_KIB = 27
# libcurl's, one for each direction, where memory that prompts have filled is used for them.
LARGEST_BUFFERS_KIB = 32 * MEMORY_FACTOR
# libcurl copies small ones, and reads large ones through a buffer.
PROMPTS = [50_000, 200_000]
ROOM = {
    "connections": STREAMS + 100,
    "connections_per_key": STREAMS + 100,
    "idle": "30m",
}
CHAT = "/v1/chat/completions"
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "stream": True,
}


def test_more_connections_than_allowed_are_refused_at_once(catraca):
    catraca.configuration.settings["limits"] = {"connections": CONNECTIONS}
    catraca.start()
    with ExitStack() as resting:
        allowed = [resting.enter_context(catraca.connect()) for _ in range(CONNECTIONS)]
        for connection in allowed:
            assert connection.get("/healthz").status == 200
        began = time.monotonic()
        refused = at_once(50, lambda _: catraca.post(BODY))
        assert time.monotonic() - began < 5
        assert {(answer.status, answer.code) for answer in refused} == {(503, "overloaded")}
        assert {answer.fields["connection"] for answer in refused} == {"close"}
        assert all(connection.get("/healthz").status == 200 for connection in allowed)
    eventually(lambda: catraca.post(BODY).status == 200, "there is room again")


def resident_kib(process):
    with open(f"/proc/{process.pid}/status") as status:
        [line] = [line for line in status if line.startswith("VmRSS:")]
    return int(line.split()[1])


def allow_open_files(count):
    """For this process and those that it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert count <= most, f"so many streams need {count} open files, {most} are allowed"
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


# As early as this module is collected: the sandbox, which tests share, has its part of them.
allow_open_files(2 * STREAMS + 200)


def rest(catraca, resting, count, body=BODY):
    """Streams that say nothing, and stay."""
    silent = script(chunk_delay_ms=600_000)
    for _ in range(count):
        connection = resting.enter_context(catraca.connect())
        connection.send(connection.request("POST", CHAT, body, catraca.key(), silent))
        assert connection.head()[0] == 200


def test_resting_streams_take_a_bounded_share_of_memory(catraca, capsys):
    catraca.configuration.settings["limits"] = ROOM
    catraca.configuration.settings["log"]["level"] = "info"
    catraca.start()
    assert catraca.post(BODY).status == 200
    before = resident_kib(catraca.process)
    with ExitStack() as resting:
        rest(catraca, resting, STREAMS // 2)
        half = resident_kib(catraca.process)
        rest(catraca, resting, STREAMS // 2)
        whole = resident_kib(catraca.process)
        each = (whole - before) / STREAMS
        with capsys.disabled():
            print(f"\n{STREAMS} resting streams: {before} KiB before, {each:.1f} KiB each")
        assert each < (LARGEST_STREAM_OF_RELEASE_KIB if IS_RELEASE else LARGEST_STREAM_KIB)
        assert whole - half < 1.5 * (half - before)
    eventually(lambda: catraca.ledger.in_flight() == [], "all have been settled")
    assert len(catraca.ledger.usage()) == STREAMS + 1
    with ExitStack() as resting:
        rest(catraca, resting, STREAMS)
        assert resident_kib(catraca.process) - whole < (whole - before) / 2


@pytest.mark.parametrize("size", PROMPTS)
def test_resting_streams_dont_keep_their_prompts(catraca, capsys, size):
    """Catraca doesn't need a prompt for the minutes that its answer may take."""
    body = {**BODY, "messages": [{"role": "user", "content": "Hello " * (size // 6)}]}
    catraca.configuration.settings["limits"] = ROOM
    catraca.start()
    with ExitStack() as resting:
        # The first streams make the parts that all share, and those that one needs for a moment.
        rest(catraca, resting, 20, body)
        before = resident_kib(catraca.process)
        rest(catraca, resting, STREAMS, body)
        each = (resident_kib(catraca.process) - before) / STREAMS
        with capsys.disabled():
            print(f"\nresting streams of {size:,} bytes each: {each:.1f} KiB each")
        assert each < LARGEST_STREAM_KIB + LARGEST_BUFFERS_KIB


def test_with_too_few_open_files_those_beyond_are_refused_at_once(catraca, sandbox):
    """As with `limits.connections`, and not when the last file is open, silently."""
    catraca.open_files = 300
    catraca.start()
    [warning] = [
        line["warning"]
        for line in catraca.process.log
        if line.get("event") == "configuration_warning"
    ]
    assert "300 open files" in warning and "enough for 50" in warning
    with ExitStack() as resting:
        rest(catraca, resting, 50)
        began = time.monotonic()
        refused = at_once(50, lambda _: catraca.post(BODY))
        assert time.monotonic() - began < 5
        assert {(answer.status, answer.code) for answer in refused} == {(503, "overloaded")}
        assert len(sandbox.journal()) == 50
    eventually(lambda: catraca.post(BODY).status == 200, "there is room again")


def test_no_descriptor_left_is_no_fault_of_the_provider(catraca, sandbox):
    """Connections that wait for their next request leave none to reach the provider with."""
    catraca.start()
    with catraca.connect() as connection:
        assert connection.get("/healthz").status == 200
        most = len(os.listdir(f"/proc/{catraca.process.pid}/fd"))
        resource.prlimit(catraca.process.pid, resource.RLIMIT_NOFILE, (most, most))
        refused = connection.post(CHAT, BODY, catraca.key())
        assert (refused.status, refused.code) == (503, "overloaded")
        assert sandbox.journal() == []
        assert catraca.ledger.in_flight() == [] and catraca.ledger.usage() == []
