"""A ledger that several servers share."""

import os
import subprocess
from contextlib import contextmanager

import psycopg
from psycopg.rows import dict_row

from .ledger import Ledger
from .postgres import program


class PostgresLedger(Ledger):
    """A fresh database of a server's; the tests reach it without what may be in a replica's way."""

    def __init__(self, server):
        self.server = server
        self.database = server.create_database()
        self.url = server.url(self.database)
        self.environment = server.environment

    def connect(self, **options):
        return psycopg.connect(
            self.url, password=self.server.password, row_factory=dict_row, **options
        )

    @contextmanager
    def changing(self):
        """For what only time or an accident would change."""
        with self.connect() as database:
            yield database

    def query(self, statement, *values):
        """The rows of a statement that changes nothing."""
        with self.connect(autocommit=True) as database:
            return database.execute(statement, values).fetchall()

    def contents(self):
        """All that it consists of, by name: what a backup of it holds."""
        return {self.database: self._run("pg_dump", "--data-only", self.url)}

    def dump(self, path):
        """A backup of this instant."""
        self._run("pg_dump", "--format=custom", f"--file={path}", self.url)

    def restore(self, path):
        """Makes a fresh database what another was."""
        self._run("pg_restore", "--exit-on-error", f"--dbname={self.url}", path)

    def integer_columns(self, table):
        """Those that hold counts and amounts: all but an id that the database gives."""
        rows = self.query(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s"
            " AND data_type = 'bigint' AND is_identity = 'NO' ORDER BY ordinal_position",
            table,
        )
        return [row["column_name"] for row in rows]

    def _run(self, name, *arguments):
        """Runs a program of PostgreSQL's; returns its printout."""
        done = subprocess.run(
            [program(name), *arguments],
            capture_output=True,
            env={**os.environ, **self.environment},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _rows(self, table, filters, order="id"):
        where = " AND ".join(f"{column} IS NOT DISTINCT FROM %s" for column in filters) or "TRUE"
        return self.query(
            f"SELECT * FROM {table} WHERE {where} ORDER BY {order}", *filters.values()
        )
