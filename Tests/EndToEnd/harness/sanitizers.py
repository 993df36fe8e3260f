"""The differences for a binary that was built with `--sanitize address` or `thread`.

    CATRACA_SANITIZED   address or thread, the same as for the build
"""

import os
import tempfile
from pathlib import Path

SUPPRESSIONS = Path(__file__).resolve().parents[3] / ".ci/thread-sanitizer.supp"
OPTIONS = {
    # The process can't be looked into, not even by its own search for leaks; and freed memory, of
    # which 256 MiB would be kept aside, must not hide what grows.
    "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=16",
    "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}",
}
KIND = os.environ.get("CATRACA_SANITIZED")
# Blocks have red zones, bytes have their shadow, and all of it takes its time.
MEMORY_FACTOR = TIME_FACTOR = 4 if KIND else 1
# ThreadSanitizer has a thread that looks after its memory every tenth of a second.
WAKE_UPS = 10 if KIND == "thread" else 0


class Reports:
    """The reports of sanitizers about all processes that start from now on, however they end: each
    process writes its report into a folder that the environment names."""

    def __init__(self):
        self._folder = Path(tempfile.mkdtemp(prefix="catraca-reports-"))
        # For those too that run as another user.
        self._folder.chmod(0o777)
        # Swift's own checks end a process by an illegal instruction.
        common = f"log_path={self._folder}/report:handle_sigill=1"
        for variable, options in OPTIONS.items():
            asked = os.environ.get(variable, "")
            os.environ[variable] = ":".join(filter(None, [options, asked, common]))

    def assert_none(self):
        """That there is none since this was last asked."""
        files = sorted(self._folder.iterdir())
        texts = [file.read_text(errors="replace") for file in files]
        for file in files:
            file.unlink()
        assert not texts, "\n".join(text[:8000] for text in texts)

    def end(self):
        try:
            self.assert_none()
        finally:
            self._folder.rmdir()
