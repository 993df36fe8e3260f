#!/usr/bin/env python3
"""Gives made-up bytes to everything that reads untrusted ones, under AddressSanitizer.

    Tests/Fuzz/fuzz.py [--seconds N] [--jobs N] [--corpus FOLDER] [TARGET …]

builds the fuzzers (libFuzzer, which comes with Swift), runs the targets, all where none is named,
for N seconds each (60), one on each processor unless `--jobs` says otherwise, and prints how many
inputs each has tried and what was found. Exit status 1 if an input broke something: it is kept, and
the line that gives it to the target again is printed. `--corpus` keeps what was learnt from one run
to the next.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import seeds

REPOSITORY = seeds.REPOSITORY
SCRATCH = REPOSITORY / ".build" / "fuzz"
FOUND = SCRATCH / "found"
BUILD = [
    *["swift", "build", "--quiet", "-c", "release", "--product", "fuzz"],
    *["--scratch-path", str(SCRATCH), "-Xswiftc", "-DFUZZER"],
    *["-Xswiftc", "-sanitize=fuzzer,address"],
]
# One input may take this long before it counts as hanging, and use this much memory.
TIMEOUT_SECONDS = 10
MEMORY_MEBIBYTES = 2048
# Longer inputs find little more, and fewer are tried.
LONGEST_INPUT = 16384


def build():
    subprocess.run(BUILD, cwd=REPOSITORY, check=True)
    path = subprocess.run(
        [*BUILD, "--show-bin-path"], cwd=REPOSITORY, check=True, capture_output=True
    )
    return Path(path.stdout.decode().strip()) / "fuzz"


def run(fuzzer, target, corpus, seconds):
    """Runs one target; returns how many inputs it tried, and the file of the one that broke it."""
    folder = corpus / target
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds.all_seeds()[target]):
        (folder / f"seed-{number}").write_bytes(seed)
    found = FOUND / f"{target}-"
    command = [
        str(fuzzer),
        target,
        str(folder),
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_INPUT}",
        f"-timeout={TIMEOUT_SECONDS}",
        f"-rss_limit_mb={MEMORY_MEBIBYTES}",
        f"-artifact_prefix={found}",
        "-print_final_stats=1",
    ]
    # Swift's own backtraces would take the signals that the fuzzer waits for.
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    finished = subprocess.run(
        command, capture_output=True, env=environment, timeout=seconds + 300, check=False
    )
    log = finished.stderr.decode(errors="replace")
    tried = re.search(r"number_of_executed_units:\s*(\d+)", log)
    broken = re.search(r"Test unit written to (\S+)", log)
    if finished.returncode and not broken:
        raise SystemExit(f"{target} ended with {finished.returncode}:\n{log[-4000:]}")
    if broken:
        print(log[-6000:], file=sys.stderr)
    return int(tried[1]) if tried else 0, broken and broken[1]


def main():
    parser = argparse.ArgumentParser(description="Fuzzes what reads untrusted bytes.")
    names = list(seeds.all_seeds())
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(names)}")
    parser.add_argument("--seconds", type=int, default=60, help="of each target (default 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at once")
    parser.add_argument("--corpus", type=Path, help="where inputs are kept between runs")
    options = parser.parse_args()
    unknown = set(options.targets) - set(names)
    if unknown:
        parser.error(f"no target is called {', '.join(sorted(unknown))}: {', '.join(names)}")
    fuzzer = build()
    FOUND.mkdir(parents=True, exist_ok=True)
    targets = options.targets or names
    broken = []
    with (
        tempfile.TemporaryDirectory(prefix="catraca-fuzz-") as temporary,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        corpus = options.corpus or Path(temporary)
        runs = {
            target: pool.submit(run, fuzzer, target, corpus, options.seconds)
            for target in targets
        }
        for target, outcome in runs.items():
            tried, file = outcome.result()
            print(f"fuzz {target}: {tried} inputs tried, {'1 crash' if file else '0 crashes'}")
            if file:
                broken.append(f"swift run fuzz {target} {file}")
    for again in broken:
        print(f"again: {again}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
