"""A budget's refusal: the answer, the log line and the row in `denials` agree (article Errors)."""

import datetime
import re

import groq
import openai
import pytest
from harness.budgets import first_of_next_month_in_sao_paulo
from harness.sandbox import script

MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES, "max_completion_tokens": 4000}
LIMIT = 1000
TOKENS = {"name": "month", "mode": "tokens", "tokens": LIMIT, "period": "monthly"}


@pytest.fixture
def limited(catraca):
    """A server whose client `small` can't pay for BODY, with 34 tokens used already."""
    catraca.configuration.add_client("small", [TOKENS])
    catraca.start()
    catraca.post({**BODY, "max_completion_tokens": 50}, client="small")
    [row] = catraca.ledger.usage()
    catraca.used = row["total_tokens"]
    return catraca


def test_the_openai_sdk_raises_rate_limit_error_after_exactly_one_call(limited, sandbox):
    sandbox.clear()
    with pytest.raises(openai.RateLimitError) as caught:
        limited.openai("small").chat.completions.create(**BODY)
    assert caught.value.code == "budget_exceeded"
    assert_refused_once(limited, sandbox)


def test_the_groq_sdk_raises_rate_limit_error_after_exactly_one_call(limited, sandbox):
    sandbox.clear()
    with pytest.raises(groq.RateLimitError):
        limited.groq("small").chat.completions.create(**{**BODY, "model": "llama-3.1-8b-instant"})
    assert_refused_once(limited, sandbox)


def assert_refused_once(limited, sandbox):
    assert sandbox.journal() == []
    [row] = limited.denials(1)
    line = limited.process.event("budget_exceeded")
    assert line["request_id"] == row["request_id"]
    assert len(limited.ledger.usage()) == 1


def test_the_answer_the_line_and_the_row_agree(limited):
    answer = limited.post(BODY, client="small", headers={"X-Catraca-User": "u1"})
    reset = first_of_next_month_in_sao_paulo()

    assert answer.status == 429
    assert answer.fields["x-should-retry"] == "false"
    assert answer.fields["x-catraca-denied"] == "token_limit"
    left = reset - datetime.datetime.now(datetime.UTC)
    assert abs(int(answer.fields["retry-after"]) - left.total_seconds()) < 60

    body = answer.json()
    requested = body["budget"]["requested"]
    assert requested > 4000
    affordable = body["budget"]["affordable_output_tokens"]
    assert 0 <= affordable < LIMIT - limited.used
    assert body["budget"] == {
        "id": "small/month",
        "subject": "client:small",
        "mode": "tokens",
        "unit": "tokens",
        "limit": LIMIT,
        "used": limited.used,
        "held": 0,
        "requested": requested,
        "remaining": LIMIT - limited.used,
        "affordable_output_tokens": affordable,
    }
    assert body["resetDate"] == reset.isoformat()
    error = body["error"]
    assert (error["type"], error["param"], error["code"]) == (
        "insufficient_quota",
        None,
        "budget_exceeded",
    )
    assert error["message"] == (
        f"Budget exceeded for client 'small': {limited.used:,} of {LIMIT:,} tokens used this "
        f"month, and this request may need up to {requested:,} more. "
        f"It resets on {reset.isoformat()}."
    )

    request_id = answer.fields["x-catraca-request-id"]
    line = limited.process.event("budget_exceeded")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("ts"))
    assert line == {
        "level": "warn",
        "event": "budget_exceeded",
        "request_id": request_id,
        "client": "small",
        "key": "main",
        "user": "u1",
        "operation": "chat",
        "provider": "openai",
        "model": "gpt-4o-mini",
        "budget": "small/month",
        "reason": "token_limit",
        "limit": LIMIT,
        "used": limited.used,
        "held": 0,
        "requested": requested,
        "reset_at": reset.isoformat(),
    }

    [row] = limited.denials(1)
    expected = {
        "request_id": request_id,
        "client_id": "small",
        "key_name": "main",
        "user_id": "u1",
        "operation": "chat",
        "model": "gpt-4o-mini",
        "budget_id": "small/month",
        "reason": "token_limit",
        "limit_value": LIMIT,
        "used": limited.used,
        "held": 0,
        "requested": requested,
    }
    assert {name: row[name] for name in expected} == expected


def test_what_the_answer_calls_affordable_is_affordable(limited):
    refused = limited.post(BODY, client="small").json()
    affordable = refused["budget"]["affordable_output_tokens"]
    body = {**BODY, "max_completion_tokens": affordable}
    assert limited.post(body, client="small").status == 200


def test_a_cost_limit_is_told_in_its_currency(catraca):
    budget = {"name": "all", "mode": "cost", "cost": "0.01", "currency": "BRL"}
    catraca.configuration.add_client("small", [{**budget, "period": "total"}])
    catraca.start()
    answer = catraca.post(BODY, client="small")
    assert answer.status == 429
    assert answer.fields["x-catraca-denied"] == "cost_limit"
    assert "retry-after" not in answer.fields
    body = answer.json()
    assert body["resetDate"] is None
    assert body["budget"]["unit"] == "BRL"
    assert body["budget"]["limit"] == "0.010000000"
    assert re.fullmatch(r"0\.\d{9}", body["budget"]["requested"])
    [row] = catraca.denials(1)
    assert row["limit_value"] == 10_000_000
    assert row["requested"] == int(body["budget"]["requested"].replace(".", ""))
    assert row["reset_at"] is None
    line = catraca.process.event("budget_exceeded")
    assert (line["limit"], line["reason"]) == ("0.010000000", "cost_limit")


def test_a_shadow_budget_only_says_what_it_would_have_refused(catraca):
    budget = {**TOKENS, "enforcement": "shadow"}
    catraca.configuration.add_client("small", [budget])
    catraca.start()
    assert catraca.post(BODY, client="small").status == 200
    assert catraca.process.event("budget_shadow")["budget"] == "small/month"
    assert catraca.ledger.denials() == []


def test_each_user_has_a_budget_of_his_own(catraca):
    catraca.configuration.add_client(
        "small", [{"name": "each", "per": "user", "mode": "tokens", "tokens": 600}]
    )
    catraca.start()
    body = {**BODY, "max_completion_tokens": 300}
    exact = script(completion_tokens=300)

    def status(user):
        return catraca.post(body, client="small", headers={**exact, "X-Catraca-User": user}).status

    assert [status("a"), status("a"), status("b"), status("b")] == [200, 429, 200, 429]
    assert {row["user_id"] for row in catraca.denials(2)} == {"a", "b"}


def test_an_open_ended_request_is_clamped_to_what_is_left(limited, sandbox):
    body = {"model": "gpt-4o-mini", "messages": MESSAGES}
    answer = limited.post(body, client="small")
    assert answer.status == 200
    clamped = int(answer.fields["x-catraca-clamped"])
    assert 0 < clamped <= LIMIT - limited.used
    assert f'"max_completion_tokens":{clamped}' in sandbox.journal()[-1]["body"]
    assert limited.ledger.usage()[-1]["held_tokens"] <= LIMIT - limited.used


def test_answers_say_what_remains(limited):
    answer = limited.post({**BODY, "max_completion_tokens": 50}, client="small")
    used = sum(row["total_tokens"] for row in limited.ledger.usage())
    assert int(answer.fields["x-catraca-remaining-tokens"]) == LIMIT - used
    assert answer.fields["x-catraca-reset"] == first_of_next_month_in_sao_paulo().isoformat()
