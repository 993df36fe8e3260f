"""Waiting for a condition, never for a length of time."""

import time

from .sanitizers import TIME_FACTOR

PATIENCE = 30.0 * TIME_FACTOR
PAUSE = 0.01


def eventually(condition, what, within=PATIENCE):
    """Calls `condition` until it gives something true, and returns that."""
    deadline = time.monotonic() + within
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < deadline, f"not within {within} s: {what}"
        time.sleep(PAUSE)
