"""`catraca audit` on a running server's ledger: each counter that is off by one is named."""

import json
import threading

import pytest
from harness.objects import assign

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
ABOUT = {"x-catraca-user": "ana", "x-catraca-conversation": "first", "x-catraca-agent": "bot"}
# Of each table of sums all numbers that are no part of its key, and the check that finds them.
SUMS = {
    "token_usage": "token_usage",
    "usage_daily": "rollup",
    "usage_daily_users": "rollup",
    "usage_daily_conversations": "rollup",
    "usage_hourly": "rollup",
    "usage_totals": "usage_totals",
    "budget_accounts": "budget_account",
    "token_credits": "credit",
}
# Of a row, what sums and costs follow from.
PARTS_OF_A_ROW = {
    "prompt_tokens": "token_usage",
    "completion_tokens": "token_usage",
    "total_tokens": "budget_account",
    "cached_tokens": "cost",
    "cost_nano_usd": "cost",
    "cost_nano": "cost",
    "begins_conversation": "rollup",
}


@pytest.fixture
def used(catraca, tokens):
    """A running server with requests that a budget counts and a credit pays."""
    catraca.configuration.clients["plans"]["free"]["monthly_tokens"] = 0
    catraca.configuration.clients["clients"]["acme"]["budgets"] = [
        {"name": "each", "per": "user", "tokens": 1_000_000, "period": "monthly"}
    ]
    admin = catraca.start().admin(tokens["admin"])
    for credit in [{"tokens": 20_000}, {"cost": "10.00", "currency": "BRL"}]:
        admin.done("POST", "/api/admin/credits", {"client_id": "acme", **credit}, 201)
    for _ in range(2):
        assert catraca.post(BODY, headers=ABOUT).status == 200
    # The server writes the sums of metrics at its end.
    catraca.terminate()
    return catraca.start()


def audit(catraca):
    """The exit status, and the differences as (check, what about)."""
    done = catraca.command("audit", "--format", "json")
    found = json.loads(done.stdout)["data"]
    return done.returncode, [(each["check"], each["subject"]) for each in found]


def change(catraca, *statements):
    with catraca.ledger.changing() as database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement


def columns(catraca, table):
    return catraca.ledger.integer_columns(table) if catraca.ledger.rows(table) else []


@pytest.mark.parametrize("table", SUMS)
def test_a_sum_that_is_off_by_one_is_named(used, table):
    counters = columns(used, table)
    assert len(counters) >= 2
    for column in counters:
        change(used, f"UPDATE {table} SET {column} = {column} + 1")
        status, found = audit(used)
        assert status == 1 and {check for check, _ in found} == {SUMS[table]}, (column, found)
        if SUMS[table] in ("token_usage", "rollup", "usage_totals"):
            assert all(subject.endswith(column) for _, subject in found), (column, found)
        change(used, f"UPDATE {table} SET {column} = {column} - 1")
        assert audit(used) == (0, [])


@pytest.mark.parametrize(("column", "check"), PARTS_OF_A_ROW.items())
def test_a_row_that_was_changed_is_found(used, column, check):
    [row, _] = used.ledger.usage()
    change(used, f"UPDATE usage_logs SET {column} = {column} + 1 WHERE id = {row['id']}")
    status, found = audit(used)
    assert status == 1 and check in {check for check, _ in found}, found
    if check == "cost":
        assert (check, row["request_id"]) in found
    change(used, f"UPDATE usage_logs SET {column} = {column} - 1 WHERE id = {row['id']}")
    assert audit(used) == (0, [])


def test_a_draw_from_a_credit_that_was_changed_is_found(used):
    change(used, "UPDATE credit_draws SET tokens = tokens - 1")
    status, found = audit(used)
    assert status == 1
    # The plan's account says how many of its tokens credits have paid.
    assert [kind for kind, _ in found] == ["budget_account", "credit"]
    assert found[1] == ("credit", "crd_01")


@pytest.mark.parametrize("table", [*SUMS, "conversations", "usage_logs"])
def test_rows_that_are_gone_are_missed(used, table):
    change(used, f"DELETE FROM {table}")
    status, found = audit(used)
    assert status == 1 and found


@pytest.mark.parametrize("credit", ["crd_01", "crd_02"])
def test_a_credit_that_is_gone_is_missed_whether_or_not_it_was_drawn_from(used, credit):
    change(used, f"DELETE FROM token_credits WHERE id = {int(credit[-2:])}")
    assert audit(used) == (1, [("credit", credit)])


def test_a_conversation_that_began_on_another_day_is_named(used):
    change(used, "UPDATE conversations SET day = '2000-01-01'")
    month = used.ledger.usage()[0]["day"][:7]
    assert audit(used) == (1, [("conversation", f"acme {month} first")])


def test_a_difference_is_told_in_words(used):
    change(used, "UPDATE token_usage SET tokens_total = tokens_total + 1")
    total = sum(row["total_tokens"] for row in used.ledger.usage())
    done = used.command("audit")
    assert done.returncode == 1
    [line] = done.stdout.splitlines()
    assert line.startswith("token_usage acme 20")
    assert line.endswith(f" tokens_total: recorded {total + 1}, recomputed {total}")


def test_a_base_that_is_used_beside_its_fine_tuned_models_is_no_difference(used):
    base = "ft:gpt-4o-mini-2024-07-18"
    for model in [f"{base}:org::x", f"{base}:org::y", base]:
        assign(used.ledger, model, "fine_tuning_job")
        assert used.post({**BODY, "model": model}).status == 200
    used.terminate()
    used.start()
    assert audit(used) == (0, [])
    counted = {row["model"]: row["requests"] for row in used.ledger.rows("usage_totals")}
    assert counted == {BODY["model"]: 2, base: 3}


def test_while_requests_are_recorded_nothing_differs(used):
    stop = threading.Event()

    def send():
        while not stop.is_set():
            assert used.post(BODY, headers=ABOUT).status == 200

    senders = [threading.Thread(target=send) for _ in range(4)]
    for sender in senders:
        sender.start()
    try:
        for _ in range(5):
            before = len(used.ledger.usage())
            assert audit(used) == (0, [])
            assert len(used.ledger.usage()) > before
    finally:
        stop.set()
        for sender in senders:
            sender.join()
