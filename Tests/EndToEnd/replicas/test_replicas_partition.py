"""A replica that can't reach the database: the sum stays within the limit, and rows are exact."""

import json
import threading

import pytest
from harness.crowd import at_once
from harness.overspend import BODY, PAYABLE, billed, dearest, learn_bound, token_budget
from harness.raw_http import Truncated
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

CROWD = 60
SLOW = 5
# How long the provider takes for the requests that are under way meanwhile.
SLOW_MILLISECONDS = 4_000
# Fifteen seconds until a lost replica's leases have returned, and five for a busy machine.
TAKEN_OVER = 20.0 * TIME_FACTOR


@pytest.fixture(params=["cut", "swallow"])
def separate(request):
    """Ends the way to the database: connections are refused, or nothing comes of them."""
    return lambda path: getattr(path, request.param)()


class Slow:
    """Requests that the provider takes its time for; each has a user of its own."""

    def __init__(self, replica, headers):
        self.statuses = [None] * SLOW
        self._replica = replica
        self._headers = headers
        self._threads = [threading.Thread(target=self._send, args=[n]) for n in range(SLOW)]
        for thread in self._threads:
            thread.start()

    def _send(self, number):
        body = {**BODY, "user": f"slow{number}"}
        try:
            answer = self._replica.post(body, client="small", headers=self._headers)
            self.statuses[number] = answer.status
        except (OSError, Truncated):
            pass

    def join(self):
        for thread in self._threads:
            thread.join()
        return self.statuses


def post(replica, user, headers):
    """Its status; None where no answer came in time, and "contended" where it waited in vain."""
    try:
        answer = replica.post({**BODY, "user": user}, client="small", headers=headers)
    except (OSError, Truncated):
        return None
    if answer.status == 429 and answer.code == "budget_contended":
        return "contended"
    return answer.status


def start(replicas, sandbox, limit_in_bounds):
    """Three replicas, the first behind a path of its own; the bound of a request, and the limit."""
    bound = learn_bound(replicas[0])
    limit = limit_in_bounds * bound
    replicas.configuration.add_client("small", [token_budget(limit)])
    replicas[0].put_proxy()
    replicas.start()
    sandbox.clear()
    return bound, limit


def assert_exact(replicas, sandbox, limit):
    """Each request that the provider billed has its row, with its figures, and none is invented."""
    used = {
        json.loads(entry["body"])["user"]: entry["prompt_tokens"] + entry["completion_tokens"]
        for entry in sandbox.journal()
        if entry["prompt_tokens"] is not None
    }

    def recorded():
        rows = replicas.ledger.usage(client_id="small")
        return {row["user_id"]: row["total_tokens"] for row in rows}

    eventually(lambda: recorded() == used, "rows are what the provider counted", TAKEN_OVER)
    eventually(lambda: not replicas.ledger.in_flight(), "nothing is in flight")
    [budget] = replicas.ledger.budgets(client_id="small")
    assert budget["current_tokens"] == sum(used.values()) <= limit
    replicas.assert_sound()


def test_what_others_use_and_what_was_under_way_is_within_the_limit(
    replicas, sandbox, separate
):
    bound, limit = start(replicas, sandbox, limit_in_bounds=3 * PAYABLE)
    lost, *others = replicas
    slow = Slow(lost, dearest(bound, delay_ms=SLOW_MILLISECONDS))
    eventually(lambda: len(billed(sandbox)) == SLOW, "the slow ones are at the provider")
    separate(lost.path)
    at_once(
        CROWD, lambda index: post(replicas[index % len(replicas)], f"u{index}", dearest(bound))
    )
    assert sum(billed(sandbox)) <= limit
    assert slow.join() == [200] * SLOW

    users = (f"late{number}" for number in range(10_000))

    def is_used_up():
        """When the lost one's lease is theirs too, which it has used some of."""
        for replica in others:
            while post(replica, next(users), dearest(bound)) == 200:
                pass
        return limit - sum(billed(sandbox)) < bound

    eventually(is_used_up, "the others use all that is left", TAKEN_OVER)
    assert sum(billed(sandbox)) <= limit
    lost.path.heal()
    eventually(lambda: post(lost, next(users), dearest(bound)) == 429, "it is back", TAKEN_OVER)
    assert_exact(replicas, sandbox, limit)


def test_a_short_silence_pins_nothing(replicas, sandbox):
    """A lease's order that was on its way arrives late, when its request may be refused already."""
    bound, limit = start(replicas, sandbox, limit_in_bounds=20 * PAYABLE)
    assert post(replicas[0], "before", dearest(bound)) == 200
    replicas[0].path.swallow()

    def crowd(index):
        if index < CROWD:
            return post(replicas[0], f"u{index}", dearest(bound))
        eventually(lambda: replicas[0].admin(None).get("/readyz").status == 503, "it is known")
        return replicas[0].path.heal()

    statuses = at_once(CROWD + 1, crowd)
    # A caller that waits until just after the database is back is told that it only had to wait.
    assert set(statuses) <= {200, 503, "contended", None}
    eventually(lambda: post(replicas[0], "after", dearest(bound)) == 200, "it is back")
    assert_exact(replicas, sandbox, limit)
