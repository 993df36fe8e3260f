"""A server process whose log, one JSON text a line on stdout or in a file, can be waited for."""

import json
import os
import resource
import subprocess
import threading
import time
from pathlib import Path

from .waiting import PATIENCE

REPOSITORY = Path(__file__).resolve().parents[3]


def binary():
    return os.path.abspath(
        os.environ.get("CATRACA_BIN", REPOSITORY / ".build/debug/catraca")
    )


def limit_open_files(count):
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


class ServerProcess:
    def __init__(
        self,
        arguments,
        folder,
        environment=None,
        open_files=None,
        launcher=(),
        log_file=None,
        working_folder=None,
    ):
        self.stderr_path = Path(folder) / "stderr.txt"
        self._lines = []
        self._news = threading.Condition()
        self._ended = False
        with open(self.stderr_path, "ab") as stderr:
            self._process = subprocess.Popen(
                [*launcher, binary(), *arguments],
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **(environment or {})},
                cwd=working_folder,
                preexec_fn=open_files and (lambda: limit_open_files(open_files)),
            )
        self._follower = log_file and self._follow(log_file)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _follow(self, log_file):
        """Reads a file as it grows, also when it has another name by then."""
        Path(log_file).touch()
        command = ["tail", "-n", "+1", "-f", f"--pid={self.pid}", str(log_file)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    @property
    def pid(self):
        return self._process.pid

    @property
    def log(self):
        """The lines logged so far."""
        with self._news:
            return list(self._lines)

    def event(self, name):
        """The only line about an event, which is written soon after it."""
        self.wait_for_line(lambda line: line.get("event") == name, name)
        [line] = [line for line in self.log if line.get("event") == name]
        return line

    def wait_for_line(self, matches, what, within=PATIENCE):
        """Waits for a log line for which `matches` holds, from the start of the process on."""
        deadline = time.monotonic() + within
        seen = 0
        with self._news:
            while True:
                for line in self._lines[seen:]:
                    if matches(line):
                        return line
                seen = len(self._lines)
                rest = deadline - time.monotonic()
                assert rest > 0 and not self._ended, f"{what}: not logged\n{self.complaints()}"
                self._news.wait(rest)

    def address(self, listener):
        line = self.wait_for_line(
            lambda line: line.get("event") == "listening" and line.get("listener") == listener,
            f"{listener} listening",
        )
        host, _, port = line["address"].rpartition(":")
        return host, int(port)

    def complaints(self):
        tail = [json.dumps(line) for line in self._lines[-20:]]
        return "\n".join([*tail, self.stderr_path.read_text(errors="replace")[-4000:]])

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self, within=PATIENCE):
        """Waits for the process to end; returns its exit status."""
        status = self._process.wait(within)
        self._reader.join()
        return status

    def is_running(self):
        return self._process.poll() is None

    def end(self):
        """Ends the process if it still runs."""
        if self.is_running():
            self._process.kill()
        self.wait()
        self._process.stdout.close()
        if self._follower:
            self._follower.wait()
            self._follower.stdout.close()

    def _read(self):
        for raw in (self._follower or self._process).stdout:
            try:
                line = json.loads(raw)
            except ValueError:
                line = {"event": "not JSON", "text": raw.decode(errors="replace")}
            with self._news:
                self._lines.append(line)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()
