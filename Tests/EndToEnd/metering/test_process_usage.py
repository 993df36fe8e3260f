"""Usage that did not pass the proxy, reported by `process-usage`."""

import pytest
from harness.crowd import at_once

PATH = "/api/token-billing/process-usage"


def report(admin, **fields):
    return admin.done("POST", PATH, {"userId": "acme", "tokensUsed": 1000, **fields})


def test_it_makes_a_row_and_counts_in_plan_and_budgets(catraca, tokens):
    catraca.configuration.clients["plans"]["free"]["monthly_tokens"] = 1500
    catraca.configuration.add_client("acme", [{"name": "cap", "tokens": 5000}])
    admin = catraca.start().admin(tokens["admin"])
    metadata = {"conversationId": "c1", "agentId": "bot", "free": [1, "two"]}
    answer = report(admin, metadata=metadata)
    assert answer["success"] is True
    assert answer["data"]["totalTokens"] == 1000 and answer["data"]["tierCharges"] == []
    row = catraca.row()
    assert row["request_id"] == answer["data"]["consumptionId"]
    assert (row["prompt_tokens"], row["completion_tokens"], row["cost_nano_usd"]) == (1000, 0, 0)
    assert (row["usage_source"], row["operation"], row["user_id"]) == ("external", "chat", None)
    assert (row["conversation_id"], row["agent_id"]) == ("c1", "bot")
    assert row["metadata"] == '{"conversationId":"c1","agentId":"bot","free":[1,"two"]}'

    # It has happened already: never refused, also above the limit.
    assert report(admin)["data"]["totalTokens"] == 2000
    cap = admin.done("GET", "/api/admin/budgets/acme/cap")
    assert cap["current_tokens"] == 2000
    period = admin.done("GET", "/api/usage/current-period?client=acme")
    assert (period["tokens_used"], period["is_over_limit"]) == (2000, True)
    assert period["conversations_used"] == 1
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    assert catraca.post(body).status == 429
    assert catraca.command("audit").returncode == 0


def test_with_a_model_it_is_priced(catraca, admin):
    report(
        admin,
        userId="u1",
        clientId="acme",
        model="gpt-4o-mini",
        inputTokens=600,
        outputTokens=400,
        operationType="chat",
    )
    row = catraca.row()
    assert (row["prompt_tokens"], row["completion_tokens"]) == (600, 400)
    assert (row["user_id"], row["model"], row["source"]) == ("u1", "gpt-4o-mini", "openai")
    assert row["cost_nano_usd"] == 600 * 150 + 400 * 600
    assert catraca.command("audit").returncode == 0


def test_an_idempotency_key_counts_once_per_client_for_ever(catraca, admin, tokens):
    body = {"userId": "acme", "tokensUsed": 700}
    key = {"idempotency-key": "order-1"}
    answers = at_once(8, lambda _: admin.post(PATH, body, headers=key))
    assert {answer.status for answer in answers} <= {200, 409}
    first = admin.post(PATH, body, headers=key)
    assert (first.status, first.fields["idempotent-replayed"]) == (200, "true")
    assert len(catraca.ledger.usage()) == 1
    # The same for the client's own key, and after a restart.
    catraca.kill()
    catraca.start()
    again = catraca.admin(catraca.key()).post(PATH, body, headers=key)
    assert (again.status, again.json()) == (200, first.json())
    other = catraca.admin(tokens["admin"]).post(
        PATH, {**body, "tokensUsed": 701}, headers=key
    )
    assert (other.status, other.code) == (409, "idempotency_conflict")
    assert other.json()["success"] is False
    assert len(catraca.ledger.usage()) == 1


def test_a_key_reports_for_its_own_client_alone(catraca, tokens):
    catraca.configuration.add_client("beta")
    client = catraca.start().admin(catraca.key())
    assert report(client)["success"] is True
    for body in [{"userId": "beta"}, {"userId": "u1", "clientId": "beta"}, {"userId": "nobody"}]:
        reply = client.post(PATH, {"tokensUsed": 5, **body})
        assert (reply.status, reply.code, reply.json()["success"]) == (403, "forbidden", False)
    assert report(client, userId="u1", clientId="acme")["data"]["totalTokens"] == 2000
    with catraca.connect() as connection:
        body = {"userId": "acme", "tokensUsed": 1}
        assert connection.post(PATH, body, catraca.key()).status == 404


@pytest.mark.parametrize(
    "fields, status, param",
    [
        ({"tokensUsed": None}, 400, "tokensUsed"),
        ({"tokensUsed": 0}, 400, "tokensUsed"),
        ({"tokensUsed": 10**12 + 1}, 400, "tokensUsed"),
        ({"tokensUsed": "5"}, 400, "tokensUsed"),
        ({"userId": None}, 400, "userId"),
        ({"userId": "nobody"}, 404, None),
        ({"operationType": "dance"}, 400, "operationType"),
        ({"inputTokens": 5, "outputTokens": 5}, 400, "tokensUsed"),
        ({"model": "unheard-of"}, 400, "model"),
        ({"model": "unheard-of", "provider": "openai"}, 400, "model"),
        ({"model": "gpt-4o-mini", "provider": "unheard-of"}, 400, "provider"),
        ({"metadata": []}, 400, "metadata"),
        ({"metadata": {"x": "y" * 5000}}, 400, "metadata"),
        ({"tokens_used": 5}, 400, "tokens_used"),
    ],
)
def test_a_wrong_report_says_so_in_its_own_shape(admin, fields, status, param):
    reply = admin.post(PATH, {"userId": "acme", "tokensUsed": 1000, **fields})
    assert (reply.status, reply.json()["success"], reply.error["param"]) == (status, False, param)
