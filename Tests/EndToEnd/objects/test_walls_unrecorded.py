"""Answers that can't be read show no objects; those in the results of a batch are its client's."""

import json

import harness.account.responses as account_responses
import pytest
from harness.account.faults import Fault
from harness.account.response_stream import Events
from harness.configuration import PROVIDER_KEYS
from harness.objects import nothing_forwarded, owners
from harness.raw_http import Truncated
from harness.waiting import eventually

MODEL = "gpt-4o-mini"
RESPONSES, CHAT = "/v1/responses", "/v1/chat/completions"
RESPONSE = {"model": MODEL, "input": "Hello", "max_output_tokens": 5000}
COMPLETION = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 50}
MEGABYTE = 1 << 20


@pytest.fixture
def house(catraca, account):
    """A server of two clients that isn't started yet, whose provider is one account."""
    catraca.configuration.settings["providers"]["openai"]["base_url"] = account.url
    catraca.configuration.add_client("beta")
    return catraca


def get(house, path, client="acme"):
    with house.connect() as connection:
        connection.send(connection.request("GET", path, None, house.key(client)))
        return connection.answer()


@pytest.fixture
def huge(monkeypatch):
    """Responses are larger than what is read whole."""
    text = {"type": "output_text", "text": "x" * (33 * MEGABYTE), "annotations": []}

    def items(account, response):
        message = {"type": "message", "id": account.id("msg_"), "role": "assistant"}
        return [{**message, "status": "completed", "content": [text]}]

    monkeypatch.setattr(account_responses, "output_items", items)


def test_an_answer_that_is_too_large_to_be_read_shows_no_object(house, huge):
    house.start()
    answer = house.post(RESPONSE, RESPONSES)
    assert (answer.status, answer.code) == (502, "upstream_invalid_response")
    assert b"msg_" not in answer.body
    [row] = house.ledger.usage()
    assert row["usage_source"] == "estimated"
    assert row["cost_nano_usd"] == row["held_nano_usd"] > 0


@pytest.mark.parametrize("background", [False, True])
def test_the_events_of_an_error_dont_show_the_providers_key(
    house, account, monkeypatch, background
):
    house.start()
    body = {**RESPONSE, "background": background, "max_output_tokens": 20}
    made = house.post(body, RESPONSES).json()["id"]
    kept = account.responses.responses.get(made).response
    eventually(lambda: kept.output, "the end of the work")
    key = PROVIDER_KEYS["TEST_OPENAI_KEY"]
    error = {"code": "server_error", "message": f"Incorrect API key provided: {key}."}

    def failed(events):
        value = {**events._response.value, "status": "failed", "error": error}
        yield events._event("response.failed", response=value)

    monkeypatch.setattr(Events, "rest", failed)
    answer = get(house, f"{RESPONSES}/{made}?stream=true")
    assert answer.status == 200
    assert key.encode() not in answer.body
    assert b"Incorrect API key provided: [provider key]." in answer.body


def begun(house, path, *bodies):
    """A batch of these requests."""
    lines = [
        {"custom_id": str(number), "method": "POST", "url": path, "body": body}
        for number, body in enumerate(bodies)
    ]
    client = house.openai(max_retries=0)
    content = "\n".join(map(json.dumps, lines)).encode()
    file = client.files.create(file=("x.jsonl", content), purpose="batch").id
    return client.batches.create(input_file_id=file, endpoint=path, completion_window="24h").id


def shown(content):
    """The ids of the answers in a batch's results."""
    return [json.loads(line)["response"]["body"]["id"] for line in content.splitlines()]


def submitted(house, account, path, *bodies):
    """The ids in the results of a batch that has ended, by the numbers of its lines."""
    batch = begun(house, path, *bodies)
    eventually(lambda: not house.ledger.deferred(), "the batch's end")
    output = account.batches.batches.get(batch).value["output_file_id"]
    return shown(get(house, f"/v1/files/{output}/content").body)


@pytest.mark.parametrize(
    "path, kept, lost",
    [
        (CHAT, {**COMPLETION, "store": True}, COMPLETION),
        (RESPONSES, RESPONSE, {**RESPONSE, "store": False}),
    ],
    ids=["completions", "responses"],
)
def test_answers_in_the_results_of_a_batch_are_its_clients(house, account, path, kept, lost):
    house.start()
    first, _ = submitted(house, account, path, kept, lost)
    assert owners(house.ledger)[first] == "acme"
    assert get(house, f"{path}/{first}").status == 200
    with nothing_forwarded(account):
        assert get(house, f"{path}/{first}", "beta").status == 404


def test_what_a_batch_doesnt_keep_costs_no_row(house, account):
    house.start()
    [id] = submitted(house, account, CHAT, COMPLETION)
    assert id not in owners(house.ledger)


async def plain(connection, content):
    await connection.respond(200, content)


