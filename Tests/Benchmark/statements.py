#!/usr/bin/env python3
"""How many statements requests take of the database that several replicas share.

Starts three replicas on a PostgreSQL server that logs all statements, sends requests to one of
them, first one after the other and then on many connections, and counts what the connection ran
that writes the replica's rows: what shows that a replica lives is no request's. Prints a table in
Markdown.

CATRACA_BIN names the binary. Needs the Python packages of the end-to-end tests.
"""

import argparse
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

import servers

os.environ.setdefault("CATRACA_BIN", str(servers.DEFAULT_BINARY))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from harness.configuration import Configuration, sandbox_providers
from harness.overspend import BODY, token_budget
from harness.postgres import PostgresServer
from harness.replicas import Replicas
from harness.sandbox import Sandbox

PATH = "/v1/chat/completions"
STATEMENT = re.compile(r"\[(\d+)\] LOG:  (?:execute [^:]*|statement): (.*)")


class StatementLog:
    """The lines that the server has logged since the last call."""

    def __init__(self, server):
        self._path = server.folder / "log"
        self._offset = 0

    def take(self):
        """The beginnings of the statements of who writes rows of requests."""
        with open(self._path, errors="replace") as file:
            file.seek(self._offset)
            statements = STATEMENT.findall(file.read())
            self._offset = file.tell()
        writers = {pid for pid, text in statements if text.startswith("INSERT INTO usage_logs")}
        return [text for pid, text in statements if pid in writers]


def send(replica, key, count):
    with replica.connect() as connection:
        for _ in range(count):
            answer = connection.post(PATH, BODY, key)
            assert answer.status == 200, answer


def send_at_once(replica, key, connections, count):
    arguments = [replica, key, count // connections]
    threads = [threading.Thread(target=send, args=arguments) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def measure(replicas, log, connections, count):
    key = replicas.configuration.keys["small"]
    log.take()
    send_at_once(replicas[0], key, connections, count)
    statements = log.take()
    commits = statements.count("COMMIT")
    return len(statements) / count, commits / count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lone", type=int, default=200, help="requests one after the other")
    parser.add_argument("--requests", type=int, default=960, help="those on many connections")
    parser.add_argument("--connections", type=int, default=32)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, PostgresServer(log_statement="all") as server:
        folder = Path(name)
        (folder / "config").mkdir()
        sandbox = Sandbox(folder)
        configuration = Configuration(folder / "config", sandbox_providers(sandbox.url))
        configuration.add_client("small", [token_budget(10_000_000)])
        replicas = Replicas(configuration, server, folder)
        try:
            replicas.start()
            log = StatementLog(server)
            # Its first request draws a lease, and prepares what it runs.
            measure(replicas, log, 1, 1)
            print("| connections | statements a request | commits a request |\n| --- | --- | --- |")
            loads = [(1, arguments.lone), (arguments.connections, arguments.requests)]
            for connections, count in loads:
                statements, commits = measure(replicas, log, connections, count)
                print(f"| {connections} | {statements:.2f} | {commits:.2f} |")
        finally:
            replicas.end()
            sandbox.end()


if __name__ == "__main__":
    main()
