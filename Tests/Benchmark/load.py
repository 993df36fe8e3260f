"""The load: wrk, which posts the same request over and over on all its connections."""

import os
import re
import subprocess
from typing import NamedTuple

import scene
import servers

CONNECTIONS = 32
# Where connections pause, so that they send fewer requests than they could.
PAUSE_MILLISECONDS = 10
MAXIMAL_PACED_CONNECTIONS = 900


class Answers(NamedTuple):
    count: int
    a_second: float
    p99_microseconds: int


class Load:
    def __init__(self, folder, cores):
        self._folder = folder
        self._cores = cores

    def run(self, proxy, provider, seconds, connections=CONNECTIONS, pause=0):
        """Sends requests for so long; all must be answered by 200."""
        seconds *= proxy.slowness
        url = f"http://127.0.0.1:{proxy.port}{proxy.path(provider)}"
        script = self._folder / "post.lua"
        script.write_text(scene.wrk_script(proxy.body(provider), proxy.key, pause))
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script)]
        command += ["--timeout", f"{servers.PATIENCE_SECONDS}s", url]
        finished = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds + servers.PATIENCE_SECONDS,
            preexec_fn=lambda: os.sched_setaffinity(0, self._cores),
        )
        counts = re.search(
            r"^answered (\d+) failed (\d+)\np99 (\d+)$", finished.stdout, re.MULTILINE
        )
        if not counts or int(counts[2]) or not int(counts[1]):
            raise SystemExit(f"the load on {url} failed:\n{finished.stdout}{finished.stderr}")
        return Answers(int(counts[1]), int(counts[1]) / seconds, int(counts[3]))

    def paced(self, proxy, rate, seconds):
        """Sends about `rate` requests a second, at random instants."""
        connections = round(rate * PAUSE_MILLISECONDS / 1000)
        connections = min(max(1, connections), MAXIMAL_PACED_CONNECTIONS)
        return self.run(proxy, "plain", seconds, connections, PAUSE_MILLISECONDS)
