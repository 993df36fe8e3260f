"""A ledger that can't be written: a clear 503 or a spooled row, and never a silent loss."""

import errno
import json
import os
import subprocess
from contextlib import contextmanager

import pytest
from harness.chosen_ledger import IS_POSTGRESQL, need_sqlite, sqlite_alone
from harness.crowd import at_once
from harness.disk import UnreliableDisk
from harness.ledger_troubles import (
    CorruptPage,
    FailingDisk,
    FullDisk,
    LockedDatabase,
    StoppedDatabase,
)
from harness.sandbox import script
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 40,
}
DISK_SIZE = "16m"
# Times that readiness is asked for in a row: for longer than a second, and thus than a writer
# that fails waits four times.
ASKED = 2_000


@contextmanager
def small_disk(folder):
    """A file system of its own."""
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={DISK_SIZE}", "none", folder)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def mount(*arguments):
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here, only imitated: {done.stderr}")


@pytest.fixture
def disk(catraca, tmp_path):
    """Where the ledger is, on a file system of its own."""
    need_sqlite()
    folder = tmp_path / "disk"
    with small_disk(folder):
        catraca.move_ledger(folder)
        yield folder
        catraca.end()


@pytest.fixture
def unreliable_disk(catraca, tmp_path):
    need_sqlite()
    return UnreliableDisk(catraca, tmp_path)


TROUBLES = {
    "locked": lambda fixture: LockedDatabase(fixture("catraca").configuration.ledger),
    "full disk": lambda fixture: FullDisk(fixture("disk") / "ledger.db"),
    "no room": lambda fixture: FailingDisk(
        fixture("unreliable_disk"), errno.ENOSPC, "database or disk is full"
    ),
    "read-only": lambda fixture: FailingDisk(
        fixture("unreliable_disk"), errno.EROFS, "disk I/O error"
    ),
}
if IS_POSTGRESQL:
    TROUBLES = {"stopped": lambda fixture: StoppedDatabase(fixture("postgres"))}


@pytest.fixture(params=TROUBLES.values(), ids=list(TROUBLES))
def trouble(request):
    return request.param(request.getfixturevalue)


@pytest.fixture(params=["deny", "allow"])
def on_failure(request):
    return request.param


def start(catraca, on_failure):
    catraca.configuration.settings["ledger"]["on_failure"] = on_failure
    return catraca.start()


def post(catraca, user, headers=()):
    stream = user.endswith("s")
    return catraca.post({**BODY, "user": user, "stream": stream}, headers=headers)


def users(catraca):
    """Whose rows there are; twice where a row is doubled."""
    return sorted(row["user_id"] for row in catraca.ledger.usage())


def served(sandbox):
    return sorted(json.loads(entry["body"])["user"] for entry in sandbox.journal())


def spool_size(catraca):
    return os.path.getsize(catraca.spool)


def readiness(catraca):
    reply = catraca.admin(None).get("/readyz")
    return reply.status, reply.json()


def assert_not_ready(catraca):
    status, answer = readiness(catraca)
    assert (status, answer["error"]["code"]) == (503, "ledger_unavailable")


def assert_sound(catraca):
    """Nothing is held, every counter is right, and nothing waits in the spool."""
    assert catraca.ledger.in_flight() == []
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    assert spool_size(catraca) == 0
    eventually(lambda: readiness(catraca) == (200, {"status": "ok"}), "ready again")


@pytest.mark.parametrize("trouble", list(TROUBLES.values())[:1], ids=["away"], indirect=True)
def test_a_check_says_what_becomes_of_requests_while_the_ledger_is_away(
    catraca, tokens, on_failure, trouble
):
    start(catraca, on_failure)
    admin = catraca.admin(tokens["admin"])
    check = "/api/usage/check?client=acme"
    assert admin.done("GET", check)["reason"] is None
    trouble.begin()
    served = 200 if on_failure == "allow" else 503
    eventually(lambda: post(catraca, "u1").status == served, "the ledger is away")
    if on_failure == "allow":
        assert admin.done("GET", check) == {"allowed": True, "reason": "error_checking"}
    else:
        reply = admin.get(check)
        assert (reply.status, reply.code) == (503, "ledger_unavailable")
    trouble.end()
    eventually(lambda: readiness(catraca) == (200, {"status": "ok"}), "ready again")
    assert admin.done("GET", check)["reason"] is None


