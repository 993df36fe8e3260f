"""Windows follow the clock on the wall of the client's zone, however that is set."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import pytest
from harness.clock import Clock

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 24,
}
# The most seconds between an instant and the one that a server finds after a few requests.
MARGIN = 60


@pytest.fixture
def clock(catraca, tmp_path):
    return Clock(catraca, tmp_path)


@dataclass(frozen=True)
class Window:
    """A day or a month of a zone: from one instant up to another."""

    zone: str
    start: str
    end: str
    hours: float
    period: str = "daily"


WINDOWS = {
    "clocks forward": Window(
        "America/New_York", "2026-03-08T00:00:00-05:00", "2026-03-09T00:00:00-04:00", 23
    ),
    "clocks back": Window(
        "America/New_York", "2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00", 25
    ),
    "a day that has no midnight": Window(
        "Africa/Cairo", "2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00", 23
    ),
    "a midnight that is put off": Window(
        "Africa/Cairo", "2026-10-29T00:00:00+03:00", "2026-10-30T00:00:00+02:00", 25
    ),
    "half an hour": Window(
        "Australia/Lord_Howe", "2026-04-05T00:00:00+11:00", "2026-04-06T00:00:00+10:30", 24.5
    ),
    "no change": Window(
        "America/Sao_Paulo", "2026-11-01T00:00:00-03:00", "2026-11-02T00:00:00-03:00", 24
    ),
    "a month": Window(
        "Europe/Berlin",
        "2026-03-01T00:00:00+01:00",
        "2026-04-01T00:00:00+02:00",
        743,
        period="monthly",
    ),
}


def declare(catraca, zone, period="daily", limit=None):
    client = catraca.configuration.clients["clients"]["acme"]
    client["timezone"] = zone
    client["budgets"] = [{"name": "each", "period": period, "tokens": limit or 1_000_000}]


def status(catraca):
    [budget] = catraca.admin(catraca.key()).done("GET", "/api/budget/status")["budgets"]
    return budget


def use(catraca):
    """Sends a request; returns what it used, and what its budget then says was used."""
    assert catraca.post(BODY).status == 200
    return catraca.ledger.usage()[-1]["total_tokens"], status(catraca)["current_tokens"]


def assert_whole(catraca):
    """Each row counts in exactly one window, and all counters are right."""
    with closing(sqlite3.connect(catraca.ledger.path)) as database:
        [counted] = database.execute("SELECT sum(tokens) FROM budget_accounts").fetchone()
    assert counted == sum(row["total_tokens"] for row in catraca.ledger.usage())
    audit = catraca.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr


@pytest.mark.parametrize("window", WINDOWS.values(), ids=list(WINDOWS))
@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
def test_a_window_is_as_long_as_the_wall_says(catraca, clock, window, restarts):
    declare(catraca, window.zone, window.period)
    clock.set(window.start, -MARGIN)
    catraca.start()

    def at(instant, seconds):
        clock.set(instant, seconds)
        if restarts:
            catraca.kill()
            catraca.start()

    each, used = use(catraca)
    assert used == each
    assert status(catraca)["next_reset_at"] == window.start
    for count, (instant, seconds) in enumerate(
        [(window.start, 0), (window.start, window.hours * 1800), (window.end, -MARGIN)], 1
    ):
        at(instant, seconds)
        assert use(catraca) == (each, count * each)
        budget = status(catraca)
        assert (budget["period_start"], budget["next_reset_at"]) == (window.start, window.end)
    at(window.start, window.hours * 3600)
    assert use(catraca) == (each, each)
    assert status(catraca)["period_start"] == window.end
    assert_whole(catraca)


def test_a_clock_that_is_set_back_opens_no_window_again(catraca, clock):
    declare(catraca, "America/Sao_Paulo")
    clock.set("2026-11-02T00:00:00-03:00", -MARGIN)
    catraca.start()
    each, _ = use(catraca)
    clock.set("2026-11-02T00:00:00-03:00")
    assert use(catraca) == (each, each)
    for restarts in [False, True]:
        clock.set("2026-11-02T00:00:00-03:00", -3600)
        if restarts:
            catraca.kill()
            catraca.start()
        before = status(catraca)["current_tokens"]
        assert use(catraca) == (each, before + each)
        assert status(catraca)["next_reset_at"] == "2026-11-03T00:00:00-03:00"
    clock.set("2026-11-02T23:00:00-03:00")
    assert use(catraca) == (each, 4 * each)
    clock.set("2026-11-03T00:00:00-03:00")
    assert use(catraca) == (each, each)
    assert_whole(catraca)


def test_a_jump_over_windows_skips_none_that_was_used(catraca, clock):
    declare(catraca, "America/Sao_Paulo")
    catraca.start()
    for day in ["2026-11-02", "2026-11-05", "2026-12-24", "2027-02-01"]:
        clock.set(f"{day}T12:00:00-03:00")
        each, used = use(catraca)
        assert used == each
        assert status(catraca)["period_start"] == f"{day}T00:00:00-03:00"
    assert_whole(catraca)


def test_a_clock_that_was_wrong_leaves_nothing_after_a_restart(catraca, clock):
    """Use while it was weeks ahead counts there, and use from before counts again."""
    declare(catraca, "America/Sao_Paulo")
    clock.set("2026-11-02T12:00:00-03:00")
    catraca.start()
    each, _ = use(catraca)
    clock.set("2026-12-02T12:00:00-03:00")
    assert use(catraca) == (each, each)
    catraca.kill()
    clock.set("2026-11-02T12:05:00-03:00")
    catraca.start()
    assert use(catraca) == (each, 2 * each)
    assert_whole(catraca)


def test_who_waits_and_who_streams_mind_no_jump(catraca, clock, sandbox):
    """Timers go by another clock: a jump neither ends a wait nor makes it last."""
    declare(catraca, "America/Sao_Paulo")
    clock.set("2026-11-02T12:00:00-03:00")
    catraca.start()
    for jump in ["2026-11-20T12:00:00-03:00", "2026-10-20T12:00:00-03:00"]:
        with catraca.connect() as connection:
            body = {**BODY, "stream": True}
            slow = {"x-sandbox": "completion_tokens=20; chunk_delay_ms=20"}
            path = "/v1/chat/completions"
            connection.send(connection.request("POST", path, body, catraca.key(), slow))
            assert connection.head()[0] == 200
            clock.set(jump)
            assert b"".join(connection.chunks()).endswith(b"data: [DONE]\n\n")
    rows = catraca.ledger.usage()
    assert [row["outcome"] for row in rows] == ["ok", "ok"]
    assert all(0 <= row["latency_ms"] < 20_000 for row in rows)
    assert_whole(catraca)
