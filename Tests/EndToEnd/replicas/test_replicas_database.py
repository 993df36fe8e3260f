"""The database of three replicas stops under load, and is there again: nothing is lost."""

import time

import pytest
from harness.balanced_load import BalancedLoad
from harness.load import by_user, check_budget, check_rows
from harness.overspend import token_budget
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

LIMIT = 200_000
# Longer than a replica may be silent without being taken for dead.
LONG_OUTAGE = 12.0
PATIENCE = 30.0 * TIME_FACTOR


@pytest.mark.parametrize(
    ("on_failure", "stop", "outage"),
    [("deny", "stop", 1.0), ("deny", "stop_at_once", LONG_OUTAGE), ("allow", "stop_at_once", 1.0)],
    ids=["deny", "deny, long", "allow"],
)
def test_an_outage_loses_nothing(replicas, sandbox, postgres, on_failure, stop, outage):
    replicas.configuration.add_client("small", [token_budget(LIMIT)])
    replicas.configuration.settings["ledger"]["on_failure"] = on_failure
    replicas.start()
    with BalancedLoad(replicas, "small") as load:
        load.wait_for(50)
        getattr(postgres, stop)()
        back = time.monotonic() + outage
        # Replicas go on with what they have leased, until they can't be sure of it any more.
        load.wait_for(3, "ledger_unavailable" if on_failure == "deny" else 200, PATIENCE)
        eventually(lambda: time.monotonic() > back, "the outage has lasted", outage + 1)
        postgres.start()
        load.wait_for(50, within=PATIENCE)

    eventually(lambda: not replicas.ledger.in_flight(), "nothing is in flight")
    served = sandbox.served()
    eventually(lambda: len(replicas.ledger.usage()) >= len(served), "all spools are drained")
    rows = by_user(replicas.ledger.usage())
    check_rows(rows, served, load.answered)
    check_budget(replicas.ledger, "small", rows, served, LIMIT)
    eventually(
        lambda: {each.admin(None).get("/readyz").status for each in replicas} == {200}, "ready"
    )
    replicas.assert_sound()


def test_a_budget_holds_through_an_outage(replicas, sandbox, postgres):
    """Use with the database away and just after it is within the limit."""
    limit = 6_000
    replicas.configuration.add_client("small", [token_budget(limit)])
    replicas.start()
    with BalancedLoad(replicas, "small") as load:
        load.wait_for(40)
        postgres.stop_at_once()
        load.wait_for(3, "ledger_unavailable", PATIENCE)
        postgres.start()
        load.wait_for(5, 429, PATIENCE)
    eventually(lambda: not replicas.ledger.in_flight(), "nothing is in flight")
    served = sandbox.served()
    eventually(lambda: len(replicas.ledger.usage()) >= len(served), "all spools are drained")
    rows = by_user(replicas.ledger.usage())
    check_rows(rows, served, load.answered)
    check_budget(replicas.ledger, "small", rows, served, limit)
    replicas.assert_sound()
