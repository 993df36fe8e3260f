"""Requests that cost money may name only objects of their own client."""

import json
import threading

import pytest
from harness.account.references import ID
from harness.objects import EVERYBODY, assign, nothing_forwarded, owners
from harness.realtime import open_session, receive, receive_until, say, send
from harness.waiting import eventually

MODEL = "gpt-4o-mini"
RESPONSES, CHAT, BATCHES = "/v1/responses", "/v1/chat/completions", "/v1/batches"
UNKNOWN = "999999999999"
THE_ID = "THE_ID"


@pytest.fixture
def running(catraca, account):
    """A server of two clients, whose provider is one account."""
    catraca.configuration.settings["providers"]["openai"]["base_url"] = account.url
    catraca.configuration.add_client("beta")
    return catraca.start()


def respond(running, client="acme", input="Hello", headers=(), **body):
    body = {"model": MODEL, "input": input, "max_output_tokens": 50, **body}
    return running.post(body, RESPONSES, client, headers)


def chat(running, client="acme", content="Hello", **body):
    messages = [{"role": "user", "content": content}]
    body = {"model": MODEL, "messages": messages, "max_tokens": 50, **body}
    return running.post(body, CHAT, client)


def answered(answer):
    assert answer.status == 200, answer.body
    return answer.json()


def refusals(running, count):
    """The lines of the log about refused objects."""

    def lines():
        return [line for line in running.process.log if line["event"] == "object_not_owned"]

    eventually(lambda: len(lines()) >= count, f"{count} lines of the log")
    return lines()


# Objects that an answer makes are its client's


def test_a_response_is_continued_by_its_client_alone(running, account):
    made = answered(respond(running))["id"]
    assert answered(respond(running, previous_response_id=made))["id"] != made
    with nothing_forwarded(account):
        foreign = respond(running, "beta", previous_response_id=made)
        unknown = respond(running, "beta", previous_response_id=f"resp_{UNKNOWN}")
    assert (foreign.status, foreign.code) == (400, "previous_response_not_found")
    error = foreign.json()["error"]
    assert error["param"] == "previous_response_id"
    assert error["message"] == f"Previous response with id '{made}' not found."
    assert foreign.body.replace(made.encode(), b"ID") == unknown.body.replace(
        f"resp_{UNKNOWN}".encode(), b"ID"
    )
    assert len(running.ledger.usage()) == 2
    first, second = refusals(running, 2)
    assert first["level"] == "warn" and first["request_id"]
    assert (first["client"], first["key"], first["provider"]) == ("beta", "main", "openai")
    assert (first["kind"], first["object"], first["owner"]) == ("response", made, "acme")
    assert second["object"] == f"resp_{UNKNOWN}" and "owner" not in second


def test_items_and_containers_of_a_response_are_its_clients(running, account):
    tools = [{"type": "code_interpreter", "container": {"type": "auto"}}]
    made = answered(respond(running, tools=tools))
    items = [item["id"] for item in made["output"]]
    containers = [item["container_id"] for item in made["output"] if "container_id" in item]
    assert items and containers
    for id in [made["id"], *items, *containers]:
        assert owners(running.ledger)[id] == "acme"

    def uses():
        yield {"input": [{"type": "item_reference", "id": items[0]}]}
        yield {"tools": [{"type": "code_interpreter", "container": containers[0]}]}

    for use in uses():
        answered(respond(running, **use))
        with nothing_forwarded(account):
            assert respond(running, "beta", **use).status == 404
    # An item that an app sends back whole is its own text.
    answered(respond(running, "beta", input=made["output"][-1:]))


def test_what_isnt_kept_is_not_recorded(running):
    answered(respond(running, store=False))
    answered(chat(running))
    assert owners(running.ledger) == {}
    stored = answered(chat(running, store=True))["id"]
    assert owners(running.ledger) == {stored: "acme"}


