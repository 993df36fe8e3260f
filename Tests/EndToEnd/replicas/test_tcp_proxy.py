"""The tests' own way to a server does what the tests of a cut network count on."""

import socket
import threading

import pytest
from harness.tcp_proxy import TCPProxy

BRIEF = 0.2


@pytest.fixture
def echo():
    """A server that sends back what it is sent; its port."""

    def serve(connection):
        with connection:
            while piece := connection.recv(1000):
                connection.sendall(piece)

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture
def proxy(echo):
    proxy = TCPProxy(echo)
    yield proxy
    proxy.end()


def connect(proxy):
    return socket.create_connection(("127.0.0.1", proxy.port), 10)


def is_echoed(connection, data):
    connection.sendall(data)
    return connection.recv(1000) == data


def assert_silent(connection):
    connection.settimeout(BRIEF)
    with pytest.raises(TimeoutError):
        connection.recv(1000)
    connection.settimeout(10)


def test_all_passes_both_ways_up_to_the_end(proxy):
    with connect(proxy) as connection:
        assert is_echoed(connection, b"one") and is_echoed(connection, b"two")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1000) == b""


def test_a_cut_ends_connections_and_refuses_new_ones_until_it_is_healed(proxy):
    with connect(proxy) as connection:
        assert is_echoed(connection, b"one")
        proxy.cut()
        assert connection.recv(1000) == b""
        with pytest.raises(ConnectionRefusedError):
            connect(proxy)
        proxy.heal()
    with connect(proxy) as connection:
        assert is_echoed(connection, b"two")


def test_what_is_swallowed_arrives_when_it_is_healed(proxy):
    with connect(proxy) as old:
        assert is_echoed(old, b"one")
        proxy.swallow()
        old.sendall(b"two")
        assert_silent(old)
        with connect(proxy) as new:
            new.sendall(b"three")
            assert_silent(new)
            proxy.heal()
            assert old.recv(1000) == b"two"
            assert new.recv(1000) == b"three"


def test_where_nobody_listens_connections_end():
    stranded = TCPProxy(1)
    with connect(stranded) as connection:
        assert connection.recv(1000) == b""
    stranded.end()
