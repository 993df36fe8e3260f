"""Bad input gets a clear error in OpenAI's shape, reaches no provider and costs nothing."""

import json

import pytest
from harness.raw_http import Connection

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
CHAT = "/v1/chat/completions"
BODY_LIMIT = 64 << 10
HEADER_LIMIT = 16 << 10

MALFORMED = {
    "not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
    "no version": b"GET /v1/models\r\n\r\n",
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "bare line feeds": b"GET /healthz HTTP/1.1\nhost: a\n\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
    "space before the colon": b"GET /healthz HTTP/1.1\r\nhost: a\r\nx : y\r\n\r\n",
    "folded field": b"GET /healthz HTTP/1.1\r\nhost: a\r\nx: y\r\n z\r\n\r\n",
    "length and chunks": b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n"
    b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n"
    b"content-length: 5\r\ncontent-length: 5\r\n\r\nhello",
    "signed length": b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: +5\r\n\r\n",
    "tunnel": b"CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n",
}


@pytest.fixture
def strict(catraca):
    """A server with small limits."""
    catraca.configuration.settings["limits"] = {
        "request_body": "64KiB",
        "header": "16KiB",
        "header_timeout": "300ms",
    }
    catraca.configuration.add_client("narrow", models=["llama-*"])
    catraca.configuration.add_client("texts", models=["gpt-4o*"])
    catraca.configuration.add_client("responder", operations=["responses"])
    catraca.configuration.add_client("chatter", operations=["chat"])
    catraca.configuration.add_client("compounds", models=["groq/compound*"])
    catraca.configuration.add_client("late", expires="2020-01-01")
    return catraca.start()


def assert_nothing_happened(strict, sandbox):
    assert sandbox.journal() == []
    assert strict.ledger.usage() == []
    assert strict.ledger.in_flight() == []


def assert_refused(answer, status, code):
    assert answer.status == status
    assert answer.fields["content-type"] == "application/json"
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"] and error["type"]
    if code:
        assert error["code"] == code


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_http_is_refused_and_the_connection_closed(strict, sandbox, case):
    with strict.connect() as connection:
        connection.send(MALFORMED[case])
        answer = connection.answer()
        assert_refused(answer, {"HTTP/2 preface": 505, "tunnel": 501}.get(case, 400), None)
        assert connection.is_at_end()
    assert_nothing_happened(strict, sandbox)


@pytest.mark.parametrize(
    "body",
    [b"zz\r\n", b"5\r\nhello", b"5\r\nhelloworld\r\n", b"ffffffffffffffffff\r\n"],
    ids=["no size", "no end", "wrong end", "overflow"],
)
def test_broken_chunks_are_refused_and_the_connection_closed(strict, sandbox, body):
    head = f"POST {CHAT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {strict.key()}\r\n"
    with strict.connect() as connection:
        connection.send(head.encode() + b"transfer-encoding: chunked\r\n\r\n" + body)
        if body == b"5\r\nhello":
            connection.socket.shutdown(1)
            connection.rest()
        else:
            assert_refused(connection.answer(), 400, None)
            assert connection.is_at_end()
    assert_nothing_happened(strict, sandbox)


def test_an_oversized_header_is_431(strict, sandbox):
    with strict.connect() as connection:
        connection.send(connection.request("GET", "/healthz", headers={"x": "y" * HEADER_LIMIT}))
        assert_refused(connection.answer(), 431, None)
    assert_nothing_happened(strict, sandbox)


@pytest.mark.parametrize("framing", ["sized", "chunked"])
def test_an_oversized_body_is_413(strict, sandbox, framing):
    body = json.dumps({**BODY, "pad": "x" * BODY_LIMIT}).encode()
    with strict.connect() as connection:
        if framing == "sized":
            answer = connection.post(CHAT, body, strict.key())
        else:
            chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
            head = connection.request(
                "POST", CHAT, key=strict.key(), headers={"transfer-encoding": "chunked"}
            )
            connection.send(head + chunk)
            answer = connection.answer()
        assert_refused(answer, 413, "request_too_large")
    assert_nothing_happened(strict, sandbox)


@pytest.mark.parametrize(
    "beginning", [b"GET", b"GET /healthz HTTP/1.1\r\nhost: a\r\n"], ids=["line", "fields"]
)
def test_a_slow_header_is_408(strict, sandbox, beginning):
    with strict.connect() as connection:
        connection.send(beginning)
        assert_refused(connection.answer(), 408, "request_timeout")
        assert connection.is_at_end()
    assert_nothing_happened(strict, sandbox)


def chat(**changes):
    return {**BODY, **changes}


NAMESPACE = {"type": "namespace", "name": "n", "tools": [{"type": "image_generation"}]}

