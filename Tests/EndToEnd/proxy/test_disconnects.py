"""After a hang-up of either side, use is recorded once, and nobody takes a part for the whole."""

import socket

import openai
import pytest
from harness.raw_http import Connection, Truncated
from harness.rows import assert_cost, assert_estimated
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MESSAGES = [{"role": "user", "content": "Count to a hundred."}]
OPENAI = {"model": "gpt-4o-mini", "messages": MESSAGES, "stream": True}
GROQ = {"model": "llama-3.1-8b-instant", "messages": MESSAGES, "stream": True}
SLOW = {"completion_tokens": 60, "chunk_delay_ms": 20}


def hang_up(running, sandbox, body, path, headers, after_chunks):
    """Leaves once the provider has the request, and `after_chunks` chunks have come from it."""
    with running.connect() as connection:
        connection.send(connection.request("POST", path, body, running.key(), headers))
        eventually(sandbox.journal, "the request at the provider")
        if after_chunks:
            connection.head()
            chunks = connection.chunks()
            for _ in range(after_chunks):
                next(chunks)


# The client hangs up


@pytest.mark.parametrize("after_chunks", [0, 1, 5])
def test_openai_is_stopped_and_the_rest_estimated(running, sandbox, after_chunks):
    hang_up(running, sandbox, OPENAI, "/v1/chat/completions", script(**SLOW), after_chunks)
    row = running.row_in_time()
    assert_estimated(row, "client_disconnected", source="openai", status=row["status"])
    [entry] = sandbox.journal()
    assert not entry["completed"]


def test_the_sdk_hanging_up_stops_openai(running, sandbox):
    stream = running.openai().chat.completions.create(
        model="gpt-4o-mini", messages=MESSAGES, stream=True, extra_headers=script(**SLOW)
    )
    next(iter(stream))
    stream.close()
    assert_estimated(running.row_in_time(), "client_disconnected", status=200)
    assert not sandbox.journal()[0]["completed"]


def test_groq_is_read_to_its_end_and_charged_exactly(running, sandbox):
    hang_up(running, sandbox, GROQ, "/groq/openai/v1/chat/completions", script(**SLOW), 2)
    row = running.row_in_time()
    assert (row["outcome"], row["usage_source"]) == ("client_disconnected", "drained")
    usage = expected_usage(MESSAGES, 60)
    assert {name: row[name] for name in usage.columns} == usage.columns
    assert_cost(row, running.configuration, usage, "groq", GROQ["model"])
    assert sandbox.journal()[0]["completed"]


def test_a_client_that_leaves_before_a_plain_answer_is_recorded(running, sandbox):
    body = {"model": "gpt-4o-mini", "messages": MESSAGES}
    hang_up(running, sandbox, body, "/v1/chat/completions", script(hang=True), 0)
    assert_estimated(running.row_in_time(), "client_disconnected")


# The provider breaks off


def test_a_stream_that_the_provider_resets_is_reset_for_the_sdk_too(running):
    stream = running.openai(max_retries=0).chat.completions.create(
        model="gpt-4o-mini",
        messages=MESSAGES,
        stream=True,
        extra_headers=script(cut_after=5, chunk_delay_ms=20),
    )
    with pytest.raises(Exception) as caught:
        list(stream)
    assert not isinstance(caught.value, openai.APIStatusError)
    assert_estimated(running.row_in_time(), "upstream_broken", status=200)


@pytest.mark.parametrize("body", [OPENAI, {**OPENAI, "stream": False}], ids=["stream", "plain"])
def test_a_part_is_never_ended_as_if_it_were_the_whole(running, body):
    with running.connect() as connection:
        headers = script(cut_after=4, chunk_delay_ms=20)
        data = connection.request("POST", "/v1/chat/completions", body, running.key(), headers)
        connection.send(data)
        try:
            answer = connection.answer()
        except Truncated:
            pass
        else:
            assert answer.status == 502, answer
    assert_estimated(running.row_in_time(), "upstream_broken")


def test_an_answer_that_is_not_http_is_a_bad_gateway(running):
    answer = running.post({**OPENAI, "stream": False}, headers=script(malformed_http=True))
    assert (answer.status, answer.code) == (502, "upstream_invalid_response")
    assert_estimated(running.row_in_time(), "upstream_broken")


def test_a_provider_that_never_answers_is_a_timeout(catraca):
    catraca.configuration.settings["limits"] = {"upstream_idle": "300ms"}
    catraca.start()
    answer = catraca.post({**OPENAI, "stream": False}, headers=script(hang=True))
    assert (answer.status, answer.code) == (504, "upstream_timeout")
    assert_estimated(catraca.row_in_time(), "upstream_broken")


def test_a_provider_that_is_not_there_costs_nothing(catraca):
    catraca.configuration.settings["providers"]["openai"]["base_url"] = "http://127.0.0.1:1/v1"
    catraca.start()
    answer = catraca.post({**OPENAI, "stream": False})
    assert (answer.status, answer.code) == (502, "upstream_unreachable")
    assert catraca.ledger.usage() == []
    assert catraca.ledger.in_flight() == []


# The provider ends in an unusual way


@pytest.mark.parametrize(
    "values, outcome, usage_source",
    [
        ({"end_without_done": True}, "ok", "reported"),
        ({"no_usage": True}, "ok", "estimated"),
        ({"error_midstream": True}, "provider_error", "estimated"),
    ],
)
def test_a_stream_that_ends_in_proper_http_is_passed_whole(running, values, outcome, usage_source):
    answer = running.post(OPENAI, headers=script(**values))
    assert answer.status == 200
    row = running.row()
    assert (row["outcome"], row["usage_source"]) == (outcome, usage_source)
    assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]


def test_a_plain_answer_without_usage_is_estimated(running):
    running.post({**OPENAI, "stream": False}, headers=script(no_usage=True))
    assert_estimated(running.row(), "ok", status=200)


def test_every_hold_is_free_again_after_hangups(catraca):
    """The budget pays for one request at a time: a hold that leaked would stop the next one."""
    budget = {"name": "all", "mode": "tokens", "tokens": 3000, "period": "total"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    body = {**OPENAI, "max_completion_tokens": 1500}
    for _ in range(5):
        with catraca.connect() as connection:
            key = catraca.key("small")
            connection.send(
                connection.request("POST", "/v1/chat/completions", body, key, script(**SLOW))
            )
            assert connection.head()[0] == 200
    eventually(lambda: len(catraca.ledger.usage()) == 5, "five rows")
    assert catraca.ledger.in_flight() == []


def test_a_half_closed_connection_is_recorded_as_it_was_served(running, sandbox):
    """Whether that is a hang-up is the server's choice; what the provider served is not."""
    with Connection(running.host, running.port) as connection:
        body = {**OPENAI, "stream": False}
        connection.send(connection.request("POST", "/v1/chat/completions", body, running.key()))
        connection.socket.shutdown(socket.SHUT_WR)
        answered = connection.rest().startswith(b"HTTP/1.1 200")
    assert running.terminate() == 0
    outcomes = [row["outcome"] for row in running.ledger.usage()]
    if answered:
        assert outcomes == ["ok"]
    else:
        # A row comes before its answer: it may have been whole when the hang-up was noticed.
        assert len(outcomes) == len(sandbox.journal())
        assert set(outcomes) <= {"ok", "client_disconnected"}
