"""Catraca refuses a provider's endpoints beside its table: they cost money in ways that can't be
metered, or lead around the meter."""

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.objects import assign

MODEL = {"model": "gpt-4o-mini"}

REFUSED = [
    # Keys and calls by which an app reaches the provider directly.
    ("POST", "/v1/realtime/client_secrets"),
    ("POST", "/v1/realtime/sessions"),
    ("POST", "/v1/realtime/transcription_sessions"),
    ("POST", "/v1/realtime/calls"),
    ("POST", "/v1/realtime/calls/rtc_1/accept"),
    ("POST", "/v1/live/sessions"),
    ("GET", "/v1/live/sessions"),
    ("POST", "/v1/live/sessions/live_1/calls"),
    ("POST", "/v1/live/client_secrets"),
    # Work that goes on without a request, or whose answers don't say what they used.
    ("POST", "/v1/assistants"),
    ("GET", "/v1/assistants"),
    ("POST", "/v1/threads"),
    ("POST", "/v1/threads/runs"),
    ("POST", "/v1/threads/thread_1/runs"),
    ("POST", "/v1/threads/thread_1/messages"),
    ("POST", "/v1/agents"),
    ("POST", "/v1/agents/agent_1/sessions"),
    ("POST", "/v1/chatkit/sessions"),
    ("GET", "/v1/chatkit/threads"),
    ("POST", "/v1/evals"),
    ("POST", "/v1/evals/eval_1/runs"),
    ("POST", "/v1/fine_tuning/jobs"),
    ("POST", "/v1/fine_tuning/alpha/graders/run"),
    ("POST", "/openai/v1/fine_tuning/jobs"),
    ("POST", "/groq/v1/fine_tunings"),
    ("POST", "/v1/vector_stores"),
    ("GET", "/v1/vector_stores"),
    ("POST", "/v1/vector_stores/vs_1/search"),
    ("POST", "/v1/vector_stores/vs_1/files"),
    ("POST", "/v1/containers"),
    ("POST", "/v1/containers/cntr_1/files"),
    ("POST", "/v1/videos"),
    ("POST", "/v1/videos/video_1/remix"),
    ("GET", "/v1/videos/video_1/content"),
    ("POST", "/v1/audio/voices"),
    ("POST", "/v1/audio/voice_consents"),
    ("POST", "/v1/edits"),
    # Endpoints of the account.
    ("GET", "/v1/organization/costs"),
    ("GET", "/v1/organization/usage/completions"),
    ("POST", "/v1/organization/admin_api_keys"),
    ("GET", "/v1/organization/projects"),
    ("GET", "/v1/dashboard/billing/usage"),
    ("DELETE", "/v1/models/ft:gpt-4o-mini:acme::x"),
    # Unknown endpoints.
    ("POST", "/v1/tomorrow"),
    ("PUT", "/v1/chat/completions"),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox_process):
    folder = tmp_path_factory.mktemp("refused")
    configuration = Configuration(folder, sandbox_providers(sandbox_process.url))
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


@pytest.mark.parametrize(("method", "path"), REFUSED)
def test_what_is_not_metered_is_refused(house, sandbox, method, path):
    body = None if method == "GET" else MODEL
    with house.connect() as connection:
        connection.send(connection.request(method, path, body, house.key()))
        answer = connection.answer()
    assert (answer.status, answer.code) == (403, "endpoint_not_metered")
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
    assert sandbox.journal() == []
    assert house.ledger.usage() == []


@pytest.mark.parametrize(
    ("entry", "path", "is_open"),
    [
        ("/v1/*", "/v1/vector_stores", True),
        ("/v1/*", "/v1/realtime/client_secrets", False),
        ("/v1/*", "/v1/live/sessions", False),
        ("/v1/realtime/*", "/v1/realtime/calls", False),
        ("/v1/agents/*", "/v1/agents/agent_1", True),
        ("/v1/realtime/calls", "/v1/realtime/calls", True),
        ("/live/*", "/v1/live/sessions", True),
        ("/vector_stores*", "/v1/vector_stores/vs_1/search", True),
    ],
)
def test_ways_around_are_opened_by_who_means_them(catraca, entry, path, is_open):
    catraca.configuration.settings["metering"] = {"unmetered_endpoints": [entry]}
    catraca.start()
    assign(catraca.ledger, "vs_1", "vector_store")
    # The stand-in has no such call: that its own 404 comes shows that it was asked.
    assert catraca.post({}, path).status == (404 if is_open else 403)


def test_only_listed_paths_are_opened(catraca, sandbox):
    catraca.configuration.settings["metering"] = {"unmetered_endpoints": ["/v1/vector_stores*"]}
    catraca.start()
    assign(catraca.ledger, "vs_1", "vector_store")
    # The stand-in has no such call: that its own 404 comes shows that it was asked.
    assert catraca.post({}, "/v1/vector_stores").status == 404
    assert catraca.post({}, "/v1/vector_stores/vs_1/search").status == 404
    refused = catraca.post({}, "/v1/realtime/client_secrets")
    assert (refused.status, refused.code) == (403, "endpoint_not_metered")
    assert catraca.ledger.usage() == []
