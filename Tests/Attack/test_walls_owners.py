"""The owners of objects: of each that an answer shows as made, however it came to be."""

import json

import pytest
from belongings import CHAT, LINE, RESPONSE, lines_of, make
from callers import Caller, Form, unknown_like
from harness.configuration import new_key
from harness.waiting import eventually
from neighbors import Neighbors, assert_looks_unknown, assert_passed, assert_refused, open_all


def reads(id):
    """A request that only reads an object."""
    return "GET", f"/files/{id}/content", None


def assert_is_of(owner, other, request):
    assert_refused(other.call(*request))
    assert_passed(owner.call(*request))


def end_of_batch(caller, batch):
    """The batch when its owner sees that it has ended."""
    path = f"/batches/{batch}"
    eventually(lambda: caller.done("GET", path)["status"] == "completed", "the batch's end")
    return caller.done("GET", path)


def test_the_results_of_a_batch_are_its_clients(neighbors):
    alice, bob = neighbors.alice, neighbors.bob
    ended = end_of_batch(alice, make(alice, "batch")["batch"])
    for member in ["output_file_id", "error_file_id"]:
        assert_is_of(alice, bob, reads(ended[member]))


def test_the_results_of_a_batch_are_its_clients_when_only_the_server_saw_its_end(neighbors):
    alice, bob, account = neighbors.alice, neighbors.bob, neighbors.account
    batch = account.batches.batches.get(make(alice, "batch")["batch"]).value
    eventually(lambda: batch["output_file_id"], "the batch's end")

    def owned():
        rows = neighbors.server.ledger.rows("provider_objects")
        return {row["object_id"] for row in rows if row["client_id"] == "alice"}

    files = {batch["output_file_id"], batch["error_file_id"]}
    eventually(lambda: files <= owned(), "the ownership of its results")
    for file in files:
        assert_is_of(alice, bob, reads(file))


def test_the_results_of_a_batch_are_in_its_clients_list_of_batches(neighbors):
    """A client may see the end of a batch first in a list."""
    alice, bob = neighbors.alice, neighbors.bob
    id = make(alice, "batch")["batch"]
    batch = neighbors.account.batches.batches.get(id).value
    eventually(lambda: batch["output_file_id"], "the batch's end")
    [shown] = [each for each in alice.done("GET", "/batches")["data"] if each["id"] == id]
    assert_is_of(alice, bob, reads(shown["output_file_id"]))


def test_the_file_of_an_upload_is_its_clients(neighbors):
    alice, bob = neighbors.alice, neighbors.bob
    made = make(alice, "upload", "part")
    path = f"/uploads/{made['upload']}/complete"
    file = alice.done("POST", path, {"part_ids": [made["part"]]})["file"]["id"]
    assert_is_of(alice, bob, reads(file))


def test_what_a_job_makes_is_its_clients(neighbors):
    alice, bob = neighbors.alice, neighbors.bob
    job = make(alice, "job")["job"]
    ended = alice.done("GET", f"/fine_tuning/jobs/{job}")
    assert_is_of(alice, bob, reads(ended["result_files"][0]))
    model = ended["fine_tuned_model"]
    assert_refused(bob.call("POST", "/chat/completions", {**CHAT, "model": model}))


def test_a_background_response_is_its_clients_from_its_submission_on(neighbors):
    body = {**RESPONSE, "background": True, "store": False}
    slow = {"x-work": json.dumps({"output": 50, "rate": 100})}
    id = neighbors.alice.done("POST", "/responses", body, slow)["id"]
    request = "GET", f"/responses/{id}", None
    assert_is_of(neighbors.alice, neighbors.bob, request)
    # Its items are there in the end.
    eventually(lambda: neighbors.alice.done(*request)["output"], "the response's end")
    item = neighbors.alice.done(*request)["output"][-1]["id"]
    body = {**RESPONSE, "input": [{"type": "item_reference", "id": item}]}
    assert_is_of(neighbors.alice, neighbors.bob, ("POST", "/responses", body))


def test_a_response_that_is_not_stored_is_unknown_to_all(neighbors):
    id = neighbors.alice.done("POST", "/responses", {**RESPONSE, "store": False})["id"]
    for caller in [neighbors.alice, neighbors.bob]:
        assert_refused(caller.call("GET", f"/responses/{id}"))


