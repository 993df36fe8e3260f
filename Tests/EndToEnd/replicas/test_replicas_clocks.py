"""Replicas whose clocks differ, on both sides of the midnight at which a budget starts again."""

import datetime

from harness.crowd import at_once
from harness.overspend import BODY, CROWD, PAYABLE, billed, dearest, learn_bound, token_budget
from harness.waiting import eventually

SKEW_SECONDS = 30


def next_midnight_in_sao_paulo():
    zone = datetime.timezone(datetime.timedelta(hours=-3))
    tomorrow = datetime.datetime.now(zone) + datetime.timedelta(days=1)
    return tomorrow.replace(hour=0, minute=0, second=0, microsecond=0)


def test_around_midnight_each_day_has_its_limit(replicas, sandbox):
    bound = learn_bound(replicas[0])
    sandbox.clear()
    limit = PAYABLE * bound
    replicas.configuration.add_client("small", [token_budget(limit, period="daily")])
    replicas.configuration.settings["budgets"] = {"admission_wait": "60s"}
    now = datetime.datetime.now(datetime.timezone.utc)
    until_midnight = (next_midnight_in_sao_paulo() - now).total_seconds()
    # The third may pass midnight in the midst of it.
    for replica, skew in zip(replicas, [SKEW_SECONDS, -SKEW_SECONDS, -2]):
        replica.set_clock_ahead(until_midnight + skew)
    replicas.start()

    def send(index):
        return replicas.post(index, BODY, client="small", headers=dearest(bound)).status

    assert set(at_once(CROWD, send)) == {200, 429}
    assert sum(billed(sandbox)) <= 2 * limit

    def both_are_used_up():
        return {send(index) for index in range(len(replicas))} == {429}

    eventually(both_are_used_up, "both days are used up")
    assert billed(sandbox) == [bound] * PAYABLE * 2
    days = [row["tokens"] for row in replicas.ledger.rows("budget_accounts") if row["tokens"]]
    assert days == [limit, limit]
    replicas.assert_sound()
