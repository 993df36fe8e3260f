"""Requests, refusals and changes, as the admin API lists them."""

import json
import threading

import pytest
from harness.waiting import eventually

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 20,
}
LOGS = "/api/admin/usage-logs"


def test_a_request_is_shown_as_its_row_says(catraca, admin):
    assert catraca.post(BODY, headers={"x-catraca-metadata": '{"a":[1]}'}).status == 200
    [entry] = admin.done("GET", LOGS)["data"]
    row = catraca.row()
    names = ["id", "request_id", "client_id", "model", "total_tokens", "created_at", "cost_usd"]
    for name in names:
        assert entry[name] == row[name], name
    assert entry["stream"] is False and entry["metadata"] == {"a": [1]}
    assert entry["currency"] == "BRL" and len(entry["cost"].split(".")[1]) == 9
    one = admin.done("GET", f"{LOGS}/{row['request_id']}")
    explained = {"price_file", "explain"}
    assert {name: one[name] for name in one if name not in explained} == entry
    assert explained < set(one)
    assert sum(line["amount"] for line in one["explain"]) == row["total_tokens"]
    assert admin.get(f"{LOGS}/nothing").status == 404


def test_pages_neither_repeat_nor_skip_while_rows_arrive(catraca, admin):
    for user in ["u1", "u2", "u3", "u4", "u5"]:
        catraca.post(BODY, headers={"x-catraca-user": user})
    for query in [f"{LOGS}?limit=2", f"{LOGS}?limit=2&client=acme"]:
        seen, after = [], ""
        while True:
            page = admin.done("GET", query + after)
            seen += [entry["user_id"] for entry in page["data"]]
            if not page["has_more"]:
                break
            after = f"&after={page['next']}"
            catraca.post(BODY, headers={"x-catraca-user": "late"})
        assert [user for user in seen if user != "late"] == ["u5", "u4", "u3", "u2", "u1"]
    assert admin.get(f"{LOGS}?after=x").error["param"] == "after"


@pytest.mark.parametrize("client", ["", "&client=acme"])
def test_whoever_pages_while_many_write_sees_each_earlier_row_once(catraca, admin, client):
    for _ in range(12):
        catraca.post(BODY, headers={"x-catraca-user": "early"})
    stop = threading.Event()

    def write():
        while not stop.is_set():
            assert catraca.post(BODY, headers={"x-catraca-user": "late"}).status == 200

    def pages():
        after = ""
        while True:
            page = admin.done("GET", f"{LOGS}?limit=5{client}{after}")
            yield from page["data"]
            if not page["has_more"]:
                return
            after = f"&after={page['next']}"

    def exported():
        text = admin.get(f"{LOGS}?format=jsonl{client}").text
        return [json.loads(line) for line in text.splitlines()]

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    try:
        for read in [lambda: list(pages()), exported] * 3:
            known = {row["request_id"] for row in catraca.ledger.usage()}
            seen = [entry["request_id"] for entry in read()]
            assert len(seen) == len(set(seen)) and known <= set(seen)
    finally:
        stop.set()
        for writer in writers:
            writer.join()


def test_filters_combine(catraca, admin):
    catraca.post(BODY, headers={"x-catraca-user": "u1"})
    catraca.post({**BODY, "stream": True}, headers={"x-catraca-user": "u1"})
    catraca.post(BODY, headers={"x-catraca-user": "u2"})

    def count(query):
        return len(admin.done("GET", f"{LOGS}?{query}")["data"])

    assert count("user=u1") == 2 and count("user=u1&stream=true") == 1
    assert count("client=acme&operation=chat&outcome=ok&key=main") == 3
    assert count("client=beta") == 0 and count("model=gpt-4o") == 0
    assert count("since=1h") == 3 and count("days=1") == 3 and count("to=2020-01-01") == 0
    assert admin.get(f"{LOGS}?days=1&from=2020-01-01").error["param"] == "days"


def test_refusals_are_listed_and_filtered(catraca, admin):
    budget = {"client_id": "acme", "name": "cap", "tokens": 1}
    admin.done("POST", "/api/admin/budgets", budget, status=201)
    assert catraca.post(BODY).status == 429
    [entry] = eventually(lambda: admin.done("GET", "/api/admin/denials")["data"], "the denial")
    assert (entry["budget_id"], entry["reason"]) == ("acme/cap", "token_limit")
    assert admin.done("GET", "/api/admin/denials?budget=acme%2Fother")["data"] == []


def test_every_change_is_in_the_audit_log_without_secrets(catraca, admin, tokens):
    admin.done("POST", "/api/admin/clients", {"id": "beta"}, status=201)
    key = admin.done("POST", "/api/admin/clients/beta/keys", {"name": "web"}, status=201)
    budget = {"client_id": "beta", "name": "cap", "tokens": 5}
    admin.done("POST", "/api/admin/budgets", budget, status=201)
    admin.done("POST", "/api/admin/budgets", {**budget, "tokens": 6})
    admin.done("POST", "/api/admin/budgets/beta/cap/pause", {})
    reply = admin.get("/api/admin/audit-log")
    actions = [entry["action"] for entry in reply.json()["data"]]
    assert actions == [
        "budget.pause",
        "budget.update",
        "budget.create",
        "key.create",
        "client.create",
    ]
    updated = reply.json()["data"][1]
    assert updated["actor"] == "token:admin" and updated["target"] == "budget:beta/cap"
    assert (updated["before"]["tokens"], updated["after"]["tokens"]) == (5, 6)
    assert key["secret"] not in reply.text
    assert len(admin.done("GET", "/api/admin/audit-log?action=budget.create")["data"]) == 1
