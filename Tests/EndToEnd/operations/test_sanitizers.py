"""The tests see a sanitizer's report, whoever started the process and however it ended."""

import signal
import subprocess

import pytest
from harness.process import binary
from harness.sanitizers import KIND

# A program without one reports nothing: there is nothing to test then.
if KIND:

    @pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGILL])
    def test_a_process_that_ends_by_a_mistake_fails_its_test(reports, number):
        """By one in memory, or by one that Swift's own checks have found."""
        with subprocess.Popen(
            [binary(), "sandbox", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            process.stdout.readline()
            process.send_signal(number)
        assert process.returncode > 0
        with pytest.raises(AssertionError, match=f"{KIND.title()}Sanitizer"):
            reports.assert_none()
        reports.assert_none()
