"""A plan's conversations: counted once a period, on the day of their first call."""

import pytest
from harness.crowd import at_once

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}


@pytest.fixture
def admin(catraca, tokens):
    catraca.configuration.clients["plans"]["free"]["monthly_conversations"] = 2
    return catraca.start().admin(tokens["admin"])


def call(catraca, conversation):
    return catraca.post(BODY, headers={"x-catraca-conversation": conversation})


def test_one_above_the_limit_is_refused_and_those_begun_go_on(catraca, admin):
    assert [call(catraca, name).status for name in "aab"] == [200, 200, 200]
    refused = call(catraca, "c")
    assert (refused.status, refused.code) == (429, "conversation_limit_exceeded")
    assert refused.fields["x-catraca-denied"] == "conversation_limit"
    assert refused.fields["x-should-retry"] == "false"
    assert int(refused.fields["retry-after"]) > 0
    body = refused.json()
    assert body["error"]["type"] == "insufficient_quota"
    assert body["budget"]["id"] == "acme/plan" and body["budget"]["unit"] == "conversations"
    assert (body["budget"]["limit"], body["budget"]["used"]) == (2, 2)
    assert (call(catraca, "b").status, catraca.post(BODY).status) == (200, 200)
    [denial] = catraca.denials(1)
    assert denial["reason"] == "conversation_limit"

    now = admin.done("GET", "/api/usage/current-period?client=acme")
    assert (now["conversations_used"], now["conversations_limit"]) == (2, 2)
    check = admin.done("GET", "/api/usage/check?client=acme")
    assert (check["allowed"], check["reason"]) == (False, "conversation_limit")
    status = admin.done("GET", "/api/budget/status?client=acme")
    assert (status["has_budget"], status["is_paused"]) == (False, True)
    assert status["pause_reason"] == "conversation_limit"


def test_it_holds_after_a_kill_and_after_a_change_of_the_plan(catraca, admin):
    assert [call(catraca, name).status for name in "ab"] == [200, 200]
    catraca.kill()
    admin = catraca.start().admin(admin.token)
    assert [call(catraca, name).status for name in "ca"] == [429, 200]
    plan = {"name": "more", "monthly_conversations": 3}
    admin.done("POST", "/api/admin/plans", plan, 201)
    admin.done("POST", "/api/admin/clients/acme/subscription", {"plan": "more"})
    assert [call(catraca, name).status for name in "cd"] == [200, 429]
    shown = admin.done("GET", "/api/admin/clients/acme/subscription")
    assert shown["conversations_used_this_period"] == 3


def test_first_calls_at_once_begin_no_more_than_may(catraca, admin):
    statuses = at_once(40, lambda index: call(catraca, f"c{index % 8}").status)
    assert set(statuses) == {200, 429}
    begun = {row["conversation_id"] for row in catraca.ledger.usage()}
    assert len(begun) == 2
    now = admin.done("GET", "/api/usage/current-period?client=acme")
    assert now["conversations_used"] == 2
