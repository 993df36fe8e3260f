"""Requests in odd forms: closed paths stay closed, and fields about the account never arrive."""

import itertools

import pytest
from attackers import Attacker, seeded
from harness.raw_http import Truncated

CLOSED = [
    "realtime/client_secrets",
    "realtime/calls",
    "live/sessions",
    "chat/completions",
    "responses",
    "audio/speech",
]
SPELLINGS = [
    "/v1/open/../{}",
    "/v1/open/%2e%2e/{}",
    "/v1/open/..%2f{}",
    "/v1/open/.%2E/{}",
    "/v1/open/x/../../{}",
    "/v1/open/./../{}",
    "/v1/open/..;/{}",
    "/v1/open/..\\{}",
    "/v1/open//../{}",
    "/v1//{}",
    "//v1/{}",
    "/v1/{};x",
    "/v1/{}/",
    "/v1/{}//",
    "/v1/%2e/{}",
    "/openai/v1/open/../{}",
    "/v1/open/%252e%252e/{}",
    "/V1/{}",
]


@pytest.fixture
def thief(catraca):
    """A client without any money, where all below `/v1/open` is free."""
    catraca.configuration.settings["metering"] = {"unmetered_endpoints": ["/v1/open/*"]}
    broke = {"name": "none", "mode": "tokens", "tokens": 1, "period": "total"}
    catraca.configuration.add_client("thief", [broke])
    catraca.start()
    return Attacker(catraca, "thief")


def send(thief, target, body=b"{}", headers=()):
    with thief.server.connect() as connection:
        try:
            return connection.post(target, body, thief.key, headers).status
        except Truncated:
            return None


def test_no_spelling_opens_what_is_closed(thief, account):
    assert send(thief, "/v1/open/this") == 404
    assert [request.path for request in account.requests] == ["/v1/open/this"]
    chance = seeded("capitals 1")
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    for path, spelling in itertools.product(CLOSED, SPELLINGS):
        for target in [path, path.upper(), mixed_case(path, chance), escaped(path, chance)]:
            status = send(thief, spelling.format(target), body)
            assert status is None or 400 <= status < 500, spelling.format(target)
    allowed = {"/v1/open/this"}
    assert {request.path for request in account.requests} <= allowed


def mixed_case(path, chance):
    return "".join(chance.choice([c.upper(), c]) for c in path)


def escaped(path, chance):
    place = chance.randrange(len(path))
    return f"{path[:place]}%{ord(path[place]):02x}{path[place + 1 :]}"


def test_what_acts_on_the_account_never_arrives(thief, account):
    headers = {
        "openai-organization": "org-other",
        "OpenAI-Project": "proj-other",
        "idempotency-key": "the same for all",
        "x-http-method-override": "DELETE",
        "x-original-url": "/v1/organization/api_keys",
        "x-rewrite-url": "/v1/organization/api_keys",
        "x-envoy-original-path": "/v1/organization/api_keys",
        "x-original-host": "other.example.com",
        "x-goog-user-project": "other",
        "ocp-apim-subscription-key": "other",
        "chatgpt-account-id": "other",
        "x-cluster-client-ip": "203.0.113.7",
        "if-none-match": "*",
        "range": "bytes=0-0",
        "api-key": "sk-other",
        "openai_organization": "org-other",
        "x-invented": "passes",
    }
    send(thief, "/v1/open/this", headers=headers)
    [request] = account.requests
    assert request.fields["x-invented"] == "passes"
    assert request.fields.get("idempotency-key") != "the same for all"
    assert not (headers.keys() - {"x-invented", "idempotency-key"}) & request.fields.keys()


def test_free_calls_count_against_the_rate(catraca, account):
    catraca.configuration.add_client("thief", [], requests_per_minute=5)
    catraca.start()
    thief = Attacker(catraca, "thief")
    with catraca.connect() as connection:
        statuses = [connection.get("/v1/batches", thief.key).status for _ in range(12)]
    assert statuses.count(429) >= 7
    assert len(account.requests) <= 5
