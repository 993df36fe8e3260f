"""A backup that was made under load is restored, and servers go on with it."""

import threading

from harness.balanced_load import BalancedLoad
from harness.load import by_user, check_rows
from harness.overspend import BODY, token_budget
from harness.postgres_ledger import PostgresLedger
from harness.sandbox import script
from harness.waiting import eventually

LIMIT = 100_000
SLOW = {**BODY, "user": "slow"}
# The dead are found after ten seconds.
PATIENCE = 40.0


def budget_of(ledger):
    [budget] = ledger.budgets(client_id="small")
    return budget["current_tokens"]


def recorded(rows):
    return sum(row["total_tokens"] for row in rows)


def test_a_dump_made_under_load_is_a_ledger_as_of_then(replicas, sandbox, tmp_path):
    replicas.configuration.add_client("small", [token_budget(LIMIT)])
    replicas.start()
    former = replicas.ledger
    slow = threading.Thread(
        target=lambda: replicas[0].post(SLOW, client="small", headers=script(delay_ms=5_000))
    )
    with BalancedLoad(replicas, "small") as load:
        slow.start()
        load.wait_for(30)
        eventually(lambda: '"slow"' in str(former.in_flight()), "the slow one is forwarded")
        former.dump(tmp_path / "dump")
        load.wait_for(30)
    slow.join()
    replicas.terminate()

    restored = PostgresLedger(former.server)
    restored.restore(tmp_path / "dump")
    before = by_user(restored.usage())
    after = by_user(former.usage())
    assert 30 <= len(before) < len(after) and before.items() <= after.items()
    assert budget_of(restored) == recorded(before.values()) < budget_of(former)
    assert len(restored.rows("replicas")) == len(replicas)
    assert "slow" in after.keys() - before.keys()

    replicas.ledger = replicas[1].ledger = restored
    replicas[1].start()
    # The replicas that have made the dump's leases are dead: the limit is whole again.
    eventually(lambda: len(restored.rows("replicas")) == 1, "the others are dead", PATIENCE)
    assert restored.in_flight() == []
    assert replicas[1].post({**BODY, "user": "new"}, client="small").status == 200
    rows = by_user(restored.usage())
    interrupted = {user for user, row in rows.items() if row["outcome"] == "interrupted"}
    assert "slow" in interrupted and interrupted.isdisjoint(before)
    assert rows.keys() == before.keys() | interrupted | {"new"}
    check_rows(rows, {user: sandbox.served()[user] for user in [*before, "new"]}, {"new"})
    assert budget_of(restored) == recorded(rows.values())
    replicas[1].terminate()
    assert replicas[1].command("audit").returncode == 0
