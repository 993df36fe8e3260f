"""Requests and tokens a minute of a key."""

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}


def refused(answer):
    assert (answer.status, answer.code) == (429, "rate_limit_exceeded")
    assert answer.json()["error"]["type"] == "rate_limit_error"
    return int(answer.fields["retry-after"])


def test_requests_above_the_limit_are_told_when_to_come_back(catraca):
    catraca.configuration.add_client("beta", requests_per_minute=2)
    catraca.start()
    assert [catraca.post(BODY, client="beta").status for _ in range(2)] == [200, 200]
    assert 1 <= refused(catraca.post(BODY, client="beta")) <= 30
    assert catraca.post(BODY).status == 200, "another client's key has no limit"
    assert len(catraca.ledger.usage(client_id="beta")) == 2
    assert catraca.ledger.denials() == []


def test_tokens_count_once_they_are_used(catraca):
    catraca.configuration.add_client("beta", tokens_per_minute=1)
    catraca.start()
    assert catraca.post(BODY, client="beta").status == 200
    assert refused(catraca.post(BODY, client="beta")) > 60, "the debt is longer than a minute"
