"""However a client ends its connection, the process serves everybody else.

CATRACA_ENDINGS_SEED repeats the sampled places of a run."""

import json
import os
import random
import socket
import ssl

import pytest
from harness.certificate import make_certificate
from harness.endings import ALL_ENDINGS, ENDINGS, EndingClient, every_place, framings
from harness.endings import read, reset, some_places
from harness.metrics import Metrics
from harness.raw_http import Connection
from harness.realtime import MODEL, PATH
from harness.routes import LIVE_EVENTS, api_routes, page_routes, provider_routes
from harness.secrets import without_announcement
from harness.waiting import eventually

SEED = int(os.environ.get("CATRACA_ENDINGS_SEED", random.randrange(1 << 32)))
BUDGET = {"name": "all", "tokens": 1 << 40, "period": "total"}
PAUSE = 0.2
"""Seconds after which an answer without an end counts as read."""

CHAT = "/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "Hello"}]
BODIES = {
    CHAT: {"model": "gpt-4o-mini", "messages": MESSAGES},
    "/v1/responses": {"model": "gpt-4o-mini", "input": "Hello"},
    "/v1/embeddings": {"model": "text-embedding-3-small", "input": "Hello"},
    "/v1/audio/speech": {"model": "tts-1", "input": "Hello", "voice": "alloy"},
    "/v1/images/generations": {"model": "gpt-image-1", "prompt": "A cat"},
}
FORMS = {"/dashboard/sign-in": b"token=wrong&back=%2F"}
UPGRADE = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}
HALF_BODIES = {
    "sized": b"content-length: 5\r\n\r\nx",
    "chunked": b"transfer-encoding: chunked\r\n\r\n5\r\nx",
}


@pytest.fixture
def server(catraca, configuration):
    """A server whose client has a budget, so that what is held can be seen."""
    configuration.add_client("acme", [BUDGET])
    configuration.settings["log"]["level"] = "info"
    return catraca


def test_half_a_body_of_a_nameless_client_ends_its_own_connection_alone(server):
    server.start()
    paths = {
        "proxy": ["/healthz", "/api/v1/usage", "/widget", CHAT],
        "admin": ["/healthz", "/metrics", "/api/v1/plans", "/dashboard/sign-in", "/widget"],
    }
    for listener, path in [(name, path) for name, list_ in paths.items() for path in list_]:
        for ending in ENDINGS.values():
            for half in HALF_BODIES.values():
                with socket.create_connection(server.process.address(listener), 20) as connection:
                    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\n".encode()
                    connection.sendall(head + half)
                    ending(connection)
                assert server.process.is_running(), (listener, path, ending)
    assert_unharmed(server)


EXHAUSTIVE = [
    ("proxy", "GET", "/healthz"),
    ("proxy", "GET", "/widget"),
    ("proxy", "POST", CHAT),
    ("admin", "GET", "/healthz"),
    ("admin", "POST", "/dashboard/sign-in"),
    ("admin", "POST", "/api/admin/credits"),
]


def test_a_connection_may_end_at_every_byte_of_these_requests_and_answers(server, tokens):
    server.start()
    client = EndingClient(server)
    for listener, method, path in EXHAUSTIVE:
        fields = authorization(server, tokens, listener)
        for framing, request in framings(method, path, body_of(path), fields).items():
            # The answer is the same, however the request was framed.
            size = client.answer_size(listener, request) if framing == "sized" else 0
            places = every_place(request, size)
            client.run((listener, request, place, end) for place in places for end in ENDINGS)
    assert_unharmed(server)


def test_a_connection_may_end_within_every_route_of_both_listeners(server, tokens):
    print(f"seed {SEED}")
    choices = random.Random(SEED)
    server.start()
    client = EndingClient(server)
    cookie = session_cookie(server, tokens)
    api = api_routes(server.admin(tokens["admin"]))
    routes = {"proxy": provider_routes() + api + page_routes(), "admin": api + page_routes()}
    attempts = []
    for listener, (method, path) in [(name, route) for name in routes for route in routes[name]]:
        named = authorization(server, tokens, listener, cookie, path)
        for fields in [{}, named]:
            request = choices.choice(list(framings(method, path, body_of(path), fields).values()))
            pause = PAUSE if (method, path) == LIVE_EVENTS else 20
            size = client.answer_size(listener, request, pause)
            for place in some_places(choices, 6, request, size):
                attempts.append((listener, request, place, choices.choice(ALL_ENDINGS)))
    choices.shuffle(attempts)
    client.run(attempts)
    assert_unharmed(server)


def test_a_stream_may_be_left_at_any_byte(server):
    print(f"seed {SEED}")
    choices = random.Random(SEED)
    server.start()
    client = EndingClient(server)
    body = json.dumps({**BODIES[CHAT], "stream": True}).encode()
    fields = authorization(server, {}, "proxy")
    for request in framings("POST", CHAT, body, fields).values():
        size = client.answer_size("proxy", request)
        places = [("answer", choices.randint(1, size)) for _ in range(120)]
        client.run(("proxy", request, place, choices.choice(ALL_ENDINGS)) for place in places)
    assert_unharmed(server)


