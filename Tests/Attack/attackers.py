"""Common parts of the attacks: requests that end early, and the comparison with the truth."""

import json
import random
import select
import socket
import struct
import time

from harness.raw_http import Connection
from harness.waiting import eventually

MODELS = ["gpt-4o-mini", "gpt-5-mini"]


def seeded(name):
    """Chance that is the same in every run; its seed is in the name."""
    return random.Random(name)


class Attacker:
    """One client of the server. Each of its requests has a user of its own: `CLIENT-NUMBER`."""

    def __init__(self, server, client):
        self.server, self.client = server, client
        self.key = server.key(client)
        self._count = 0

    def next_user(self):
        self._count += 1
        return f"{self.client}-{self._count}"

    def chat(self, chance, user, **order):
        body = {
            "model": chance.choice(MODELS),
            "messages": [{"role": "user", "content": "Hello turnstile"}],
            "max_completion_tokens": order.get("output", 20),
            "stream": chance.random() < 0.5,
            "user": user,
        }
        return self.request("/v1/chat/completions", body, order)

    def background(self, user, **order):
        body = {
            "model": "gpt-5-mini",
            "input": "Hello turnstile",
            "background": True,
            "max_output_tokens": order.get("output", 20),
            "user": user,
        }
        return self.request("/v1/responses", body, order)

    def batch(self, file, **order):
        body = {
            "input_file_id": file,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
        }
        return self.request("/v1/batches", body, order)

    def batch_file(self, users, output):
        """Uploads a batch's input of one line for each user; returns its id."""
        lines = [
            {
                "custom_id": user,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": {
                    "model": "gpt-4o-mini",
                    "messages": [{"role": "user", "content": "Hello turnstile"}],
                    "max_tokens": output,
                    "user": user,
                },
            }
            for user in users
        ]
        return self.upload("\n".join(map(json.dumps, lines)).encode())

    def upload(self, content):
        form = {"purpose": b"batch", "file": content}
        answer = self.send(self.form("/v1/files", form))
        assert answer.status == 200, answer.body
        return answer.json()["id"]

    def form(self, path, parts, order=None):
        body = b""
        for name, content in parts.items():
            file = '; filename="x.wav"' if name == "file" else ""
            head = f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
            body += head.encode() + content + b"\r\n"
        headers = {"content-type": "multipart/form-data; boundary=b"}
        return self.request(path, body + b"--b--\r\n", order, headers)

    def request(self, path, body, order=None, headers=()):
        headers = {**dict(headers), "x-work": json.dumps(order or {})}
        with self.server.connect() as connection:
            return connection.request("POST", path, body, self.key, headers)

    def send(self, request):
        """Sends a request and waits for its whole answer."""
        with self.server.connect() as connection:
            connection.send(request)
            return connection.answer()

    def hang_up(self, request, after, chance, has_begun=None):
        """Sends a request and ends the connection in one of many ways after a number of seconds.

        The seconds count from the instant at which `has_begun` is true, if it is given.
        """
        with self.server.connect() as connection:
            connection.send(request)
            if has_begun:
                eventually(has_begun, "the account works")
            wait_for_end(connection.socket, after)
            end_somehow(connection.socket, chance)


def wait_for_end(plain, seconds):
    """Reads what comes for so long, or to the end."""
    deadline = time.monotonic() + seconds
    while (rest := deadline - time.monotonic()) > 0:
        readable, _, _ = select.select([plain], [], [], rest)
        if readable and not plain.recv(65536):
            return


def end_somehow(plain, chance):
    way = chance.choice(["close", "half-close", "reset"])
    try:
        if way == "half-close":
            plain.shutdown(socket.SHUT_WR)
        elif way == "reset":
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass  # The server was faster.


def wait_for_rest(server, account):
    """Returns when neither the account nor the server has anything left to do."""
    eventually(lambda: account.truth.is_at_rest, "the end of all work")
    eventually(
        lambda: not server.ledger.in_flight() and not server.ledger.deferred(),
        "the settlement of all requests",
    )


def charged_nano_usd(server, **filters):
    return sum(row["cost_nano_usd"] for row in server.ledger.usage(**filters))


def assert_all_is_paid(server, account, client, users=None):
    """Each request is charged at least what the account did for it, and all of a client's are."""
    truth = account.truth
    for user in users or []:
        [row] = server.ledger.usage(user_id=user)
        assert row["cost_nano_usd"] >= truth.nano_usd(user), (user, row, truth.works(user))
    charged = charged_nano_usd(server, client_id=client)
    assert charged >= truth.nano_usd(client=client), (client, charged)


def assert_not_overspent(server, account, client, limit_usd):
    limit = int(limit_usd * 10**9)
    assert charged_nano_usd(server, client_id=client) <= limit, client
    assert account.truth.nano_usd(client=client) <= limit, client


def assert_audit_agrees(server):
    audit = server.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr


def resident_bytes(server):
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def dollars(amount, **rules):
    """A hard budget that never resets."""
    limit = {"mode": "cost", "cost": str(amount), "currency": "USD"}
    return {"name": "all", "period": "total", **limit, **rules}
