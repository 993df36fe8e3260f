"""Callers of the API: clients of the server, and the operator, who asks the account directly."""

import itertools
import json
import uuid
from urllib.parse import urlsplit

from harness.raw_http import Connection, Truncated

BOUNDARY = "walls"
AT_ONCE = {"x-work": json.dumps({"instant": True})}
MARK = "x-mark"


class Caller:
    """One who calls the API. Each request has a mark of its own, by which the account knows it."""

    _marks = itertools.count(1)

    def __init__(self, url, account, key=None):
        address = urlsplit(url)
        self._address = address.hostname, address.port
        self._account = account
        self._key = key
        self._connection = None

    def close(self):
        if self._connection:
            self._connection.socket.close()
            self._connection = None

    def call(self, method, path, body=None, headers=(), at="/v1"):
        """Sends a request below `/v1` or a provider's path; a body is JSON, bytes, or a `Form`."""
        mark = self._send(method, f"{at}{path}", body, headers)
        try:
            answer = self._connection.answer()
        except Truncated:
            self.close()
            raise
        if answer.fields.get("connection", "").lower() == "close":
            self.close()
        return Reply(answer, mark, self._account)

    def done(self, method, path, body=None, headers=()):
        """The JSON of a good answer."""
        reply = self.call(method, path, body, headers)
        assert 200 <= reply.status < 300, (method, path, body, reply.status, reply.body)
        return reply.json()

    def begin(self, method, path, body, headers=()):
        """Sends a request whose answer is a stream."""
        self._send(method, f"/v1{path}", body, headers)
        status, _ = self._connection.head()
        assert status == 200, (path, status)
        return Stream(self._connection.chunks())

    def _send(self, method, path, body, headers):
        mark = str(next(self._marks))
        fields = {**AT_ONCE, MARK: mark, **dict(headers)}
        if isinstance(body, Form):
            fields["content-type"] = f"multipart/form-data; boundary={BOUNDARY}"
            body = body.bytes
        self._connection = self._connection or Connection(*self._address)
        request = self._connection.request(method, path, body, self._key, fields)
        self._connection.send(request)
        return mark

    def new_prompt(self):
        """A template; only the account's own pages make them."""
        return self._account.prompts.add()


class Reply:
    def __init__(self, answer, mark, account):
        self.status, self.fields, self.body = answer.status, answer.fields, answer.body
        self.json = answer.json
        self._mark = mark
        self._account = account

    @property
    def arrivals(self):
        """The requests that reached the account for it."""
        requests = reversed(self._account.requests)
        return [each for each in requests if each.fields.get(MARK) == self._mark]

    def __repr__(self):
        return f"{self.status} {self.body[:400]!r}, forwarded {len(self.arrivals)} times"


class Stream:
    """An answer of which a part has come."""

    def __init__(self, chunks):
        self.chunks = chunks

    def end(self):
        """Reads the rest, so that the connection is free again."""
        for _ in self.chunks:
            pass


class Form:
    """A multipart form of fields, and of one file in the part named `file`, `data` or `files`."""

    def __init__(self, **parts):
        body = b""
        for name, content in parts.items():
            content = content if isinstance(content, bytes) else content.encode()
            file = '; filename="x.txt"' if name in ("file", "data", "files") else ""
            head = f'--{BOUNDARY}\r\ncontent-disposition: form-data; name="{name}"{file}\r\n\r\n'
            body += head.encode() + content + b"\r\n"
        self.bytes = body + f"--{BOUNDARY}--\r\n".encode()


def unknown_like(id):
    """An id of the same form that nobody ever gave."""
    if id.startswith("ft:"):
        return f"{id.rpartition(':')[0]}:{uuid.uuid4().hex[:12]}"
    mark = "_" if "_" in id else "-"
    prefix, _, rest = id.partition(mark)
    return f"{prefix}{mark}{uuid.uuid4().hex[: len(rest)]}" if rest else uuid.uuid4().hex
