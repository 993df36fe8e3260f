"""A client that sends the same request over and over, in step on all its connections."""

import re
import socket
import time

# Under callgrind everything takes fifty times as long.
PATIENCE_SECONDS = 120


class Client:
    """Keep-alive connections that all send one request, and then all wait for their answers.

    In step, so that the requests of a round meet in the same commits each time.
    """

    def __init__(self, port, key, connections):
        address = ("127.0.0.1", port)
        self._connections = [socket.create_connection(address) for _ in range(connections)]
        for connection in self._connections:
            connection.settimeout(PATIENCE_SECONDS)
        self._key = key

    def run(self, path, body, rounds):
        """Returns the seconds that each round took."""
        request = (
            f"POST {path} HTTP/1.1\r\nhost: benchmark\r\ncontent-type: application/json\r\n"
            f"authorization: Bearer {self._key}\r\ncontent-length: {len(body)}\r\n\r\n{body}"
        ).encode()
        durations = []
        for _ in range(rounds):
            start = time.perf_counter()
            for connection in self._connections:
                connection.sendall(request)
            for connection in self._connections:
                receive_answer(connection)
            durations.append(time.perf_counter() - start)
        return durations

    def close(self):
        for connection in self._connections:
            connection.close()


def receive_answer(connection):
    """Reads one whole answer, by its length or to its last chunk."""
    answer = b""
    while not is_whole(answer):
        piece = connection.recv(65536)
        if not piece:
            raise SystemExit(f"an answer was cut: {answer[:500]!r}")
        answer += piece
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise SystemExit(f"a request was refused: {answer[:500]!r}")


def is_whole(answer):
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found:
        return False
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return len(body) == int(length[1]) if length else body.endswith(b"0\r\n\r\n")
