"""Objects at providers, and the clients that own them."""

from contextlib import contextmanager

EVERYBODY = "*"
CREATED_AT = "2026-01-01T00:00:00.000Z"


def assign(ledger, id, kind, client="acme", provider="openai"):
    """Gives an object to a client, as an administrator does, while no server has asked for it."""
    with ledger.changing() as database:
        values = (provider, id, kind, client, CREATED_AT)
        quoted = ", ".join(f"'{value}'" for value in values)
        database.execute(
            "INSERT INTO provider_objects (provider, object_id, kind, client_id, created_at)"
            f" VALUES ({quoted})"
        )


def owners(ledger, **filters):
    """The clients of objects, by the objects' ids."""
    rows = ledger._rows("provider_objects", filters, order="created_at, object_id")
    return {row["object_id"]: row["client_id"] for row in rows}


@contextmanager
def nothing_forwarded(account):
    """Fails if a request reaches the account meanwhile."""
    before = len(account.requests)
    yield
    assert account.requests[before:] == []
