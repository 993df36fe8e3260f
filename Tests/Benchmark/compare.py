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
import time
from pathlib import Path

import scene

PATIENCE_SECONDS = 10
CONNECTIONS = 32
WARM_UP_SECONDS = 1
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
DEFAULT_BINARY = scene.REPOSITORY / ".build/release/catraca"


class Server:
    """A process on given cores, and the CPU time that it has used."""

    def __init__(self, name, command, cores, output, environment=None):
        self.name = name
        with open(output, "wb") as file:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                preexec_fn=lambda: os.sched_setaffinity(0, cores),
            )
        self._output = Path(output)

    def cpu_seconds(self):
        """User and system time of all threads, ended ones included."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def wait_until(self, is_ready, what):
        """Returns what `is_ready` makes of the output, once that isn't None."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            ready = is_ready(self._output.read_text(errors="replace"))
            if ready is not None:
                return ready
            time.sleep(0.02)
        raise SystemExit(f"{self.name}: {what}:\n{self._output.read_text(errors='replace')}")

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


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
            timeout=seconds + PATIENCE_SECONDS,
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


def start_nginx(stack, name, folder, cores, configuration):
    """Starts an nginx of one process; the configuration is made for the port that it gets."""
    port = scene.free_port()
    home = folder / name
    home.mkdir()
    file = home / "nginx.conf"
    file.write_text(configuration(home, port))
    command = ["nginx", "-p", str(home), "-e", "stderr", "-c", str(file)]
    server = Server(name, command, cores, home / "output")
    stack.callback(server.stop)
    server.wait_until(lambda _: scene.accepts(port) or None, "doesn't listen")
    return server, port


def start_catraca(stack, folder, cores, origin_port):
    configuration, key = scene.write_catraca_configuration(folder / "catraca", origin_port)
    binary = os.environ.get("CATRACA_BIN", str(DEFAULT_BINARY))
    command = [binary, "serve", "--config", str(configuration)]
    environment = {scene.PROVIDER_KEY_VARIABLE: "sk-of-the-provider"}
    server = Server("catraca", command, cores, folder / "catraca/output", environment)
    stack.callback(server.stop)

    def port(output):
        found = re.search(r'"listener":"proxy","address":"127\.0\.0\.1:(\d+)"', output)
        return int(found[1]) if found else None

    return server, server.wait_until(port, "doesn't listen"), key


def measure(server, load, url, body, seconds, units):
    """Microseconds of CPU for each unit of an answer."""
    before = server.cpu_seconds()
    answers = load.run(url, body, seconds)
    return (server.cpu_seconds() - before) * 1_000_000 / (answers * units)


def compare(title, servers, load, body, units, options):
    """Alternates between the servers, and prints what they took."""
    for server, url in servers:
        load.run(url, body, WARM_UP_SECONDS)
    samples = {server.name: [] for server, _ in servers}
    for _ in range(options.rounds):
        for server, url in servers:
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
        _, origin_port = start_nginx(stack, "origin", folder, other_cores, scene.origin)
        nginx, nginx_port = start_nginx(
            stack,
            "nginx",
            folder,
            proxy_cores,
            lambda home, port: scene.reverse_proxy(home, port, origin_port),
        )
        catraca, catraca_port, key = start_catraca(stack, folder, proxy_cores, origin_port)
        load = Load(folder, other_cores, key)

        def servers(provider):
            path = f"{provider}/v1/chat/completions"
            return [
                (nginx, f"http://127.0.0.1:{nginx_port}/{path}"),
                (catraca, f"http://127.0.0.1:{catraca_port}/{path}"),
            ]

        print(f"{CONNECTIONS} connections, {scene.REQUEST_BYTES}-byte requests", end="")
        print(f", {scene.ANSWER_BYTES}-byte answers, streams of {scene.STREAM_EVENTS} events")
        plain, streaming = scene.request(stream=False), scene.request(stream=True)
        compare("A request", servers("plain"), load, plain, 1, options)
        compare(
            "An event of a stream",
            servers("stream"),
            load,
            streaming,
            scene.STREAM_EVENTS,
            options,
        )


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: exit(143))
    main()
