"""A client receives the bytes that the provider would have sent it."""

import json
import socket

import pytest
from harness.raw_http import Connection
from harness.sandbox import script

MESSAGES = [{"role": "user", "content": 'Say "usage":null and data: [DONE]'}]
OPENAI = {"model": "gpt-4o-mini", "messages": MESSAGES}
GROQ = {"model": "llama-3.1-8b-instant", "messages": MESSAGES}
USAGE = {"stream_options": {"include_usage": True}}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]

# name: the path at Catraca, the path at the provider, the body, the script
CASES = {
    "openai": ("/v1", "/v1", OPENAI, {}),
    "openai, usage asked": ("/v1", "/v1", {**OPENAI, **USAGE}, {}),
    "openai, usage declined": (
        "/v1",
        "/v1",
        {**OPENAI, "stream_options": {"include_usage": False}},
        {},
    ),
    "openai, other options": (
        "/v1",
        "/v1",
        {**OPENAI, "stream_options": {"include_obfuscation": False}},
        {},
    ),
    "openai, echo of what looks like framing": ("/v1", "/v1", OPENAI, {"echo": True}),
    "openai, three choices": ("/v1", "/v1", {**OPENAI, "n": 3}, {}),
    "openai, tools": (
        "/openai/v1",
        "/v1",
        {**OPENAI, "tools": TOOLS, "tool_choice": "required"},
        {},
    ),
    "openai, large chunks": ("/v1", "/v1", OPENAI, {"chunks": 40, "chunk_bytes": 50_000}),
    "openai, no [DONE]": ("/v1", "/v1", OPENAI, {"end_without_done": True}),
    "openai, no usage": ("/v1", "/v1", OPENAI, {"no_usage": True}),
    "openai, error in the midst": ("/v1", "/v1", OPENAI, {"error_midstream": True}),
    "groq": ("/groq/openai/v1", "/openai/v1", GROQ, {}),
    "groq, short path": ("/groq/v1", "/openai/v1", GROQ, {}),
    "groq, usage asked": ("/groq/openai/v1", "/openai/v1", {**GROQ, **USAGE}, {}),
    "groq, no usage": ("/groq/openai/v1", "/openai/v1", GROQ, {"no_usage": True}),
}


def direct(sandbox, path, body, headers):
    with Connection(sandbox.host, sandbox.port) as connection:
        return connection.post(path, body, "any-key", headers)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
@pytest.mark.parametrize("case", CASES)
def test_the_body_is_the_providers(running, sandbox, case, stream):
    ours, theirs, body, values = CASES[case]
    body = {**body, "stream": stream}
    if not stream:
        body.pop("stream_options", None)
    headers = script(seed=7, **values)
    expected = direct(sandbox, f"{theirs}/chat/completions", body, headers)
    received = running.post(body, f"{ours}/chat/completions", headers=headers)
    assert received.body == expected.body
    assert received.status == expected.status
    differing = {"x-request-id", "content-length", "connection"}
    for name, value in expected.fields.items():
        assert name in differing or received.fields[name] == value, name
    assert len(running.ledger.usage()) == 1


def test_a_client_that_takes_little_at_a_time_gets_every_byte(running, sandbox):
    """Of events that are larger than what the system takes at once."""
    body = {**OPENAI, "stream": True}
    headers = script(seed=7, chunks=3, chunk_bytes=6_000_000)
    expected = direct(sandbox, "/v1/chat/completions", body, headers)
    assert len(expected.body) > 18_000_000
    with running.connect() as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        received = connection.post("/v1/chat/completions", body, running.key(), headers)
    assert received.body == expected.body


def test_a_body_passes_to_the_provider_as_it_was_written(running, sandbox):
    body = b'{ "model":"gpt-4o-mini" ,\n"messages":[{"role":"user","content":"\\u00e7"}], "x":1e2}'
    running.post(body)
    assert sandbox.journal()[0]["body"].encode() == body


def test_asking_for_usage_changes_nothing_else_of_a_body(running, sandbox):
    body = json.dumps({**OPENAI, "stream": True, "seed": 12345678901234567890}, indent=3).encode()
    running.post(body)
    sent = sandbox.journal()[0]["body"]
    assert json.loads(sent).pop("stream_options") == {"include_usage": True}
    member = '"stream_options":{"include_usage":true}'
    assert sent.replace(member, "").replace(",", "") == body.decode().replace(",", "")
