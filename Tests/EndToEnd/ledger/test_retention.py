"""Months of requests that are kept no longer leave `usage_logs`, and nothing else."""

import datetime

from harness.overspend import BODY, token_budget
from harness.waiting import eventually

KEPT = 13
# How many months ago requests were made, and how many then.
REQUESTS = {16: 2, 15: 3, 14: 1, 13: 1, 0: 2}


def middle_of_month(months_ago):
    now = datetime.datetime.now(datetime.timezone.utc)
    number = now.year * 12 + now.month - 1 - months_ago
    return datetime.datetime(number // 12, number % 12 + 1, 15, 12, tzinfo=datetime.timezone.utc)


def month(months_ago):
    return middle_of_month(months_ago).strftime("%Y-%m")


def use(replica):
    """Makes all requests, in their months."""
    for months_ago, count in REQUESTS.items():
        then = middle_of_month(months_ago)
        now = datetime.datetime.now(datetime.timezone.utc)
        replica.set_clock_ahead((then - now).total_seconds() if months_ago else 0)
        if not replica.process:
            replica.start()
        for _ in range(count):
            assert replica.post(BODY, client="small").status == 200


def test_old_months_are_detached_and_all_sums_stay(replicas):
    replicas.configuration.add_client("small", [token_budget(100_000)])
    use(replicas[0])
    assert replicas[0].terminate() == 0
    ledger = replicas.ledger
    sums = ["usage_daily", "usage_hourly", "token_usage", "usage_totals", "budget_status"]
    before = {table: ledger.rows(table) for table in sums}
    assert len(ledger.usage()) == sum(REQUESTS.values())

    replicas.configuration.settings["ledger"]["retention_months"] = KEPT
    replicas.start()
    old = [months_ago for months_ago in REQUESTS if months_ago > KEPT]

    def detached():
        lines = [line for each in replicas for line in each.process.log]
        return [line for line in lines if line.get("event") == "month_detached"]

    eventually(lambda: len(detached()) >= len(old), "all are detached")
    said = {line["month"]: line["rows"] for line in detached()}
    assert said == {month(months_ago): REQUESTS[months_ago] for months_ago in old}
    assert len(detached()) == len(old)
    assert len(ledger.usage()) == sum(REQUESTS[each] for each in REQUESTS if each <= KEPT)
    assert {table: ledger.rows(table) for table in sums} == before
    assert replicas[1].post(BODY, client="small").status == 200
    replicas.terminate()
    check_audit(replicas[0], ledger, old)


def check_audit(replica, ledger, old):
    """Of the first detached month, which is dropped, nothing can be said any more."""
    audit = replica.command("audit")
    assert (audit.returncode, audit.stdout) == (0, "ok: 10 requests, no difference\n"), audit
    gone, *_ = old
    with ledger.changing() as database:
        database.execute(f"DROP TABLE usage_logs_{month(gone).replace('-', '_')}")
    audit = replica.command("audit")
    assert audit.returncode == 0, audit
    assert audit.stdout.splitlines()[1].startswith(f"not verified: {month(gone)}, whose rows are")
    for months_ago in [0, 13, *old]:
        with ledger.changing() as database:
            database.execute(
                "UPDATE token_usage SET tokens_input = tokens_input + 1 WHERE day LIKE %s",
                [f"{month(months_ago)}-%"],
            )
        audit = replica.command("audit")
        found = f"token_usage small {month(months_ago)}-" in audit.stdout
        assert (audit.returncode, found) == (1, months_ago != gone), audit
