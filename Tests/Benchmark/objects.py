#!/usr/bin/env python3
"""Compares requests that name objects, and lists of them, with 10 million objects and with few.

Starts a server on a ledger with few objects and one on a ledger with many, both in SQLite, with the
sandbox as their provider, and sends each the same requests in turns. Prints the median of each
request in milliseconds and the server's memory as a Markdown table.

CATRACA_BIN names the binary, a release build. Needs the Python packages of the end-to-end tests.
"""

import argparse
import contextlib
import os
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

import servers

os.environ.setdefault("CATRACA_BIN", str(servers.DEFAULT_BINARY))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from harness.admin import add_tokens
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers
from harness.sandbox import Sandbox

FEW = 1_000
CLIENTS = 100
PATH = "/v1/chat/completions"
# Each client has every hundredth object. No client has a prompt.
INSERT = """
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?)
    INSERT INTO provider_objects
    SELECT 'openai', printf('file-%012x', n), 'file', 'c' || (n % 100), 'app',
      strftime('%Y-%m-%dT%H:%M:%S.000Z', 1790000000 + n, 'unixepoch'), NULL
    FROM numbers
"""
INDEXES = "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'provider_objects' AND sql LIKE ?"


def fill(path, count):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        for setting in ["synchronous = OFF", "journal_mode = OFF", "cache_size = -262144"]:
            database.execute(f"PRAGMA {setting}")
        indexes = dict(database.execute(INDEXES, ("CREATE INDEX%",)))
        for name in indexes:
            database.execute(f"DROP INDEX {name}")
        database.execute(INSERT, (count,))
        for statement in indexes.values():
            database.execute(statement)
        database.execute("PRAGMA journal_mode = WAL")


class House:
    """A server on a ledger with so many objects."""

    def __init__(self, folder, sandbox, count):
        folder.mkdir()
        self.configuration = Configuration(folder, sandbox_providers(sandbox.url))
        for number in range(CLIENTS):
            self.configuration.add_client(f"c{number}")
        self.token = add_tokens(self.configuration)["admin"]
        self.count = count
        self.server = Catraca(self.configuration).start()
        self.server.terminate()
        fill(self.server.ledger.path, count)
        self.server.start()
        self.key = self.configuration.keys["c1"]

    def connect(self):
        """Anew: while another ledger is filled, a connection at rest ends."""
        self.connection = self.server.connect()

    def id(self, number):
        """An object of the client `c1`, another one for each number."""
        return f"file-{(number * 7919 * CLIENTS + 1) % self.count:012x}"

    def ask(self, content, status=200):
        body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": content}]}
        answer = self.connection.post(PATH, {**body, "max_tokens": 5}, self.key)
        assert answer.status == status, answer

    def list(self, query):
        answer = self.server.admin(self.token).get(f"/api/admin/objects?{query}")
        assert answer.status == 200, answer

    def memory(self):
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def naming(id):
    return [{"type": "text", "text": "x"}, {"type": "file", "file": {"file_id": id}}]


REQUESTS = {
    "chat that names nothing": lambda house, n: house.ask("x"),
    "chat with a file, each time another": lambda house, n: house.ask(naming(house.id(n))),
    "chat with the same file": lambda house, n: house.ask(naming(house.id(0))),
    "chat with an unknown file": lambda house, n: house.ask(naming(f"file-x{n}"), 404),
    "objects of a client": lambda house, n: house.list("client=c1"),
    "objects of all clients": lambda house, n: house.list(""),
    "objects of all clients of a kind that nobody has": lambda house, n: house.list("kind=prompt"),
}


def measure(request, house, number):
    begin = time.perf_counter()
    request(house, number)
    return (time.perf_counter() - begin) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=10_000_000)
    parser.add_argument("--repetitions", type=int, default=300)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        sandbox = Sandbox(folder)
        stack.callback(sandbox.end)
        houses = []
        for name, count in [("few", FEW), ("many", arguments.objects)]:
            house = House(folder / name, sandbox, count)
            stack.callback(house.server.process.end)
            houses.append(house)
        print(f"| ms | {FEW:,} objects | {arguments.objects:,} objects | ratio |")
        print("| --- | --- | --- | --- |")
        for name, request in REQUESTS.items():
            for house in houses:
                house.connect()
            rounds = arguments.repetitions if "chat" in name else 10
            durations = [
                [measure(request, house, n) for house in houses] for n in range(rounds)
            ]
            few, many = map(statistics.median, zip(*durations))
            print(f"| {name} | {few:.2f} | {many:.2f} | {many / few:.2f} |", flush=True)
        few, many = (house.memory() for house in houses)
        print(f"| memory, MiB | {few:.0f} | {many:.0f} | {many / few:.2f} |")


if __name__ == "__main__":
    main()
