"""The answer of a call that has committed, or may have, while the database can't be asked."""

import http.client
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from harness.changes import MAKE, REMOVE, raised
from harness.crowd import at_once
from harness.receivers import WebReceiver
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

CREDITS = "/api/admin/credits"
TEST = "/api/admin/alerts/test"
BODY = {"client_id": "acme", "tokens": 5}
KEY = {"idempotency-key": "order-1"}
LOCK = 4711
# A call tries for 20 s, and a statement may take several more.
PATIENCE = 60
# A call tries for 20 s, and its last attempt may wait for a connection.
PROMISED = 30 * TIME_FACTOR
WAITING = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

# COMMIT waits for the lock of a test.
SLOW_COMMIT = f"""
    CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock({LOCK}); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON token_credits
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_for_the_test();
"""


def post(replica, token, path, body, headers=KEY):
    """Status and body of a call that may take long."""
    host, port = replica.process.address("admin")
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    fields = {**headers, "authorization": f"Bearer {token}", "content-type": "application/json"}
    connection.request("POST", path, json.dumps(body), fields)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def credits(ledger):
    return ledger.query("SELECT id FROM token_credits")


def test_a_committed_call_that_cannot_be_shown_is_202_and_never_503(replicas, tokens):
    replicas.start()
    ledger = replicas.ledger
    with ThreadPoolExecutor(max_workers=1) as pool, ledger.connect() as stall:
        # Credits can be written. The rows that must be read before one is in force can't.
        stall.execute("LOCK TABLE budget_resets IN ACCESS EXCLUSIVE MODE")
        answer = pool.submit(post, replicas[0], tokens["admin"], CREDITS, BODY)
        eventually(lambda: len(credits(ledger)) == 1, "it is committed", within=PATIENCE)
        status, body = answer.result()
    assert (status, body["success"]) == (202, True), body
    status, body = post(replicas[1], tokens["admin"], CREDITS, BODY)
    assert (status, body["tokens_granted"], len(credits(ledger))) == (201, 5, 1), body
    replicas.terminate()


def test_a_commit_whose_outcome_is_not_told_is_504_and_is_made_once(replicas, tokens):
    replicas[0].put_proxy()
    replicas.start()
    ledger = replicas.ledger
    with ledger.changing() as database:
        database.execute(SLOW_COMMIT)
    with ThreadPoolExecutor(max_workers=1) as pool:
        with ledger.connect(autocommit=True) as stall:
            stall.execute(f"SELECT pg_advisory_lock({LOCK})")
            answer = pool.submit(post, replicas[0], tokens["admin"], CREDITS, BODY)
            eventually(lambda: ledger.query(WAITING), "the commit is under way")
            replicas[0].path.cut()
        eventually(lambda: len(credits(ledger)) == 1, "it is committed", within=PATIENCE)
        status, body = answer.result()
        assert (status, body["error"]["code"]) == (504, "outcome_unknown"), body
        replicas[0].path.heal()

    def is_answered():
        return post(replicas[0], tokens["admin"], CREDITS, BODY)[0] == 201

    eventually(is_answered, "the database can be asked again", within=PATIENCE)
    assert post(replicas[1], tokens["admin"], CREDITS, BODY)[0] == 201
    assert len(credits(ledger)) == 1
    replicas.terminate()


def made(ledger, change):
    """How often it is in the audit log."""
    return len(
        ledger.query("SELECT 1 FROM audit_log WHERE action = %s", change.action),
    )


@pytest.mark.parametrize("with_keys", [False, True], ids=["no keys", "keys"])
def test_a_call_whose_connection_ends_after_its_commit_never_answers_503(
    replicas, tokens, with_keys
):
    """Every change that an administrator can make, each with a commit whose outcome isn't told."""
    path = replicas[0].put_proxy()
    replicas.start()
    admin = replicas[0].admin(tokens["admin"])
    until = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    for number, change in enumerate(MAKE + [raised(until)] + REMOVE):
        before = made(replicas.ledger, change)
        path.ended.clear()
        path.end_commits_of(re.escape(change.action).encode())
        headers = {"idempotency-key": f"change-{number}"} if with_keys else {}
        reply = admin.call(change.method, change.path, change.body, headers)
        assert path.ended, f"{change}: no commit was seen"
        assert reply.status == change.status, (str(change), reply)
        assert made(replicas.ledger, change) == before + 1, str(change)
    replicas.terminate()


