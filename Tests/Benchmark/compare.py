#!/usr/bin/env python3
"""The cost of Catraca beside other proxies that forward the same traffic, as one table.

One origin (nginx) gives the same answer to everybody. In front of it stand, in turn, nginx as a
reverse proxy, HAProxy, Envoy and LiteLLM as far as they are installed, and `catraca serve` with
everything on: keys, a hard budget, metering, a ledger on disk, a log line a request (nginx writes
its access log, as it does by default; LiteLLM checks a key). The proxies are pinned to one core,
the origin and the load to the others, and the rounds alternate, so that whatever else the machine
does meets all of them. CPU time is user and system of the proxy's processes.

A stream comes from the origin as fast as it is taken; a real provider's arrives in smaller pieces,
which cost more of all of them.

It prints a table in Markdown with the aims, `--json FILE` writes the samples, `--lines` names the
lines to measure, and nothing is asserted. Needs wrk and nginx. CATRACA_BIN names the binary.
"""

import argparse
import contextlib
import json
import os
import resource
import signal
import statistics
import tempfile
import time
from pathlib import Path

import proxies
import scene
import servers
import sizes
import streams
import table
from client import Client
from load import CONNECTIONS, Load
from table import Aim, Line

WARM_UP_SECONDS = 1
WARM_UP_REQUESTS = 10
LATENCY_REQUESTS = 300
OPEN_FILES = 65_536
CORES_FOR_TWO_LOOPS = 4


