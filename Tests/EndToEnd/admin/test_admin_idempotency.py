"""Calls that are repeated with the same `Idempotency-Key`."""

import http.client
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from harness.receivers import WebReceiver
from harness.sanitizers import TIME_FACTOR

KEYS = "/api/admin/clients/acme/keys"
CREDITS = "/api/admin/credits"
TEST = "/api/admin/alerts/test"
WIDGETS = "/api/widget-tokens"
# Eight lives of a server, each of another length, and who asks it meanwhile.
KILLED_AFTER = [0.4 * TIME_FACTOR + 0.037 * life for life in range(8)]
WORKERS = 8


def post(admin, path, body, key):
    return admin.post(path, body, headers={"idempotency-key": key})


def test_a_repeated_call_is_answered_as_before_and_done_once(catraca, admin):
    body = {"client_id": "acme", "tokens": 5}
    first = post(admin, "/api/admin/budgets", body, "k1")
    again = post(admin, "/api/admin/budgets", body, "k1")
    assert (first.status, again.status, again.text) == (201, 201, first.text)
    assert "idempotent-replayed" not in first.fields
    assert again.fields["idempotent-replayed"] == "true"
    assert len(admin.done("GET", "/api/admin/budgets?client=acme")["data"]) == 1
    assert catraca.terminate() == 0
    restarted = catraca.start().admin(admin.token)
    assert post(restarted, "/api/admin/budgets", body, "k1").text == first.text


def test_the_same_key_with_another_body_is_a_conflict(admin):
    body = {"client_id": "acme", "tokens": 5}
    post(admin, "/api/admin/budgets", body, "k1")
    reply = post(admin, "/api/admin/budgets", {**body, "tokens": 6}, "k1")
    assert (reply.status, reply.code) == (409, "idempotency_conflict")
    assert post(admin, "/api/admin/budgets", {**body, "tokens": 6}, "k2").status == 201
    assert post(admin, "/api/admin/budgets", body, "two words").code == "invalid_value"


def test_calls_that_are_repeated_at_the_same_time_are_done_once_and_answered_alike(admin):
    def report(tokens):
        return post(
            admin,
            "/api/token-billing/process-usage",
            {"userId": "acme", "tokensUsed": tokens},
            "k1",
        )

    with ThreadPoolExecutor(max_workers=8) as pool:
        replies = list(pool.map(report, [10] * 32))
    assert {(reply.status, reply.text) for reply in replies} == {(200, replies[0].text)}
    assert sum("idempotent-replayed" not in reply.fields for reply in replies) == 1
    assert admin.done("GET", "/api/usage/summary?client=acme")["total_tokens"] == 10
    with ThreadPoolExecutor(max_workers=8) as pool:
        replies = list(pool.map(report, range(11, 19)))
    assert {reply.code for reply in replies} == {"idempotency_conflict"}


def test_a_refused_call_may_be_repeated(admin):
    assert post(admin, "/api/admin/budgets", {"client_id": "acme"}, "k1").status == 400
    body = {"client_id": "acme", "tokens": 5}
    assert post(admin, "/api/admin/budgets", body, "k1").status == 201


def test_a_secret_is_replayed_from_memory_and_never_stored(catraca, admin):
    first = post(admin, KEYS, {"name": "web"}, "k1")
    assert post(admin, KEYS, {"name": "web"}, "k1").text == first.text
    secret = first.json()["secret"].encode()
    for path in catraca.configuration.folder.glob("ledger.db*"):
        assert secret not in path.read_bytes()
    assert catraca.terminate() == 0
    reply = post(catraca.start().admin(admin.token), KEYS, {"name": "web"}, "k1")
    assert (reply.status, reply.code) == (409, "idempotency_conflict")


def test_a_key_makes_one_credit_whenever_the_server_is_killed(catraca, tokens):
    """The key is committed with the credit: no moment is between the two."""
    numbers, waiting = itertools.count(), []
    catraca.start()
    for seconds in KILLED_AFTER:
        admin = catraca.admin(tokens["admin"])

        def grant_until_death(first):
            number = first
            while True:
                number = next(numbers) if number is None else number
                try:
                    reply = post(admin, CREDITS, {"client_id": "acme", "tokens": 5}, f"k{number}")
                except (OSError, http.client.HTTPException):
                    return number
                assert reply.status == 201, reply
                number = None

        firsts = waiting + [None] * (WORKERS - len(waiting))
        killing = threading.Timer(seconds, catraca.kill)
        killing.start()
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            waiting = list(pool.map(grant_until_death, firsts))
        killing.join()
        catraca.start()
    admin = catraca.admin(tokens["admin"])
    for number in waiting:
        assert post(admin, CREDITS, {"client_id": "acme", "tokens": 5}, f"k{number}").status == 201
    count = next(numbers)
    assert count > 2 * WORKERS
    with catraca.ledger.changing() as database:
        credits = database.execute("SELECT id FROM token_credits").fetchall()
    assert len(credits) == count


# Calls that act without changing the ledger: their key is claimed before.


def repeated_after_death(catraca, admin, path, body):
    """The key of the first call is older than the call can have lasted."""
    catraca.start()
    admin = catraca.admin(admin.token)
    reply = post(admin, path, body, "k1")
    assert (reply.status, reply.code) == (409, "idempotency_conflict")
    life = key_life(catraca)
    with catraca.ledger.changing() as database:
        database.execute("UPDATE idempotent_answers SET expires_at = created_at")
    return life, post(admin, path, body, "k1")


def test_a_test_alert_whose_server_died_is_sent_again_when_its_key_has_expired(catraca, tokens):
    receiver = WebReceiver()
    receiver.may_answer.clear()
    catraca.configuration.settings["alerts"] = {
        "webhooks": [{"url": receiver.url, "secret_env": "HOOK_SECRET"}]
    }
    catraca.environment["HOOK_SECRET"] = "whsec-of-the-test"
    catraca.start()
    admin = catraca.admin(tokens["admin"])
    body = {"channel": "webhook:0"}
    with ThreadPoolExecutor(max_workers=1) as pool:
        first = pool.submit(post, admin, TEST, body, "k1")
        receiver.received(1)
        catraca.kill()
        receiver.may_answer.set()
        life, reply = repeated_after_death(catraca, admin, TEST, body)
        assert isinstance(first.exception(), (OSError, http.client.HTTPException))
    assert life == 70
    assert reply.status == 200 and reply.json()["results"][0]["delivered"]
    assert "idempotent-replayed" not in reply.fields
    assert len(receiver.deliveries) == 2
    # From now on it is answered as any other call.
    admin = catraca.admin(admin.token)
    assert post(admin, TEST, body, "k1").fields["idempotent-replayed"] == "true"
    assert key_life(catraca) == 86_400
    assert len(receiver.deliveries) == 2
    receiver.close()


def test_a_widget_token_that_was_answered_is_made_once_a_day(catraca, admin):
    body = {"client_id": "acme"}
    first = post(admin, WIDGETS, body, "k1")
    assert first.status == 201
    assert post(admin, WIDGETS, body, "k1").text == first.text
    assert key_life(catraca) == 86_400


def key_life(catraca):
    """In seconds."""
    [row] = catraca.ledger.rows("idempotent_answers")
    begin, end = (datetime.fromisoformat(row[name]) for name in ["created_at", "expires_at"])
    return (end - begin).total_seconds()