def test_a_session_may_end_at_every_byte_of_its_upgrade_and_of_its_first_message(server):
    print(f"seed {SEED}")
    choices = random.Random(SEED)
    server.start()
    client = EndingClient(server)
    fields = authorization(server, {}, "proxy") | UPGRADE
    head = ["GET " + PATH + " HTTP/1.1", "host: localhost"]
    head += [f"{name}: {value}" for name, value in fields.items()]
    upgrade = "\r\n".join([*head, "", ""]).encode()
    whole = upgrade + frame(json.dumps({"type": "response.create"}).encode())
    places = [("request", count) for count in range(len(whole) + 1)]
    client.run(("proxy", whole, place, choices.choice(ALL_ENDINGS)) for place in places)
    size = client.answer_size("proxy", whole, PAUSE, closes=False)
    places = [("answer", count) for count in range(1, size + 1, 7)]
    client.run(("proxy", whole, place, choices.choice(ALL_ENDINGS)) for place in places)
    assert_unharmed(server)
    assert MODEL in {row["model"] for row in server.ledger.usage()}


def test_a_connection_with_tls_may_end_within_its_handshake_and_its_requests(server, tokens):
    print(f"seed {SEED}")
    choices = random.Random(SEED)
    make_certificate(server.configuration.folder)
    for listener in ("proxy", "admin"):
        files = {"certificate": "tls.crt", "key": "tls.key"}
        server.configuration.settings[listener]["tls"] = files
    server.start()
    context = ssl.create_default_context(cafile=server.configuration.folder / "tls.crt")
    hello = client_hello(context)
    client = EndingClient(server)
    for listener in ("proxy", "admin"):
        places = [("request", count) for count in range(0, len(hello) + 1, 3)]
        size = client.answer_size(listener, hello, PAUSE, closes=False)
        places += [("answer", count) for count in range(1, size + 1, 25)]
        client.run((listener, hello, place, choices.choice(ALL_ENDINGS)) for place in places)
        for path in ["/healthz", "/widget", "/dashboard/sign-in", CHAT]:
            for request in framings("POST", path, body_of(path)).values():
                for _ in range(5):
                    end_within_tls(server, context, listener, request, choices)
    assert_unharmed(server, context)


def end_within_tls(server, context, listener, request, choices):
    """Breaks the connection below TLS, so that no alert says that this is the end."""
    plain = socket.create_connection(server.process.address(listener), 20)
    secure = context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=True)
    try:
        if choices.random() < 0.5:
            secure.sendall(request[: choices.randint(0, len(request))])
        else:
            secure.sendall(request)
            read(secure, choices.randint(1, 300))
    except ConnectionError:
        pass  # The server may answer and close before it has read everything.
    below = socket.socket(fileno=secure.detach())
    choices.choice([socket.socket.close, reset])(below)


def client_hello(context):
    """The bytes that a client begins a connection with TLS with."""
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def frame(payload):
    """A text message of a client as one frame of a WebSocket, with a mask that changes nothing."""
    assert len(payload) < 126
    return bytes([0x81, 0x80 | len(payload)]) + bytes(4) + payload


def body_of(path):
    if path in FORMS:
        return FORMS[path]
    return json.dumps(BODIES.get(path, {"name": "unknown", "client_id": "nobody"})).encode()


def authorization(server, tokens, listener, cookie=None, path=""):
    """Of a client at the proxy; of an administrator, as pages or the API want it, at the other."""
    if listener == "proxy":
        return {"authorization": f"Bearer {server.key()}"}
    if cookie and not path.startswith("/api/"):
        return {"cookie": cookie}
    return {"authorization": f"Bearer {tokens['admin']}"}


def session_cookie(server, tokens):
    host, port = server.process.address("admin")
    with Connection(host, port) as connection:
        form = f"token={tokens['admin']}".encode()
        fields = {"content-type": "application/x-www-form-urlencoded"}
        answer = connection.post("/dashboard/sign-in", form, headers=fields)
    return answer.fields["set-cookie"].split(";")[0]


def assert_unharmed(server, context=None):
    """The process lives, both listeners answer, and nothing of any request is left."""
    assert server.process.is_running(), server.process.complaints()
    for listener in ("proxy", "admin"):
        assert get(server, listener, "/healthz", context).status == 200
    eventually(lambda: is_at_rest(server, context), "no request, hold or connection is left")
    eventually(lambda: not server.ledger.in_flight(), "no intent is left")
    assert without_announcement(server.process.stderr_path.read_bytes()) == b""


def is_at_rest(server, context):
    metrics = Metrics(get(server, "admin", "/metrics", context).body.decode())
    # The one connection is that on which this is asked.
    return (
        metrics.sum("catraca_requests_in_flight") == 0
        and metrics.sum("catraca_budget_held_tokens") == 0
        and metrics.sum("catraca_connections") == 1
    )


def get(server, listener, path, context=None):
    def wrap(plain):
        return context.wrap_socket(plain, server_hostname="localhost")

    host, port = server.process.address(listener)
    with Connection(host, port, wrap=context and wrap) as connection:
        return connection.get(path)
