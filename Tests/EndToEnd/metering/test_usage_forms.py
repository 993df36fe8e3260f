"""A row has one form of usage for all forms in which providers report it: parts within totals, zero
apart from missing, and a cost that follows from the price file alone."""

import json

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.replay import Replay

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "What is it?"}]}
ZERO = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
PLAIN = {"prompt_tokens": 100, "completion_tokens": 10}

MISSING = {
    "no member": None,
    "null": {"usage": None},
    "nothing in it": {"usage": {}},
    "other members": {"usage": {"total_time": 0.4}},
    "texts": {"usage": {"prompt_tokens": "100", "completion_tokens": "10"}},
    "fractions": {"usage": {"prompt_tokens": 100.5, "completion_tokens": 10}},
    "below zero": {"usage": {"prompt_tokens": -1, "completion_tokens": 10}},
    "a list": {"usage": [100, 10]},
}
# The report; the prompt, cached and completion tokens of the row; and whether it was mended.
REPORTED = {
    "nothing used": (ZERO, (0, 0, 0), False),
    "no details": (PLAIN, (100, 0, 10), False),
    "the other names": ({"input_tokens": 100, "output_tokens": 10}, (100, 0, 10), False),
    "details of null": ({**PLAIN, "prompt_tokens_details": None}, (100, 0, 10), False),
    "a total that is no sum": ({**PLAIN, "total_tokens": 125}, (100, 0, 10), False),
    "a cost of its own": ({**PLAIN, "cost": 0.75, "cost_usd": "0.75"}, (100, 0, 10), False),
    "a part": ({**PLAIN, "prompt_tokens_details": {"cached_tokens": 64}}, (100, 64, 10), False),
    "a part above its whole": (
        {**PLAIN, "prompt_tokens_details": {"cached_tokens": 900}},
        (100, 100, 10),
        True,
    ),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    provider = Replay()
    configuration = Configuration(tmp_path_factory.mktemp("h"), sandbox_providers(provider.url))
    configuration.add_client("acme")
    catraca = Catraca(configuration).start()
    yield catraca, provider
    catraca.end()
    provider.end()


def ask(house, members):
    """The row of a request that is answered with these members."""
    catraca, provider = house
    answer = {"model": BODY["model"], "choices": [{"message": {"content": "A gate."}}], **members}
    provider.play(200, {"content-type": "application/json"}, json.dumps(answer).encode())
    received = catraca.post(BODY)
    assert received.json() == answer
    [row] = catraca.ledger.usage(request_id=received.fields["x-catraca-request-id"])
    parts = ["cached_tokens", "cache_write_tokens", "audio_input_tokens", "image_input_tokens"]
    assert sum(row[part] for part in parts) <= row["prompt_tokens"]
    parts = ["reasoning_tokens", "audio_output_tokens", "image_output_tokens"]
    assert sum(row[part] for part in parts) <= row["completion_tokens"]
    assert row["prompt_tokens"] + row["completion_tokens"] == row["total_tokens"]
    return row


def logged_before_its_end(process, request_id):
    """The lines about a request that precede the one that sums it up."""

    def is_end(line):
        return line["event"] == "request" and line["request_id"] == request_id

    process.wait_for_line(is_end, f"the end of {request_id}")
    lines = [line for line in process.log if line.get("request_id") == request_id]
    return [line for line in lines if not is_end(line)]


@pytest.mark.parametrize("form", MISSING)
def test_usage_that_is_missing_is_estimated(house, form):
    row = ask(house, MISSING[form] or {})
    assert row["usage_source"] == "estimated"
    assert row["prompt_tokens"] > 0 and row["completion_tokens"] > 0
    assert 0 < row["cost_nano_usd"] <= row["held_nano_usd"]


@pytest.mark.parametrize("form", REPORTED)
def test_usage_that_is_reported_is_brought_into_one_form(house, form):
    usage, (prompt, cached, completion), is_mended = REPORTED[form]
    row = ask(house, {"usage": usage, "cost": 0.75})
    assert row["usage_source"] == "reported"
    figures = (row["prompt_tokens"], row["cached_tokens"], row["completion_tokens"])
    assert figures == (prompt, cached, completion)
    assert row["cost_nano_usd"] == (prompt - cached) * 150 + cached * 75 + completion * 600
    lines = logged_before_its_end(house[0].process, row["request_id"])
    assert [line["event"] for line in lines] == ["usage_adjusted"] * is_mended


def test_an_answer_that_is_not_what_metering_expects_is_logged(house):
    catraca, provider = house
    provider.play(200, {"content-type": "application/json"}, b"<html>")
    answer = catraca.post(BODY)
    assert (answer.status, answer.body) == (200, b"<html>")
    lines = logged_before_its_end(catraca.process, answer.fields["x-catraca-request-id"])
    assert [line["event"] for line in lines] == ["answer_unreadable"]
    assert lines[0]["charged"] == "hold"


def test_the_audit_finds_a_row_whose_parts_exceed_their_total(running):
    running.post(BODY)
    assert running.command("audit").returncode == 0
    running.terminate()
    with running.ledger.changing() as database:
        database.execute("UPDATE usage_logs SET cached_tokens = prompt_tokens + 1")
    audit = running.command("audit")
    assert audit.returncode == 1
    assert "unreadable_row" in audit.stdout
