"""A call that is sent with one `Idempotency-Key` to several replicas is done once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness.billing import PROCESS_USAGE, charges, declare_plan
from harness.crowd import at_once
from harness.waiting import eventually

CREDITS = "/api/admin/credits"
KEYS = 30


@pytest.fixture
def admins(replicas, tokens):
    """The admin API of each, once all are started."""
    replicas.start()
    return [replica.admin(tokens["admin"]) for replica in replicas]


def test_a_key_makes_one_credit_whichever_replicas_are_asked(replicas, admins):
    def grant(number):
        body = {"client_id": "acme", "tokens": 5}
        key = {"idempotency-key": f"order-{number // 2}"}
        return number // 2, admins[number % 2].post(CREDITS, body, headers=key)

    # Neighbors in time are at different replicas, with the same key.
    with ThreadPoolExecutor(max_workers=8) as pool:
        replies = list(pool.map(grant, range(2 * KEYS)))
    answers = {}
    for number, reply in replies:
        assert reply.status == 201, reply
        answers.setdefault(number, set()).add(reply.text)
    assert [len(texts) for texts in answers.values()] == [1] * KEYS
    assert len(admins[2].done("GET", f"{CREDITS}?client=acme&limit=1000")["data"]) == KEYS
    other = {"client_id": "acme", "tokens": 6}
    reply = admins[2].post(CREDITS, other, headers={"idempotency-key": "order-0"})
    assert (reply.status, reply.code) == (409, "idempotency_conflict")
    replicas.terminate()


def test_a_secret_is_shown_by_one_replica_alone(replicas, admins):
    def create(number):
        key = {"idempotency-key": "first"}
        path = "/api/admin/clients/acme/keys"
        return admins[number % 3].post(path, {"name": "once"}, headers=key)

    replies = at_once(12, create)
    assert {reply.status for reply in replies} == {201, 409}
    assert {reply.code for reply in replies if reply.status == 409} == {"idempotency_conflict"}
    [secret] = {reply.json()["secret"] for reply in replies if reply.status == 201}
    counts = "SELECT count(*) AS keys, count(body) AS bodies FROM idempotent_answers"
    assert replicas.ledger.query(counts) == [{"keys": 1, "bodies": 0}]
    assert secret.startswith("sk-ctr-")
    replicas.terminate()


def test_a_report_repeated_elsewhere_while_rows_cannot_be_written_makes_one(replicas, tokens):
    declare_plan(replicas.configuration, included=1000, every=1000)
    replicas.start()
    admins = [replica.admin(tokens["admin"]) for replica in replicas]
    key = {"idempotency-key": "order-1"}

    def report(number, tokens_used=1500):
        body = {"userId": "acme", "tokensUsed": tokens_used}
        return admins[number % 3].post(PROCESS_USAGE, body, headers=key)

    ledger = replicas.ledger
    with ledger.connect() as stall:
        # A reader sees that there is no row yet, and a writer waits.
        stall.execute("LOCK TABLE usage_logs IN EXCLUSIVE MODE")
        replies = at_once(3, report)
        assert Counter(reply.status for reply in replies) == {200: 3}, replies
        assert len({reply.json()["data"]["consumptionId"] for reply in replies}) == 1
    eventually(lambda: len(ledger.usage()) == 1, "the report is written", within=30)
    # The other replicas have dropped their copy of the report once they could write.
    for admin in admins:
        eventually(lambda: admin.call("GET", "/readyz").status == 200, "written", within=30)
    assert report(0).json()["data"]["tierCharges"][0]["billing_tier"] == "1K-2K"
    assert len(ledger.usage()) == 1
    assert [charge["block"] for charge in charges(admins[0])] == [0, 1]
    reply = report(1, tokens_used=1501)
    assert (reply.status, reply.code) == (409, "idempotency_conflict")
    for admin in admins:
        used = lambda: admin.done("GET", "/api/usage/summary?client=acme")["total_tokens"]
        eventually(lambda: used() == 1500, "counted once")
    replicas.assert_sound()
    replicas.terminate()
