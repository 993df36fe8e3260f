"""Calls of the admin API."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass

from .configuration import PROVIDER_SECRETS, new_key


@dataclass
class Reply:
    status: int
    fields: dict
    text: str

    def json(self):
        return json.loads(self.text)

    @property
    def error(self):
        return self.json()["error"]

    @property
    def code(self):
        return self.error["code"]


class Admin:
    """The admin listener of a server, with a token of either role or a client's key."""

    def __init__(self, url, token):
        self.url = url
        self.token = token

    def call(self, method, path, body=None, headers=(), data=None):
        reply = self._send(method, path, body, headers, data)
        PROVIDER_SECRETS.assert_absent(path, f"{reply.fields}{reply.text}".encode())
        return reply

    def _send(self, method, path, body, headers, data):
        if body is not None:
            data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, method=method)
        if self.token:
            request.add_header("authorization", f"Bearer {self.token}")
        if data is not None:
            request.add_header("content-type", "application/json")
        for name, value in dict(headers).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return Reply(answer.status, dict(answer.headers), answer.read().decode())
        except urllib.error.HTTPError as answer:
            return Reply(answer.code, dict(answer.headers), answer.read().decode())

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body=None, **options):
        return self.call("POST", path, {} if body is None else body, **options)

    def patch(self, path, body):
        return self.call("PATCH", path, body)

    def delete(self, path):
        return self.call("DELETE", path)

    def done(self, method, path, body=None, status=200):
        """Makes a call that must succeed; returns what it answers."""
        reply = self.call(method, path, body)
        assert reply.status == status, reply
        return reply.json() if reply.text else None


def add_tokens(configuration):
    """Declares a token of each role, and returns them by role."""
    tokens = {}
    declared = configuration.settings["admin"].setdefault("tokens", [])
    for role in ["admin", "viewer"]:
        tokens[role], digest = new_key()
        declared.append({"name": role, "role": role, "sha256": digest})
    return tokens
