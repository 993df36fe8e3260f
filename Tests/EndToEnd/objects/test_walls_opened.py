"""Paths that an operator has opened: those without a wall are told, and the others keep theirs."""

import re

import pytest
from harness.objects import assign, nothing_forwarded
from test_own_provider_key import OWN, VARIABLE, own_key

OPENED = ["/v1/conversations", "/v1/prompts", "/v1/threads*", "/v1/evals", "/v1/files*"]


@pytest.fixture
def house(catraca, account):
    """A server that isn't started yet, of the clients `acme` and `beta`."""
    settings = catraca.configuration.settings
    settings["providers"]["openai"]["base_url"] = account.url
    settings["metering"] = {"unmetered_endpoints": OPENED}
    catraca.configuration.add_client("beta")
    return catraca


def get(house, path, client="acme"):
    with house.connect() as connection:
        connection.send(connection.request("GET", path, None, house.key(client)))
        return connection.answer()


def answer_lists(account, status, value):
    """Has the account answer each list of conversations and of files so."""

    async def answer(request, connection):
        await connection.respond(status, value)

    lists = re.compile("/v1/(?:files|conversations)")
    account._routes = [("GET", lists, answer), *account._routes]


def test_check_and_the_start_tell_of_paths_without_a_wall(house):
    house.start()
    logged = [line for line in house.process.log if line["event"] == "configuration_warning"]
    [warning] = [line["warning"] for line in logged if "no wall" in line["warning"]]
    assert "unmetered_endpoints: /v1/threads* has no wall between clients" in warning
    [line] = [line for line in house.command("check").stderr.splitlines() if "no wall" in line]
    assert re.search(r"catraca\.yaml:\d+:\d+: warning: unmetered_endpoints: /v1/threads", line)


def test_a_list_that_no_provider_documents_shows_the_clients_own(house, account):
    house.start()
    mine, theirs = {"id": "conv_mine"}, {"id": "conv_theirs"}
    assign(house.ledger, "conv_mine", "conversation")
    assign(house.ledger, "conv_theirs", "conversation", "beta")
    answer_lists(account, 200, {"object": "list", "data": [theirs, mine], "has_more": False})
    answer = get(house, "/v1/conversations")
    assert answer.status == 200
    assert answer.json()["data"] == [mine]
    assert get(house, "/v1/conversations", "beta").json()["data"] == [theirs]


def test_an_error_that_lists_objects_isnt_passed_on(house, account):
    house.start()
    answer_lists(account, 400, {"object": "list", "data": [{"id": "file-of-beta"}]})
    answer = get(house, "/v1/files")
    assert (answer.status, answer.code) == (502, "upstream_invalid_response")
    assert b"file-of-beta" not in answer.body
    error = {"error": {"message": "Slow down.", "type": "requests", "code": "rate_limit"}}
    answer_lists(account, 429, error)
    answer = get(house, "/v1/files")
    assert (answer.status, answer.json()) == (429, error)


EVALS = [
    {"data_source_config": {"type": "logs", "metadata": {"usecase": "chat"}}},
    {"data_source_config": {"type": "stored_completions"}},
    {"data_source": {"type": "completions", "source": {"type": "stored_completions"}}},
    {"data_source": {"type": "responses", "source": {"type": "responses"}}},
]


@pytest.mark.parametrize("body", EVALS)
def test_an_evaluation_of_everybodys_completions_needs_an_own_account(house, account, body):
    house.environment[VARIABLE] = OWN
    own_key(house, "beta")
    house.start()
    body = {"name": "x", "testing_criteria": [], **body}
    with nothing_forwarded(account):
        assert house.post(body, "/v1/evals").status == 404
    assert house.post(body, "/v1/evals", client="beta").status == 200