def test_a_commit_on_a_connection_that_falls_silent_is_looked_up_on_another(replicas, tokens):
    path = replicas[0].put_proxy()
    replicas.start()
    ledger = replicas.ledger
    path.end_commits_of(b"credit.create", silence=True)
    start = time.monotonic()
    status, body = post(replicas[0], tokens["admin"], CREDITS, BODY)
    assert path.ended and (status, len(credits(ledger))) == (201, 1), body
    assert 5 < time.monotonic() - start < PROMISED
    replicas.terminate()


def test_a_commit_on_a_network_that_falls_silent_is_504_in_time(replicas, tokens):
    path = replicas[0].put_proxy()
    replicas.start()
    ledger = replicas.ledger
    with ledger.changing() as database:
        database.execute(SLOW_COMMIT)
    with ThreadPoolExecutor(max_workers=1) as pool:
        with ledger.connect(autocommit=True) as stall:
            stall.execute(f"SELECT pg_advisory_lock({LOCK})")
            start = time.monotonic()
            answer = pool.submit(post, replicas[0], tokens["admin"], CREDITS, BODY)
            eventually(lambda: ledger.query(WAITING), "the commit is under way")
            path.swallow()
        eventually(lambda: len(credits(ledger)) == 1, "it is committed")
        status, body = answer.result()
    assert (status, body["error"]["code"]) == (504, "outcome_unknown"), body
    assert time.monotonic() - start < PROMISED
    path.heal()

    def is_answered():
        return post(replicas[0], tokens["admin"], CREDITS, BODY)[0] == 201

    eventually(is_answered, "the database can be asked again", within=PATIENCE)
    assert len(credits(ledger)) == 1
    replicas.terminate()


def test_a_change_on_a_network_that_falls_silent_afterwards_is_202_in_time(replicas, tokens):
    path = replicas[0].put_proxy()
    replicas.start()
    ledger = replicas.ledger
    with ThreadPoolExecutor(max_workers=1) as pool, ledger.connect() as stall:
        # Credits can be written. The rows that must be read before one is in force can't.
        stall.execute("LOCK TABLE budget_resets IN ACCESS EXCLUSIVE MODE")
        start = time.monotonic()
        answer = pool.submit(post, replicas[0], tokens["admin"], CREDITS, BODY)
        eventually(lambda: len(credits(ledger)) == 1, "it is committed", within=PATIENCE)
        path.swallow()
        status, body = answer.result()
    assert (status, body["success"]) == (202, True), body
    assert time.monotonic() - start < PROMISED + 10
    path.heal()
    replicas.terminate()


@pytest.fixture
def receiver():
    receiver = WebReceiver()
    yield receiver
    receiver.close()


def test_a_key_sends_one_test_alert_whichever_replicas_are_asked(replicas, tokens, receiver):
    """It claims its key before it sends: nothing that it does can be taken back."""
    webhook = {"url": receiver.url, "secret_env": "HOOK_SECRET"}
    replicas.configuration.settings["alerts"] = {"webhooks": [webhook]}
    for replica in replicas:
        replica.environment["HOOK_SECRET"] = "whsec-of-the-test"
    replicas.start()

    def send(number):
        return post(replicas[number % 3], tokens["admin"], TEST, {"channel": "webhook:0"})

    for status, body in at_once(12, send):
        if status == 409:
            assert body["error"]["code"] == "idempotency_conflict"
        else:
            assert status == 200 and body["results"][0]["delivered"], body
    assert len(receiver.deliveries) == 1
    # Later it is answered as it was first.
    assert {send(number)[0] for number in range(3)} == {200}
    assert len(receiver.deliveries) == 1
    replicas.terminate()


def test_a_key_makes_one_widget_token_whichever_replicas_are_asked(replicas, tokens):
    replicas.start()

    def make(number):
        body = {"client_id": "acme"}
        return post(replicas[number % 3], tokens["admin"], "/api/widget-tokens", body)

    answers = at_once(12, make)
    assert {status for status, _ in answers} == {201, 409}
    assert len({body["token"] for status, body in answers if status == 201}) == 1
    replicas.terminate()
