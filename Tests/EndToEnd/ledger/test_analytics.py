"""Sums of use over time, and by whom and for what."""

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
SUMS = [
    "requests",
    "denials",
    "tokens_input",
    "tokens_output",
    "tokens_total",
    "conversations",
    "cost_usd",
    "cost",
    "currency",
    "provider_cost_usd",
    "margin_usd",
]


def analytics(admin, query):
    return admin.done("GET", f"/api/analytics?{query}")


def money(nano):
    return f"{nano // 10**9}.{nano % 10**9:09}"


def test_totals_and_days_add_up_to_the_rows(catraca, admin):
    for conversation in ["c1", "c1", "c2"]:
        catraca.post(BODY, headers={"x-catraca-conversation": conversation})
    rows = catraca.ledger.usage()
    answer = analytics(admin, "client=acme")
    totals = answer["totals"]
    assert list(totals) == SUMS
    assert (totals["requests"], totals["denials"], totals["conversations"]) == (3, 0, 2)
    assert totals["tokens_input"] == sum(row["prompt_tokens"] for row in rows)
    assert totals["tokens_output"] == sum(row["completion_tokens"] for row in rows)
    assert totals["tokens_total"] == sum(row["total_tokens"] for row in rows)
    assert totals["cost_usd"] == money(sum(row["cost_nano_usd"] for row in rows))
    assert totals["cost"] == money(sum(row["cost_nano"] for row in rows))
    assert totals["currency"] == "BRL"
    days = answer["series"]
    assert len(days) == 30 and list(days[0]) == ["key", *SUMS]
    assert [day["requests"] for day in days] == [0] * 29 + [3]
    assert {name: days[-1][name] for name in SUMS} == totals
    assert days[-1]["key"] == rows[0]["day"]


@pytest.mark.parametrize(
    ("zone", "client"), [("America/Sao_Paulo", "acme"), ("Asia/Kathmandu", "nepal"), ("UTC", None)]
)
def test_days_begin_in_the_clients_time_zone(catraca, tokens, zone, client):
    configured = catraca.configuration.clients["clients"]
    catraca.configuration.add_client("nepal")
    configured["acme"]["timezone"] = "America/Sao_Paulo"
    configured["nepal"]["timezone"] = "Asia/Kathmandu"
    admin = catraca.start().admin(tokens["admin"])
    catraca.post(BODY, client=client or "acme")
    today = datetime.now(ZoneInfo(zone)).date()
    answer = analytics(admin, "days=1" + (f"&client={client}" if client else ""))
    assert answer["client_id"] == client
    midnight = datetime(today.year, today.month, today.day, tzinfo=ZoneInfo(zone))
    assert datetime.fromisoformat(answer["from"]) == midnight
    assert datetime.fromisoformat(answer["to"]) == midnight + timedelta(days=1)
    assert [(day["key"], day["requests"]) for day in answer["series"]] == [(f"{today}", 1)]


def test_weeks_begin_on_monday_and_months_are_named(catraca, admin):
    catraca.post(BODY)
    row = catraca.row()
    day = date.fromisoformat(row["day"])
    weeks = analytics(admin, "client=acme&by=week&days=15")["series"]
    assert [week["key"] for week in weeks if week["requests"]] == [
        f"{day - timedelta(days=day.weekday())}"
    ]
    assert all(date.fromisoformat(week["key"]).weekday() == 0 for week in weeks)
    assert len(weeks) in (3, 4)
    months = analytics(admin, "client=acme&by=month&days=366")["series"]
    assert months[-1]["key"] == row["day"][:7] and len(months) in (12, 13, 14)


