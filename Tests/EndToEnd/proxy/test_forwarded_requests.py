"""The parts of a request that reach the provider: the path that was read, and no header field that
acts on the provider's account."""

import json

import pytest
from harness.catraca import Catraca
from harness.codings import encode
from harness.configuration import Configuration
from harness.objects import assign
from harness.recording_server import ANSWER, RecordingServer
from harness.waiting import eventually

MODEL = {"model": "gpt-4o-mini"}

# Spellings by which a provider could be asked for what stays closed.
DISGUISED = [
    "/v1/x/../realtime/calls",
    "/v1/x/%2e%2e/realtime/calls",
    "/v1/x/..%2frealtime/calls",
    "/v1/x/..%5crealtime/calls",
    "/v1/x/..;/realtime/calls",
    "/v1/./realtime/calls",
    "/v1//realtime/calls",
    "/v1/realtime//calls",
    "/v1/realtime;x=1/calls",
    "/v1/realtime/calls;x",
    "/v1/realtime%2Fcalls",
    "/v1/realtime/%63alls",
    "/v1/realtime/calls%00",
    "/v1/realtime/calls/",
    "/v1/realtime/Calls",
    "/v1/Realtime/calls",
    "/V1/realtime/calls",
    "/openai/v1/x/../../v1/realtime/calls",
    "/openai/../v1/realtime/calls",
    "/v1/agents",
    "/v1/live",
    # Work that is metered must not pass as work that isn't known.
    "/v1/chat/completions/",
    "/v1//chat/completions",
    "/v1/Chat/Completions",
    "/v1/chat/%63ompletions",
    "/v1/vector_stores/../chat/completions",
]


@pytest.fixture(scope="module")
def provider():
    provider = RecordingServer()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory, provider):
    url = f"http://127.0.0.1:{provider.port}/v1"
    configuration = Configuration(
        tmp_path_factory.mktemp("forwarded"),
        {"openai": {"base_url": url, "api_key_env": "TEST_OPENAI_KEY"}},
    )
    configuration.settings["pricing"] = ["pricing/openai.yaml"]
    configuration.settings["metering"] = {"unmetered_endpoints": ["/v1/*"]}
    configuration.add_client("acme")
    configuration.add_client("other")
    catraca = Catraca(configuration).start()
    assign(catraca.ledger, "file-1", "file")
    assign(catraca.ledger, "vs_1", "vector_store")
    yield catraca
    catraca.end()


@pytest.mark.parametrize("path", DISGUISED)
def test_a_wildcard_opens_nothing_in_disguise(house, provider, path):
    provider.taken()
    assert house.post(MODEL, path).status in (400, 403, 404)
    assert provider.taken() == []


@pytest.mark.parametrize("method", ["post", "TRACE", "PUT"])
def test_a_wildcard_opens_no_other_method_of_work(house, provider, method):
    provider.taken()
    with house.connect() as connection:
        connection.send(connection.request(method, "/v1/chat/completions", MODEL, house.key()))
        answer = connection.answer()
    assert (answer.status, answer.code) == (403, "endpoint_not_metered")
    assert provider.taken() == []


@pytest.mark.parametrize(
    ("path", "forwarded"),
    [
        ("/v1/vector_stores/vs_1/search?a=../b", "/v1/vector_stores/vs_1/search?a=../b"),
        ("/v1/threads/a:b::c", "/v1/threads/a:b::c"),
        ("/openai/v1/threads/a%3Ab", "/v1/threads/a:b"),
    ],
)
def test_the_path_that_was_read_is_forwarded(house, provider, path, forwarded):
    provider.taken()
    with house.connect() as connection:
        assert connection.get(path, house.key()).status == 200
    [seen] = provider.taken()
    assert seen.target == forwarded


