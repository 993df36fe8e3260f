"""Estimates learn from what providers report, keep it, and tell how far off they are."""

import json

from harness.rows import assert_estimated
from harness.sandbox import script

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
