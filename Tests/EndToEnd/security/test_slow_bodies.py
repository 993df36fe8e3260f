"""Bodies that come too slowly end in time, and a stranger's body is never waited for."""

import threading
import time
from contextlib import ExitStack

import pytest
from harness.raw_http import Connection
from harness.waiting import eventually

CHAT = "/v1/chat/completions"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
STRANGERS = 60


@pytest.fixture
def impatient(catraca, tokens):
    """A server whose bodies have one second, and another one for each 2 KiB."""
    catraca.configuration.settings["limits"] = {
        **{"body_timeout": "1s", "body_rate": "2KiB", "idle": "1m"},
        **{"header_timeout": "1s"},
    }
    return catraca.start()


def head(connection, method, path, length, key=None, extra=()):
    """The head of a request whose body is still to come."""
    fields = {"content-length": length, "content-type": "application/json", **dict(extra)}
    return connection.request(method, path, None, key, fields)


class Trickle:
    """Sends a body piece by piece until all is sent or the server closes the connection."""

    def __init__(self, connection, data, piece, pause):
        self._stop = threading.Event()
        arguments = (connection, data, piece, pause)
        self._thread = threading.Thread(target=self._send, args=arguments, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _send(self, connection, data, piece, pause):
        for start in range(0, len(data), piece):
            try:
                connection.send(data[start : start + piece])
            except OSError:
                return
            if self._stop.wait(pause):
                return


def assert_ends(connection, data, piece, pause, within):
    began = time.monotonic()
    with Trickle(connection, data, piece, pause):
        answer = connection.answer()
    assert (answer.status, answer.code) == (408, "request_timeout")
    assert time.monotonic() - began < within


@pytest.mark.parametrize("coding", ["sized", "chunked"])
def test_a_body_that_trickles_is_answered_408_in_time(impatient, coding):
    with impatient.connect() as connection:
        if coding == "sized":
            connection.send(head(connection, "POST", CHAT, 100_000, impatient.key()))
            data, piece = b" " * 1000, 1
        else:
            fields = {"transfer-encoding": "chunked", "content-type": "application/json"}
            connection.send(
                connection.request("POST", CHAT, None, impatient.key(), fields)
            )
            # The framing doesn't count: of each piece one byte is content.
            data, piece = b"1;x=%s\r\n \r\n" % (b"y" * 989) * 100, 1000
        assert_ends(connection, data, piece, 0.1, within=5)
        assert connection.is_at_end()
    assert impatient.ledger.in_flight() == []


def test_a_body_that_comes_slowly_but_at_the_least_rate_passes(impatient):
    body = {**BODY, "messages": [{"role": "user", "content": "Hello " * 2000}]}
    with impatient.connect() as connection:
        whole = connection.request("POST", CHAT, body, impatient.key())
        began = time.monotonic()
        with Trickle(connection, whole, 1200, 0.3):
            assert connection.answer().status == 200
        # Longer than the timeout alone allows.
        assert time.monotonic() - began > 2


def test_the_admin_api_ends_a_body_that_trickles(impatient, tokens):
    with Connection(*impatient.process.address("admin")) as connection:
        connection.send(
            head(connection, "POST", "/api/admin/clients", 100_000, tokens["admin"])
        )
        assert_ends(connection, b" " * 1000, 1, 0.1, within=5)


@pytest.mark.parametrize("listener", ["proxy", "admin"])
def test_sixty_strangers_with_slow_bodies_hold_nothing(catraca, tokens, listener):
    """At the defaults, whose timeouts are longer than this test."""
    catraca.configuration.settings["limits"] = {"connections": STRANGERS}
    catraca.start()
    paths = {
        "proxy": ["/api/widget-tokens", "/widget"],
        "admin": ["/api/admin/clients", "/dashboard/clients"],
    }[listener]
    address = catraca.process.address(listener)

    def is_served():
        with Connection(*address) as connection:
            return connection.get("/healthz").status == 200

    with ExitStack() as strangers:
        for number in range(STRANGERS):
            connection = strangers.enter_context(Connection(*address))
            path = paths[number % len(paths)]
            connection.send(head(connection, "POST", path, 1 << 20) + b"{")
        # They are answered at once, and closed soon after.
        eventually(is_served, "room for somebody else", within=10)


FORMS = ["/dashboard/sign-in", "/dashboard/preferences"]


@pytest.mark.parametrize("path", [*FORMS, "/api/token-billing/webhook"])
def test_what_needs_no_credential_has_the_time_of_a_head(catraca, path):
    catraca.configuration.settings["limits"] = {"header_timeout": "500ms"}
    catraca.start()
    with Connection(*catraca.process.address("admin")) as connection:
        connection.send(head(connection, "POST", path, 2000))
        began = time.monotonic()
        with Trickle(connection, b" " * 1000, 1, 0.1):
            assert connection.answer().status == 408
        assert time.monotonic() - began < 5


@pytest.mark.parametrize("path", FORMS)
def test_a_form_that_needs_no_session_is_small(running, path):
    with Connection(*running.process.address("admin")) as connection:
        connection.send(head(connection, "POST", path, 4097))
        assert connection.answer().status == 413
    with Connection(*running.process.address("admin")) as connection:
        connection.send(head(connection, "POST", "/api/token-billing/webhook", (256 << 10) + 1))
        assert connection.answer().status == 413


def test_a_client_that_takes_a_whole_answer_too_slowly_is_cut_off(catraca):
    """It takes something often enough to be never idle."""
    catraca.configuration.settings["limits"] = {"idle": "1s", "body_rate": "1MiB"}
    catraca.start()
    request = {"model": "text-embedding-3-small", "input": ["a"] * 1000, "dimensions": 4096}
    with catraca.connect() as connection:
        connection.send(connection.request("POST", "/v1/embeddings", request, catraca.key()))
        status, fields = connection.head()
        length = int(fields["content-length"])
        assert status == 200 and length > 8_000_000
        taken, piece = 0, b"-"
        while piece:
            time.sleep(0.1)
            try:
                piece = connection.socket.recv(40_000)
            except ConnectionResetError:
                break
            taken += len(piece)
    assert taken < length / 2
