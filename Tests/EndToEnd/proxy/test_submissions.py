"""Work that outlives its answer is paid for, whatever becomes of the client or of the answer."""

import json
import signal

import pytest
from harness.hostile_provider import HostileProvider
from harness.rows import assert_estimated, assert_row
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MODEL = "gpt-5-mini"
INPUT = "Olá! What does a turnstile do?"
USAGE = expected_usage([{"content": INPUT}])
BACKGROUND = {"model": MODEL, "input": INPUT, "background": True, "max_output_tokens": 1000}
BATCH_MODEL = "gpt-4o-mini"
TEXTS = ["Olá!", "What does a turnstile do?", "One more"]
LATE = script(delay_ms=600)
BUDGET = {"name": "b", "mode": "tokens", "tokens": 100_000, "period": "total"}


def upload(running, client="acme", texts=TEXTS):
    """The body of a request for a batch of these texts."""
    requests = [
        {
            "custom_id": f"line-{index}",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": BATCH_MODEL,
                "messages": [{"role": "user", "content": text}],
                "max_tokens": 100,
            },
        }
        for index, text in enumerate(texts)
    ]
    content = "\n".join(json.dumps(request) for request in requests).encode()
    file = running.openai(client).files.create(file=("r.jsonl", content), purpose="batch")
    return {
        "input_file_id": file.id,
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
    }


def submitted(sandbox, path):
    return [e for e in sandbox.journal() if (e["method"], e["path"]) == ("POST", path)]


def hang_up(running, sandbox, path, body, headers=LATE, after=0):
    """Leaves once the provider has the request, or once `after` bytes of its answer have come."""
    with running.connect() as connection:
        connection.send(connection.request("POST", path, body, running.key(), headers))
        eventually(lambda: submitted(sandbox, path), "the request at the provider")
        if after:
            connection._exactly(after)


def settled(running, count=1):
    eventually(lambda: len(running.ledger.usage()) >= count, f"{count} rows")
    eventually(lambda: not running.ledger.deferred(), "the end of the work")
    rows = running.ledger.usage()
    assert len(rows) == count, rows
    assert running.ledger.in_flight() == []
    audit = running.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    return rows


def assert_whole_hold(row, outcome, **others):
    assert_estimated(row, outcome, **others)
    assert row["total_tokens"] == row["held_tokens"]
    assert row["cost_nano_usd"] == row["held_nano_usd"]


def assert_response_row(running, row, **others):
    assert row["usage_source"] in ("reported", "drained")
    assert row["outcome"] in ("ok", "client_disconnected")
    assert_row(
        row,
        running.configuration,
        USAGE,
        operation="responses",
        endpoint="/v1/responses",
        model=MODEL,
        usage_source=row["usage_source"],
        outcome=row["outcome"],
        **{"stream": False, **others},
    )


def truth(sandbox):
    """The tokens that the provider has made."""
    return sum(
        entry["prompt_tokens"] + entry["completion_tokens"]
        for entry in sandbox.journal()
        if entry["prompt_tokens"] is not None
    )


# The client hangs up


