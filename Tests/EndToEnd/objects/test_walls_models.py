"""Models that were tuned for one client, and skills: for all others they don't exist."""

import json

import pytest
from harness.objects import EVERYBODY, assign, nothing_forwarded

CHAT, RESPONSES, BATCHES = "/v1/chat/completions", "/v1/responses", "/v1/batches"
BASE = "ft:gpt-4o-mini-2024-07-18"
TUNED, UNKNOWN = f"{BASE}:acme::x1", f"{BASE}:acme::x9"
MESSAGES = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def running(catraca, account):
    """A server of two clients, of which `acme` has a model and a skill."""
    settings = catraca.configuration.settings
    settings["providers"]["openai"]["base_url"] = account.url
    catraca.configuration.add_client("beta")
    catraca.start()
    assign(catraca.ledger, TUNED, "fine_tuning_job")
    assign(catraca.ledger, "skill_1", "skill")
    assign(catraca.ledger, "skill_all", "skill", EVERYBODY)
    return catraca


def get(running, path, client):
    with running.connect() as connection:
        connection.send(connection.request("GET", path, None, running.key(client)))
        return connection.answer()


def alike(answers, *ids):
    """The common text of answers, without the ids in them."""
    said = set()
    for answer, id in zip(answers, ids, strict=True):
        said.add((answer.status, answer.body.replace(id.encode(), b"ID")))
    assert len(said) == 1, said
    return answers[0]


def chat(running, client, model):
    return running.post({"model": model, "messages": MESSAGES, "max_tokens": 5}, CHAT, client)


def test_a_tuned_model_answers_its_client_alone(running, account):
    with nothing_forwarded(account):
        answers = [chat(running, "beta", model) for model in [TUNED, UNKNOWN]]
    refused = alike(answers, TUNED, UNKNOWN)
    assert (refused.status, refused.code) == (404, "model_not_found")
    chat(running, "acme", TUNED)
    assert account.was_named(TUNED)


@pytest.mark.parametrize("spelling", [TUNED.upper(), f" {TUNED}", f"{TUNED} ", f"{TUNED}\x00"])
def test_no_spelling_of_a_tuned_model_passes(running, account, spelling):
    with nothing_forwarded(account):
        assert chat(running, "beta", spelling).status in (400, 404)


def test_a_tuned_model_is_retrieved_by_its_client_alone(running, account):
    with nothing_forwarded(account):
        answers = [get(running, f"/v1/models/{id}", "beta") for id in [TUNED, UNKNOWN]]
        assert alike(answers, TUNED, UNKNOWN).status == 404
        assert get(running, f"/v1/models/{TUNED}", "acme").json()["id"] == TUNED
        for client in ["acme", "beta"]:
            assert b"ft:" not in get(running, "/v1/models", client).body


def test_a_tuned_model_in_a_batch_is_its_clients(running, account):
    def submit(client, model):
        body = {"model": model, "messages": MESSAGES, "max_tokens": 5}
        line = {"custom_id": "0", "method": "POST", "url": CHAT, "body": body}
        file = account.files.add(json.dumps(line).encode(), "batch").id
        assign(running.ledger, file, "file", client)
        batch = {"input_file_id": file, "endpoint": CHAT, "completion_window": "24h"}
        return running.post(batch, BATCHES, client)

    before = len(account.batches.batches)
    answers = [submit("beta", model) for model in [TUNED, UNKNOWN]]
    assert alike(answers, TUNED, UNKNOWN).status == 404
    assert len(account.batches.batches) == before


def shell(id):
    skills = [{"type": "skill_reference", "skill_id": id, "version": "1"}]
    return {"type": "shell", "environment": {"type": "container_auto", "skills": skills}}


PLACES = {
    "tools": lambda id: {"tools": [shell(id)]},
    "additional_tools": lambda id: {
        "input": [{"type": "additional_tools", "role": "developer", "tools": [shell(id)]}]
    },
    "capitals": lambda id: {"later": {"Skill_ID": id}},
    "a text": lambda id: {"tools": [{"type": "shell", "environment": {"later": [id]}}]},
}


@pytest.mark.parametrize("place", PLACES)
def test_a_skill_in_a_tool_is_its_clients(running, account, place):
    def ask(client, id):
        body = {"model": "gpt-4o-mini", "input": "Hello", "max_output_tokens": 50}
        return running.post({**body, **PLACES[place](id)}, RESPONSES, client)

    with nothing_forwarded(account):
        answers = [ask("beta", id) for id in ["skill_1", "skill_9"]]
        assert alike(answers, "skill_1", "skill_9").status == 404
    ask("acme", "skill_1")
    assert account.was_named("skill_1")
    ask("beta", "skill_all")
    assert account.was_named("skill_all")


@pytest.mark.parametrize("rest", ["", "/content", "/versions", "/versions/1"])
def test_a_skill_in_a_path_is_its_clients(running, account, rest):
    with nothing_forwarded(account):
        answers = [get(running, f"/v1/skills/{id}{rest}", "beta") for id in ["skill_1", "skill_9"]]
        assert alike(answers, "skill_1", "skill_9").status == 404
    get(running, f"/v1/skills/skill_1{rest}", "acme")
    assert account.was_named("skill_1")


def test_a_name_of_a_skill_that_the_provider_brings_along_is_nobodys(running, account):
    body = {"model": "gpt-4o-mini", "input": "Hello", "tools": [shell("openai-spreadsheets")]}
    assert running.post({**body, "max_output_tokens": 50}, RESPONSES, "beta").status == 200
