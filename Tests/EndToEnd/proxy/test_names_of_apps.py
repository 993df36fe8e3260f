"""Names of users, conversations and agents come from apps: they are bounded, and what is refused
stores none of them."""

import pytest
from harness.metrics import Metrics
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
LONGEST = "x" * 256
BAD = ["x" * 257, "é" * 129, "x" * 60_000]
HEADERS = ["X-Catraca-User", "X-Catraca-Conversation", "X-Catraca-Agent"]


def assert_refused(answer, param):
    assert (answer.status, answer.code) == (400, "invalid_json")
    error = answer.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


def test_a_name_in_a_header_has_at_most_256_bytes(running):
    with running.connect() as connection:
        for header in HEADERS:
            longest = connection.post(
                "/v1/chat/completions", BODY, running.key(), {header: LONGEST}
            )
            assert longest.status == 200
            for name in [*BAD, "a\tb"]:
                answer = connection.post(
                    "/v1/chat/completions", BODY, running.key(), {header: name}
                )
                assert_refused(answer, header.lower())
    assert len(running.ledger.usage()) == len(HEADERS)


@pytest.mark.parametrize("member", ["user", "safety_identifier", "metadata.conversation_id"])
def test_a_name_in_a_body_has_at_most_256_bytes(running, member):
    def body(name):
        if member.startswith("metadata"):
            return {**BODY, "metadata": {"conversation_id": name}}
        return {**BODY, member: name}

    assert running.post(body(LONGEST)).status == 200
    for name in [*BAD, "a\nb", "a\u0000b"]:
        assert_refused(running.post(body(name)), member)


def test_refused_requests_store_neither_names_nor_a_row_each(catraca):
    budget = {"name": "users", "per": "user", "tokens": 1, "period": "total"}
    catraca.configuration.add_client("none", [budget])
    catraca.start()
    count = 1500
    with catraca.connect() as connection:
        for number in range(count):
            headers = {"X-Catraca-User": f"{number:0256d}"}
            answer = connection.post("/v1/chat/completions", BODY, catraca.key("none"), headers)
            assert answer.status == 429
    labels = (("client", "none"), ("reason", "token_limit"))

    def counted():
        return Metrics.of(catraca).series("catraca_denials_total").get(labels) == count

    eventually(counted, "all refusals are counted")
    unwritten = Metrics.of(catraca).series("catraca_denials_unwritten_total")[labels]
    rows = catraca.denials(count - int(unwritten))
    # 300 at once, and one more each second.
    assert 300 <= len(rows) < 500
    lines = [line for line in catraca.process.log if line["event"] == "denials_not_written"]
    assert 1 <= len(lines) < 200
    assert {(line["client"], line["reason"]) for line in lines} == {("none", "token_limit")}
    assert catraca.ledger.alerts() == []
    assert sum(len(content) for content in catraca.ledger.contents().values()) < 8 << 20
