"""Those whom alerts are sent to: a web server and a mail server of the test's own."""

import asyncio
import hashlib
import hmac
import json
import threading
from dataclasses import dataclass
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.smtp import SMTP, AuthResult

from .waiting import eventually


@dataclass
class Delivery:
    path: str
    fields: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    @property
    def id(self):
        return self.fields["x-catraca-delivery"]

    def is_signed_with(self, secret):
        """Whether the signature is HMAC-SHA256 over time, a point and the body."""
        parts = dict(part.split("=") for part in self.fields["x-catraca-signature"].split(","))
        signed = parts["t"].encode() + b"." + self.body
        code = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        return hmac.compare_digest(parts["v1"], code)


class WebReceiver:
    """Keeps what is posted to it, and answers the statuses in `answers`, then 200."""

    def __init__(self, port=0):
        self.deliveries = []
        self.answers = []
        self.fields = {}
        self.body = b"ok"
        self.may_answer = threading.Event()
        self.may_answer.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                fields = {name.lower(): value for name, value in self.headers.items()}
                receiver.deliveries.append(Delivery(self.path, fields, body))
                receiver.may_answer.wait()
                self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
                for name, value in receiver.fields.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(receiver.body)))
                self.end_headers()
                self.wfile.write(receiver.body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def received(self, count):
        """All deliveries, once there are `count`."""
        eventually(lambda: len(self.deliveries) >= count, f"{count} deliveries")
        assert len(self.deliveries) == count, self.deliveries
        return list(self.deliveries)

    def told(self, count):
        """All messages, once there are `count`. A message that was delivered just before a kill may
        be delivered again, under the same id: it is one message."""

        def messages():
            return {delivery.id: delivery.json() for delivery in list(self.deliveries)}

        eventually(lambda: len(messages()) >= count, f"{count} messages")
        assert len(messages()) == count, self.deliveries
        return list(messages().values())

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class MailReceiver:
    """Keeps the messages that it is sent.

    With `context` it offers STARTTLS, or speaks TLS from the start; with `credentials` (a name and
    a password) it wants a sign-in.
    """

    def __init__(self, context=None, is_implicit=False, credentials=None):
        self.messages = []
        self.envelopes = []
        receiver = self

        class Handler:
            async def handle_DATA(self, server, session, envelope):
                receiver.envelopes.append(envelope)
                receiver.messages.append(
                    message_from_bytes(envelope.content, policy=policy.default)
                )
                return "250 taken"

        def sign_in(server, session, envelope, mechanism, given):
            is_right = (given.login.decode(), given.password.decode()) == credentials
            return AuthResult(success=is_right)

        options = {"require_starttls": bool(context) and not is_implicit}
        if credentials:
            options |= {
                "authenticator": sign_in,
                "auth_required": True,
                "auth_require_tls": bool(context) and not is_implicit,
            }
        if context and not is_implicit:
            options["tls_context"] = context

        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        listening = self._loop.create_server(
            lambda: SMTP(Handler(), loop=self._loop, enable_SMTPUTF8=True, **options),
            "127.0.0.1",
            0,
            ssl=context if is_implicit else None,
        )
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"{'smtps' if is_implicit else 'smtp'}://localhost:{port}"

    def message(self):
        eventually(lambda: self.messages, "a message")
        [message] = self.messages
        return message

    def close(self):
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
