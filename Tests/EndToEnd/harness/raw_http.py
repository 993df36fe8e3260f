"""HTTP/1.1 over a plain socket: for what SDKs never send, and to see bytes as they are."""

import json
import socket
from dataclasses import dataclass

from .sanitizers import TIME_FACTOR


@dataclass
class Answer:
    status: int
    fields: dict
    body: bytes
    """The body without its chunk framing."""

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json()["error"]["code"]

    @property
    def message(self):
        return self.json()["error"]["message"]


class Truncated(Exception):
    """The connection ended before the answer did."""


class Connection:
    def __init__(self, host, port, timeout=20 * TIME_FACTOR, wrap=None, source=""):
        # Bound, it would take its port from all others until a minute after its end.
        address = (source, 0) if source else None
        self.socket = socket.create_connection((host, port), timeout, address)
        if wrap:
            self.socket = wrap(self.socket)
        self._host = f"{host}:{port}"
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # Sending

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, path, body=None, key=None, headers=()):
        """The bytes of a request."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {self._host}"]
        if key:
            lines.append(f"authorization: Bearer {key}")
        if body is not None:
            if not isinstance(body, bytes):
                body = json.dumps(body).encode()
            if "content-type" not in dict(headers):
                lines.append("content-type: application/json")
            lines.append(f"content-length: {len(body)}")
        lines += [f"{name}: {value}" for name, value in dict(headers).items()]
        return "\r\n".join([*lines, "", ""]).encode() + (body or b"")

    def post(self, path, body, key=None, headers=()):
        self.send(self.request("POST", path, body, key, headers))
        return self.answer()

    def get(self, path, key=None, headers=()):
        self.send(self.request("GET", path, None, key, headers))
        return self.answer()

    # Receiving

    def answer(self, to_head=False):
        status, fields = self.head()
        while 100 <= status < 200:
            status, fields = self.head()
        if to_head or status in (204, 304):
            body = b""
        elif fields.get("transfer-encoding") == "chunked":
            body = b"".join(self.chunks())
        elif "content-length" in fields:
            body = self._exactly(int(fields["content-length"]))
        else:
            body = self.rest()
        return Answer(status, fields, body)

    def head(self):
        line, *lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        fields = {}
        for name, _, value in (line.partition(":") for line in lines):
            fields[name.lower()] = value.strip()
        return int(line.split(" ")[1]), fields

    def chunks(self):
        """The chunks of a body, as they arrive."""
        while size := int(self._until(b"\r\n"), 16):
            yield self._exactly(size)
            self._until(b"\r\n")
        self._until(b"\r\n")

    def rest(self):
        """Everything up to the end of the connection."""
        while self._fill():
            pass
        data, self._buffer = self._buffer, b""
        return data

    def is_at_end(self):
        """Whether the peer closes the connection without sending more."""
        return not self._buffer and not self._fill()

    def _until(self, mark):
        while mark not in self._buffer:
            if not self._fill():
                raise Truncated(self._buffer)
        data, self._buffer = self._buffer.split(mark, 1)
        return data

    def _exactly(self, count):
        while len(self._buffer) < count:
            if not self._fill():
                raise Truncated(self._buffer)
        data, self._buffer = self._buffer[:count], self._buffer[count:]
        return data

    def _fill(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self._buffer += data
        return bool(data)
