"""A client's usage, and whether it may use more."""

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}


def test_the_summary_adds_up_to_the_rows(catraca, admin):
    for conversation in ["c1", "c1", "c2"]:
        catraca.post(BODY, headers={"x-catraca-conversation": conversation})
    rows = catraca.ledger.usage()
    summary = admin.done("GET", "/api/usage/summary?client=acme&days=7")
    assert (summary["client_id"], summary["period_days"]) == ("acme", 7)
    assert summary["total_tokens"] == sum(row["total_tokens"] for row in rows)
    assert (summary["total_calls"], summary["total_conversations"]) == (3, 2)
    nano = sum(row["cost_nano_usd"] for row in rows)
    assert summary["total_cost_usd"] == f"{nano // 10**9}.{nano % 10**9:09}"
    [today] = summary["daily_usage"]
    assert today["tokens_total"] == today["tokens_input"] + today["tokens_output"]


def test_a_plans_period_says_how_much_is_left(catraca, tokens):
    catraca.configuration.clients["plans"]["free"]["monthly_tokens"] = 1000
    admin = catraca.start().admin(tokens["admin"])
    assert catraca.post(BODY).status == 200
    used = catraca.row()["total_tokens"]
    period = admin.done("GET", "/api/usage/current-period?client=acme")
    assert (period["has_subscription"], period["status"]) == (False, "trial")
    assert (period["plan_id"], period["plan_name"]) == ("free", "Free")
    assert (period["tokens_used"], period["tokens_remaining"]) == (used, 1000 - used)
    assert period["is_over_limit"] is False and period["period_start"].endswith("-03:00")


def test_check_says_whether_so_much_fits(catraca, tokens):
    catraca.configuration.clients["plans"]["free"]["monthly_tokens"] = 1000
    admin = catraca.start().admin(tokens["admin"])

    def check(tokens):
        return admin.done("GET", f"/api/usage/check?client=acme&tokens={tokens}")

    assert (check(1000)["allowed"], check(1000)["reason"]) == (True, None)
    assert (check(1001)["allowed"], check(1001)["reason"]) == (False, "token_limit")
    admin.done("POST", "/api/admin/budgets/acme/plan/pause", {})
    assert check(1)["reason"] == "paused"


def test_a_key_reads_its_own_client_on_both_listeners(catraca, tokens):
    catraca.configuration.add_client("beta")
    client = catraca.start().admin(catraca.key())
    for path in ["summary", "current-period", "check"]:
        assert client.done("GET", f"/api/usage/{path}").get("client_id", "acme") == "acme"
        assert client.get(f"/api/usage/{path}?client=beta").status == 403
        with catraca.connect() as connection:
            assert connection.get(f"/api/usage/{path}", catraca.key()).status == 200