@sqlite_alone
def test_deny_refuses_and_forwards_nothing(catraca, sandbox, trouble):
    start(catraca, "deny")
    trouble.begin()
    answers = at_once(10, lambda index: post(catraca, f"u{index}"))
    assert {(answer.status, answer.code) for answer in answers} == {(503, "ledger_unavailable")}
    line = catraca.process.wait_for_line(
        lambda line: line.get("event") == "ledger_unavailable", "ledger_unavailable"
    )
    assert trouble.reason in line["reason"]
    assert sandbox.journal() == []
    assert_not_ready(catraca)
    trouble.end()
    eventually(lambda: post(catraca, "later").status == 200, "the ledger can be written again")
    assert users(catraca) == ["later"]
    assert_sound(catraca)


@pytest.mark.parametrize("user", ["plain", "streams"])
def test_deny_spools_what_was_in_flight_already(catraca, sandbox, trouble, user):
    start(catraca, "deny")

    def send(index):
        if index == 0:
            return post(catraca, user, script(delay_ms=500))
        eventually(sandbox.journal, "the request at the provider")
        return trouble.begin()

    answer, _ = at_once(2, send)
    assert answer.status == 200
    # A database that is stopped can't be asked.
    assert IS_POSTGRESQL or users(catraca) == []
    assert spool_size(catraca) > 0
    assert_not_ready(catraca)
    trouble.end()
    eventually(lambda: users(catraca) == [user], "the spool drained by itself")
    eventually(lambda: spool_size(catraca) == 0, "the spool is empty")
    assert catraca.ledger.usage()[0]["usage_source"] == "reported"
    assert_sound(catraca)


def test_allow_serves_and_spools(catraca, sandbox, trouble):
    start(catraca, "allow")
    trouble.begin()
    everybody = [f"u{index}{'s' * (index % 2)}" for index in range(20)]
    answers = at_once(20, lambda index: post(catraca, everybody[index]))
    assert {answer.status for answer in answers} == {200}
    # A database that is stopped can't be asked.
    assert IS_POSTGRESQL or users(catraca) == []
    assert_not_ready(catraca)
    trouble.end()
    eventually(lambda: users(catraca) == sorted(everybody), "the spool drained by itself")
    eventually(lambda: spool_size(catraca) == 0, "the spool is empty")
    assert served(sandbox) == sorted(everybody)
    assert_sound(catraca)


def test_what_is_spooled_survives_a_kill(catraca, sandbox, trouble):
    start(catraca, "allow")
    trouble.begin()
    assert post(catraca, "whole").status == 200

    def die(index):
        if index == 0:
            with catraca.connect() as connection:
                body = {**BODY, "user": "torn"}
                path = "/v1/chat/completions"
                connection.send(
                    connection.request("POST", path, body, catraca.key(), script(hang=True))
                )
                return connection.rest()
        eventually(lambda: len(sandbox.journal()) == 2, "both at the provider")
        return catraca.kill()

    at_once(2, die)
    trouble.end()
    catraca.start()
    outcomes = {row["user_id"]: row["outcome"] for row in catraca.ledger.usage()}
    assert outcomes == {"whole": "ok", "torn": "interrupted"}
    assert_sound(catraca)


