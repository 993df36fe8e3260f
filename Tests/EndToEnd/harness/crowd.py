"""Many requests at once."""

import threading
from concurrent.futures import ThreadPoolExecutor


def at_once(count, send):
    """Calls `send(index)` on `count` threads that set off together; returns what came of each."""
    start = threading.Barrier(count)

    def run(index):
        start.wait()
        return send(index)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
