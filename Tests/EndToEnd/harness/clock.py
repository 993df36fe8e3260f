"""A server's wall clock, which a test sets."""

import datetime
import math
import mmap
import struct
import time

from .preload import preload


class Clock:
    def __init__(self, catraca, folder):
        self._shift = folder / "clock_shift"
        self._shift.write_bytes(struct.pack("q", 0))
        preload(catraca, "shifted_clock", folder, CLOCK_SHIFT=self._shift)
        names = ["LD_PRELOAD", "CLOCK_SHIFT"]
        self._environment = {name: catraca.environment[name] for name in names}

    @property
    def environment(self):
        """The environment in which another process has this clock too."""
        return self._environment

    def set(self, instant, seconds=0):
        """It goes on from `seconds` after an instant, in ISO 8601 with an offset."""
        there = datetime.datetime.fromisoformat(instant).timestamp() + seconds
        self.be_ahead(there - time.time())

    def be_ahead(self, seconds):
        """It goes on from `seconds` after the present."""
        with open(self._shift, "r+b") as file, mmap.mmap(file.fileno(), 0) as shift:
            # Rounded up: never before the instant that was asked for.
            shift[:] = struct.pack("q", math.ceil(seconds * 1000))
