"""A provider that answers every request with bytes of the test's choice."""

import socket
import threading


class HostileProvider:
    """Answers a POST with what `answer` gives, piece by piece, then closes, or waits for the next
    request where `stays_open` is true. A GET is answered as it should be."""

    HONEST = b'{"object":"list","data":[]}'

    def __init__(self):
        self.answer = lambda: []
        self.stays_open = False
        self.get = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(self.HONEST) + self.HONEST
        """The answer to a GET."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._socket.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            try:
                while (head := self._head(stream)) and self._answer(connection, head):
                    pass
            except OSError:
                pass  # The peer had enough of it and hung up.

    def _answer(self, connection, head):
        if head.startswith(b"GET "):
            connection.sendall(self.get)
            return b"connection: close" not in self.get
        for piece in self.answer():
            connection.sendall(piece)
        return self.stays_open

    def _head(self, stream):
        """The head of a request, whose body is read too; empty at the end."""
        head = length = b""
        while (line := stream.readline()) not in (b"\r\n", b""):
            head += line
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = value
        stream.read(int(length or 0))
        return head
