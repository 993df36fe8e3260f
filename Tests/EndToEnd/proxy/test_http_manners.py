"""Connections: keep-alive, pipelining, interim answers, HEAD, framing, slow readers."""

import json

import pytest
from harness.crowd import at_once
from harness.sandbox import script
from harness.sanitizers import MEMORY_FACTOR
from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
CHAT = "/v1/chat/completions"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_connection_serves_many_requests(running, stream):
    with running.connect() as connection:
        for _ in range(5):
            answer = connection.post(CHAT, {**BODY, "stream": stream}, running.key())
            assert answer.status == 200
    assert len(running.ledger.usage()) == 5


def test_pipelined_requests_are_answered_in_order(running):
    with running.connect() as connection:
        bodies = [{**BODY, "messages": [{"role": "user", "content": f"m{i}"}]} for i in range(5)]
        connection.send(
            b"".join(
                connection.request("POST", CHAT, body, running.key(), script(echo=True))
                for body in bodies
            )
        )
        contents = [connection.answer().json()["choices"][0]["message"]["content"] for _ in bodies]
    assert contents == [f"m{i}" for i in range(5)]
    assert len(running.ledger.usage()) == 5


def test_a_client_that_expects_it_is_told_to_continue(running):
    body = json.dumps(BODY).encode()
    with running.connect() as connection:
        request = connection.request("POST", CHAT, body, running.key(), {"expect": "100-continue"})
        connection.send(request[: -len(body)])
        assert connection.head() == (100, {})
        connection.send(body)
        assert connection.answer().status == 200


def test_a_body_may_come_in_chunks_and_in_pieces(running, sandbox):
    body = json.dumps(BODY).encode()
    with running.connect() as connection:
        connection.send(
            connection.request(
                "POST", CHAT, key=running.key(), headers={"transfer-encoding": "chunked"}
            )
        )
        for byte in body:
            connection.send(b"1\r\n" + bytes([byte]) + b"\r\n")
        connection.send(b"0\r\n\r\n")
        assert connection.answer().status == 200
    assert sandbox.journal()[0]["body"].encode() == body


def test_head_has_no_body(running):
    with running.connect() as connection:
        connection.send(connection.request("HEAD", "/healthz"))
        answer = connection.answer(to_head=True)
        assert answer.status == 200
        assert connection.get("/healthz").json() == {"status": "ok"}


def test_what_is_wrong_with_a_request_is_said_in_plain_words(running):
    rule = "This is not a request that HTTP/1.1 allows: "
    both = "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
    both += "Transfer-Encoding: chunked\r\n\r\n"
    for request, reason in {
        "GET /healthz\r\n\r\n": "the first line is not METHOD PATH HTTP/1.1.",
        both: "both Content-Length and Transfer-Encoding are set.",
    }.items():
        with running.connect() as connection:
            connection.send(request.encode())
            assert connection.answer().json()["error"]["message"] == rule + reason


def test_connection_close_is_obeyed(running):
    with running.connect() as connection:
        assert connection.get("/healthz", headers={"connection": "close"}).status == 200
        assert connection.is_at_end()


def test_http_1_0_gets_a_stream_without_chunks(running):
    body = json.dumps({**BODY, "stream": True}).encode()
    with running.connect() as connection:
        request = connection.request("POST", CHAT, body, running.key())
        connection.send(request.replace(b"HTTP/1.1", b"HTTP/1.0", 1))
        status, fields = connection.head()
        assert status == 200 and "transfer-encoding" not in fields
        assert connection.rest().endswith(b"data: [DONE]\n\n")


def test_an_idle_connection_is_closed(catraca):
    catraca.configuration.settings["limits"] = {"idle": "200ms"}
    catraca.start()
    with catraca.connect() as connection:
        assert connection.get("/healthz").status == 200
        assert connection.is_at_end()


def test_events_pass_as_they_come(running, sandbox):
    """The second event is held back until the first one has been seen here."""
    with running.connect() as connection:
        connection.send(
            connection.request(
                "POST",
                CHAT,
                {**BODY, "stream": True},
                running.key(),
                script(chunk_delay_ms=50, completion_tokens=20),
            )
        )
        connection.head()
        chunks = connection.chunks()
        assert next(chunks).count(b"data: ") == 1
        assert not sandbox.journal()[0]["completed"]
        list(chunks)


def test_a_slow_reader_makes_the_provider_wait_not_the_process_grow(running, sandbox):
    megabyte = 1 << 20
    values = {"chunks": 800, "chunk_bytes": 64 << 10}
    base = resident_bytes(running.process.pid)
    with running.connect() as connection:
        connection.send(
            connection.request(
                "POST", CHAT, {**BODY, "stream": True}, running.key(), script(**values)
            )
        )
        connection.head()
        received, most = 0, 0
        for chunk in connection.chunks():
            received += len(chunk)
            if received < 4 * megabyte:
                most = max(most, resident_bytes(running.process.pid))
                assert not sandbox.journal()[0]["completed"]
    assert received > 50 * megabyte
    assert most - base < 24 * megabyte * MEMORY_FACTOR
    assert running.row()["outcome"] == "ok"


def resident_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        [line] = [line for line in status if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


def test_connections_beyond_the_limit_are_told_so(catraca):
    catraca.configuration.settings["limits"] = {"connections": 4}
    catraca.start()
    connections = [catraca.connect() for _ in range(4)]
    for connection in connections:
        assert connection.get("/healthz").status == 200
    with catraca.connect() as one_more:
        answer = one_more.answer()
        assert (answer.status, answer.code) == (503, "overloaded")
    for connection in connections:
        connection.socket.close()
    eventually(lambda: can_connect(catraca), "room for a connection")


def can_connect(catraca):
    with catraca.connect() as connection:
        return connection.get("/healthz").status == 200


def test_two_hundred_connections_are_served_at_once(running):
    answers = at_once(200, lambda index: running.post({**BODY, "stream": index % 2 == 0}).status)
    assert answers == [200] * 200
    assert len(running.ledger.usage()) == 200
