#!/usr/bin/env python3
"""How long a ledger takes on its way from SQLite to PostgreSQL, and is killed half way.

Makes a ledger in a file, `catraca migrate`s it into a PostgreSQL server of its own, kills that with
SIGKILL when half of the rows are there, calls it again, which goes on and audits the copy, and then
audits the copy once more. Prints a table in Markdown.

CATRACA_BIN names the binary.
"""

import argparse
import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import reports
import servers

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from harness.postgres import PostgresServer

CLIENTS = 20
PAUSE_SECONDS = 0.05
MOST_OUTPUT = 4_000
# Rows of the reports' benchmark as an audit wants them: without prices they cost nothing, and which
# conversations there were isn't said. The first start computes the sums of metrics.
MAKE_SOUND = """
    UPDATE usage_logs SET cost_nano_usd = 0, cost_nano = 0, conversation_id = NULL,
      begins_conversation = 0;
    UPDATE usage_daily SET conversations = 0, cost_nano_usd = 0, cost_nano = 0;
    UPDATE usage_daily_users SET conversations = 0, cost_nano_usd = 0, cost_nano = 0;
    UPDATE usage_hourly SET conversations = 0, cost_nano_usd = 0, cost_nano = 0;
    UPDATE token_usage SET conversations_count = 0, cost_nano_usd = 0;
    DELETE FROM usage_daily_conversations;
    INSERT INTO usage_daily_conversations SELECT client_id, day, utc_day, '', currency,
      sum(requests), sum(tokens_input), sum(tokens_output), 0, 0, 0
      FROM usage_daily GROUP BY 1, 2, 3, 5;
    UPDATE usage_totals_reach SET last_id = 0;
"""


class Run:
    """A command of Catraca's, how long it took, and the most memory that it had."""

    def __init__(self, *arguments, environment):
        self.mebibytes = 0
        self._output = tempfile.TemporaryFile()
        self._begin = time.monotonic()
        self._process = subprocess.Popen(
            [servers.binary(), *arguments],
            stdout=self._output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
        )

    def is_running(self):
        """To be asked all the time, since it looks at the memory too."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        if peak := re.search(r"VmHWM:\s+(\d+) kB", status):
            self.mebibytes = int(peak[1]) / 1024
        return self._process.poll() is None

    def kill(self):
        self._process.kill()
        self._process.wait()
        self.seconds = time.monotonic() - self._begin

    def wait(self):
        while self.is_running():
            time.sleep(PAUSE_SECONDS)
        self.seconds = time.monotonic() - self._begin
        if self._process.returncode:
            self._output.seek(0)
            raise SystemExit(self._output.read(MOST_OUTPUT).decode())
        return self


def make_ledger(folder, rows):
    reports.write_configuration(folder, CLIENTS)
    ledger = f"sqlite:{folder}/ledger.db"
    subprocess.run(
        [servers.binary(), "migrate", "--ledger", ledger], check=True, stdout=subprocess.DEVNULL
    )
    reports.fill(folder / "ledger.db", rows, CLIENTS)
    with contextlib.closing(sqlite3.connect(folder / "ledger.db")) as database:
        database.executescript(MAKE_SOUND)
    return ledger


def rows_arrived(server, database):
    """The number of the last row, which is how many there are; 0 without a table."""
    there = server.execute("SELECT to_regclass('usage_logs') IS NOT NULL", database)
    if there != ["t"]:
        return 0
    return int(server.execute("SELECT coalesce(max(id), 0) FROM usage_logs", database)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder, PostgresServer(fsync="on") as server:
        ledger = make_ledger(Path(folder), rows)
        database = server.create_database()
        url = server.url(database)
        copy = ["migrate", "--ledger", ledger, "--to", url]
        first = Run(*copy, environment=server.environment)
        while first.is_running() and rows_arrived(server, database) < rows / 2:
            time.sleep(PAUSE_SECONDS)
        if not first.is_running():
            raise SystemExit("it was at its end before it could be killed; allowed: more --rows")
        first.kill()
        arrived = rows_arrived(server, database)
        second = Run(*copy, environment=server.environment).wait()
        audit = Run("audit", "--ledger", url, environment=server.environment).wait()
        assert rows_arrived(server, database) == rows
        copying = first.seconds + second.seconds - audit.seconds
    print(f"| of {rows:,} rows | s | MiB at most |\n| --- | --- | --- |")
    lines = [
        (f"until it was killed, with {arrived:,} rows there", first),
        ("again, from there to its end, with its audit", second),
        ("audit of the copy alone", audit),
    ]
    for name, run in lines:
        print(f"| {name} | {run.seconds:.1f} | {run.mebibytes:.0f} |")
    print(f"| rows a second that were copied | {rows / copying:,.0f} | |")


if __name__ == "__main__":
    main()
