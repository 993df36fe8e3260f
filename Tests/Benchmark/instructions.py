#!/usr/bin/env python3
"""How many instructions Catraca takes for a request, and for an event of a stream.

A fixed replay against `catraca serve` under callgrind: unlike time, the count hardly depends on
the machine, on its load or on luck, so that a change which makes requests dearer can be seen, and
refused. `--check` compares with what `instructions.json` says, and fails above its tolerance;
`--write` writes what was measured there. `--profile FILE` keeps callgrind's own file, which
`callgrind_annotate FILE | swift demangle --simplified` explains function by function (with
`--inclusive=yes`, what is called from there too).

Needs valgrind, strip and nginx. CATRACA_BIN names the binary, a release build.
"""

import argparse
import contextlib
import json
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import scene
import servers
from client import Client

RECORD = Path(__file__).with_name("instructions.json")
CONNECTIONS = 16
MEASUREMENTS = 5
WARM_UP_ROUNDS = 20


class Callgrind:
    """Catraca under callgrind, which counts only between `start` and `stop`."""

    def __init__(self, stack, folder, origin_port):
        # valgrind gives up on Swift's debug information; function names stay.
        binary = folder / "catraca-stripped"
        command = ["strip", "--strip-debug", "-o", str(binary), servers.binary()]
        subprocess.run(command, check=True, timeout=60)
        self.profile = folder / "callgrind.out"
        wrapper = [
            "valgrind",
            "--tool=callgrind",
            "--instr-atstart=no",
            f"--callgrind-out-file={self.profile}",
        ]
        self.server, self.port, self.key = servers.start_catraca(
            stack, folder, None, origin_port, [*wrapper, binary]
        )

    def count(self, work):
        """The instructions that all threads took during `work`."""
        self._control("--instr=on")
        self._control("--zero")
        work()
        self._control("--dump")
        self._control("--instr=off")
        dumps = sorted(self.profile.parent.glob(f"{self.profile.name}.*"))
        text = "".join(dump.read_text(errors="replace") for dump in dumps)
        for dump in dumps:
            shutil.copy(dump, self.profile.parent / "last-profile")
            dump.unlink()
        return sum(int(total) for total in re.findall(r"^totals: (\d+)", text, re.MULTILINE))

    def _control(self, command):
        pid = str(self.server.process_id)
        subprocess.run(
            ["callgrind_control", command, pid], check=True, capture_output=True, timeout=60
        )


def measure(options):
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catraca-count-")))
        _, origin_port = servers.start_nginx(stack, "origin", folder, None, scene.origin)
        callgrind = Callgrind(stack, folder, origin_port)
        client = Client(callgrind.port, callgrind.key, CONNECTIONS)
        stack.callback(client.close)
        counts = {}
        for name, stream, units, rounds in [
            ("request", False, 1, options.rounds),
            ("event", True, scene.STREAM_EVENTS, max(1, options.rounds // 10)),
        ]:
            provider = "stream" if stream else "plain"
            path, body = f"/{provider}/v1/chat/completions", scene.request(stream)
            client.run(path, body, WARM_UP_ROUNDS)
            count = callgrind.count(lambda: client.run(path, body, rounds))
            counts[name] = round(count / (rounds * CONNECTIONS * units))
            if options.profile:
                shutil.copy(folder / "last-profile", f"{options.profile}.{name}")
        return counts


def least(options):
    """The least counts of some measurements: how many requests share a commit is chance, and few of
    them cost a request some 20,000 instructions more."""
    counts = [measure(options) for _ in range(MEASUREMENTS)]
    return {name: min(count[name] for count in counts) for name in counts[0]}


def check(counts):
    """Whether nothing takes more instructions than it did, within the tolerance."""
    record = json.loads(RECORD.read_text())
    tolerance = record["tolerance_percent"]
    is_good = True
    for name, count in counts.items():
        known = record["instructions"][name]
        change = 100 * (count - known) / known
        print(f"  {name:8} {count:9,}  {change:+.1f} % of {known:,}")
        if change > tolerance:
            print(f"{name}: more than {tolerance} % above what {RECORD.name} says")
            is_good = False
    return is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50, help="of 16 requests (default 50)")
    parser.add_argument("--profile", metavar="FILE", help="keep FILE.request and FILE.event")
    parser.add_argument("--check", action="store_true", help=f"against {RECORD.name}")
    parser.add_argument("--write", action="store_true", help=f"to {RECORD.name}")
    options = parser.parse_args()
    counts = least(options) if options.check else measure(options)
    if options.write:
        record = json.loads(RECORD.read_text())
        record["instructions"] = counts
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
    if options.check:
        raise SystemExit(0 if check(counts) else 1)
    for name, count in counts.items():
        print(f"  {name:8} {count:9,} instructions")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    main()
