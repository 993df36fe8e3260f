"""Starts and stops what the benchmarks measure, and what it talks to."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import scene

# A busy machine, or callgrind, makes a start long.
PATIENCE_SECONDS = 60
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
DEFAULT_BINARY = scene.REPOSITORY / ".build/release/catraca"


class Server:
    """A process, on given cores if any, and the CPU time that it has used."""

    def __init__(self, name, command, cores, output, environment=None):
        self.name = name
        with open(output, "wb") as file:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                preexec_fn=lambda: os.sched_setaffinity(0, cores) if cores else None,
            )
        self._output = Path(output)

    @property
    def process_id(self):
        return self._process.pid

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


def binary():
    return os.environ.get("CATRACA_BIN", str(DEFAULT_BINARY))


def start_haproxy(stack, folder, cores, configuration):
    home = folder / "haproxy"
    home.mkdir()
    port = scene.free_port()
    (home / "haproxy.cfg").write_text(configuration(home, port))
    command = ["haproxy", "-db", "-f", str(home / "haproxy.cfg")]
    server = Server("haproxy", command, cores, home / "output")
    stack.callback(server.stop)
    server.wait_until(lambda _: scene.accepts(port) or None, "doesn't listen")
    return server, port


def start_catraca(stack, folder, cores, origin_port, program=None, clients=1):
    """Starts the proxy, by another command if one is given; returns it, its port and a key."""
    configuration, key = scene.write_catraca_configuration(
        folder / "catraca", origin_port, clients
    )
    command = [*(program or [binary()]), "serve", "--config", str(configuration)]
    environment = {scene.PROVIDER_KEY_VARIABLE: "sk-of-the-provider"}
    server = Server("catraca", command, cores, folder / "catraca/output", environment)
    stack.callback(server.stop)

    def port(output):
        found = re.search(r'"listener":"proxy","address":"127\.0\.0\.1:(\d+)"', output)
        return int(found[1]) if found else None

    return server, server.wait_until(port, "doesn't listen"), key