@pytest.mark.parametrize("on_disconnect", ["cancel", "drain"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_client_that_leaves_before_the_answer_pays_for_its_background_response(
    catraca, sandbox, stream, on_disconnect
):
    catraca.configuration.settings["providers"]["openai"]["on_disconnect"] = on_disconnect
    catraca.start()
    hang_up(catraca, sandbox, "/v1/responses", {**BACKGROUND, "stream": stream})
    [row] = settled(catraca)
    assert_response_row(catraca, row, stream=stream)
    assert row["total_tokens"] == truth(sandbox)
    assert submitted(sandbox, "/v1/responses")[0]["completed"]


def test_what_it_left_can_be_fetched_and_is_charged_once(running, sandbox):
    hang_up(running, sandbox, "/v1/responses", BACKGROUND)
    [work] = eventually(running.ledger.deferred, "the work that is followed")
    response = running.openai().responses.retrieve(work["object_id"])
    assert response.output_text
    [row] = settled(running)
    assert_response_row(running, row)


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_client_that_leaves_in_the_midst_of_the_answer_pays_for_it(running, sandbox, stream):
    body = {**BACKGROUND, "stream": stream}
    hang_up(running, sandbox, "/v1/responses", body, script(chunk_delay_ms=30), after=30)
    [row] = settled(running)
    assert_response_row(running, row, stream=stream)
    assert row["total_tokens"] == truth(sandbox)


def test_a_client_that_leaves_before_the_answer_pays_for_its_batch(running, sandbox):
    body = upload(running)
    hang_up(running, sandbox, "/v1/batches", body)
    rows = settled(running, len(TEXTS))
    expected = [expected_usage([{"content": text}]).total for text in TEXTS]
    assert [row["total_tokens"] for row in rows] == expected
    assert {row["usage_source"] for row in rows} == {"reported"}


def test_many_that_leave_at_once_pay_for_all_that_was_made(catraca, sandbox):
    """A budget that pays for it: nothing is made beyond it, and nothing that was made is free."""
    catraca.configuration.add_client("small", [{**BUDGET, "tokens": 12_000}])
    catraca.configuration.settings["budgets"] = {"admission_wait": "0ms"}
    catraca.start()
    connections = [catraca.connect() for _ in range(20)]
    for connection in connections:
        data = connection.request("POST", "/v1/responses", BACKGROUND, catraca.key("small"), LATE)
        connection.send(data)

    def count():
        return len(submitted(sandbox, "/v1/responses"))

    eventually(
        lambda: count() + len(catraca.ledger.denials()) == len(connections),
        "the decision on each request",
    )
    for connection in connections:
        connection.__exit__()
    assert 0 < count() < len(connections)
    rows = settled(catraca, count())
    assert sum(row["total_tokens"] for row in rows) == truth(sandbox) == count() * USAGE.total


# The answer never comes


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/batches"])
@pytest.mark.parametrize("leaves", [False, True], ids=["waits", "leaves"])
@pytest.mark.parametrize(
    "values",
    [{"hang": True}, {"malformed_http": True, "delay_ms": 300}],
    ids=["silence", "not HTTP"],
)
def test_work_whose_answer_never_comes_is_charged_its_whole_hold(
    catraca, sandbox, path, leaves, values
):
    catraca.configuration.settings["limits"] = {"upstream_idle": "700ms"}
    catraca.start()
    body = BACKGROUND if path == "/v1/responses" else upload(catraca)
    if leaves:
        hang_up(catraca, sandbox, path, body, script(**values))
    else:
        answer = catraca.post(body, path, headers=script(**values))
        assert answer.status == (504 if "hang" in values else 502)
    [row] = settled(catraca)
    assert_whole_hold(row, "upstream_broken")


def test_an_answer_that_is_cut_is_charged_the_whole_hold(running):
    answer = running.post(BACKGROUND, "/v1/responses", headers=script(cut_after=1))
    assert answer.status == 502
    assert_whole_hold(settled(running)[0], "upstream_broken")


@pytest.fixture
def hostile(configuration):
    """A provider whose answers the test writes."""
    provider = HostileProvider()
    configuration.settings["providers"]["openai"]["base_url"] = provider.url
    yield provider
    provider.close()


def http(status, body, type_="application/json"):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {type_}\r\ncontent-length: {len(body)}\r\n\r\n"
    return [head.encode() + body]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"status": "queued"},
        {"id": "a/b", "status": "queued"},
        {"id": "resp_1", "status": "in a state that nobody knows"},
    ],
    ids=["empty", "no id", "no plain id", "unknown status"],
)
def test_an_answer_that_names_no_work_is_charged_the_whole_hold(hostile, catraca, body):
    hostile.answer = lambda: http(200, body)
    catraca.start()
    answer = catraca.post(BACKGROUND, "/v1/responses")
    assert answer.status == 200
    assert_whole_hold(settled(catraca)[0], "ok", status=200)


@pytest.mark.parametrize(
    "body",
    [b" " * (33 << 20) + b'{"id":"resp_1","status":"queued"}', b"not JSON"],
    ids=["too large", "not JSON"],
)
def test_an_answer_that_cant_show_its_work_is_refused_and_charged_the_whole_hold(
    hostile, catraca, body
):
    hostile.answer = lambda: http(200, body)
    catraca.start()
    assert catraca.post(BACKGROUND, "/v1/responses").status == 502
    assert_whole_hold(settled(catraca)[0], "upstream_broken", status=200)


def test_a_stream_that_ends_before_it_names_its_work_is_charged_the_whole_hold(hostile, catraca):
    hostile.answer = lambda: http(200, b": hello\n\n", "text/event-stream")
    catraca.start()
    assert catraca.post({**BACKGROUND, "stream": True}, "/v1/responses").status == 200
    assert_whole_hold(settled(catraca)[0], "ok", status=200)


