"""Starts and stops what the benchmarks measure, and what it talks to."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import scene

# A busy machine, or callgrind, makes a start long.
PATIENCE_SECONDS = 180
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

    @property
    def output(self):
        return self._output.read_text(errors="replace")

    @property
    def output_size(self):
        return self._output.stat().st_size

    def cpu_seconds(self):
        """User and system time of the process and of all that it started."""
        # Of children that ended too: the fields after its own are what it has waited for.
        ticks = [int(field) for pid in self._tree() for field in stat_fields(pid)[11:15]]
        return sum(ticks) / TICKS_PER_SECOND

    def memory_bytes(self):
        """The memory of the process and of all that it started."""
        sizes = []
        for pid in self._tree():
            status = Path(f"/proc/{pid}/status").read_text()
            sizes += re.findall(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        return sum(map(int, sizes)) * 1024

    def _tree(self):
        """The ids of the process and of those that descend from it."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                # Processes end while they are listed.
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    parents[int(entry.name)] = int(stat_fields(entry.name)[1])
        tree = [self._process.pid]
        for process in tree:
            tree += [child for child, parent in parents.items() if parent == process]
        return tree

    def reload(self):
        self._process.send_signal(signal.SIGHUP)

    def wait_until(self, is_ready, what, start=0):
        """Returns what `is_ready` makes of the output from the byte `start` on, once that isn't
        None. Where requests are timed meanwhile, all of it would take too long to look at."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            with open(self._output, "rb") as output:
                output.seek(start)
                ready = is_ready(output.read().decode(errors="replace"))
            if ready is not None:
                return ready
            time.sleep(0.005)
        raise SystemExit(f"{self.name}: {what}:\n{self.output}")

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def stat_fields(pid):
    """The fields of /proc/PID/stat after the process's name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def start_listening(stack, name, home, cores, command, port, environment=None):
    """Starts what will listen on a port."""
    server = Server(name, command, cores, home / "output", environment)
    stack.callback(server.stop)
    server.wait_until(lambda _: scene.accepts(port) or None, "doesn't listen")
    return server, port


def start_nginx(stack, name, folder, cores, configuration):
    """Starts an nginx of one process; the configuration is made for the port that it gets."""
    port = scene.free_port()
    home = folder / name
    home.mkdir()
    file = home / "nginx.conf"
    file.write_text(configuration(home, port))
    command = ["nginx", "-p", str(home), "-e", "stderr", "-c", str(file)]
    return start_listening(stack, name, home, cores, command, port)


def binary():
    return os.environ.get("CATRACA_BIN", str(DEFAULT_BINARY))


def start_catraca(stack, folder, cores, origin_port, program=None, **size):
    """Starts the proxy, by another command if one is given; returns it, its port and a key."""
    configuration, key = scene.write_catraca_configuration(folder / "catraca", origin_port, **size)
    return start_configured_catraca(stack, configuration, cores, key, program)


def start_configured_catraca(stack, configuration, cores, key, program=None):
    command = [*(program or [binary()]), "serve", "--config", str(configuration)]
    environment = {scene.PROVIDER_KEY_VARIABLE: "sk-of-the-provider"}
    server = Server("catraca", command, cores, configuration / "output", environment)
    stack.callback(server.stop)

    def port(output):
        found = re.search(r'"listener":"proxy","address":"127\.0\.0\.1:(\d+)"', output)
        return int(found[1]) if found else None

    return server, server.wait_until(port, "doesn't listen"), key