@pytest.mark.parametrize("body", [RESPONSE, CHAT], ids=["response", "chat"])
def test_what_is_not_stored_costs_no_row(body, neighbors):
    path = "/responses" if body is RESPONSE else "/chat/completions"
    before = neighbors.server.ledger.rows("provider_objects")
    neighbors.alice.done("POST", path, {**body, "store": False})
    assert neighbors.server.ledger.rows("provider_objects") == before


def test_an_answer_takes_nothing_from_its_owner(neighbors):
    """A conversation's items stand in the answers to those who continue it, too."""
    made = neighbors.shared("conversation")["conversation"]
    body = {**RESPONSE, "conversation": made}
    first = neighbors.alice.done("POST", "/responses", body)["output"][-1]["id"]
    neighbors.bob.done("GET", f"/conversations/{made}/items")
    reference = {**RESPONSE, "input": [{"type": "item_reference", "id": first}]}
    assert_passed(neighbors.alice.call("POST", "/responses", reference))


def test_a_denial_is_logged_with_both_clients_and_said_to_none(neighbors):
    id = make(neighbors.alice, "file")["file"]
    absent = unknown_like(id)
    for each in [id, absent]:
        reply = neighbors.bob.call("GET", f"/files/{each}")
        assert b"alice" not in reply.body + json.dumps(reply.fields).encode()
    wait = neighbors.server.process.wait_for_line
    for object_, owner in [(id, "alice"), (absent, None)]:
        line = wait(lambda line, o=object_: line.get("object") == o, "the denial")
        assert line["event"] == "object_not_owned"
        assert line["level"] == "warn"
        assert (line["client"], line["key"]) == ("bob", "main")
        assert (line["provider"], line["kind"], line.get("owner")) == ("openai", "file", owner)


# Servers with other settings


@pytest.fixture
def others(catraca, account):
    """The same clients of a server that a test starts with settings of its own."""
    started = []
    open_all(catraca.configuration)
    for client in ["alice", "bob", "carol", "dave"]:
        catraca.configuration.add_client(client)

    def start():
        started.append(Neighbors(catraca.start(), account))
        return started[-1]

    yield start
    for each in started:
        each.close()


def test_the_objects_of_a_client_are_for_all_its_keys(others, configuration):
    key, digest = new_key()
    configuration.clients["clients"]["alice"]["keys"].append({"name": "next", "sha256": digest})
    neighbors = others()
    second = Caller(neighbors.server.url, neighbors.account, key)
    id = make(neighbors.alice, "file")["file"]
    assert_passed(second.call(*reads(id)))
    second.close()


def test_an_object_of_one_provider_is_unknown_at_another(others, configuration, account):
    """The same account stands behind both, and would give it."""
    other = {**configuration.settings["providers"]["openai"], "api_key_env": "TEST_GROQ_KEY"}
    configuration.settings["providers"]["groq"] = other
    configuration.settings["pricing"].append("pricing/groq.yaml")
    neighbors = others()
    id = make(neighbors.alice, "file")["file"]

    def ask(caller, id):
        return caller.call("GET", f"/files/{id}", at="/groq/openai/v1")

    assert_looks_unknown(neighbors.alice, ask, id)
    form = Form(purpose="batch", file=lines_of(LINE["body"]))
    own = neighbors.alice.call("POST", "/files", form, at="/groq/openai/v1").json()["id"]
    assert_passed(ask(neighbors.alice, own))
    assert_refused(neighbors.alice.call(*reads(own)))


def test_where_it_is_set_the_unknown_passes_and_the_foreign_never(others, configuration):
    configuration.settings["metering"]["unowned_objects"] = "allow"
    neighbors = others()
    theirs = make(neighbors.alice, "file", "response")
    nobodys = make(neighbors.operator, "file", "response")
    for place, is_passed in [(theirs, False), (nobodys, True)]:
        body = {**RESPONSE, "previous_response_id": place["response"]}
        for request in [reads(place["file"]), ("POST", "/responses", body)]:
            check = assert_passed if is_passed else assert_refused
            check(neighbors.bob.call(*request))
    warnings = [line for line in neighbors.server.process.log if line["level"] == "warn"]
    assert any("unowned_objects" in json.dumps(line) for line in warnings), warnings