def test_what_is_spooled_survives_a_loss_of_power(catraca, sandbox, unreliable_disk):
    catraca.configuration.settings["ledger"]["durability"] = "power"
    start(catraca, "allow")
    unreliable_disk.fail(database=errno.EROFS)
    everybody = [f"u{index}{'s' * (index % 2)}" for index in range(10)]
    answers = at_once(10, lambda index: post(catraca, everybody[index]))
    assert {answer.status for answer in answers} == {200}
    catraca.kill()
    unreliable_disk.lose_what_is_not_synchronized()
    unreliable_disk.fail()
    catraca.start()
    assert users(catraca) == served(sandbox) == sorted(everybody)
    assert_sound(catraca)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS], ids=["full", "read-only"])
@pytest.mark.parametrize("user", ["plain", "streams"])
def test_where_the_spool_cannot_be_written_either_nothing_begins(
    catraca, sandbox, unreliable_disk, on_failure, number, user
):
    """A request that has begun keeps its last byte until its row is somewhere."""
    start(catraca, on_failure)

    def send(index):
        if index == 0:
            return post(catraca, user, script(delay_ms=300))
        eventually(sandbox.journal, "the request at the provider")
        unreliable_disk.fail(database=number, spool=number)
        refused = at_once(10, lambda index: post(catraca, f"u{index}"))
        eventually(lambda: sandbox.journal()[0]["completed"], "the provider has answered")
        assert_not_ready(catraca)
        assert spool_size(catraca) == 0 and users(catraca) == []
        unreliable_disk.fail()
        return refused

    answer, refused = at_once(2, send)
    assert {(each.status, each.code) for each in refused} == {(503, "ledger_unavailable")}
    assert answer.status == 200
    assert users(catraca) == served(sandbox) == [user]
    reasons = [line["reason"] for line in catraca.process.log if "reason" in line]
    wanted = os.strerror(number) if on_failure == "allow" else "SQLite code"
    assert any(wanted in reason for reason in reasons), reasons
    assert post(catraca, "later").status == 200
    assert_sound(catraca)


def test_as_long_as_nothing_can_be_written_it_is_never_ready(catraca, unreliable_disk, on_failure):
    """Also when nobody asks for anything, and it tries again and again by itself."""
    start(catraca, on_failure)
    assert post(catraca, "before").status == 200
    unreliable_disk.fail(database=errno.ENOSPC, spool=errno.ENOSPC)
    assert post(catraca, "refused").status == 503
    assert {readiness(catraca)[0] for _ in range(ASKED)} == {503}
    unreliable_disk.fail()
    eventually(lambda: readiness(catraca)[0] == 200, "ready again")
    assert users(catraca) == ["before"]
    assert_sound(catraca)


def test_a_ledger_that_is_read_only_stops_the_start(catraca, disk):
    catraca.start()
    assert post(catraca, "before").status == 200
    assert catraca.terminate() == 0
    mount("-o", "remount,ro", disk)
    refusal = catraca.command("serve")
    assert refusal.returncode == 1
    assert "ledger.db" in refusal.stderr and "Read-only file system" in refusal.stderr
    mount("-o", "remount,rw", disk)
    catraca.start()
    assert users(catraca) == ["before"]


@sqlite_alone
def test_a_corrupt_page_loses_nothing(catraca, on_failure):
    start(catraca, on_failure)
    assert post(catraca, "before").status == 200
    assert catraca.terminate() == 0
    page = CorruptPage(catraca.configuration.ledger, "token_usage")
    page.begin()
    catraca.start()
    # The intent can be written, the row can't: its usage is spooled, and then nothing is let in.
    assert post(catraca, "spooled").status == 200
    second = post(catraca, "second")
    assert (second.status == 200) == (on_failure == "allow")
    assert on_failure == "allow" or second.code == "ledger_unavailable"
    assert spool_size(catraca) > 0
    assert_not_ready(catraca)
    assert catraca.terminate() == 0
    assert spool_size(catraca) > 0
    page.end()
    catraca.start()
    expected = ["before", "second", "spooled"] if on_failure == "allow" else ["before", "spooled"]
    assert users(catraca) == expected
    assert_sound(catraca)