def serve_content_to_clients_alone(account, send=plain):
    """The account has no results for Catraca's own requests."""

    async def content(request, connection, file):
        kept = account.files.files.get(file)
        if kept.value["purpose"] != "batch_output":
            return await plain(connection, kept.content)
        if "x-of-client" not in request.fields:
            raise Fault(503, "not now")
        await send(connection, kept.content)

    account._routes = [
        (method, pattern, content if pattern.pattern.endswith("/content") else answer)
        for method, pattern, answer in account._routes
    ]


def read(house, path, client="acme", **fields):
    with house.connect() as connection:
        fields = {"x-of-client": "1", **fields}
        connection.send(connection.request("GET", path, None, house.key(client), fields))
        return connection.answer()


@pytest.mark.parametrize(
    "path, kept",
    [(CHAT, {**COMPLETION, "store": True}), (RESPONSES, RESPONSE)],
    ids=["completions", "responses"],
)
def test_the_reader_of_results_owns_what_they_show_at_once(house, account, path, kept):
    """A client may read the results of its batch before Catraca has."""
    house.start()
    batch = begun(house, path, *[kept] * 50)
    serve_content_to_clients_alone(account)
    done = eventually(
        lambda: (b := get(house, f"/v1/batches/{batch}").json())["output_file_id"] and b, "end"
    )
    content = read(house, f"/v1/files/{done['output_file_id']}/content")
    assert content.body == account.files.files.get(done["output_file_id"]).content
    ids = shown(content.body)
    assert len(ids) == 50
    recorded = owners(house.ledger)
    assert {recorded.get(id) for id in ids} == {"acme"}
    assert get(house, f"{path}/{ids[-1]}").status == 200
    with nothing_forwarded(account):
        assert get(house, f"{path}/{ids[-1]}", "beta").status == 404
    assert house.ledger.deferred()


def test_a_file_that_only_looks_like_results_makes_nobody_an_owner(house, account):
    house.start()
    batch = begun(house, RESPONSES, RESPONSE)
    serve_content_to_clients_alone(account)
    eventually(
        lambda: get(house, f"/v1/batches/{batch}").json()["output_file_id"], "the batch's end"
    )
    nobodys = account.responses.responses.add({"id": account.id("resp_")}).id
    body = {"id": nobodys, "object": "response", "output": []}
    line = json.dumps({"custom_id": "0", "response": {"status_code": 200, "body": body}})
    client = house.openai(max_retries=0)
    file = client.files.create(file=("x.jsonl", line.encode()), purpose="batch").id
    assert read(house, f"/v1/files/{file}/content").body == line.encode()
    assert nobodys not in owners(house.ledger)


def results_of(house, batch):
    """The file of a batch's results, once there is one."""
    output = eventually(
        lambda: get(house, f"/v1/batches/{batch}").json().get("output_file_id"), "the batch's end"
    )
    return f"/v1/files/{output}/content"


def test_a_part_of_results_isnt_asked_for(house, account):
    """It could begin or end within a line."""
    house.start()
    serve_content_to_clients_alone(account)
    path = results_of(house, begun(house, RESPONSES, RESPONSE))
    answer = read(house, path, range="bytes=1-", **{"if-range": '"x"'})
    sent = account.requests[-1].fields
    assert "range" not in sent and "if-range" not in sent
    assert answer.status == 200
    [id] = shown(answer.body)
    assert owners(house.ledger)[id] == "acme"


@pytest.mark.parametrize(
    "head", ["200 OK\r\ncontent-encoding: compress", "206 Partial\r\ncontent-range: bytes 0-9/99"]
)
def test_results_that_cant_be_read_dont_pass(house, account, head):
    async def send(connection, content):
        length = f"content-length: {len(content)}\r\n\r\n"
        connection._write(f"HTTP/1.1 {head}\r\n{length}".encode() + content)

    house.start()
    serve_content_to_clients_alone(account, send)
    answer = read(house, results_of(house, begun(house, RESPONSES, RESPONSE)))
    assert (answer.status, answer.code) == (502, "upstream_invalid_response")
    assert b"resp_" not in answer.body


def test_a_line_that_is_too_long_to_be_read_doesnt_pass(house, account):
    async def send(connection, content):
        long = content.replace(b'"custom_id"', b'"x": "' + b"x" * 17 * MEGABYTE + b'", "custom_id"')
        await connection.respond(200, long)

    house.start()
    serve_content_to_clients_alone(account, send)
    path = results_of(house, begun(house, RESPONSES, RESPONSE))
    with pytest.raises(Truncated):
        read(house, path)


def test_results_of_the_oldest_of_many_batches_are_recorded(house, account):
    house.start()
    serve_content_to_clients_alone(account)
    path = results_of(house, begun(house, RESPONSES, RESPONSE))
    for _ in range(65):
        begun(house, RESPONSES, RESPONSE)
    [id] = shown(read(house, path).body)
    assert owners(house.ledger)[id] == "acme"
    # Other files don't take a question for each batch.
    file = house.openai(max_retries=0).files.create(file=("x", b"x"), purpose="user_data").id
    before = len(account.requests)
    assert read(house, f"/v1/files/{file}/content").body == b"x"
    assert len(account.requests) - before < 10
