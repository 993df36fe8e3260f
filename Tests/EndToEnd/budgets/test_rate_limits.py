"""Requests and tokens a minute of a key."""

from harness.metrics import Metrics
from harness.objects import assign
from harness.waiting import eventually

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


def test_free_calls_count_as_requests_and_are_logged_and_counted(catraca):
    catraca.configuration.add_client("beta", requests_per_minute=3)
    catraca.start()
    assign(catraca.ledger, "file-none", "file", "beta")
    with catraca.connect() as connection:
        assert connection.get("/v1/models", catraca.key("beta")).status == 200
        assert connection.get("/v1/files/file-none", catraca.key("beta")).status == 404
        assert catraca.post(BODY, client="beta").status == 200
        refused(connection.get("/v1/models", catraca.key("beta")))
        assert connection.get("/v1/models", catraca.key()).status == 200

    def logged():
        return [line for line in catraca.process.log if line["event"] == "unmetered_request"]

    eventually(lambda: len(logged()) == 3, "three lines")
    lines = logged()
    assert [(line["client"], line["path"], line["status"]) for line in lines] == [
        ("beta", "/v1/models", 200),
        ("beta", "/v1/files/file-none", 404),
        ("acme", "/v1/models", 200),
    ]
    assert {line["key"] for line in lines if line["client"] == "beta"} == {"main"}
    counted = Metrics.of(catraca).series("catraca_unmetered_requests_total")
    assert counted == {(("client", "acme"),): 1, (("client", "beta"),): 2}