class Bench:
    """The cores, the origin, the load, and the proxies between."""

    def __init__(self, stack, folder, options):
        self._stack = stack
        self._folder = folder
        self._others = None
        self.options = options
        self.proxy_cores, self.other_cores = cores()
        self.load = Load(folder, self.other_cores)
        started = servers.start_nginx(stack, "origin", folder, self.other_cores, scene.origin)
        self.origin = proxies.Proxy(*started, key="none")

    def home(self, name):
        folder = self._folder / name
        folder.mkdir()
        return folder

    @property
    def usual_proxies(self):
        """Those before the usual origin, started when they are first wanted."""
        if self._others is None:
            self._others = self.start_proxies(self._stack, "usual", self.origin.port)
        return self._others

    def start_proxies(self, stack, name, origin_port, wanted=proxies.OTHERS):
        home = self.home(name)
        catraca, port, key = servers.start_catraca(stack, home, self.proxy_cores, origin_port)
        others = proxies.start_others(
            stack, home, self.proxy_cores, origin_port, key, wanted
        )
        return [*others, proxies.Proxy(catraca, port, key)]

    def alternate(self, measure, measured=None):
        """The samples of each proxy, all of which are measured in each round."""
        measured = measured or self.usual_proxies
        samples = [[] for _ in measured]
        for proxy in measured:
            # The very first may take longer than the load waits.
            self.median_latency(proxy, WARM_UP_REQUESTS)
            self.load.run(proxy, "plain", WARM_UP_SECONDS)
        for _ in range(self.options.rounds):
            for own, proxy in zip(samples, measured):
                own.append(measure(proxy))
        return samples

    def compare(self, measure):
        names = [proxy.name for proxy in self.usual_proxies]
        return dict(zip(names, self.alternate(measure)))

    def cpu_time(self, proxy, provider, units=1):
        """Microseconds of CPU for each unit of an answer."""
        before = proxy.server.cpu_seconds()
        answers = self.load.run(proxy, provider, self.options.seconds)
        return (proxy.server.cpu_seconds() - before) * 1_000_000 / (answers.count * units)

    def median_latency(self, proxy, requests=LATENCY_REQUESTS):
        with contextlib.closing(Client(proxy.port, proxy.key, connections=1)) as client:
            path, body = proxy.path("plain"), proxy.body("plain")
            client.run(path, body, requests // 10)
            return statistics.median(client.run(path, body, requests)) * 1_000_000


def request(bench):
    samples = bench.compare(lambda proxy: bench.cpu_time(proxy, "plain"))
    return [Line("CPU of a request, µs", samples, Aim(2, "× nginx", is_ratio=True))]


def event(bench):
    events = scene.STREAM_EVENTS
    samples = bench.compare(lambda proxy: bench.cpu_time(proxy, "stream", events))
    return [Line("CPU of an event, µs", samples, Aim(1.5, "× nginx", is_ratio=True))]


def latency(bench):
    def added(proxy):
        direct = bench.median_latency(bench.origin)
        return bench.median_latency(proxy) - direct

    title = "added latency at concurrency 1, median, µs"
    return [Line(title, bench.compare(added), Aim(2, "× nginx", is_ratio=True))]


def half(bench):
    alone = []

    def added(proxy):
        seconds = bench.options.seconds
        rate = bench.load.run(proxy, "plain", seconds).a_second / 2
        direct = bench.load.paced(bench.origin, rate, seconds)
        alone.append(direct.p99_microseconds)
        return bench.load.paced(proxy, rate, seconds).p99_microseconds - direct.p99_microseconds

    samples = bench.compare(added)

    title = "added latency at half of its own maximal throughput, p99, µs"
    # Where the origin alone is slow, the machine is too busy for this line.
    note = f"the origin alone took {table.summary(alone)}"
    return [Line(title, samples, Aim(3, "× nginx", is_ratio=True), note)]


def idle(bench):
    count = min(bench.options.streams, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 500) // 2)
    with contextlib.ExitStack() as stack:
        home = bench.home("idle")
        _, port = streams.start_origin(stack, home, bench.other_cores)
        # LiteLLM takes too long to begin this number of streams.
        measured = bench.start_proxies(stack, "idle-proxies", port, ["haproxy", "envoy"])
        samples = {proxy.name: [streams.memory_of_each(proxy, count)] for proxy in measured}
        return [Line(f"memory of an idle stream of {count:,}, KiB", samples, Aim(24, "KiB"))]


def size(bench):
    title = "CPU of a request with 1,000,000 keys and 100,000 budgets, by that with 1 and 1"
    return [Line(title, {"catraca": sizes.request_ratios(bench)}, Aim(1.1, "×"))]


def start(bench):
    first, later = sizes.start_seconds(bench)
    title = "start with 100,000 clients, s"
    return [
        Line(f"{title}, on a new ledger", {"catraca": first}, Aim(1, "s")),
        Line(title, {"catraca": later}, Aim(1, "s")),
    ]


def reload(bench):
    before, during = sizes.reload_delays(bench)
    title = "delay of the slowest request while prices are reloaded, ms"
    note = f"{table.summary(before)} where nothing is reloaded"
    return [Line(title, {"catraca": during}, Aim(5, "ms"), note)]


def loops(bench):
    aim = Aim(1.7, "×", is_least=True)
    title = "requests a second of two event loops, by those of one"
    everything = sorted(os.sched_getaffinity(0))
    if len(everything) < CORES_FOR_TWO_LOOPS:
        note = f"needs {CORES_FOR_TWO_LOOPS} cores, of which there are {len(everything)}"
        return [Line(title, {}, aim, note)]
    halves = set(everything[:2]), set(everything[2:])
    with contextlib.ExitStack() as stack:
        load = Load(bench.home("loops"), halves[1])
        _, port = servers.start_nginx(
            stack, "loops-origin", bench.home("loops-home"), halves[1], scene.origin
        )
        both = []
        for number in [1, 2]:
            chosen = set(everything[:number])
            home = bench.home(f"loops-{number}")
            both.append(proxies.Proxy(*servers.start_catraca(stack, home, chosen, port)))
        seconds = bench.options.seconds
        one, two = bench.alternate(lambda proxy: load.run(proxy, "plain", seconds).a_second, both)
    return [Line(title, {"catraca": [more / less for less, more in zip(one, two)]}, aim)]


LINES = {
    function.__name__: function
    for function in [request, event, latency, half, idle, size, start, reload, loops]
}


def cores():
    """A core for the proxies, and those for everything else."""
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        print("There is only one core: proxy, origin and load share it.")
    return {first}, set(others) or {first}


def allow_open_files():
    """Two of a proxy's are a stream's. Only root may raise the hard limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, max(hard, OPEN_FILES)))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def processor_ticks():
    """All that processors had since the machine started, and what was stolen of it."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    return sum(map(int, fields)), int(fields[7])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="of each proxy (default 5)")
    parser.add_argument("--seconds", type=int, default=2, help="of a round (default 2)")
    parser.add_argument("--streams", type=int, default=10_000, help="at rest (default 10,000)")
    parser.add_argument("--json", metavar="FILE", help="write all samples there")
    parser.add_argument("--lines", nargs="+", choices=LINES, default=list(LINES), metavar="LINE",
                        help=f"which to measure (default all): {', '.join(LINES)}")
    return parser.parse_args()


def processor():
    found = Path("/proc/cpuinfo").read_text().partition("model name")[2].splitlines()
    return found[0].strip("\t :") if found else os.uname().machine


def main():
    options = arguments()
    allow_open_files()
    all_before, stolen_before = processor_ticks()
    lines = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="catraca-benchmark-")))
        bench = Bench(stack, folder, options)
        for name in options.lines:
            lines += LINES[name](bench)
    all_after, stolen_after = processor_ticks()
    stolen = 100 * (stolen_after - stolen_before) / max(1, all_after - all_before)
    machine = f"{len(os.sched_getaffinity(0))} cores of {processor()}, {stolen:.1f} % stolen"
    date = time.strftime("%-d %B %Y")
    print(f"\n{date}, {machine}. {CONNECTIONS} connections, {scene.REQUEST_BYTES}-byte requests",
          f"{scene.ANSWER_BYTES}-byte answers, streams of {scene.STREAM_EVENTS} events\n",
          sep=", ")
    print(table.markdown(lines))
    if options.json:
        results = {"date": date, "machine": machine, "lines": [*map(table.as_json, lines)]}
        Path(options.json).write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    main()
