"""The secrets that the process of a server keeps, and the rights that it gives up."""

import os
import subprocess
from pathlib import Path

import pytest
from harness.configuration import PROVIDER_KEYS
from harness.sandbox import Sandbox

# Root may look into every process by each of these capabilities.
CAPABILITIES = "-sys_ptrace,-perfmon,-sys_admin"
BOUND = ["setpriv", f"--bounding-set={CAPABILITIES}"] if os.geteuid() == 0 else []


def environment_as_seen_by_the_same_user(process):
    path = f"/proc/{process.pid}/environ"
    return subprocess.run([*BOUND, "cat", path], capture_output=True)


@pytest.fixture
def bound(catraca):
    catraca.launcher = BOUND
    return catraca.start()


def test_other_processes_of_the_user_cannot_look_into_a_server(bound, tmp_path):
    seen = environment_as_seen_by_the_same_user(bound.process)
    assert (seen.returncode, seen.stdout) == (1, b"")
    # They can look into a process that has nothing to hide.
    open_one = Sandbox(tmp_path, BOUND)
    try:
        assert b"PATH=" in environment_as_seen_by_the_same_user(open_one).stdout
    finally:
        open_one.end()


def test_no_thread_of_a_server_can_gain_privileges(running):
    assert running.post({"model": "gpt-4o-mini", "messages": []}).status == 200
    tasks = list(Path(f"/proc/{running.process.pid}/task").iterdir())
    assert len(tasks) > 1
    for task in tasks:
        assert "NoNewPrivs:\t1\n" in (task / "status").read_text()


def test_no_secret_is_in_the_arguments(running):
    arguments = Path(f"/proc/{running.process.pid}/cmdline").read_bytes()
    for secret in [*PROVIDER_KEYS.values(), running.key()]:
        assert secret.encode() not in arguments