def test_groups_are_sorted_by_cost_and_cut_at_the_limit(catraca, admin):
    catraca.post(BODY, headers={"x-catraca-user": "u1", "x-catraca-agent": "a1"})
    catraca.post({**BODY, "model": "gpt-4o"}, headers={"x-catraca-conversation": "c1"})

    def keys(query):
        return [entry["key"] for entry in analytics(admin, query)["series"]]

    for scope in ["", "&client=acme"]:
        assert keys(f"by=model{scope}") == ["gpt-4o", "gpt-4o-mini"]
        assert keys(f"by=model&limit=1{scope}") == ["gpt-4o"]
        assert keys(f"by=user{scope}") == [None, "u1"]
        assert keys(f"by=agent{scope}") == [None, "a1"]
        assert keys(f"by=conversation{scope}") == ["c1", None]
        assert keys(f"by=operation{scope}") == ["chat"]
        assert keys(f"by=provider{scope}") == ["openai"]
        assert keys(f"by=client{scope}") == ["acme"]
    assert keys("by=key&client=acme") == ["main"] and keys("by=key") == ["acme/main"]


def test_filters_combine(catraca, admin):
    catraca.post(BODY, headers={"x-catraca-user": "u1", "x-catraca-conversation": "c1"})
    catraca.post({**BODY, "stream": True}, headers={"x-catraca-user": "u1"})
    catraca.post(BODY)

    def count(query):
        return analytics(admin, query)["totals"]["requests"]

    for scope in ["days=1", "days=1&client=acme"]:
        assert count(f"{scope}&user=u1") == 2
        assert count(f"{scope}&user=u1&stream=true") == 1
        assert count(f"{scope}&conversation=c1") == 1
        assert count(f"{scope}&model=gpt-4o-mini&operation=chat&provider=openai") == 3
        assert count(f"{scope}&key=main&outcome=ok&usage_source=reported") == 3
        assert count(f"{scope}&agent=a1") == 0
    assert count("client=acme&since=1h") == 3
    now = datetime.now(timezone.utc)
    instants = f"from={now - timedelta(hours=1):%FT%TZ}&to={now + timedelta(hours=1):%FT%TZ}"
    assert count(instants) == 3 and count(f"{instants}&client=acme") == 3
    assert count("client=acme&to=2020-01-01") == 0


def test_refusals_are_counted_beside_requests(catraca, admin):
    catraca.post(BODY)
    budget = {"client_id": "acme", "name": "cap", "tokens": 1}
    admin.done("POST", "/api/admin/budgets", budget, status=201)
    assert catraca.post(BODY, headers={"x-catraca-user": "u1"}).status == 429
    catraca.denials(1)
    totals = analytics(admin, "client=acme")["totals"]
    assert (totals["requests"], totals["denials"]) == (1, 1)
    users = analytics(admin, "client=acme&by=user")["series"]
    assert [(user["key"], user["requests"], user["denials"]) for user in users] == [
        (None, 1, 0),
        ("u1", 0, 1),
    ]
    assert analytics(admin, "client=acme&outcome=ok")["totals"]["denials"] == 0


def test_a_key_asks_about_its_own_client_alone(catraca, tokens):
    catraca.configuration.add_client("beta")
    catraca.start()
    for client in ["acme", "beta"]:
        catraca.post(BODY, client=client)
    own = catraca.admin(catraca.key("acme"))
    answer = analytics(own, "by=client")
    assert answer["client_id"] == "acme" and answer["totals"]["requests"] == 1
    assert [entry["key"] for entry in answer["series"]] == ["acme"]
    assert own.get("/api/analytics?client=beta").status == 403
    every = analytics(catraca.admin(tokens["viewer"]), "by=client")
    assert every["totals"]["requests"] == 2 and len(every["series"]) == 2


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("by=hour", "by"),
        ("days=0", "days"),
        ("limit=1001", "limit"),
        ("from=2026-02-01&to=2026-01-01", "from"),
        ("from=1900-01-01", "from"),
        ("frm=2026-01-01", "frm"),
    ],
)
def test_what_is_wrong_is_named(admin, query, param):
    reply = admin.get(f"/api/analytics?{query}")
    assert (reply.status, reply.error["param"]) == (400, param)
    assert admin.get("/api/analytics?client=nobody").status == 404
