#!/usr/bin/env python3
"""What Catraca costs beside plain reverse proxies that forward the same traffic.

One origin (nginx) gives the same answer to everybody. In front of it stand, in turn, nginx as a
reverse proxy, HAProxy if it is installed, and `catraca serve` with everything on: keys, a hard
budget, metering, a ledger on disk, a log line a request (nginx writes its access log, as it does
by default). The proxies are pinned to one core, the origin and the load to the others, and the
rounds alternate, so that whatever else the machine does meets all of them. CPU time is that of the
proxy's process, user and system, over all its threads.

A stream comes from the origin as fast as it is taken; a real provider's arrives in smaller pieces,
which cost more of all of them.

It prints a table in Markdown, `--json FILE` writes the samples, and nothing is asserted. Needs wrk
and nginx. CATRACA_BIN names the binary.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import scene
import servers
from client import Client

CONNECTIONS = 32
WARM_UP_SECONDS = 1
LATENCY_REQUESTS = 300
MANY_CLIENTS = 100_000


class Load:
    """wrk, which posts the same request over and over on all its connections."""

    def __init__(self, folder, cores, key):
        self._folder = folder
        self._cores = cores
        self.key = key

    def run(self, url, body, seconds):
        """Returns how many requests were answered."""
        script = self._folder / "post.lua"
        script.write_text(scene.wrk_script(body, self.key))
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


class Comparison:
    """The proxies, what is sent through them, and what was measured."""

    def __init__(self, load, origin_port, options):
        self._load = load
        self._origin_port = origin_port
        self._options = options
        self._proxies = []
        self.samples = {}

    def add(self, server, port):
        self._proxies.append((server, port))

    def cpu_time(self, title, provider, units=1):
        """Microseconds of CPU for each unit of an answer."""
        body = scene.request(stream=provider == "stream")

        def measure(server, port, seconds):
            before = server.cpu_seconds()
            answers = self._load.run(f"http://127.0.0.1:{port}{path(provider)}", body, seconds)
            return (server.cpu_seconds() - before) * 1_000_000 / (answers * units)

        for server, port in self._proxies:
            measure(server, port, WARM_UP_SECONDS)
        self._alternate(title, lambda *proxy: measure(*proxy, self._options.seconds))

    def added_latency(self, title):
        """Microseconds that a proxy adds to the median of one request after the other."""

        def median(port):
            client = Client(port, self._load.key, connections=1)
            with contextlib.closing(client):
                body = scene.request(stream=False)
                client.run(path("plain"), body, LATENCY_REQUESTS // 10)
                return statistics.median(client.run(path("plain"), body, LATENCY_REQUESTS))

        def measure(_, port):
            direct = median(self._origin_port)
            return (median(port) - direct) * 1_000_000

        self._alternate(title, measure)

    def _alternate(self, title, measure):
        samples = {server.name: [] for server, _ in self._proxies}
        for _ in range(self._options.rounds):
            for server, port in self._proxies:
                samples[server.name].append(measure(server, port))
        self.samples[title] = samples

    def table(self):
        names = [server.name for server, _ in self._proxies]
        rows = [["median (least to most)", *names, "catraca / nginx"]]
        rows.append(["---"] * len(rows[0]))
        for title, samples in self.samples.items():
            ratios = [ours / theirs for ours, theirs in zip(samples["catraca"], samples["nginx"])]
            rows.append([title, *(summary(samples[name]) for name in names), summary(ratios)])
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def path(provider):
    return f"/{provider}/v1/chat/completions"


def summary(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def cores():
    """A core for the proxies, and those for everything else."""
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        print("There is only one core: proxy, origin and load share it.")
    return {first}, set(others) or {first}


def compare_proxies(stack, folder, options):
    proxy_cores, other_cores = cores()
    _, origin_port = servers.start_nginx(stack, "origin", folder, other_cores, scene.origin)
    catraca, port, key = servers.start_catraca(stack, folder, proxy_cores, origin_port)
    comparison = Comparison(Load(folder, other_cores, key), origin_port, options)

    def forwarding(configuration):
        return lambda home, port: configuration(home, port, origin_port)

    comparison.add(
        *servers.start_nginx(
            stack, "nginx", folder, proxy_cores, forwarding(scene.reverse_proxy)
        )
    )
    if shutil.which("haproxy"):
        comparison.add(
            *servers.start_haproxy(stack, folder, proxy_cores, forwarding(scene.haproxy))
        )
    comparison.add(catraca, port)
    comparison.cpu_time("CPU of a request, µs", "plain")
    comparison.cpu_time("CPU of an event, µs", "stream", scene.STREAM_EVENTS)
    comparison.added_latency("added latency at concurrency 1, µs")
    print(comparison.table())
    return comparison.samples


def measure_size(stack, folder, options):
    """What 100,000 clients, each with a key and a budget, change: the start, and a request."""
    proxy_cores, other_cores = cores()
    _, origin_port = servers.start_nginx(stack, "size-origin", folder, other_cores, scene.origin)
    samples = {}
    for clients in [1, MANY_CLIENTS]:
        home = folder / f"clients-{clients}"
        home.mkdir()
        start = time.monotonic()
        catraca, port, key = servers.start_catraca(
            stack, home, proxy_cores, origin_port, clients=clients
        )
        started = time.monotonic() - start
        comparison = Comparison(Load(home, other_cores, key), origin_port, options)
        comparison.add(catraca, port)
        comparison.cpu_time("cpu", "plain")
        cpu = comparison.samples["cpu"]["catraca"]
        samples[clients] = {"start_seconds": started, "cpu": cpu}
        print(f"{clients:,} clients: starts in {started:.2f} s, CPU of a request {summary(cpu)} µs")
    return samples


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="of each proxy (default 5)")
    parser.add_argument("--seconds", type=int, default=2, help="of a round (default 2)")
    parser.add_argument("--json", metavar="FILE", help="write all samples there")
    parser.add_argument("--size", action="store_true", help="also with 100,000 clients")
    return parser.parse_args()


def main():
    options = arguments()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catraca-benchmark-")))
        print(f"{CONNECTIONS} connections, {scene.REQUEST_BYTES}-byte requests", end="")
        print(f", {scene.ANSWER_BYTES}-byte answers, streams of {scene.STREAM_EVENTS} events\n")
        results = {"comparison": compare_proxies(stack, folder, options)}
        if options.size:
            results["clients"] = measure_size(stack, folder, options)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    main()