def test_an_id_in_a_stream_is_its_clients_while_the_stream_runs(running, account):
    body = {"model": MODEL, "input": "Hello", "stream": True, "max_output_tokens": 3000}
    slow = {"x-work": json.dumps({"output": 3000, "rate": 100})}
    with running.connect() as connection:
        connection.send(connection.request("POST", RESPONSES, body, running.key(), slow))
        assert connection.head()[0] == 200
        begun = b""
        for chunk in connection.chunks():
            begun += chunk
            if b"response.created" in begun and begun.endswith(b"\n\n"):
                break
        made = json.loads(begun.partition(b"data: ")[2].partition(b"\n")[0])["response"]["id"]
        assert owners(running.ledger) == {made: "acme"}
        refused = respond(running, "beta", previous_response_id=made)
        assert refused.code == "previous_response_not_found"
        answered(respond(running, previous_response_id=made))
        assert not account.truth.is_at_rest


def test_what_a_stream_shows_last_is_recorded_too(running):
    tools = [{"type": "code_interpreter", "container": {"type": "auto"}}]
    answer = respond(running, stream=True, tools=tools)
    assert answer.status == 200
    shown = {text for text in map(str, strings(answer.body)) if ID.fullmatch(text)}
    assert {id.partition("_")[0] for id in shown} >= {"resp", "cntr", "msg"}
    recorded = owners(running.ledger)
    assert {recorded.get(id) for id in shown} == {"acme"}


def strings(stream):
    """Every text of a stream's events."""
    for line in stream.decode().splitlines():
        if line.startswith("data: {"):
            found = []
            json.loads(line[6:], object_pairs_hook=found.extend)
            yield from (value for _, value in found if isinstance(value, str))


def test_a_background_response_is_its_clients_from_its_first_answer_on(running, account):
    made = answered(respond(running, background=True))["id"]
    with nothing_forwarded(account):
        refused = respond(running, "beta", previous_response_id=made)
    assert refused.status == 400
    eventually(lambda: len(running.ledger.usage()) == 1, "the end of the response")
    recorded = owners(running.ledger)
    assert recorded[made] == "acme"
    # Its output has items, which nobody but Catraca has seen yet.
    assert len(recorded) > 1


# Wherever a request names an object


FILE, STORE, CONTAINER = "file-1", "vs_1", "cntr_1"
INPUT_FILE = {"type": "input_file", "file_id": FILE}
PLACES = [
    ("file", FILE, {"input": [{"role": "user", "content": [INPUT_FILE]}]}),
    ("vector_store", STORE, {"tools": [{"type": "file_search", "vector_store_ids": [STORE]}]}),
    ("container", CONTAINER, {"tools": [{"type": "code_interpreter", "container": CONTAINER}]}),
    ("conversation", "conv_1", {"conversation": "conv_1"}),
    ("conversation", "conv_2", {"conversation": {"id": "conv_2"}}),
    ("item", "msg_1", {"input": [{"type": "item_reference", "id": "msg_1"}]}),
    ("prompt", "pmpt_1", {"prompt": {"id": "pmpt_1"}}),
    ("file", "file-2", {"a_new_member": {"deep": ["file-2"]}}),
]


@pytest.mark.parametrize("kind,id,body", PLACES, ids=[id for _, id, _ in PLACES])
def test_every_place_is_looked_at(running, account, kind, id, body):
    with nothing_forwarded(account):
        unknown = respond(running, **body)
        assign(running.ledger, id, kind, "beta")
        foreign = respond(running, **body)
    assert unknown.status == 404
    assert unknown.body == foreign.body
    error = foreign.json()["error"]
    assert id in error["message"]
    assert (error["type"], error["code"]) == ("invalid_request_error", None)
    assert [line.get("owner") for line in refusals(running, 2)] == [None, "beta"]
    respond(running, "beta", **body)
    assert account.was_named(id)


def test_messages_of_a_chat_name_files(running, account):
    content = [{"type": "file", "file": {"file_id": "file-1"}}]
    with nothing_forwarded(account):
        assert chat(running, content=content).status == 404
    assign(running.ledger, "file-1", "file", EVERYBODY)
    chat(running, content=content)
    assert account.was_named("file-1")


