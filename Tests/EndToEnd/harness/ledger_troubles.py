"""Why a ledger can't be read or written: each begins, and ends again."""

import sqlite3
from contextlib import closing
from pathlib import Path


class LockedDatabase:
    """Another program holds the write lock."""

    reason = "database is locked"

    def __init__(self, ledger):
        self._path = ledger

    def begin(self):
        # Begun and ended on different threads, one after the other.
        self._other = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False
        )
        self._other.execute("BEGIN IMMEDIATE")

    def end(self):
        self._other.execute("ROLLBACK")
        self._other.close()


class FullDisk:
    """Something else has filled the file system."""

    reason = "database or disk is full"

    def __init__(self, ledger):
        self._ballast = ledger.with_name("ballast")

    def begin(self):
        with open(self._ballast, "wb", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                fill(file, size)

    def end(self):
        self._ballast.unlink()


class StoppedDatabase:
    """PostgreSQL isn't there."""

    def __init__(self, server):
        self._server = server

    def begin(self):
        self._server.stop_at_once()

    def end(self):
        self._server.start()


class FailingDisk:
    """The database's files can't be written, whatever the file system is."""

    def __init__(self, disk, number, reason):
        self.reason = reason
        self._disk = disk
        self._number = number

    def begin(self):
        self._disk.fail(database=self._number)

    def end(self):
        self._disk.fail()


def fill(file, size):
    try:
        while file.write(bytes(size)):
            pass
    except OSError:
        pass


class CorruptPage:
    """The first page of a table is overwritten, and may be put back."""

    def __init__(self, ledger, table):
        self._path = Path(ledger)
        with closing(sqlite3.connect(ledger)) as database:
            [self._size] = database.execute("PRAGMA page_size").fetchone()
            query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
            [page] = database.execute(query, [table]).fetchone()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._offset = (page - 1) * self._size
        self._saved = self._path.read_bytes()[self._offset :][: self._size]

    def begin(self):
        self._write(b"\xa5" * self._size)

    def end(self):
        self._write(self._saved)

    def _write(self, page):
        with open(self._path, "r+b") as file:
            file.seek(self._offset)
            file.write(page)
