"""A disk under the ledger that loses its power, or refuses to be written, without being root."""

import mmap
import shutil
import struct

from .preload import preload


class UnreliableDisk:
    """Where a server's ledger is: what it writes there passes through `unreliable_disk.c`."""

    def __init__(self, catraca, folder):
        self.folder = folder / "disk"
        self._image = folder / "image"
        self.folder.mkdir()
        self._image.mkdir()
        self._faults = folder / "faults"
        self._faults.write_bytes(struct.pack("ii", 0, 0))
        catraca.move_ledger(self.folder)
        preload(
            catraca,
            "unreliable_disk",
            folder,
            DISK_FOLDER=self.folder,
            DISK_IMAGE=self._image,
            DISK_FAULTS=self._faults,
        )

    def fail(self, database=0, spool=0):
        """From now on, writing fails with these numbers of errors; 0 for none."""
        with open(self._faults, "r+b") as file, mmap.mmap(file.fileno(), 0) as faults:
            faults[:] = struct.pack("ii", database, spool)

    def lose_what_is_not_synchronized(self):
        """The power has failed, and is there again; while no server runs."""
        for file in self.folder.iterdir():
            if not file.name.endswith(".lock"):
                file.unlink()
        for file in self._image.iterdir():
            shutil.copy(file, self.folder)