@pytest.mark.parametrize("status", [400, 429, 500, 503])
def test_work_that_the_provider_refuses_costs_nothing(running, sandbox, status):
    running.post(BACKGROUND, "/v1/responses", headers=script(status=status))
    sandbox.clear()
    hang_up(running, sandbox, "/v1/responses", BACKGROUND, script(status=status, delay_ms=300))
    for row in settled(running, 2):
        assert (row["outcome"], row["status"]) == ("provider_error", status)
        assert (row["total_tokens"], row["cost_nano_usd"]) == (0, 0)


# Catraca ends


def test_a_kill_before_the_answer_charges_the_whole_hold(running, sandbox):
    hang_up(running, sandbox, "/v1/responses", BACKGROUND, script(hang=True))
    running.kill()
    running.start()
    assert_whole_hold(settled(running)[0], "interrupted", status=0)


def test_a_stop_waits_for_the_answer_of_a_client_that_left(running, sandbox):
    hang_up(running, sandbox, "/v1/responses", BACKGROUND, script(delay_ms=1500))
    assert running.terminate() == 0
    assert len(running.ledger.deferred()) == 1
    assert running.ledger.usage() == running.ledger.in_flight() == []
    running.start()
    [row] = settled(running)
    assert_response_row(running, row)


@pytest.mark.parametrize("leaves", [False, True], ids=["waits", "leaves"])
def test_a_hurried_stop_charges_the_whole_hold(running, sandbox, leaves):
    with running.connect() as connection:
        never = script(hang=True)
        data = connection.request("POST", "/v1/responses", BACKGROUND, running.key(), never)
        connection.send(data)
        eventually(lambda: submitted(sandbox, "/v1/responses"), "the request at the provider")
        if leaves:
            connection.socket.close()
        running.process.signal(signal.SIGTERM)
        running.process.event("stopping")
        running.process.signal(signal.SIGTERM)
        assert running.process.wait(within=10) == 0
    assert running.ledger.in_flight() == []
    assert_whole_hold(running.row(), "upstream_broken")


# Asked again


def test_a_repeat_of_the_same_key_is_charged_once(running, sandbox):
    """The stand-in gives equal seeds equal ids: so a provider answers a repeat."""
    headers = {**script(seed=7, pending_looks=1), "idempotency-key": "k-1"}
    first = running.post(BACKGROUND, "/v1/responses", headers=headers)
    second = running.post(BACKGROUND, "/v1/responses", headers=headers)
    assert first.json()["id"] == second.json()["id"]
    [row] = settled(running)
    assert_response_row(running, row)
    # Also after its end.
    running.post(BACKGROUND, "/v1/responses", headers=headers)
    assert settled(running) == [row]


@pytest.mark.parametrize(
    "second, client",
    [({}, "acme"), ({"idempotency-key": "k-2"}, "acme"), ({"idempotency-key": "k-1"}, "other")],
    ids=["no key", "another key", "another client"],
)
def test_an_id_that_is_taken_makes_no_work_free(catraca, sandbox, second, client):
    catraca.configuration.add_client("other")
    running = catraca.start()
    seeded = script(seed=8, pending_looks=1)
    first = {**seeded, "idempotency-key": "k-1"}
    running.post(BACKGROUND, "/v1/responses", headers=first)
    running.post(BACKGROUND, "/v1/responses", client, {**seeded, **second})
    rows = settled(running, 2)
    charged = next(row for row in rows if row["usage_source"] == "estimated")
    assert charged["client_id"] == client
    assert_whole_hold(charged, "ok")
    assert_response_row(running, next(row for row in rows if row is not charged))


# How much one client may have under way


def test_one_client_never_takes_the_places_of_all(catraca, sandbox):
    catraca.configuration.add_client("greedy")
    running = catraca.start()
    forever = script(pending_looks=1_000_000)

    def submit(connection, client):
        answer = connection.post("/v1/responses", BACKGROUND, running.key(client), forever)
        return answer.status, answer

    with running.connect() as connection:
        for number in range(1000):
            status, answer = submit(connection, "greedy")
            assert status == 200, (number, answer)
        status, refused = submit(connection, "greedy")
        assert (status, refused.code) == (429, "rate_limit_exceeded")
        assert "1000" in refused.json()["error"]["message"]
        assert submit(connection, "acme")[0] == 200
    assert len(submitted(sandbox, "/v1/responses")) == 1001
    assert len(running.ledger.deferred()) == 1001