ACCOUNT_FIELDS = {
    "OpenAI-Organization": "org-other",
    "OpenAI-Project": "proj_other",
    "openai_organization": "org-other",
    "api-key": "sk-other",
    "x-api-key": "sk-other",
    "Cookie": "session=1",
    "X-HTTP-Method-Override": "DELETE",
    "X-Original-URL": "/v1/organization/admin_api_keys",
    "X-Rewrite-URL": "/v1/organization/admin_api_keys",
    "X-Envoy-Original-Path": "/v1/organization/admin_api_keys",
    "X-Host": "other.example.com",
    "X-Goog-User-Project": "other",
    "Ocp-Apim-Subscription-Key": "other",
    "X-Auth-Token": "other",
    "ChatGPT-Account-Id": "other",
    "X-Forwarded-For": "203.0.113.7",
    "Fastly-Client-IP": "203.0.113.7",
    "Range": "bytes=0-0",
    "If-None-Match": '"etag"',
    "Sec-WebSocket-Protocol": "realtime, openai-insecure-api-key.sk-ctr-of-the-app",
}
RESPONSE = {**MODEL, "input": "Hello", "max_output_tokens": 9}
CHAT = {**MODEL, "messages": [{"role": "user", "content": "Hello"}], "max_completion_tokens": 9}


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/chat/completions"), ("GET", "/v1/files/file-1")]
)
def test_no_field_acts_on_the_account(house, provider, method, path):
    provider.taken()
    headers = {**ACCOUNT_FIELDS, "Idempotency-Key": "order-1", "X-Invented": "1"}
    body = CHAT if method == "POST" else None
    with house.connect() as connection:
        connection.send(connection.request(method, path, body, house.key(), headers))
        assert connection.answer().status == 200
    [seen] = provider.taken()
    for name in ACCOUNT_FIELDS:
        assert seen.values(name.lower()) == [], name
    assert seen.values("idempotency-key") == ["acme:order-1"]
    assert seen.values("x-invented") == ["1"]


def test_a_part_of_a_files_content_may_be_asked_for(house, provider):
    provider.taken()
    headers = {"Range": "bytes=0-0", "If-Range": '"etag"', "X-Auth-Token": "other"}
    with house.connect() as connection:
        path = "/v1/files/file-1/content"
        connection.send(connection.request("GET", path, None, house.key(), headers))
        assert connection.answer().status == 200
    [seen] = provider.taken()
    assert seen.values("range") == ["bytes=0-0"]
    assert seen.values("if-range") == ['"etag"']
    assert seen.values("x-auth-token") == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("api_key=sk-other", "api_key"),
        ("limit=1&KEY%5b%5d=sk-other", "KEY[]"),
        ("organization=org-other", "organization"),
        ("Project=proj_other", "Project"),
        ("access%255ftoken=other", "access_token"),
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/files"), ("POST", "/v1/chat/completions")]
)
def test_a_query_brings_no_credential(house, provider, method, path, query, name):
    provider.taken()
    body = CHAT if method == "POST" else None
    with house.connect() as connection:
        connection.send(connection.request(method, f"{path}?{query}", body, house.key()))
        answer = connection.answer()
    assert (answer.status, answer.code) == (400, "unsupported_parameter")
    assert answer.json()["error"]["param"] == name
    assert provider.taken() == []


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.mark.parametrize("path", ["/v1/responses", "/openai/v1/responses"])
def test_responses_over_a_websocket_are_answered_426(house, provider, path):
    provider.taken()
    with house.connect() as connection:
        connection.send(connection.request("GET", path, None, house.key(), UPGRADE))
        answer = connection.answer()
    assert (answer.status, answer.code) == (426, "websocket_not_supported")
    assert answer.fields["upgrade"] == "HTTP/1.1"
    with house.connect() as connection:
        connection.send(connection.request("GET", path, None, "sk-ctr-unknown", UPGRADE))
        assert connection.answer().status == 401
    assert provider.taken() == []


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/chat/completions"), ("GET", "/v1/files/file-1")]
)
def test_an_error_does_not_show_the_providers_key(house, provider, method, path):
    secret = "sk-provider-oai1"
    for shown in [secret, f"{secret[:8]}{'*' * 20}{secret[-4:]}"]:
        error = {"error": {"message": f"Incorrect API key provided: {shown}. See the docs."}}
        provider.answer = (401, error)
        body = CHAT if method == "POST" else None
        with house.connect() as connection:
            connection.send(connection.request(method, path, body, house.key()))
            answer = connection.answer()
        provider.answer = (200, ANSWER)
        assert answer.status == 401
        message = answer.json()["error"]["message"]
        assert message == "Incorrect API key provided: [provider key]. See the docs."

    def told():
        return [line for line in house.process.log if line["event"] == "provider_key_refused"]

    eventually(told, "the log tells it")
    assert [line["provider"] for line in told()] == ["openai"]


NAMED = {
    "/v1/chat/completions": {**CHAT, "prompt_cache_key": "agent-7"},
    "/v1/responses": {**RESPONSE, "prompt_cache_key": "agent-7"},
    "/v1/responses/compact": {**MODEL, "input": "Hello", "prompt_cache_key": "agent-7"},
}


@pytest.mark.parametrize("path", NAMED)
def test_clients_do_not_share_names_of_caches(house, provider, path):
    body = NAMED[path]
    provider.taken()
    seen = {}
    for client in ["acme", "other", "acme"]:
        with house.connect() as connection:
            assert connection.post(path, body, house.key(client)).status == 200
        [request] = provider.taken()
        name = json.loads(request.body)["prompt_cache_key"]
        assert json.loads(request.body) == {**body, "prompt_cache_key": name}
        assert seen.setdefault(client, name) == name
    assert seen == {"acme": "acme:agent-7", "other": "other:agent-7"}


