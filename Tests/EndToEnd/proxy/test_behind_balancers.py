"""Whose word for a client's address is believed."""

import socket
import struct
import time

import pytest
from harness.configuration import new_key
from harness.raw_http import Connection
from harness.waiting import eventually

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
MODELS = "/v1/models"
CLIENT = "203.0.113.9"


def header(command=0x21, family=0x11, source=CLIENT, port=4711):
    if family == 0x21:
        kind = socket.AF_INET6
        addresses = socket.inet_pton(kind, source) + socket.inet_pton(kind, "2001:db8::1")
    elif family == 0x11:
        addresses = socket.inet_aton(source) + socket.inet_aton("192.0.2.1")
    else:
        addresses = b""
    content = addresses + struct.pack("!HH", port, 8080) if addresses else b""
    return SIGNATURE + bytes([command, family]) + struct.pack("!H", len(content)) + content


def refused(catraca, count=1):
    """The addresses in the lines about refused requests, once there are `count`."""

    def lines():
        events = [line for line in catraca.process.log if line["event"] == "request_refused"]
        return events if len(events) >= count else None

    return [line.get("address") for line in eventually(lines, "lines about refusals")]


def ask(connection, forwarded=None):
    fields = {"x-forwarded-for": forwarded} if forwarded else {}
    return connection.get(MODELS, new_key()[0], fields).status


def test_only_a_listed_balancer_says_whom_a_request_is_from(catraca):
    catraca.configuration.settings["proxy"]["behind"] = ["127.0.0.7", "10.0.0.0/8"]
    catraca.start()
    with Connection(catraca.host, catraca.port, source="127.0.0.7") as balancer:
        assert ask(balancer, f"1.1.1.1, {CLIENT}") == 401
        assert ask(balancer, f"{CLIENT}, 10.1.2.3") == 401
        assert ask(balancer, "2001:db8::9") == 401
        assert ask(balancer, "unknown") == 401
    with catraca.connect() as client:
        assert ask(client, CLIENT) == 401
    assert refused(catraca, 5) == [CLIENT, CLIENT, "2001:db8::9", "127.0.0.7", "127.0.0.1"]


def test_guesses_are_counted_for_the_address_that_a_balancer_names(catraca, tokens):
    catraca.configuration.settings["admin"]["behind"] = ["127.0.0.1"]
    catraca.start()
    with Connection(*catraca.process.address("admin")) as balancer:

        def guess(client):
            fields = {"x-forwarded-for": client}
            return balancer.get("/api/admin/clients", new_key()[0], fields).status

        assert [guess(CLIENT) for _ in range(101)] == [401] * 100 + [429]
        assert guess("203.0.113.10") == 401
        # The client's own entries before it don't help it.
        assert guess(f"203.0.113.11, {CLIENT}") == 429


@pytest.fixture
def behind(catraca):
    """A server behind a balancer of 127.0.0.1 that names its clients in a PROXY header."""
    catraca.configuration.settings["proxy"] |= {"behind": ["127.0.0.1"], "proxy_protocol": True}
    catraca.configuration.settings["limits"] = {"header_timeout": "1s"}
    return catraca.start()


@pytest.mark.parametrize(
    ("family", "source"), [(0x11, CLIENT), (0x21, "2001:db8::9"), (0x00, None)]
)
def test_a_proxy_header_says_whom_a_connection_is_from(behind, family, source):
    with behind.connect() as connection:
        connection.send(header(family=family, source=source))
        assert ask(connection) == 401
        # It is the client's peer now, which isn't listed.
        assert ask(connection, "1.1.1.1") == 401
        assert connection.get(MODELS, behind.key()).status == 200
    expected = [source] * 2 if source else ["127.0.0.1", "1.1.1.1"]
    assert refused(behind, 2) == expected


def test_a_proxy_header_may_come_byte_by_byte_and_with_the_request(behind):
    with behind.connect() as connection:
        for byte in header():
            connection.send(bytes([byte]))
        assert ask(connection) == 401
    with behind.connect() as connection:
        connection.send(header() + connection.request("GET", MODELS, None, new_key()[0]))
        assert connection.answer().status == 401
    assert refused(behind, 2) == [CLIENT] * 2


def test_a_balancer_asks_for_itself(behind):
    with behind.connect() as connection:
        connection.send(header(command=0x20, family=0x00))
        assert connection.get("/healthz").status == 200


WRONG = {
    "HTTP": b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n",
    "version 1": b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
    "version 3": header(command=0x31),
    "UDP": header()[:13] + b"\x12" + header()[14:],
    "half a header, and silence": header()[:20],
    "the largest length": header()[:14] + b"\xff\xff" + b"\0" * 100,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_listed_balancer_with_a_wrong_header_is_closed(behind, wrong):
    with behind.connect() as connection:
        connection.send(WRONG[wrong])
        began = time.monotonic()
        assert connection.is_at_end()
        assert time.monotonic() - began < 10
    behind.process.wait_for_line(
        lambda line: line["event"] == "proxy_header_refused", "a line about the header"
    )
    with behind.connect() as connection:
        connection.send(header())
        assert connection.get(MODELS, behind.key()).status == 200


def test_nobody_else_may_begin_with_a_proxy_header(behind):
    with Connection(behind.host, behind.port, source="127.0.0.2") as stranger:
        stranger.send(header())
        assert stranger.answer().status == 400
        assert stranger.is_at_end()
    with Connection(behind.host, behind.port, source="127.0.0.2") as stranger:
        assert ask(stranger, CLIENT) == 401
    assert "127.0.0.2" in refused(behind, 2)
