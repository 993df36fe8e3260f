"""A provider that writes down what reaches it, request by request, with a parser of its own."""

import json
import socket
import threading
from dataclasses import dataclass, field

ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1795000000,
    "model": "gpt-4o-mini",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}


@dataclass
class Seen:
    """A request as the provider understood it."""

    method: str
    target: str
    body: bytes
    fields: list = field(compare=False)
    """Names and values as they came; proxies may differ in what they add."""

    def values(self, name):
        return [value for seen, value in self.fields if seen.lower() == name]


class RecordingServer:
    def __init__(self):
        self.requests = []
        self.answer = (200, ANSWER)
        """The status and the content of each answer, and its fields if it has some of its own."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def taken(self):
        """The requests since the last call."""
        taken, self.requests = self.requests, []
        return taken

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
                while self._serve_one(connection, stream):
                    pass
            except (OSError, EOFError):
                pass

    def _serve_one(self, connection, stream):
        line = stream.readline()
        if not line:
            return False
        method, target, _ = line.decode("latin-1").rstrip("\r\n").split(" ", 2)
        fields = []
        while (line := stream.readline()) != b"\r\n":
            if not line:
                raise EOFError
            name, _, value = line.decode("latin-1").rstrip("\r\n").partition(":")
            fields.append((name, value.strip()))
        seen = Seen(method, target, b"", fields)
        seen.body = self._body(seen, stream)
        self.requests.append(seen)
        status, answer, *own = self.answer
        # Bytes are a stream of events.
        is_stream = isinstance(answer, bytes)
        content = answer if is_stream else json.dumps(answer).encode()
        kind = "text/event-stream" if is_stream else "application/json"
        head = f"HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\n"
        if own:
            lines = "".join(f"{name}: {value}\r\n" for name, value in own[0].items())
            head = f"HTTP/1.1 {status} Status\r\n{lines}"
        head += f"content-length: {len(content)}\r\n\r\n"
        connection.sendall(head.encode() + content)
        return True

    def _body(self, seen, stream):
        if seen.values("transfer-encoding"):
            return b"".join(self._chunks(stream))
        length = int((seen.values("content-length") or ["0"])[0])
        return self._exactly(stream, length)

    def _chunks(self, stream):
        while size := int(stream.readline().partition(b";")[0], 16):
            yield self._exactly(stream, size)
            stream.readline()
        while stream.readline().strip():
            pass

    def _exactly(self, stream, length):
        data = stream.read(length)
        if len(data) < length:
            raise EOFError
        return data
