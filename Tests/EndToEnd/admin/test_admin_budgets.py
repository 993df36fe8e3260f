"""Budgets through the admin API and the command line."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 50,
}
BUDGETS = "/api/admin/budgets"
ZONE = ZoneInfo("America/Sao_Paulo")


def make(admin, status=201, **fields):
    return admin.done("POST", BUDGETS, {"client_id": "acme", **fields}, status=status)


def act(admin, action, budget="acme/cap", **fields):
    return admin.done("POST", f"{BUDGETS}/{budget}/{action}", fields)


def test_a_budget_is_in_force_when_its_call_has_answered(catraca, admin):
    made = make(admin, name="cap", tokens=1)
    assert made["id"] == "acme/cap" and made["source"] == "api"
    assert (made["mode"], made["period"], made["enforcement"]) == ("tokens", "monthly", "hard")
    assert made["limit_cost"] is None and made["alerts"] == [80, 90, 100]
    refused = catraca.post(BODY)
    assert (refused.status, refused.code) == (429, "budget_exceeded")
    replaced = make(admin, status=200, name="cap", tokens=100_000)
    assert replaced["created_at"] == made["created_at"]
    assert catraca.post(BODY).status == 200
    assert admin.delete(f"{BUDGETS}/acme/cap").status == 204
    assert admin.get(f"{BUDGETS}/acme/cap").status == 404


def test_names_are_given_where_none_is(admin):
    assert make(admin, tokens=10, mode=None, name=None)["id"] == "acme/b1"
    assert make(admin, cost="1.50", currency="USD")["id"] == "acme/b2"


def test_budgets_made_at_the_same_time_get_names_of_their_own(admin):
    with ThreadPoolExecutor(max_workers=8) as pool:
        made = list(pool.map(lambda tokens: make(admin, tokens=tokens), range(1000, 1016)))
    assert sorted(budget["id"] for budget in made) == sorted(
        f"acme/b{number + 1}" for number in range(16)
    )
    listed = admin.done("GET", f"{BUDGETS}?client=acme")["data"]
    assert sorted(budget["limit_tokens"] for budget in listed) == list(range(1000, 1016))


def test_a_period_begins_at_midnight_whenever_the_budget_was_made(catraca, admin):
    admin.done("POST", "/api/admin/clients", {"id": "sp", "timezone": ZONE.key}, status=201)
    now = datetime.now(ZONE).replace(hour=0, minute=0, second=0, microsecond=0)
    starts = {"daily": now, "weekly": now - timedelta(days=now.weekday())}
    starts["monthly"] = now.replace(day=1)
    for period, start in starts.items():
        made = make(admin, client_id="sp", name=period, tokens=10, period=period)
        assert made["period_start"] == start.isoformat()
        cleared = act(admin, "reset", f"sp/{period}", usage="clear")
        assert cleared["period_start"] == start.isoformat()
    shown = catraca.command("budget", "status", "--client", "sp", "--format", "json")
    listed = json.loads(shown.stdout)["data"]
    assert {budget["name"]: budget["period_start"] for budget in listed} == {
        period: start.isoformat() for period, start in starts.items()
    }


def test_money_is_text_with_nine_decimals_and_brl_has_its_own_names(admin):
    made = make(admin, name="cap", mode="both", tokens=1000, cost="500.00", currency="BRL")
    assert (made["limit_cost"], made["current_cost"]) == ("500.000000000", "0.000000000")
    assert (made["limit_brl"], made["current_brl"]) == ("500.000000000", "0.000000000")
    assert made["forecast"] is None
    reply = admin.post(BUDGETS, {"client_id": "acme", "cost": 5})
    assert (reply.status, reply.code, reply.error["param"]) == (400, "invalid_value", "cost")


@pytest.mark.parametrize(
    "fields, param",
    [
        ({}, "tokens"),
        ({"mode": "tokens", "tokens": 1, "cost": "1"}, "cost"),
        ({"mode": "both", "tokens": 1}, "cost"),
        ({"tokens": -1}, "tokens"),
        ({"tokens": 1, "period": "yearly"}, "period"),
        ({"tokens": 1, "alerts": [90, 80]}, "alerts"),
        ({"tokens": 1, "per": "planet"}, "per"),
        ({"cost": "1", "currency": "ZZZ"}, "currency"),
        ({"tokens": 1, "currency": "USD"}, "currency"),
        ({"tokens": 1, "name": "plan"}, "name"),
    ],
)
def test_a_wrong_budget_is_400_and_names_its_field(admin, fields, param):
    reply = admin.post(BUDGETS, {"client_id": "acme", **fields})
    assert reply.status == 400, reply
    assert reply.error["param"] == param


def test_what_a_file_declares_is_read_only_but_can_be_paused(catraca, tokens):
    catraca.configuration.add_client("small", [{"name": "cap", "tokens": 1_000_000}])
    admin = catraca.start().admin(tokens["admin"])
    for method, path in [("POST", BUDGETS), ("DELETE", f"{BUDGETS}/small/cap")]:
        body = {"client_id": "small", "name": "cap", "tokens": 5} if method == "POST" else None
        reply = admin.call(method, path, body)
        assert (reply.status, reply.code) == (409, "declared_in_file")
    paused = act(admin, "pause", "small%2Fcap", note="holidays")
    assert (paused["source"], paused["is_paused"], paused["pause_reason"]) == (
        "file",
        True,
        "manual",
    )
    refused = catraca.post(BODY, client="small")
    assert (refused.status, refused.code) == (429, "budget_paused")
    assert act(admin, "resume", "small/cap")["is_paused"] is False
    assert catraca.post(BODY, client="small").status == 200


def test_pauses_raises_resets_and_budgets_survive_a_restart(catraca, admin):
    make(admin, name="cap", tokens=2000)
    make(admin, name="other", tokens=100_000)
    assert catraca.post(BODY).status == 200
    assert act(admin, "reset", "acme/other", usage="clear")["current_tokens"] == 0
    used = admin.done("GET", f"{BUDGETS}/acme/cap")["current_tokens"]
    assert used > 0
    act(admin, "raise", tokens=500, until="2027-01-01")
    act(admin, "pause")
    catraca.kill()
    admin = catraca.start().admin(admin.token)
    after = admin.done("GET", f"{BUDGETS}/acme/cap")
    assert after["is_paused"] and after["pause_reason"] == "manual"
    assert (after["limit_tokens"], after["current_tokens"]) == (2500, used)
    assert after["raised"]["tokens"] == 500
    assert admin.done("GET", f"{BUDGETS}/acme/other")["current_tokens"] == 0
    act(admin, "resume")
    assert catraca.post(BODY).status == 200
    assert admin.done("GET", f"{BUDGETS}/acme/other")["current_tokens"] > 0


def test_a_reset_asks_what_becomes_of_the_use(catraca, admin):
    made = make(admin, name="cap", tokens=10_000)
    catraca.post(BODY)
    assert admin.post(f"{BUDGETS}/acme/cap/reset").error["param"] == "usage"
    kept = act(admin, "reset", usage="keep")
    assert kept["current_tokens"] > 0
    cleared = act(admin, "reset", usage="clear")
    assert cleared["current_tokens"] == 0
    assert cleared["next_reset_at"] == made["next_reset_at"]
    assert catraca.command("audit").returncode == 0
    lines = catraca.command("budget", "status", "--format", "json").stdout
    assert [line["current_tokens"] for line in json.loads(lines)["data"]] == [0]


def test_a_raise_ends_and_is_bounded(admin):
    make(admin, name="cap", tokens=1000)
    assert act(admin, "raise", tokens=1, until="2027-01-01")["limit_tokens"] == 1001
    assert act(admin, "raise", tokens=0, until="2027-01-01")["raised"] is None
    for unit, limited in (("cost", {"tokens": 5}), ("tokens", {"cost": "5"})):
        make(admin, name=f"no-{unit}", **limited)
        more = {unit: "5" if unit == "cost" else 5, "until": "2027-01-01"}
        reply = admin.post(f"{BUDGETS}/acme/no-{unit}/raise", more)
        assert (reply.status, reply.error["param"]) == (400, unit)
        assert "allowed: 0 or no value" in reply.error["message"]
    for until in ["2020-01-01", "2099-01-01", "soon"]:
        reply = admin.post(f"{BUDGETS}/acme/cap/raise", {"tokens": 1, "until": until})
        assert (reply.status, reply.error["param"]) == (400, "until")


def test_a_budget_per_user_lists_its_subjects(catraca, admin):
    make(admin, name="each", tokens=10_000, per="user")
    for user in ["u1", "u2", "u2"]:
        assert catraca.post(BODY, headers={"x-catraca-user": user}).status == 200
    subjects = admin.done("GET", f"{BUDGETS}/acme/each/subjects")["data"]
    assert [entry["subject"] for entry in subjects] == ["user:u2", "user:u1"]
    assert admin.done("GET", f"{BUDGETS}/acme/each")["subject"] == "user:u2"
    paused = act(admin, "pause", "acme/each", subject="user:u2")
    assert paused["is_paused"]
    assert catraca.post(BODY, headers={"x-catraca-user": "u2"}).code == "budget_paused"
    assert catraca.post(BODY, headers={"x-catraca-user": "u1"}).status == 200


def test_pages_of_subjects_repeat_none_that_others_overtake(catraca, admin):
    make(admin, name="each", tokens=10_000, per="user")
    for user, requests in [("a/1", 1), ("b", 2), ("c", 3), ("d", 4)]:
        for _ in range(requests):
            assert catraca.post(BODY, headers={"x-catraca-user": user}).status == 200
    path = f"{BUDGETS}/acme/each/subjects"

    def subjects(page):
        return [entry["subject"].removeprefix("user:") for entry in page["data"]]

    first = admin.done("GET", f"{path}?limit=2")
    assert (subjects(first), first["has_more"]) == (["d", "c"], True)
    for _ in range(5):
        assert catraca.post(BODY, headers={"x-catraca-user": "new"}).status == 200
    second = admin.done("GET", f"{path}?limit=1&after={quote(first['next'])}")
    assert (subjects(second), second["has_more"]) == (["b"], True)
    third = admin.done("GET", f"{path}?limit=2&after={quote(second['next'])}")
    assert (subjects(third), third["has_more"], third["next"]) == (["a/1"], False, None)
    assert subjects(admin.done("GET", path)) == ["new", "d", "c", "b", "a/1"]
    for wrong in ["2", "1/0/x", "x/1/y", ""]:
        assert admin.get(f"{path}?after={wrong}").error["param"] == "after"


def test_the_status_counts_a_models_aliases_under_its_name(catraca, admin):
    make(admin, name="each", tokens=10_000, per="model")
    alias = "gpt-4o-mini-2024-07-18"
    assert catraca.post({**BODY, "model": alias}).status == 200
    for name in [alias, "gpt-4o-mini"]:
        status = admin.done("GET", f"/api/budget/status?client=acme&model={name}")
        assert status["subject"] == "model:gpt-4o-mini" and status["current_tokens"] > 0


def test_the_status_shows_the_tightest_first_and_the_use_by_operation(catraca, admin):
    make(admin, name="wide", tokens=1_000_000)
    make(admin, name="narrow", tokens=1000, cost="1.00", mode="both")
    catraca.post(BODY)
    status = admin.done("GET", "/api/budget/status?client=acme")
    assert status["has_budget"] and status["id"] == "acme/narrow"
    assert [budget["id"] for budget in status["budgets"]] == ["acme/narrow", "acme/wide"]
    assert status["state"] == "ok" and status["percentage_used"] > 0
    [chat] = status["by_operation"]
    assert (chat["operation"], chat["requests"], chat["percentage"]) == ("chat", 1, 100.0)
    assert chat["tokens_total"] == status["current_tokens"]
    assert admin.get("/api/budget/status").error["param"] == "client"


def test_the_command_shows_what_the_api_shows(catraca, admin):
    make(admin, name="cap", tokens=1000, cost="1.00", mode="both")
    make(admin, name="each", tokens=10_000, per="user", period="30d")
    make(admin, name="stopped", cost="5", enforcement="soft")
    catraca.post(BODY, headers={"x-catraca-user": "u1"})
    act(admin, "raise", tokens=500, until="2027-01-01")
    act(admin, "pause", "acme/stopped")

    def without_forecast(listed):
        return [{**budget, "forecast": None} for budget in listed["data"]]

    shown = catraca.command("budget", "status", "--client", "acme", "--format", "json")
    assert shown.returncode == 0, shown.stderr
    listed = admin.done("GET", f"{BUDGETS}?client=acme")
    assert without_forecast(json.loads(shown.stdout)) == without_forecast(listed)
    assert catraca.terminate() == 0
    stopped = catraca.command("budget", "status", "--client", "acme", "--format", "json")
    assert without_forecast(json.loads(stopped.stdout)) == without_forecast(listed)
    assert list(json.loads(stopped.stdout)) == list(listed)


@pytest.mark.parametrize(
    ("fields", "period"),
    [
        ({}, "monthly"),
        ({"per": "user"}, "60d"),
        ({"per": "model"}, "60d"),
        ({"per": "key"}, "60d"),
        ({"per": "conversation"}, "60d"),
        ({"cost": "0.01", "currency": "EUR"}, "60d"),
    ],
)
def test_a_forecast_goes_on_from_the_last_seven_days(catraca, tokens, fields, period):
    catraca.configuration.settings["currency"]["per_usd"]["EUR"] = "0.90"
    admin = catraca.start().admin(tokens["admin"])
    limit = {} if "cost" in fields else {"tokens": 10_000_000}
    make(admin, name="cap", period=period, **fields, **limit)
    # By an alias of the model, whose use counts as the model's.
    body = {**BODY, "model": "gpt-4o-mini-2024-07-18", "user": "u1"}
    catraca.post(body, headers={"x-catraca-conversation": "c1"})
    shown = admin.done("GET", f"{BUDGETS}/acme/cap")
    end = datetime.fromisoformat(shown["next_reset_at"])
    now = datetime.now(end.tzinfo)
    days = int(period[:-1]) if period != "monthly" else (end - timedelta(days=1)).day
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    share = (end - now) / (now - max(end - timedelta(days=days), midnight - timedelta(days=6)))
    forecast = shown["forecast"]
    used = shown["current_tokens"]
    assert forecast["tokens"] == pytest.approx(used * (1 + share), rel=0.01, abs=2)
    cost = float(shown["current_cost"])
    assert float(forecast["cost"]) == pytest.approx(cost * (1 + share), rel=0.01, abs=1e-8)
    assert (forecast["exhausted_at"] is None) == ("cost" not in fields or cost * (1 + share) < 0.01)


def test_the_fullest_budgets_come_first_when_asked(catraca, admin):
    make(admin, name="a", tokens=1_000_000)
    make(admin, name="b", tokens=1000)
    catraca.post(BODY)
    listed = admin.done("GET", f"{BUDGETS}?client=acme&sort=percentage")["data"]
    assert [budget["id"] for budget in listed] == ["acme/b", "acme/a"]
    listed = admin.done("GET", f"{BUDGETS}?client=acme")["data"]
    assert [budget["id"] for budget in listed] == ["acme/a", "acme/b"]


def test_commands_at_the_same_time_make_budgets_with_names_of_their_own(catraca, admin):
    def set_budget(tokens):
        words = ("budget", "set", "--client", "acme", "--tokens", str(tokens))
        return catraca.command(*words, "--format", "json").returncode

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert set(pool.map(set_budget, range(1000, 1016))) == {0}

    def limits():
        listed = admin.done("GET", BUDGETS + "?client=acme")["data"]
        return sorted(budget["limit_tokens"] for budget in listed if budget["source"] == "api")

    eventually(lambda: limits() == list(range(1000, 1016)), "sixteen budgets", 5)


def test_commands_change_budgets_of_a_running_server_within_a_second(catraca, admin):
    def command(*words):
        result = catraca.command("budget", *words, "--format", "json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def eventually_is(field, value):
        path = f"{BUDGETS}/acme/cap"
        eventually(lambda: admin.get(path).json().get(field) == value, f"{field} {value}", 2)

    command("set", "--client", "acme", "--name", "cap", "--tokens", "1000")
    eventually_is("limit_tokens", 1000)
    command("pause", "acme/cap", "--note", "on holiday")
    eventually_is("pause_reason", "manual")
    [pause] = admin.done("GET", "/api/admin/audit-log?action=budget.pause")["data"]
    assert pause["actor"].startswith("cli:") and pause["after"]["note"] == "on holiday"
    command("resume", "acme/cap")
    eventually_is("is_paused", False)
    raised = command("raise", "acme/cap", "--tokens", "500", "--until", "2027-01-01")
    assert (raised["id"], raised["raised"]["tokens"]) == ("acme/cap", 500)
    eventually_is("limit_tokens", 1500)
    catraca.post(BODY)
    assert admin.get(f"{BUDGETS}/acme/cap").json()["current_tokens"] > 0
    command("reset", "acme/cap", "--usage", "clear")
    eventually_is("current_tokens", 0)
    assert catraca.command("budget", "pause", "acme/none").returncode == 1
    wrong = catraca.command("budget", "raise", "acme/cap", "--cost", "5", "--until", "2027-01-01")
    assert wrong.returncode == 2
    assert "--cost; acme/cap limits no money; allowed: --tokens" in wrong.stderr
    assert catraca.command("budget", "raise", "acme/cap", "--until", "2020-01-01").returncode == 2
