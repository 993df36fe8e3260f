"""Calls that are repeated with the same `Idempotency-Key`."""

import http.client
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

from harness.sanitizers import TIME_FACTOR

KEYS = "/api/admin/clients/acme/keys"
CREDITS = "/api/admin/credits"
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
