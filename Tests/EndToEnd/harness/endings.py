"""The ways in which a client can end a connection, and the places at which it can."""

import socket
import ssl
import struct
from concurrent.futures import ThreadPoolExecutor

from .sanitizers import TIME_FACTOR

PATIENCE = 20 * TIME_FACTOR
READ_PATIENCE = 2 * TIME_FACTOR
"""For a byte of an answer; an answer may be a byte shorter than the one that was measured."""
MOST_HELD = 200
RESET = struct.pack("ii", 1, 0)
THREADS = 16
CLOSES = b"connection: close\r\n"


def close(connection):
    """Closes both directions: a FIN, and a reset for each byte that the server still sends."""
    connection.close()


def half_close(connection):
    """Ends the client's direction, and reads what the server answers."""
    try:
        connection.shutdown(socket.SHUT_WR)
        read(connection)
    except OSError:
        pass  # The server has broken the connection.
    connection.close()


def reset(connection):
    """Breaks both directions at once: a RST without a FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()


ENDINGS = {"close": close, "half-close": half_close, "reset": reset}
HOLD = "hold, then close"
ALL_ENDINGS = [*ENDINGS, HOLD]


def read(connection, most=None):
    """Reads up to `most` bytes, or to the end; returns how many came.

    An answer that doesn't end, such as a page's live events, is read until it pauses."""
    count = 0
    try:
        while most is None or count < most:
            piece = connection.recv(65536 if most is None else most - count)
            if not piece:
                break
            count += len(piece)
    except (ConnectionError, TimeoutError, ssl.SSLError):
        pass
    return count


class EndingClient:
    """Makes connections to a server and ends each at a chosen byte, in a chosen way."""

    def __init__(self, server):
        self._server = server
        self._held = []

    def run(self, attempts):
        """Makes all attempts; each is a listener, the bytes of a request, where to end and how.

        Where: ("request", count) after `count` bytes of the request, or ("answer", count) after
        `count` bytes of its answer."""
        with ThreadPoolExecutor(THREADS) as pool:
            count = sum(1 for _ in pool.map(self._attempt, attempts))
        print(f"{count} connections ended")
        while self._held:
            self._held.pop().close()

    def answer_size(self, listener, request, pause=PATIENCE, closes=True):
        """How many bytes the whole answer has, or its part up to a pause.

        If `closes`, the server is asked to close the connection, so that the end is seen at once;
        the field by which it agrees isn't counted."""
        if closes:
            request = request.replace(b"\r\n", b"\r\n" + CLOSES, 1)
        with self._connect(listener, request) as connection:
            connection.settimeout(pause)
            connection.sendall(request)
            return max(0, read(connection) - (len(CLOSES) if closes else 0))

    def _attempt(self, attempt):
        listener, request, (part, count), ending = attempt
        connection = self._connect(listener, request)
        connection.settimeout(READ_PATIENCE)
        try:
            if part == "request":
                connection.sendall(request[:count])
            else:
                connection.sendall(request)
                read(connection, count)
        except ConnectionError:
            pass  # The server may answer and close before it has read everything.
        if ending == HOLD:
            self._held.append(connection)
            if len(self._held) > MOST_HELD:
                self._held.pop(0).close()
        else:
            ENDINGS[ending](connection)

    def _connect(self, listener, request):
        try:
            return socket.create_connection(self._server.process.address(listener), PATIENCE)
        except ConnectionRefusedError:
            raise AssertionError(f"nobody listens any more; about then: {request[:80]}")


def every_place(request, answer_size):
    """All bytes of a request, and all bytes of its answer."""
    places = [("request", count) for count in range(len(request) + 1)]
    return places + [("answer", count) for count in range(1, answer_size + 1)]


def some_places(random, count, request, answer_size):
    """A sample, in which head, body and answer are alike in number."""
    head = request.index(b"\r\n\r\n") + 4
    for _ in range(count):
        yield ("request", random.randint(0, head))
        yield ("request", random.randint(head, len(request)))
        yield ("answer", random.randint(1, max(1, answer_size)))


def framings(method, path, body, fields=()):
    """The bytes of one request, with its body sized and in chunks."""
    head = [f"{method} {path} HTTP/1.1", "host: localhost", "content-type: application/json"]
    head += [f"{name}: {value}" for name, value in dict(fields).items()]
    half = len(body) // 2
    parts = [part for part in (body[:half], body[half:]) if part]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    return {
        "sized": "\r\n".join([*head, f"content-length: {len(body)}", "", ""]).encode() + body,
        "chunked": "\r\n".join([*head, "transfer-encoding: chunked", "", ""]).encode() + chunks,
    }
