"""Too much at once: refused quickly, and memory within bounds.

    CATRACA_OVERLOAD_STREAMS   how many streams rest at once; 200 where it isn't said
"""

import os
import resource
import time
from contextlib import ExitStack

from harness.crowd import at_once
from harness.sandbox import script
from harness.waiting import eventually

CONNECTIONS = 20
STREAMS = int(os.environ.get("CATRACA_OVERLOAD_STREAMS", "200"))
# Of a debug build, with libcurl's and the kernel's share that counts as the process's.
LARGEST_STREAM_KIB = 200
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
allow_open_files(2 * STREAMS + 100)


def test_resting_streams_take_a_bounded_share_of_memory(catraca, capsys):
    catraca.configuration.settings["limits"] = {"connections": STREAMS + 100, "idle": "30m"}
    catraca.configuration.settings["log"]["level"] = "info"
    catraca.start()
    assert catraca.post(BODY).status == 200
    before = resident_kib(catraca.process)
    rest = script(chunk_delay_ms=600_000)
    with ExitStack() as resting:
        for _ in range(STREAMS):
            connection = resting.enter_context(catraca.connect())
            connection.send(connection.request("POST", CHAT, BODY, catraca.key(), rest))
            assert connection.head()[0] == 200
        each = (resident_kib(catraca.process) - before) / STREAMS
        with capsys.disabled():
            print(f"\n{STREAMS} resting streams: {before} KiB before, {each:.1f} KiB each")
        assert each < LARGEST_STREAM_KIB
        catraca.kill()
