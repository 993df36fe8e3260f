"""Runs a command that needs a PostgreSQL server, which lives as long as it.

    python3 Tests/EndToEnd/with_postgres.py COMMAND…

COMMAND finds the address of an empty database in CATRACA_TEST_POSTGRES, whose owner may make
others, and the password in PGPASSWORD. Exits as it does. Needs nothing but Python's own library.
"""

import os
import signal
import subprocess
import sys

from harness.postgres import PostgresServer


def main(command):
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    # So that the server ends too where this is told to.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with PostgresServer() as server:
        address = {"CATRACA_TEST_POSTGRES": server.url(server.create_database())}
        environment = {**os.environ, **server.environment, **address}
        return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
