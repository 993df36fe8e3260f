"""Many requests at once."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed


def at_once(count, send):
    """Calls `send(index)` on `count` threads that set off together; returns what came of each."""
    start = threading.Barrier(count)

    def run(index):
        start.wait()
        return send(index)

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(run, index) for index in range(count)]
        # The first failure says why: others may follow from it.
        for future in as_completed(futures):
            future.result()
        return [future.result() for future in futures]
