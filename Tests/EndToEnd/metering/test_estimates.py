"""Estimates learn from what providers report, keep it, and tell how far off they are."""

import json

import pytest
from harness.realtime import open_session, receive_until, respond, send
from harness.rows import assert_estimated
from harness.sandbox import script
from harness.waiting import eventually

MESSAGES = [{"role": "user", "content": "What does a turnstile do? " * 20}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES, "max_completion_tokens": 500}
TEXT_BYTES = len(MESSAGES[0]["content"]) + 16
# Three times what is usual: a byte of text makes three quarters of a token.
TOKENS = TEXT_BYTES * 3 // 4


def estimated_input(catraca):
    """The input tokens of a request whose provider reports nothing."""
    answer = catraca.post(BODY, headers=script(no_usage=True))
    assert answer.status == 200
    row = catraca.ledger.usage(request_id=answer.fields["x-catraca-request-id"])[0]
    assert_estimated(row, "ok")
    return row["prompt_tokens"]


def test_estimates_follow_what_is_reported_and_survive_a_restart(running):
    usual = estimated_input(running)
    assert usual == -(-TEXT_BYTES // 4)
    for _ in range(40):
        assert running.post(BODY, headers=script(prompt_tokens=TOKENS)).status == 200
    learned = estimated_input(running)
    assert 0.9 * TOKENS < learned <= TOKENS
    running.terminate()
    running.start()
    assert estimated_input(running) == learned


def test_what_was_estimated_is_told_apart_and_compared(running):
    running.post(BODY)
    running.post(BODY, headers=script(no_usage=True))
    [line] = json.loads(running.command("estimates", "--format", "json").stdout)["data"]
    assert (line["provider"], line["model"]) == ("openai", "gpt-4o-mini")
    assert (line["reported_requests"], line["estimated_requests"]) == (1, 1)
    reported = running.ledger.usage(usage_source="reported")[0]
    error = abs(reported["estimated_tokens"] - reported["total_tokens"])
    assert line["mean_error_percent"] == line["p95_error_percent"]
    assert line["p95_error_percent"] == error * 1000 // reported["total_tokens"] / 10
    usage = running.command("usage", "--by", "usage_source", "--format", "json").stdout
    series = {entry["key"]: entry["requests"] for entry in json.loads(usage)["series"]}
    assert series == {"estimated": 1, "reported": 1}


# Output that nobody saw, estimated by the time that the model had


LONG = {**BODY, "max_completion_tokens": 60_000}
RESPONSE = {"model": "gpt-5-mini", "input": "Think.", "max_output_tokens": 60_000}
FAST = script(completion_tokens=20_000, delay_ms=500)
"""Whole answers of 20,000 tokens in about half a second each: 40,000 a second."""
HALF_A_SECOND = 20_000


def made(sandbox):
    """The output that the provider says it makes."""
    return sum(entry["completion_tokens"] or 0 for entry in sandbox.journal())


def teach(catraca, body, path, headers=FAST):
    assert catraca.post(body, path, headers=headers).status == 200


def leave(catraca, sandbox, body, path, headers, chunks=0):
    """Hangs up half a second after the provider has the request; the row that this makes."""
    known = len(catraca.ledger.usage())
    sandbox.clear()
    with catraca.connect() as connection:
        connection.send(connection.request("POST", path, body, catraca.key(), headers))
        eventually(lambda: made(sandbox), "the request at the provider")
        if chunks:
            connection.head()
            for _, _ in zip(range(chunks), connection.chunks()):
                pass
        else:
            connection.socket.settimeout(0.5)
            with pytest.raises(TimeoutError):
                connection.socket.recv(1)
    rows = eventually(lambda: catraca.ledger.usage()[known:], "a row of the request that was left")
    assert len(rows) == 1 and made(sandbox) == 20_000
    return rows[0]


def test_what_a_client_left_is_charged_by_the_time_that_the_model_had(running, sandbox):
    path = "/v1/chat/completions"
    teach(running, LONG, path)
    slow = script(completion_tokens=20_000, hang=True)
    row = leave(running, sandbox, LONG, path, slow)
    assert_estimated(row, "client_disconnected")
    assert 0.7 * HALF_A_SECOND < row["completion_tokens"] <= 60_000
    # Also after a restart, from what the ledger knows.
    running.terminate()
    running.start()
    row = leave(running, sandbox, LONG, path, slow)
    assert 0.7 * HALF_A_SECOND < row["completion_tokens"] <= 60_000


def test_reasoning_that_a_stream_does_not_show_is_charged(running, sandbox):
    teach(running, RESPONSE, "/v1/responses")
    thoughts = {"completion_tokens": 20_000, "reasoning_tokens": 19_000}
    headers = script(**thoughts, chunk_delay_ms=250, chunks=9)
    body = {**RESPONSE, "stream": True}
    row = leave(running, sandbox, body, "/v1/responses", headers, chunks=3)
    assert_estimated(row, "client_disconnected")
    assert 0.7 * HALF_A_SECOND < row["completion_tokens"] <= 60_000


def test_a_stream_that_showed_its_text_is_charged_by_it_where_the_model_does_not_reason(
    running, sandbox
):
    path = "/v1/chat/completions"
    for _ in range(8):
        teach(running, LONG, path, script(completion_tokens=20_000))
    slow = script(completion_tokens=20_000, chunks=9, chunk_delay_ms=250)
    row = leave(running, sandbox, {**LONG, "stream": True}, path, slow, chunks=3)
    assert_estimated(row, "client_disconnected")
    assert 0 < row["completion_tokens"] < 100


def test_a_model_that_was_never_seen_is_taken_for_a_fast_one(running, sandbox):
    slow = script(completion_tokens=20_000, hang=True)
    row = leave(running, sandbox, LONG, "/v1/chat/completions", slow)
    assert 400 < row["completion_tokens"] < 20_000


def test_an_estimate_by_time_never_exceeds_the_hold(running, sandbox):
    path = "/v1/chat/completions"
    teach(running, LONG, path)
    small = {**BODY, "max_completion_tokens": 700}
    row = leave(running, sandbox, small, path, script(completion_tokens=20_000, hang=True))
    assert_estimated(row, "client_disconnected")
    assert row["completion_tokens"] == 700


def test_a_drain_that_hits_its_bound_is_charged_by_time(catraca, sandbox):
    openai = catraca.configuration.settings["providers"]["openai"]
    openai |= {"on_disconnect": "drain", "drain_time": "1s"}
    catraca.start()
    path = "/v1/chat/completions"
    teach(catraca, LONG, path)
    row = leave(catraca, sandbox, LONG, path, script(completion_tokens=20_000, hang=True))
    assert_estimated(row, "client_disconnected")
    assert 2 * 0.7 * HALF_A_SECOND < row["completion_tokens"] <= 60_000


def test_an_answer_that_was_read_to_its_end_is_estimated_by_its_text(catraca, sandbox):
    catraca.configuration.settings["providers"]["openai"]["on_disconnect"] = "drain"
    catraca.start()
    path = "/v1/chat/completions"
    teach(catraca, LONG, path)
    slow = script(completion_tokens=20_000, chunks=6, chunk_delay_ms=200, no_usage=True)
    row = leave(catraca, sandbox, {**LONG, "stream": True}, path, slow, chunks=2)
    assert_estimated(row, "client_disconnected")
    assert 0 < row["completion_tokens"] < 100


def test_an_answer_that_times_out_is_charged_by_time(catraca, sandbox):
    catraca.configuration.settings["limits"] = {"upstream_idle": "700ms"}
    catraca.start()
    path = "/v1/chat/completions"
    teach(catraca, LONG, path)
    answer = catraca.post(LONG, path, headers=script(hang=True))
    assert answer.status == 504
    row = catraca.ledger.usage()[-1]
    assert_estimated(row, "upstream_broken")
    assert 0.7 * HALF_A_SECOND < row["completion_tokens"] <= 60_000


def test_a_session_that_ends_in_the_midst_of_a_response_is_charged_by_time(running, sandbox):
    headers = script(completion_tokens=4_000, chunks=5, chunk_delay_ms=100)
    with open_session(running, headers=headers) as session:
        respond(session)
        send(session, "response.create")
        for _ in range(3):
            receive_until(session, "response.output_text.delta")
        session.socket.close()
    eventually(lambda: len(running.ledger.usage()) == 2, "both rows")
    row = running.ledger.usage()[1]
    assert_estimated(row, "client_disconnected", status=101)
    assert row["completion_tokens"] > 1_500