REFUSED = {
    # name: path, body, client, status, code, param
    "broken JSON": (CHAT, b'{"model": "gpt-4o-mini", ', "acme", 400, "invalid_json", None),
    "no JSON": (CHAT, b"model=gpt-4o-mini", "acme", 400, "invalid_json", None),
    "an array": (CHAT, b"[]", "acme", 400, "invalid_json", None),
    "no body": (CHAT, b"", "acme", 400, "invalid_json", None),
    "a repeated key": (
        CHAT,
        b'{"model":"gpt-4o-mini","messages":[],"model":"gpt-4o"}',
        "acme",
        400,
        "invalid_json",
        "model",
    ),
    "a repeated key, escaped": (
        CHAT,
        b'{"model":"gpt-4o-mini","messages":[],"\\u006dodel":"gpt-4o"}',
        "acme",
        400,
        "invalid_json",
        "model",
    ),
    "invalid UTF-8": (
        CHAT,
        b'{"model":"gpt-4o-mini","x":"\xff"}',
        "acme",
        400,
        "invalid_json",
        None,
    ),
    "no model": (CHAT, {"messages": []}, "acme", 400, "invalid_json", "model"),
    "a model that is no text": (CHAT, chat(model=7), "acme", 400, "invalid_json", "model"),
    "n of zero": (CHAT, chat(n=0), "acme", 400, "invalid_json", "n"),
    "a stream that is no boolean": (
        CHAT,
        chat(stream="yes"),
        "acme",
        400,
        "invalid_json",
        "stream",
    ),
    "an unknown model": (CHAT, chat(model="gpt-99"), "acme", 400, "model_not_priced", "model"),
    "a model of another key": (CHAT, BODY, "narrow", 403, "model_not_allowed", "model"),
    "a tool's model of another key": (
        "/v1/responses",
        {"model": "gpt-4o-mini", "input": "x", "tools": [{"type": "image_generation"}]},
        "texts",
        403,
        "model_not_allowed",
        "model",
    ),
    "a tool's model of another key, in a namespace": (
        "/v1/responses",
        {"model": "gpt-4o-mini", "input": "x", "tools": [NAMESPACE]},
        "texts",
        403,
        "model_not_allowed",
        "model",
    ),
    "a tool's model of another key, in capitals": (
        "/v1/responses",
        {"model": "gpt-4o-mini", "input": "x", "tools": [{"type": "IMAGE_GENERATION"}]},
        "texts",
        400,
        "invalid_json",
        "tools.type",
    ),
    "a count by a model of another key": (
        "/v1/responses/input_tokens",
        {"model": "gpt-4o-mini", "input": "x"},
        "narrow",
        403,
        "model_not_allowed",
        "model",
    ),
    "a count by a tool of another key": (
        "/v1/responses/input_tokens",
        {"model": "gpt-4o-mini", "input": "x", "tools": [NAMESPACE]},
        "texts",
        403,
        "model_not_allowed",
        "model",
    ),
    "a count without a model": (
        "/v1/responses/input_tokens",
        {"input": "x"},
        "texts",
        400,
        "invalid_json",
        "model",
    ),
    "a count of another kind of work": (
        "/v1/responses/input_tokens",
        {"model": "gpt-4o-mini", "input": "x"},
        "chatter",
        403,
        "operation_not_allowed",
        None,
    ),
    "a tool's work of another key": (
        "/v1/responses",
        {"model": "gpt-4o-mini", "input": "x", "tools": [{"type": "image_generation"}]},
        "responder",
        403,
        "operation_not_allowed",
        None,
    ),
    "a compound's model of another key": (
        "/groq/openai" + CHAT,
        {
            "model": "groq/compound",
            "messages": [],
            "compound_custom": {"models": {"answering_model": "llama-3.3-70b-versatile"}},
        },
        "compounds",
        403,
        "model_not_allowed",
        "model",
    ),
    "an expired key": (CHAT, BODY, "late", 401, "invalid_api_key", None),
    "an unknown provider": ("/mistral" + CHAT, BODY, "acme", 404, "unknown_provider", None),
    "an unmetered endpoint": (
        "/v1/fine_tuning/jobs",
        BODY,
        "acme",
        403,
        "endpoint_not_metered",
        None,
    ),
    "a way around": (
        "/v1/realtime/client_secrets",
        {},
        "acme",
        403,
        "endpoint_not_metered",
        None,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_request_that_cannot_be_metered_is_refused(strict, sandbox, case):
    path, body, client, status, code, param = REFUSED[case]
    answer = strict.post(body, path, client)
    assert_refused(answer, status, code)
    assert answer.json()["error"]["param"] == param
    assert answer.fields["x-catraca-request-id"]
    assert_nothing_happened(strict, sandbox)


def test_who_has_no_key_is_not_told_which_providers_there_are(strict):
    with strict.connect() as connection:
        assert_refused(connection.post("/mistral" + CHAT, BODY), 401, "invalid_api_key")


def test_health_is_read_and_nothing_else(strict):
    with strict.connect() as connection:
        answer = connection.post("/healthz", {})
        assert_refused(answer, 405, "method_not_allowed")
        assert answer.fields["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "field",
    [None, "Bearer sk-ctr-unknown", "Basic YTpi", "Bearer ", "bearer"],
    ids=["missing", "unknown", "basic", "empty", "word"],
)
def test_a_request_without_a_valid_key_is_401(strict, sandbox, field):
    headers = {"authorization": field} if field else {}
    with strict.connect() as connection:
        assert_refused(connection.post(CHAT, BODY, headers=headers), 401, "invalid_api_key")
    assert_nothing_happened(strict, sandbox)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/../v1/chat/completions",
        "/v1/chat%2fcompletions",
        "/v1//chat/completions",
        "/v1/chat/completions/",
        "/v1/./chat/completions",
        "/nothing",
    ],
)
def test_a_path_in_disguise_is_not_forwarded(strict, sandbox, path):
    assert strict.post(BODY, path).status in (400, 403, 404)
    assert_nothing_happened(strict, sandbox)


def test_no_error_shows_a_secret(strict):
    secrets = ["sk-provider-oai1", "gsk-provider-grq1", strict.key()]
    strict.post(BODY)
    strict.post(chat(model="gpt-99"))
    text = json.dumps(strict.process.log) + strict.process.stderr_path.read_text()
    assert not [secret for secret in secrets if secret in text]


def test_a_server_survives_all_of_it(strict):
    for data in MALFORMED.values():
        with Connection(strict.host, strict.port) as connection:
            connection.send(data)
            connection.rest()
    assert strict.post(BODY).status == 200
