"""Realtime sessions of a WebSocket client that isn't the SDK's."""

import json

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

MODEL = "gpt-realtime"
TRANSCRIBER = "gpt-4o-mini-transcribe"
PATH = f"/v1/realtime?model={MODEL}"
SMALLEST_BOUND = 4096
"""The tokens that every response of the model may need: its largest output."""


def open_session(server, client="acme", path=PATH, headers=(), **options):
    """A session whose first message is taken."""
    fields = {"authorization": f"Bearer {server.key(client)}", **dict(headers)}
    url = server.url.replace("http", "ws", 1)
    options.setdefault("additional_headers", fields)
    session = connect(f"{url}{path}", proxy=None, **options)
    assert receive(session)["type"] == "session.created"
    return session


def receive(session):
    return json.loads(session.recv(timeout=20))


def send(connection, type_, **members):
    connection.send(json.dumps({"type": type_, **members}))


def receive_until(session, type_):
    while True:
        event = receive(session)
        if event["type"] == type_:
            return event


def respond(session):
    send(session, "response.create")
    return receive_until(session, "response.done")


def end_of(session):
    """The close frame that ends a session, after whatever comes before it."""
    events = []
    with pytest.raises(ConnectionClosed) as caught:
        while True:
            events.append(receive(session))
    return caught.value.rcvd, events


def refusal(server, **options):
    with pytest.raises(InvalidStatus) as caught:
        open_session(server, **options)
    answer = caught.value.response
    return answer.status_code, json.loads(answer.body) if answer.body else None


def say(text):
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "user", "content": content}
