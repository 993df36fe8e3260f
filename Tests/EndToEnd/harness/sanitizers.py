"""What is different where the binary was built with `--sanitize address` or `thread`.

    CATRACA_SANITIZED   address or thread, the same as for the build
"""

import os
from pathlib import Path

SUPPRESSIONS = Path(__file__).resolve().parents[3] / ".ci/thread-sanitizer.supp"
# The process can't be looked into, not even by its own search for leaks; and freed memory, of which
# 256 MiB would be kept aside, must not hide what grows.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=16",
    "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}",
}
REPORTS = [b"ERROR: AddressSanitizer", b"WARNING: ThreadSanitizer", b"ERROR: ThreadSanitizer"]
# Blocks have red zones, bytes have their shadow, and all of it takes its time.
MEMORY_FACTOR = TIME_FACTOR = 4 if os.environ.get("CATRACA_SANITIZED") else 1


def assert_no_report(path):
    """That a process had nothing to complain of."""
    text = path.read_bytes()
    found = [text.index(report) for report in REPORTS if report in text]
    assert not found, text[min(found) :][:8000].decode(errors="replace")
