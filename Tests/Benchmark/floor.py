#!/usr/bin/env python3
"""How near Catraca's requests come to the least that its parts can take.

`floor.c` forwards requests by libcurl, and nothing else; a second one also commits an intent and a
row of each to SQLite, as a durable ledger has to, and that is all it does. Beside nginx, HAProxy
and Catraca they show what a metering proxy of these parts would take if its own work were free.

Needs gcc, the C libraries that Catraca is built with, wrk and nginx. CATRACA_BIN names the binary.
"""

import argparse
import contextlib
import signal
import subprocess
import tempfile
from pathlib import Path

import compare
import proxies
import scene
import servers
import table

SOURCE = Path(__file__).with_name("floor.c")
LIBRARIES = ["-lcurl", "-lsqlite3", "-ljemalloc", "-lpthread"]


class FloorBench(compare.Bench):
    """The proxies of the usual comparison, and the two that do no more than they must."""

    def start_proxies(self, stack, name, origin_port, wanted=()):
        *others, catraca = super().start_proxies(stack, name, origin_port, ["haproxy"])
        return [*others, *self._start_floors(stack, origin_port), catraca]

    def _start_floors(self, stack, origin_port):
        program = self.home("floor") / "floor"
        subprocess.run(["gcc", "-O2", "-o", program, SOURCE, *LIBRARIES], check=True, timeout=60)
        url = f"http://127.0.0.1:{origin_port}/plain/v1/chat/completions"
        for name, ledger in [("libcurl", []), ("libcurl and SQLite", ["ledger.db"])]:
            port = scene.free_port()
            home = self.home(name)
            database = [str(home / file) for file in ledger]
            command = [str(program), str(port), url, *database]
            started = servers.start_listening(stack, name, home, self.proxy_cores, command, port)
            yield proxies.Proxy(*started, key="none")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="(default 3)")
    parser.add_argument("--seconds", type=int, default=4, help="of load (default 4)")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catraca-floor-")))
        bench = FloorBench(stack, folder, options)
        lines = [*compare.request(bench), *compare.latency(bench)]
    print(table.markdown(lines))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    main()