def test_a_tuned_model_is_its_clients(running, account):
    model = "ft:gpt-4o-mini:acme::1"
    prices = running.configuration.price_file("openai")
    price = '{ operation: chat, per_million_tokens: { input: "1", output: "1" } }'
    entry = f'  "{model}": {price}\n'
    prices.write_text(prices.read_text().replace("models:\n", "models:\n" + entry, 1))
    running.terminate()
    running.start()
    with nothing_forwarded(account):
        refused = chat(running, model=model)
    assert (refused.status, refused.code) == (404, "model_not_found")


# Batches


def submit(running, client, file):
    body = {"input_file_id": file, "endpoint": CHAT, "completion_window": "24h"}
    return running.post(body, BATCHES, client)


def file_of(account, *contents):
    lines = [
        {"custom_id": str(number), "method": "POST", "url": CHAT, "body": body}
        for number, body in enumerate(contents)
    ]
    return account.files.add("\n".join(map(json.dumps, lines)).encode(), "batch").id


def line(content="Hello"):
    messages = [{"role": "user", "content": content}]
    return {"model": MODEL, "messages": messages, "max_tokens": 10}


def test_the_file_of_a_batch_is_its_clients(running, account):
    file = file_of(account, line())
    assign(running.ledger, file, "file", "beta")
    with nothing_forwarded(account):
        refused = submit(running, "acme", file)
    assert (refused.status, refused.json()["error"]["param"]) == (404, "input_file_id")
    batch = answered(submit(running, "beta", file))["id"]
    assert owners(running.ledger)[batch] == "beta"
    eventually(lambda: not running.ledger.deferred(), "the batch's end")
    value = account.batches.batches.get(batch).value
    recorded = owners(running.ledger, kind="file")
    assert recorded[value["output_file_id"]] == recorded[value["error_file_id"]] == "beta"


def test_a_line_of_a_batch_names_only_objects_of_its_client(running, account):
    part = [{"type": "file", "file": {"file_id": "file-other"}}]
    file = file_of(account, line(), line(part), line(part))
    assign(running.ledger, file, "file")
    assign(running.ledger, "file-other", "file", "beta")
    refused = submit(running, "acme", file)
    assert refused.status == 404
    assert refused.message == "Line 2 of the input file: No such File object: file-other"
    assert not account.was_named("file-other")
    assert len(running.ledger.usage()) == 0 and running.ledger.in_flight() == []


def test_objects_of_many_lines_are_looked_up_together(running, account):
    ids = [f"file-{number}" for number in range(450)]
    for id in ids[:-1]:
        assign(running.ledger, id, "file")
    file = file_of(account, *[line([{"type": "file", "file": {"file_id": id}}]) for id in ids])
    assign(running.ledger, file, "file")
    refused = submit(running, "acme", file)
    assert refused.message == f"Line 450 of the input file: No such File object: {ids[-1]}"


# Sessions


def test_an_event_of_a_session_names_only_objects_of_its_client(running, account):
    assign(running.ledger, "pmpt_2", "prompt", "beta")
    with open_session(running) as session:
        for id in ["pmpt_1", "pmpt_2"]:
            send(session, "session.update", event_id="e1", session={"prompt": {"id": id}})
            error = receive(session)
            assert error["type"] == "error"
            assert error["error"]["message"] == f"Prompt with id '{id}' not found."
            assert error["error"]["event_id"] == "e1"
        # The session lives on.
        send(session, "response.create")
        receive_until(session, "response.done")
    assert [event["type"] for event in account.realtime.events] == ["response.create"]


