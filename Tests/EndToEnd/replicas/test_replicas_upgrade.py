"""Replicas of this release on a ledger that a later one has brought to its schema."""

import pytest
from harness.balanced_load import BalancedLoad
from harness.overspend import BODY, token_budget

LIMIT = 100_000
# Tables in the way of every request, and a new one.
ADDITIONS = [
    "ALTER TABLE usage_logs ADD COLUMN later TEXT",
    "ALTER TABLE budget_accounts ADD COLUMN later BIGINT",
    "ALTER TABLE in_flight ADD COLUMN later BIGINT NOT NULL DEFAULT 0",
    "CREATE TABLE later (id TEXT PRIMARY KEY)",
]


def newest_schema(ledger):
    [row] = ledger.query("SELECT max(number) AS number FROM schema_migrations")
    return row["number"]


def raise_schema(ledger, readable_from):
    """Raises the schema as the first server of a later release does, in one step."""
    step = (newest_schema(ledger) + 1, "later", readable_from)
    with ledger.connect(autocommit=True) as database:
        for statement in ADDITIONS:
            database.execute(statement)
        database.execute(
            "INSERT INTO schema_migrations (number, name, readable_from) VALUES (%s, %s, %s)", step
        )


def test_additions_are_made_under_load_and_replicas_restarted(replicas, sandbox, tokens):
    replicas.configuration.add_client("small", [token_budget(LIMIT)])
    replicas.start()
    # Each has asked the ledger for all that these take.
    for replica in replicas:
        replica.admin(tokens["admin"]).done("GET", "/api/admin/budgets")
    with BalancedLoad(replicas, "small") as load:
        load.wait_for(30)
        raise_schema(replicas.ledger, newest_schema(replicas.ledger))
        load.wait_for(30)
        for replica in replicas:
            replica.admin(tokens["admin"]).done("GET", "/api/admin/budgets")
        for replica in replicas:
            assert replica.terminate() == 0
            load.wait_for(30)
            replica.start()
        load.wait_for(30)
    replicas.terminate()
    assert load.answers["ledger_unavailable"] == 0
    load.assert_recorded(sandbox.served(), LIMIT)


@pytest.mark.parametrize("is_told", [True, False])
def test_what_only_later_releases_can_work_with_is_refused(replicas, is_told):
    runs, starts, _ = replicas
    runs.start()
    newest = newest_schema(replicas.ledger)
    raise_schema(replicas.ledger, newest + 1 if is_told else None)
    with pytest.raises(AssertionError):
        starts.start()
    assert starts.process.wait() == 1
    said = starts.process.complaints()
    assert f"has schema {newest + 1}, which releases with schema {newest + 1} or later" in said
    audit = starts.command("audit")
    assert audit.returncode == 1 and f"this one has {newest}" in audit.stderr, audit
    assert runs.post(BODY).status == 200
