"""A server starts and its budgets are read, whatever the ledger's rows say."""

from harness.chosen_ledger import sqlite_alone

REPORT = "/api/token-billing/process-usage"
BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
MOST_TOKENS = 10**12
LARGEST = 2**63 - 1


def report(admin, model, **fields):
    told = {"userId": "acme", "tokensUsed": MOST_TOKENS, "model": model, **fields}
    return admin.post(REPORT, told)


def test_a_report_that_costs_absurdly_much_is_refused_and_others_are_not(catraca, admin):
    refused = report(admin, "o1-pro", outputTokens=MOST_TOKENS)
    assert (refused.status, refused.code) == (400, "invalid_value")
    assert refused.error["param"] == "tokensUsed"
    assert "at most 10000000 USD" in refused.error["message"]
    assert report(admin, "gpt-4o-mini").status == 200
    assert catraca.row()["prompt_tokens"] == MOST_TOKENS


def test_a_server_starts_whatever_reports_add_up_to(catraca, tokens):
    """In yen, a few reports of what they may cost at most pass 64 bits."""
    catraca.configuration.settings["currency"] = {"billing": "JPY", "per_usd": {"JPY": "400"}}
    catraca.configuration.clients["plans"]["free"]["monthly_tokens"] = 1_000_000
    budget = {"name": "cap", "cost": "1000000", "currency": "JPY", "tokens": 1000, "mode": "both"}
    catraca.configuration.add_client("acme", [budget])
    admin = catraca.start().admin(tokens["admin"])
    for _ in range(3):
        assert report(admin, "gpt-4o", inputTokens=MOST_TOKENS).status == 200
        # The dearest reports were accepted once.
        report(admin, "o1-pro", outputTokens=MOST_TOKENS)
    for _ in range(7):
        assert report(admin, "gpt-4o", outputTokens=MOST_TOKENS).status == 200
    catraca.kill()
    admin = catraca.start().admin(tokens["admin"])
    cap = admin.done("GET", "/api/admin/budgets/acme/cap")
    assert cap["current_tokens"] == 10 * MOST_TOKENS and cap["state"] == "exceeded"
    assert cap["current_cost"] == f"{LARGEST // 10**9}.{LARGEST % 10**9:09d}"
    assert catraca.post(BODY).status == 429
    for path in [
        "/api/usage/summary?client=acme&days=1",
        "/api/usage/current-period?client=acme",
        "/api/budget/status?client=acme",
        "/api/analytics?by=model",
        "/api/analytics?client=acme&by=user",
        "/api/admin/usage-logs?client=acme",
        f"{REPORT.replace('process-usage', 'user-summary')}/acme",
        "/metrics",
    ]:
        assert admin.get(path).status == 200, path
    commands = ["audit", "budget status", "usage --client acme", "billing summary acme"]
    for command in commands:
        assert catraca.command(*command.split()).returncode == 0, command


@sqlite_alone
def test_a_server_starts_without_rows_that_it_cant_read_and_closes_their_clients(catraca, tokens):
    catraca.configuration.add_client("acme", [{"name": "cap", "tokens": 100_000}])
    catraca.configuration.add_client("beta")
    admin = catraca.start().admin(tokens["admin"])
    assert catraca.post(BODY).status == 200
    admin.done("POST", "/api/admin/clients", {"id": "made"}, status=201)
    catraca.terminate()
    with catraca.ledger.changing() as database:
        database.execute("UPDATE budget_accounts SET currency = '?'")
        database.execute("UPDATE clients SET timezone = 'Mars/Olympus'")
        database.execute("INSERT INTO in_flight (intents) VALUES ('nonsense')")
    admin = catraca.start().admin(tokens["admin"])
    refused = catraca.post(BODY)
    assert (refused.status, refused.code) == (429, "budget_paused")
    assert catraca.post(BODY, client="beta").status == 200
    told = {line["client"]: line for line in unreadable(catraca)}
    assert set(told) == {"acme", "made", None}
    assert told["acme"]["effect"] == "client_closed" and "currency" in told["acme"]["record"]
    # A change is put in force all the same, and opens nothing.
    admin.done("POST", "/api/admin/clients", {"id": "later"}, status=201)
    assert catraca.post(BODY).status == 429


def unreadable(catraca):
    return [line for line in catraca.process.log if line.get("event") == "row_unreadable"]
