"""A plan's number of conversations across three replicas: no more begin, and all of them may."""

import threading
import time
from collections import Counter

import pytest
from harness.crowd import at_once
from harness.overspend import BODY, CROWD, learn_bound, mixed, token_budget
from harness.raw_http import Truncated
from harness.sandbox import script
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

LIMIT = 7
ROUNDS = range(2)
# 15 seconds, and five for a busy machine.
TAKEN_OVER = 20.0 * TIME_FACTOR


@pytest.fixture
def start(replicas):
    """Starts the replicas, with a plan that lets `limit` conversations begin."""

    def start(limit, wait, **clients):
        replicas.configuration.clients["plans"]["free"]["monthly_conversations"] = limit
        for client, budgets in clients.items():
            replicas.configuration.add_client(client, budgets)
        replicas.configuration.settings["budgets"] = {"admission_wait": wait}
        return replicas.start()

    return start


def call(replica, conversation, client="acme", body=BODY, **scripted):
    headers = {"x-catraca-conversation": conversation, **script(**scripted)}
    return replica.post(body, client=client, headers=headers)


def hang(replica, conversation, client="acme"):
    """A call that the provider never answers, in a thread of its own."""

    def run():
        try:
            call(replica, conversation, client, {**BODY, "user": "hanging"}, hang=True)
        except (OSError, Truncated):
            pass

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def begun(replicas, client="acme"):
    return {row["conversation_id"] for row in replicas.ledger.usage(client_id=client)}


def permitted(replicas):
    """The conversations that may begin, and haven't."""
    rows = replicas.ledger.query(
        "SELECT DISTINCT conversation_id FROM conversation_permits WHERE replica_id <> ''"
    )
    return {row["conversation_id"] for row in rows}


def assert_given_back(replicas):
    """When all have stopped nothing is permitted any more, and all figures are what rows say."""
    replicas.assert_sound()
    replicas.terminate()
    assert permitted(replicas) == set()
    replicas.assert_sound()


def test_a_crowd_begins_as_many_as_may_and_no_more(replicas, start):
    start(LIMIT, "60s", **{f"round{round_}": [] for round_ in ROUNDS})
    for round_ in ROUNDS:
        client = f"round{round_}"

        def send(index, client=client):
            return call(replicas[index % 3], f"c{index}", client, mixed(index))

        answers = at_once(CROWD, send)
        assert len(begun(replicas, client)) == LIMIT, client
        assert Counter(each.status for each in answers) == {200: LIMIT, 429: CROWD - LIMIT}
        refused = {each.code for each in answers if each.status == 429}
        assert refused == {"conversation_limit_exceeded"}, client
        for replica in replicas:
            for conversation in sorted(begun(replicas, client)):
                assert call(replica, conversation, client).status == 200
            assert call(replica, "another", client).status == 429
        assert len(begun(replicas, client)) == LIMIT, client
    assert_given_back(replicas)


def test_a_conversation_at_all_replicas_counts_once(replicas, start, tokens):
    start(2, "60s")

    def send(index):
        return call(replicas[index % 3], f"c{index % 2}", body=mixed(index))

    answers = at_once(60, send)
    assert {each.status for each in answers} == {200}
    for replica in replicas:
        refused = call(replica, "another")
        assert (refused.status, refused.code) == (429, "conversation_limit_exceeded")
        assert refused.json()["budget"]["used"] == 2
        check = replica.admin(tokens["admin"]).done("GET", "/api/usage/check?client=acme")
        assert (check["allowed"], check["reason"]) == (False, "conversation_limit")
    assert_given_back(replicas)


def test_while_calls_of_another_replica_may_begin_the_last_one_it_is_contended(
    replicas, sandbox, start
):
    start(2, "300ms")
    threads = [hang(replicas[0], name) for name in "ab"]
    eventually(lambda: len(sandbox.journal()) == 2, "both hang at the provider")
    contended = call(replicas[1], "c")
    assert (contended.status, contended.code) == (429, "budget_contended")
    assert contended.fields["x-should-retry"] == "true"
    budget = contended.json()["budget"]
    assert (budget["unit"], budget["used"], budget["held"]) == ("conversations", 0, 2)
    assert call(replicas[1], "a").status == 200
    replicas[0].kill()
    for thread in threads:
        thread.join()
    eventually(lambda: begun(replicas) == {"a", "b"}, "settled by the others", TAKEN_OVER)
    refused = call(replicas[2], "c")
    assert (refused.status, refused.code) == (429, "conversation_limit_exceeded")
    replicas[0].start()
    assert_given_back(replicas)


def test_places_of_a_killed_replica_are_free_again(replicas, sandbox, start):
    """Its calls wait for a budget, each with a place, and never reach the provider."""
    bound = learn_bound(replicas[0])
    sandbox.clear()
    start(LIMIT, "120s", small=[token_budget(bound, per="user")])
    threads = [hang(replicas[1], "c0", "small")]
    eventually(lambda: len(sandbox.journal()) == 1, "it hangs at the provider")
    threads += [hang(replicas[1], f"c{index}", "small") for index in range(1, LIMIT)]
    eventually(lambda: len(permitted(replicas)) == LIMIT, "all places are taken")
    replicas[1].kill()
    killed = time.monotonic()
    for thread in threads:
        thread.join()

    def begin(index):
        body = {**BODY, "user": f"u{index}"}
        return call(replicas[index % 2 * 2], f"n{index}", "small", body)

    answers = at_once(LIMIT - 1, begin)
    assert [each.status for each in answers] == [200] * (LIMIT - 1)
    assert time.monotonic() - killed < TAKEN_OVER
    assert call(replicas[2], "another", "small").code == "conversation_limit_exceeded"
    assert begun(replicas, "small") == {"c0", *(f"n{index}" for index in range(LIMIT - 1))}
    replicas[1].start()
    assert_given_back(replicas)
