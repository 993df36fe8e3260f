"""One address or one key has a share of connections and of memory, never all."""

import os
import time
from contextlib import ExitStack, suppress

from harness.metrics import Metrics
from harness.raw_http import Connection
from harness.sandbox import script
from harness.waiting import eventually

CHAT = "/v1/chat/completions"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
MIB = 1 << 20
BODIES = 20
SIZE = 20 * MIB


def begin(connection, key, sent, length=SIZE):
    """Sends the head of a request, and a part of its body."""
    fields = {"content-length": length, "content-type": "application/json"}
    connection.send(connection.request("POST", CHAT, None, key, fields))
    with suppress(OSError):  # it may be refused before all is sent
        for _ in range(sent // MIB):
            connection.send(b" " * MIB)


def ask_for_body(connection, key):
    """The status by which the server says whether it waits for a body."""
    fields = {"content-length": 100, "content-type": "application/json"}
    fields["expect"] = "100-continue"
    connection.send(connection.request("POST", CHAT, None, key, fields))
    return connection.head()[0]


def resident(process):
    with open(f"/proc/{process.pid}/status") as status:
        [line] = [line for line in status if line.startswith("VmRSS:")]
    return int(line.split()[1]) << 10


def limits_met(catraca):
    return [line["limit"] for line in catraca.process.log if line["event"] == "limit_met"]


def test_unfinished_bodies_take_no_more_memory_than_they_may(catraca):
    keys = [catraca.configuration.add_client(f"client{number}") for number in range(BODIES)]
    catraca.configuration.settings["limits"] = {"request_body": "32MiB", "body_memory": "96MiB"}
    catraca.start()
    assert catraca.post(BODY).status == 200
    before = resident(catraca.process)
    with ExitStack() as resting:
        connections = [resting.enter_context(catraca.connect()) for _ in keys]
        for connection, key in zip(connections, keys, strict=True):
            begin(connection, key, SIZE - MIB)
        eventually(lambda: "limits.body_memory" in limits_met(catraca), "a refusal")
        # Room doubles as a body grows, and is copied for a moment.
        assert resident(catraca.process) - before < (96 + 64) * MIB
        refused = 0
        for connection in connections:
            connection.socket.settimeout(0.2)
            try:
                answer = connection.answer()
            except TimeoutError:
                continue
            refused += 1
            assert (answer.status, answer.code) == (503, "overloaded")
            assert answer.fields["retry-after"] == "1"
        assert refused >= BODIES - 5
        # Small requests are nobody's loss.
        assert catraca.post(BODY).status == 200
    large = {**BODY, "messages": [{"role": "user", "content": "x" * 20 * MIB}]}
    eventually(lambda: catraca.post(large).status != 503, "all has been given back")


def test_what_a_length_promises_takes_no_memory(catraca):
    catraca.configuration.settings["limits"] = {"request_body": "32MiB", "body_memory": "64MiB"}
    catraca.start()
    assert catraca.post(BODY).status == 200
    before = resident(catraca.process)
    with ExitStack() as resting:
        for _ in range(50):
            connection = resting.enter_context(catraca.connect())
            begin(connection, catraca.key(), MIB, length=32 * MIB)
            if len(limits_met(catraca)) > 0:
                break
        assert resident(catraca.process) - before < 96 * MIB


def test_one_key_leaves_memory_for_the_others(catraca):
    other = catraca.configuration.add_client("other")
    catraca.configuration.settings["limits"] = {"request_body": "24MiB", "body_memory": "64MiB"}
    catraca.start()
    with ExitStack() as resting:
        first = resting.enter_context(catraca.connect())
        begin(first, catraca.key(), SIZE - MIB)
        second = resting.enter_context(catraca.connect())
        begin(second, catraca.key(), SIZE - MIB)
        answer = second.answer()
        assert (answer.status, answer.code) == (429, "rate_limit_exceeded")
        assert answer.fields["retry-after"] == "1"
        large = {**BODY, "messages": [{"role": "user", "content": "x" * 9 * MIB}]}
        with catraca.connect() as connection:
            assert connection.post(CHAT, large, other).status != 429
    assert set(limits_met(catraca)) == {"limits.body_memory_per_key"}
    met = Metrics.of(catraca).value("catraca_limits_met_total", limit="body_memory_per_key")
    assert met == 1


def test_one_key_has_so_many_unfinished_bodies(catraca):
    other = catraca.configuration.add_client("other")
    catraca.configuration.settings["limits"] = {"unfinished_bodies_per_key": 3}
    catraca.start()
    with ExitStack() as resting:
        for _ in range(3):
            assert ask_for_body(resting.enter_context(catraca.connect()), catraca.key()) == 100
        with catraca.connect() as connection:
            assert ask_for_body(connection, catraca.key()) == 429
        with catraca.connect() as connection:
            assert ask_for_body(connection, other) == 100
        # One that comes with its head is never unfinished.
        assert catraca.post(BODY).status == 200
    eventually(lambda: catraca.post(BODY).status == 200, "room again")


def test_a_body_counts_until_the_provider_has_read_it(catraca, sandbox):
    """And not for as long as the answer takes."""
    catraca.configuration.settings["limits"] = {"request_body": "4MiB", "body_memory": "8MiB"}
    catraca.start()
    text = "x" * 3 * MIB
    body = {**BODY, "stream": True, "messages": [{"role": "user", "content": text}]}
    silent = script(chunk_delay_ms=600_000)
    with ExitStack() as resting:
        for _ in range(5):
            connection = resting.enter_context(catraca.connect())
            connection.send(connection.request("POST", CHAT, body, catraca.key(), silent))
            assert connection.head()[0] in (200, 400)


def test_one_address_leaves_connections_for_the_others(catraca):
    catraca.configuration.settings["limits"] = {
        **{"connections": 20, "connections_per_address": 5, "header_timeout": "5m"}
    }
    catraca.start()
    silent = script(chunk_delay_ms=600_000)
    stream = {**BODY, "stream": True}
    with ExitStack() as resting:
        # Those that serve somebody known don't count.
        for _ in range(8):
            connection = resting.enter_context(catraca.connect())
            connection.send(connection.request("POST", CHAT, stream, catraca.key(), silent))
            assert connection.head()[0] == 200
        strangers = [resting.enter_context(catraca.connect()) for _ in range(5)]
        for stranger in strangers:
            assert stranger.get("/healthz").status == 200
            stranger.send(b"GET / HTTP/1.1\r\n")
        with catraca.connect() as refused:
            answer = refused.get("/healthz")
            assert (answer.status, answer.code) == (503, "overloaded")
            assert answer.message == "Too many connections from this address are open."
            assert answer.fields["connection"] == "close"
        with Connection(catraca.host, catraca.port, source="127.0.0.2") as elsewhere:
            assert elsewhere.get("/healthz").status == 200
        strangers[0].socket.close()

        def is_served():
            with catraca.connect() as connection:
                return connection.get("/healthz").status == 200

        eventually(is_served, "room again")
    line = catraca.process.wait_for_line(
        lambda line: line["event"] == "limit_met", "a line about the limit"
    )
    assert line["limit"] == "limits.connections_per_address"
    assert line["address"] == "127.0.0.1" and line["times"] == 1
    assert line["allowed"] == "5 connections"


def test_one_key_leaves_connections_for_the_others(catraca):
    """Streams at rest take places for as long as their client likes."""
    other = catraca.configuration.add_client("other")
    catraca.configuration.settings["limits"] = {"connections": 20, "connections_per_key": 4}
    catraca.start()
    silent = script(chunk_delay_ms=600_000)
    stream = {**BODY, "stream": True}
    with ExitStack() as resting:
        for _ in range(4):
            connection = resting.enter_context(catraca.connect())
            connection.send(connection.request("POST", CHAT, stream, catraca.key(), silent))
            assert connection.head()[0] == 200
        for method, path, body in [
            ("POST", CHAT, BODY),
            ("GET", "/v1/models", None),
            ("GET", "/api/usage/summary", None),
        ]:
            with catraca.connect() as connection:
                connection.send(connection.request(method, path, body, catraca.key()))
                refused = connection.answer()
                assert (refused.status, refused.code) == (429, "rate_limit_exceeded")
                assert "requests open at once" in refused.message
                assert refused.fields["retry-after"] == "1"
        with catraca.connect() as connection:
            assert connection.post(CHAT, BODY, other).status == 200
    eventually(lambda: catraca.post(BODY).status == 200, "room again")
    line = catraca.process.wait_for_line(
        lambda line: line["event"] == "limit_met", "a line about the limit"
    )
    assert line["limit"] == "limits.connections_per_key"
    assert (line["client"], line["allowed"]) == ("acme", "4 connections")
    met = Metrics.of(catraca).value("catraca_limits_met_total", limit="connections_per_key")
    assert met >= 3


def test_half_of_all_connections_are_one_keys_unless_said_otherwise(catraca):
    other = catraca.configuration.add_client("other")
    catraca.configuration.settings["limits"] = {"connections": 140}
    catraca.start()
    silent = script(chunk_delay_ms=600_000)
    stream = {**BODY, "stream": True}
    with ExitStack() as resting:
        statuses = []
        for _ in range(72):
            connection = resting.enter_context(catraca.connect())
            connection.send(connection.request("POST", CHAT, stream, catraca.key(), silent))
            statuses.append(connection.head()[0])
        assert statuses == [200] * 70 + [429] * 2
        with catraca.connect() as connection:
            assert connection.post(CHAT, BODY, other).status == 200


def test_a_connection_counts_again_after_its_request(catraca):
    catraca.configuration.settings["limits"] = {"connections_per_address": 2}
    catraca.start()
    with catraca.connect() as first, catraca.connect() as second:
        for connection in [first, second] * 3:
            assert connection.get("/v1/models", catraca.key()).status == 200

        def is_refused():
            with catraca.connect() as third:
                return third.get("/v1/models", catraca.key()).status == 503

        eventually(is_refused, "the end of both requests")


def test_the_clients_of_one_balancer_have_a_share_each(catraca):
    for listener in ["proxy", "admin"]:
        catraca.configuration.settings[listener]["behind"] = ["127.0.0.1"]
    catraca.configuration.settings["limits"] = {"connections_per_address": 2}
    catraca.start()

    def request(stack, client):
        connection = stack.enter_context(catraca.connect())
        fields = {"x-forwarded-for": client}
        return connection.get("/healthz", None, fields).status

    def hold(stack, client):
        """A request without a credential whose body is still to come."""
        fields = {"x-forwarded-for": client, "content-length": 100, "expect": "100-continue"}
        connection = stack.enter_context(Connection(*catraca.process.address("admin")))
        connection.send(connection.request("POST", "/dashboard/sign-in", None, None, fields))
        return connection.head()[0]

    with ExitStack() as resting:
        # Connections of the balancer count for nobody.
        assert [request(resting, "203.0.113.9") for _ in range(10)] == [200] * 10
        assert [hold(resting, "203.0.113.9") for _ in range(3)] == [100, 100, 503]
        assert hold(resting, "203.0.113.10") == 100


def test_too_many_refused_connections_are_closed_at_once(catraca):
    catraca.configuration.settings["limits"] = {"connections": 2}
    catraca.start()
    with ExitStack() as resting:
        for _ in range(2):
            assert resting.enter_context(catraca.connect()).get("/healthz").status == 200
        before = len(os.listdir(f"/proc/{catraca.process.pid}/fd"))
        for _ in range(400):
            resting.enter_context(catraca.connect())
        eventually(lambda: "limits.connections" in limits_met(catraca), "refusals")
        began = time.monotonic()
        # None of them reads its refusal or closes.
        eventually(
            lambda: len(os.listdir(f"/proc/{catraca.process.pid}/fd")) <= before, "their end"
        )
        assert time.monotonic() - began < 10
