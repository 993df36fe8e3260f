#!/usr/bin/env python3
"""What a request costs in CPU time when Catraca forwards it, beside plain nginx.

One origin (nginx) gives the same answer to everybody. In front of it stand, in turn, nginx as a
reverse proxy and `catraca serve` with everything on: keys, a hard budget, metering, a ledger on
disk, a log line a request (nginx writes its access log, as it does by default). The proxies are
pinned to one core, the origin and the load to the others, and the rounds alternate, so that
whatever else the machine does meets both. Measured is the time of the proxy's process, user and
system, over all its threads.

Then the same for streams of events, by event. The origin sends a stream as fast as it is taken;
a real provider's arrives in smaller pieces, which cost more of both.

Nothing is asserted; it prints. Needs wrk and nginx. CATRACA_BIN names the binary.
"""

import argparse
import contextlib
import os
import re
import signal
import statistics
import subprocess
import tempfile
from pathlib import Path

import scene
import servers

CONNECTIONS = 32
WARM_UP_SECONDS = 1


class Load:
    """wrk, which posts the same request over and over on all its connections."""

    def __init__(self, folder, cores, key):
        self._folder = folder
        self._cores = cores
        self._key = key

    def run(self, url, body, seconds):
        """Returns how many requests were answered."""
        script = self._folder / "post.lua"
        script.write_text(scene.wrk_script(body, self._key))
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script), url]
        finished = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds + servers.PATIENCE_SECONDS,
            preexec_fn=lambda: os.sched_setaffinity(0, self._cores),
        )
        counts = re.search(r"^answered (\d+) failed (\d+)$", finished.stdout, re.MULTILINE)
        if not counts or int(counts[2]) or not int(counts[1]):
            raise SystemExit(f"the load on {url} failed:\n{finished.stdout}{finished.stderr}")
        return int(counts[1])


def cores():
    """A core for the proxies, and those for everything else."""
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        print("There is only one core: proxy, origin and load share it.")
    return {first}, set(others) or {first}


def measure(server, load, url, body, seconds, units):
    """Microseconds of CPU for each unit of an answer."""
    before = server.cpu_seconds()
    answers = load.run(url, body, seconds)
    return (server.cpu_seconds() - before) * 1_000_000 / (answers * units)


def compare(title, proxies, load, body, units, options):
    """Alternates between the servers, and prints what they took."""
    for server, url in proxies:
        load.run(url, body, WARM_UP_SECONDS)
    samples = {server.name: [] for server, _ in proxies}
    for _ in range(options.rounds):
        for server, url in proxies:
            sample = measure(server, load, url, body, options.seconds, units)
            samples[server.name].append(sample)
    print(f"\n{title}: µs of CPU, median (least to most) of {options.rounds} rounds")
    for name, values in samples.items():
        print(f"  {name:8} {summary(values)}")
    ratios = [ours / theirs for ours, theirs in zip(samples["catraca"], samples["nginx"])]
    print(f"  {'ratio':8} {summary(ratios)}")


def summary(values):
    return f"{statistics.median(values):8.2f}  ({min(values):.2f} to {max(values):.2f})"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="of each proxy (default 5)")
    parser.add_argument("--seconds", type=int, default=2, help="of a round (default 2)")
    return parser.parse_args()


def main():
    options = arguments()
    proxy_cores, other_cores = cores()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catraca-benchmark-")))
        _, origin_port = servers.start_nginx(stack, "origin", folder, other_cores, scene.origin)
        nginx, nginx_port = servers.start_nginx(
            stack,
            "nginx",
            folder,
            proxy_cores,
            lambda home, port: scene.reverse_proxy(home, port, origin_port),
        )
        catraca, catraca_port, key = servers.start_catraca(stack, folder, proxy_cores, origin_port)
        load = Load(folder, other_cores, key)

        def proxies(provider):
            path = f"{provider}/v1/chat/completions"
            return [
                (nginx, f"http://127.0.0.1:{nginx_port}/{path}"),
                (catraca, f"http://127.0.0.1:{catraca_port}/{path}"),
            ]

        print(f"{CONNECTIONS} connections, {scene.REQUEST_BYTES}-byte requests", end="")
        print(f", {scene.ANSWER_BYTES}-byte answers, streams of {scene.STREAM_EVENTS} events")
        plain, streaming = scene.request(stream=False), scene.request(stream=True)
        compare("A request", proxies("plain"), load, plain, 1, options)
        compare(
            "An event of a stream",
            proxies("stream"),
            load,
            streaming,
            scene.STREAM_EVENTS,
            options,
        )


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    main()