@pytest.mark.parametrize(
    "event, place",
    [
        ({"type": "conversation.item.retrieve", "item_id": THE_ID}, "item_id"),
        ({"type": "conversation.item.delete", "item_id": THE_ID}, "item_id"),
        ({"type": "conversation.item.truncate", "item_id": THE_ID}, "item_id"),
        ({"type": "response.cancel", "response_id": THE_ID}, "response_id"),
        (
            {
                "type": "response.create",
                "response": {"input": [{"type": "item_reference", "id": THE_ID}]},
            },
            "response",
        ),
        (
            {"type": "conversation.item.create", "previous_item_id": THE_ID, "item": say("Hello")},
            "previous_item_id",
        ),
        ({"type": "conversation.item.create", "item": {"type": "message", "id": THE_ID}}, "item"),
    ],
)
def test_an_item_of_another_client_is_unknown_in_a_session(running, account, event, place):
    assign(running.ledger, "msg_beta", "item", "beta")
    assign(running.ledger, "msg_acme", "item")
    text = json.dumps(event)
    with open_session(running) as session:
        answers = []
        for id in ["msg_none", "msg_beta"]:
            session.send(text.replace(THE_ID, id))
            answer = receive(session)
            assert (answer["type"], answer["error"]["param"]) == ("error", place)
            answer["event_id"] = None
            answers.append(json.dumps(answer).replace(id, THE_ID))
        assert answers[0] == answers[1]
        session.send(text.replace(THE_ID, "msg_acme"))
        eventually(lambda: account.realtime.events, "the client's own item passes")
    assert account.realtime.events == [json.loads(text.replace(THE_ID, "msg_acme"))]


def test_a_session_knows_its_own_items(running, account):
    assign(running.ledger, "msg_beta", "item", "beta")
    with open_session(running) as session:
        taken = {**say("Hello"), "id": "msg_beta"}
        send(session, "conversation.item.create", item=taken)
        assert receive(session)["error"]["param"] == "item"
        # Chosen by the client, and named before the provider has shown it.
        send(session, "conversation.item.create", item={**say("Hello"), "id": "mine"})
        send(session, "conversation.item.create", item=say("!"), previous_item_id="mine")
        send(session, "conversation.item.create", item=say("?"), previous_item_id="root")
        for _ in range(3):
            assert receive(session)["type"] == "conversation.item.added"
        send(session, "response.create")
        id = receive_until(session, "response.done")["response"]["id"]
        send(session, "response.cancel", response_id=id)
        send(session, "conversation.item.delete", item_id="mine")
        eventually(lambda: len(account.realtime.events) == 6, "its own objects pass")
    assert [event["type"] for event in account.realtime.events][-2:] == [
        "response.cancel",
        "conversation.item.delete",
    ]


# Owners that change


def test_objects_that_nobody_has_may_be_opened_to_all(catraca, account):
    catraca.configuration.settings["providers"]["openai"]["base_url"] = account.url
    catraca.configuration.settings["metering"] = {"unowned_objects": "allow"}
    catraca.configuration.add_client("beta")
    catraca.start()
    warnings = [line for line in catraca.process.log if line["event"] == "configuration_warning"]
    assert "unowned_objects: allow" in warnings[0]["warning"]
    assert "unowned_objects: allow" in catraca.command("check").stderr
    respond(catraca, conversation="conv_1")
    assert account.was_named("conv_1")
    assign(catraca.ledger, "conv_2", "conversation", "beta")
    with nothing_forwarded(account):
        assert respond(catraca, conversation="conv_2").status == 404


def test_an_answer_doesnt_take_an_object_from_its_owner(running, account):
    """The account answers two clients with the same id."""
    made = answered(respond(running))["id"]
    account.id = lambda prefix: made if prefix == "resp_" else f"{prefix}x"
    answered(respond(running, "beta"))
    assert owners(running.ledger)[made] == "acme"
    with nothing_forwarded(account):
        assert respond(running, "beta", previous_response_id=made).status == 400


def test_made_and_used_at_once(running, account):
    """While many clients make and continue responses, each has its own."""
    failures = []

    def work(client):
        for _ in range(10):
            made = answered(respond(running, client))["id"]
            if respond(running, client, previous_response_id=made).status != 200:
                failures.append((client, made))

    threads = [
        threading.Thread(target=work, args=[client]) for client in ["acme", "beta"] * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