def test_a_long_name_of_a_cache_is_hashed(house, provider):
    provider.taken()
    names = []
    for client, key in [("acme", "k" * 64), ("other", "k" * 64), ("acme", "k" * 64)]:
        with house.connect() as connection:
            body = {**CHAT, "prompt_cache_key": key}
            assert connection.post("/v1/chat/completions", body, house.key(client)).status == 200
        [request] = provider.taken()
        names.append(json.loads(request.body)["prompt_cache_key"])
    assert len(set(names)) == 2 and names[0] == names[2]
    assert all(len(name) == 64 and name.startswith(":") for name in names)


# Fields that the account of all clients must not show them, and the key where none belongs.
TELLING = {
    "Location": "https://example.com/?key=sk-provider-oai1",
    "X-Debug": "Bearer sk-provider-oai1",
    "Set-Cookie": "__cf_bm=1; path=/",
}
PAGE = b"<html><p>The key is sk-provider-oai1.</p></html>"
PATHS = [
    ("POST", "/v1/chat/completions", CHAT),
    ("POST", "/v1/audio/speech", {"model": "tts-1", "input": "Hello", "voice": "alloy"}),
    ("GET", "/v1/files/file-1", None),
    ("GET", "/v1/files/file-1/content", None),
    ("GET", "/v1/vector_stores/vs_1", None),
]


@pytest.mark.parametrize("coding", [None, "gzip", "br", "zstd"])
@pytest.mark.parametrize("status", [200, 302])
@pytest.mark.parametrize(("method", "path", "body"), PATHS, ids=[path for _, path, _ in PATHS])
def test_no_answer_shows_the_providers_key(
    house, provider, method, path, body, status, coding
):
    fields = {**TELLING, "Content-Type": "text/html", "X-RateLimit-Limit-Requests": "9"}
    page = PAGE
    if coding:
        fields["Content-Encoding"] = coding
        page = encode(coding, PAGE)
    provider.answer = (status, page, fields)
    with house.connect() as connection:
        connection.send(connection.request(method, path, body, house.key()))
        answer = connection.answer()
    provider.answer = (200, ANSWER)
    assert not {name.lower() for name in TELLING} & answer.fields.keys()
    # An answer in which objects can't be found doesn't pass.
    if answer.status == 502:
        assert answer.code == "upstream_invalid_response"
        return
    assert answer.status == status
    assert answer.fields["x-ratelimit-limit-requests"] == "9"
    assert "content-encoding" not in answer.fields
    assert answer.body == PAGE.replace(b"sk-provider-oai1", b"[provider key]")


FAILURES = {
    "/v1/chat/completions": {"error": {"message": "the key KEY is out of quota"}},
    "/v1/responses": {
        "type": "response.failed",
        "response": {"id": "resp_1", "status": "failed", "error": {"message": "KEY"}},
    },
}


@pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("path", FAILURES)
def test_an_error_with_status_200_does_not_show_the_providers_key(
    house, provider, path, is_stream
):
    failure = FAILURES[path]
    if not is_stream and "response" in failure:
        failure = failure["response"]
    text = json.dumps(failure).replace("KEY", "sk-provider-oai1")
    chunk = {"model": "gpt-4o-mini", "choices": [{"delta": {"content": "Hi"}}]}
    events = f"data: {json.dumps(chunk)}\n\ndata: {text}\n\ndata: [DONE]\n\n"
    provider.answer = (200, events.encode() if is_stream else json.loads(text))
    body = {**(RESPONSE if "responses" in path else CHAT), "stream": is_stream}
    with house.connect() as connection:
        answer = connection.post(path, body, house.key())
    provider.answer = (200, ANSWER)
    assert answer.status == 200
    assert b"sk-provider" not in answer.body and b"[provider key]" in answer.body
    if is_stream and "responses" not in path:
        assert answer.body.endswith(b"data: [DONE]\n\n")


def test_a_response_that_failed_in_the_background_does_not_show_the_providers_key(house, provider):
    assign(house.ledger, "resp_failed", "response")
    error = {"code": "server_error", "message": "the key sk-provider-oai1 is out of quota"}
    provider.answer = (200, {"id": "resp_failed", "status": "failed", "error": error})
    with house.connect() as connection:
        answer = connection.get("/v1/responses/resp_failed", house.key())
    provider.answer = (200, ANSWER)
    assert answer.status == 200
    assert answer.json()["error"]["message"] == "the key [provider key] is out of quota"
