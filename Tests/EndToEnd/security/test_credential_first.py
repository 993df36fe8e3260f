"""A caller without a valid credential is refused before anything of a body is read."""

import re

import pytest
from harness.configuration import new_key
from harness.raw_http import Connection

CREDENTIALS = {"none": None, "unknown": new_key()[0]}
# Far more than is sent: an answer can only come where nobody waits for the rest.
LENGTH = 500_000
# They ask for no credential: two forms that make or need no session, and signed events.
OPEN_FORMS = {"/dashboard/sign-in", "/dashboard/preferences", "/api/token-billing/webhook"}


def begin(connection, method, path, key):
    """Sends the head of a request, and asks whether its body is wanted."""
    fields = {
        "content-length": LENGTH,
        "content-type": "application/json",
        "expect": "100-continue",
    }
    connection.send(connection.request(method, path, None, key, fields))
    return connection.head()[0]


def calls(document):
    """Every call of the document that asks for a credential, by method and path."""
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            if call.get("security"):
                yield method.upper(), re.sub(r"\{\w+\}", "none", path)


def test_every_call_of_the_admin_listener_asks_for_the_credential_first(catraca, admin):
    document = admin.get("/api/openapi.json").json()
    address = catraca.process.address("admin")
    checked = 0
    for method, path in calls(document):
        for name, key in CREDENTIALS.items():
            with Connection(*address) as connection:
                status = begin(connection, method, path, key)
                # Too many guesses are told to wait, and as early.
                assert status in ([401] if key is None else [401, 429]), (method, path, name)
                checked += 1
    assert checked > 80


def test_what_needs_no_credential_reads_no_body_but_its_own(catraca, admin):
    document = admin.get("/api/openapi.json").json()
    address = catraca.process.address("admin")
    needs = {path for _, path in calls(document)}
    open_paths = {path for path in document["paths"] if path not in needs} - OPEN_FORMS
    for path in [*open_paths & {"/healthz", "/readyz", "/metrics", "/api/openapi.json"}, "/none"]:
        with Connection(*address) as connection:
            status = begin(connection, "GET", path, None)
            assert status in [200, 404], path


PAGES = ["clients", "clients/none", "budgets", "keys", "prices", "billing", "audit", "sign-out"]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_leads_a_stranger_away_before_it_reads_the_form(running, method):
    address = running.process.address("admin")
    for page in PAGES:
        with Connection(*address) as connection:
            status = begin(connection, method, f"/dashboard/{page}", None)
            assert status in [303, 404, 405], page


APP_CALLS = [
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/v1/embeddings"),
    ("POST", "/v1/audio/transcriptions"),
    ("POST", "/v1/images/generations"),
    ("POST", "/v1/files"),
    ("POST", "/v1/batches"),
    ("DELETE", "/v1/files/none"),
    ("POST", "/openai/v1/chat/completions"),
    ("POST", "/groq/openai/v1/chat/completions"),
    ("POST", "/v1/fine_tuning/jobs"),
    ("GET", "/v1/models"),
    ("GET", "/api/budget/status"),
    ("GET", "/api/usage/summary"),
    ("POST", "/api/widget-tokens"),
]


@pytest.mark.parametrize(("method", "path"), APP_CALLS)
def test_every_call_of_the_proxy_listener_asks_for_the_key_first(running, method, path):
    for key in CREDENTIALS.values():
        with running.connect() as connection:
            status = begin(connection, method, path, key)
            # A path that isn't served is no secret.
            assert status in [401, 404]
            assert status == 401 or path == "/api/usage/summary"


@pytest.mark.parametrize("path", ["/healthz", "/widget", "/widget/data", "/none"])
def test_nobody_waits_for_a_body_that_has_no_use(running, path):
    with running.connect() as connection:
        assert begin(connection, "POST", path, None) in [200, 400, 401, 404, 405]


def test_a_valid_key_is_asked_for_its_body(running):
    with running.connect() as connection:
        assert begin(connection, "POST", "/v1/chat/completions", running.key()) == 100


def test_a_valid_token_is_asked_for_its_body(catraca, tokens, admin):
    with Connection(*catraca.process.address("admin")) as connection:
        assert begin(connection, "POST", "/api/admin/clients", tokens["admin"]) == 100
