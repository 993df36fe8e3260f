"""Objects that answers show and end: nothing passes whose owner isn't recorded, and a 404 that
doesn't name the object takes it from nobody."""

import json

import openai
import pytest
from harness.objects import owners
from test_unreadable_answers import (
    ASKED,
    COMPLETED,
    CREATED,
    ENDED,
    EVENTS,
    JSON,
    LABELS,
    RESPONSES,
    answers,
    house,  # noqa: F401
    provider,  # noqa: F401
)

PLAIN = {**ASKED, "stream": False}
STORED = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}], "store": True}


@pytest.mark.parametrize("kind", [*LABELS, "application/octet-stream"])
def test_events_in_place_of_json_are_read(house, provider, kind):  # noqa: F811
    answers(provider, kind, CREATED + COMPLETED)
    assert house.post(PLAIN, RESPONSES).body == CREATED + COMPLETED
    assert owners(house.ledger) == {"resp_1": "acme"}
    assert house.row()["total_tokens"] == 10


WHOLE = json.dumps(ENDED).encode()
UNREADABLE = {
    "no JSON": (JSON, b"Made resp_1."),
    "half of it": (JSON, WHOLE[:-9]),
    "a list": (JSON, b"[" + WHOLE + b"]"),
    "an unknown coding": (JSON, WHOLE, b"200", "compress"),
    "a range": (JSON, WHOLE, b"206"),
    "events in an unknown coding": (EVENTS, CREATED + COMPLETED, b"200", "compress"),
    "a range of events": (EVENTS, CREATED + COMPLETED, b"206"),
    "a page": (EVENTS, b"<html>resp_1"),
    "half of it for a stream": (EVENTS, WHOLE[:-9]),
}


@pytest.mark.parametrize("body", [PLAIN, ASKED, STORED], ids=["whole", "stream", "chat"])
@pytest.mark.parametrize("case", UNREADABLE)
def test_nothing_passes_that_may_show_objects_and_cant_be_read(
    house, provider, case, body  # noqa: F811
):
    kind, content, *others = UNREADABLE[case]
    answers(provider, kind, content, **dict(zip(["status", "coding"], others, strict=False)))
    answer = house.post(body, RESPONSES if "input" in body else "/v1/chat/completions")
    assert b"resp_1" not in answer.body
    assert b"upstream_invalid_response" in answer.body
    assert owners(house.ledger) == {}
    row = house.row()
    assert (row["usage_source"], row["outcome"]) == ("estimated", "upstream_broken")
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0


# Deletions that found nothing


@pytest.fixture
def home(configuration, account, catraca):
    """A started server with the client `acme`, whose provider is the account."""
    configuration.settings["providers"]["openai"]["base_url"] = account.url
    configuration.settings["metering"] = {
        "unmetered_endpoints": [
            "/v1/containers", "/v1/containers/*", "/v1/evals", "/v1/evals/*"
        ]
    }
    return catraca.start()


def answer_deletions(account, status, content):
    """Has the account answer every deletion so."""

    async def answer(request, connection, *ids):
        await connection.respond(status, content)

    account._routes = [
        (method, pattern, answer if method == "DELETE" else usual)
        for method, pattern, usual in account._routes
    ]


def error(message):
    return {"error": {"message": message, "type": "invalid_request_error"}}


STAYING = {
    "a page": (404, b"<html>Not found</html>"),
    "no such path": (404, error("Invalid URL (DELETE /v1/files)")),
    "another object": (404, error("No such File object: file-other")),
    "another object deleted": (200, {"id": "file-other", "object": "file", "deleted": True}),
    "nothing deleted": (200, {"deleted": False}),
    "an id that is no text": (200, {"id": None, "deleted": True}),
}


@pytest.mark.parametrize("case", STAYING)
def test_an_object_stays_its_clients_unless_the_answer_shows_its_end(home, account, case):
    client = home.openai(max_retries=0)
    file = client.files.create(file=("x.txt", b"x"), purpose="user_data").id
    answer_deletions(account, *STAYING[case])
    try:
        client.files.delete(file)
    except openai.NotFoundError as refused:
        assert STAYING[case][0] == refused.status_code
    assert client.files.retrieve(file).id == file


def test_a_part_that_is_not_found_in_one_object_stays_in_another(home, account):
    client = home.openai(max_retries=0)
    container = client.containers.create(name="x").id
    file = client.containers.files.create(container, file=("x.txt", b"x")).id
    answer_deletions(account, 404, error(f"Container file with id '{file}' not found."))
    with pytest.raises(openai.NotFoundError):
        client.containers.files.delete(file, container_id=container)
    assert client.containers.files.retrieve(file, container_id=container).id == file


def test_a_file_may_be_asked_for_by_head(home, account):
    file = home.openai(max_retries=0).files.create(file=("x.txt", b"x"), purpose="user_data").id
    account._routes += [
        ("HEAD", pattern, answer) for method, pattern, answer in account._routes if method == "GET"
    ]

    def head(path):
        with home.connect() as connection:
            connection.send(connection.request("HEAD", path, None, home.key()))
            return connection.answer(to_head=True).status

    assert head(f"/v1/files/{file}") == head(f"/v1/files/{file}/content") == 200
    before = len(account.requests)
    assert head("/v1/files/file-unheard-of") == 404
    # Their length would tell of everybody's objects.
    assert head("/v1/files") == head("/v1/batches") == 403
    assert len(account.requests) == before


def test_a_redirection_of_a_list_shows_nothing(house, provider):  # noqa: F811
    body = b'{"object":"list","data":[]}'
    for path in ["/v1/files", "/v1/batches?limit=2"]:
        provider.get = (
            b"HTTP/1.1 302 Found\r\nlocation: /v1/files?after=file-of-other\r\nconnection: close"
            b"\r\ncontent-type: application/json\r\n\r\n" + body
        )
        with house.connect() as connection:
            connection.send(connection.request("GET", path, None, house.key()))
            answer = connection.answer()
        assert answer.status == 502
        assert "file-of-other" not in str(answer.fields) + answer.body.decode()


def test_the_runs_of_an_eval_are_its_clients(home, account):
    def ask(method, path, body=None):
        with home.connect() as connection:
            connection.send(connection.request(method, f"/v1{path}", body, home.key()))
            return connection.answer()

    made = ask("POST", "/evals", {"name": "x"}).json()["id"]
    run = ask("POST", f"/evals/{made}/runs", {"name": "x"}).json()["id"]
    assert owners(home.ledger)[run] == "acme"
    assert ask("GET", f"/evals/{made}/runs/{run}").status == 200
    before = len(account.requests)
    unknown = ask("GET", f"/evals/{made}/runs/evalrun_of_other")
    assert unknown.status == 404 and "evalrun_of_other" in unknown.body.decode()
    assert len(account.requests) == before
    assert ask("DELETE", f"/evals/{made}/runs/{run}").status == 200
    assert ask("GET", f"/evals/{made}/runs/{run}").status == 404
