"""Reading the ledger's database while servers write it."""

import sqlite3
from contextlib import closing, contextmanager


class Ledger:
    """The rows of a ledger, oldest first."""

    def usage(self, **filters):
        return self._rows("usage_logs", filters)

    def denials(self, **filters):
        return self._rows("denials", filters)

    def budgets(self, **filters):
        return self._rows("budget_status", filters, order=1)

    def in_flight(self):
        return self.rows("in_flight")

    def deferred(self):
        return self._rows("deferred_requests", {}, order="request_id")

    def alerts(self, **filters):
        return self._rows("alerts", filters)

    def charges(self, **filters):
        return self._rows("token_billing_charges", filters)

    def rows(self, table):
        """All of a table, in any order."""
        return self._rows(table, {}, order=1)

    def make_deliveries_due(self):
        """Lets the time pass that deliveries wait for; only while no server runs."""
        with self.changing() as database:
            database.execute(
                "UPDATE alert_deliveries SET next_attempt_at = '2026-01-01T00:00:00.000Z'"
                " WHERE next_attempt_at IS NOT NULL"
            )


class SQLiteLedger(Ledger):
    """A file, of one server."""

    def __init__(self, path):
        self.path = path

    @contextmanager
    def changing(self):
        """For what only time or an accident would change."""
        with closing(sqlite3.connect(self.path, timeout=10)) as database, database:
            yield database

    def contents(self):
        """All that it consists of, by name: the file and what is beside it."""
        files = self.path.parent.glob(f"{self.path.name}*")
        return {file: file.read_bytes() for file in files if file.is_file()}

    def integer_columns(self, table):
        """Those that hold counts and amounts: all but an id that the database gives."""
        with closing(sqlite3.connect(self.path)) as database:
            rows = database.execute(
                "SELECT name FROM pragma_table_info(?) WHERE type = 'INTEGER' AND pk = 0", [table]
            )
            return [name for [name] in rows]

    def _rows(self, table, filters, order="rowid"):
        where = " AND ".join(f"{column} IS ?" for column in filters) or "1"
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            rows = database.execute(
                f"SELECT * FROM {table} WHERE {where} ORDER BY {order}",
                tuple(filters.values()),
            )
            return [dict(row) for row in rows]
