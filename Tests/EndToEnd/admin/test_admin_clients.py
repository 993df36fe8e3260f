"""Clients and keys through the admin API."""

import json

from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}


def ask(catraca, key):
    with catraca.connect() as connection:
        return connection.post("/v1/chat/completions", BODY, key)


def make_key(admin, client, name="web", **rules):
    path = f"/api/admin/clients/{client}/keys"
    return admin.done("POST", path, {"name": name, **rules}, status=201)


def test_a_client_is_made_changed_and_deleted(admin):
    made = admin.done(
        "POST",
        "/api/admin/clients",
        {"id": "beta", "name": "Beta", "timezone": "Europe/Lisbon", "metadata": {"tier": "gold"}},
        status=201,
    )
    assert made["source"] == "api" and made["plan"] == "free" and made["status"] == "active"
    assert made["metadata"] == {"tier": "gold"} and made["created_at"] == made["updated_at"]
    assert admin.done("GET", "/api/admin/clients/beta") == made
    changed = admin.done("PATCH", "/api/admin/clients/beta", {"name": "Bee", "metadata": None})
    assert (changed["name"], changed["timezone"]) == ("Bee", "Europe/Lisbon")
    assert changed["metadata"] == {}
    assert admin.delete("/api/admin/clients/beta").status == 204
    assert admin.get("/api/admin/clients/beta").status == 404
    again = admin.post("/api/admin/clients", {"id": "beta"})
    assert (again.status, again.code) == (409, "already_exists")


def test_what_a_file_declares_is_read_only(admin):
    for method, path in [
        ("PATCH", "/api/admin/clients/acme"),
        ("DELETE", "/api/admin/clients/acme"),
        ("PATCH", "/api/admin/clients/acme/keys/main"),
        ("DELETE", "/api/admin/clients/acme/keys/main"),
        ("POST", "/api/admin/clients/acme/keys/main/rotate"),
    ]:
        reply = admin.call(method, path, {})
        assert (reply.status, reply.code) == (409, "declared_in_file"), path
        assert "clients.yaml:" in reply.error["message"]


def test_wrong_values_are_400_and_change_nothing(admin):
    for field, value in [
        ("id", "no spaces"),
        ("id", 7),
        ("timezone", "Nowhere/City"),
        ("status", "asleep"),
        ("plan", "unknown"),
        ("metadata", ["no object"]),
        ("name", "a\nb"),
    ]:
        reply = admin.post("/api/admin/clients", {"id": "beta", field: value})
        assert (reply.status, reply.code) == (400, "invalid_value"), field
        assert reply.error["param"] == field
    assert admin.post("/api/admin/clients", {}).error["param"] == "id"
    assert admin.get("/api/admin/clients/beta").status == 404


def test_lists_have_pages_that_neither_repeat_nor_skip(admin):
    names = [f"c{number:02}" for number in range(7)]
    for name in names:
        admin.done("POST", "/api/admin/clients", {"id": name}, status=201)
    seen, after = [], ""
    while True:
        page = admin.done("GET", f"/api/admin/clients?limit=3{after}")
        seen += [client["id"] for client in page["data"]]
        if not page["has_more"]:
            assert page["next"] is None
            break
        after = f"&after={page['next']}"
    assert seen == ["acme", *names]
    found = admin.done("GET", "/api/admin/clients?q=C03")["data"]
    assert [client["id"] for client in found] == ["c03"]


def test_keys_are_listed_by_name(catraca, admin):
    names = ["web", "a", "web-2", "web.3", "web0"]
    for name in names:
        make_key(admin, "acme", name)
    path = "/api/admin/clients/acme/keys?limit=2"
    listed, page = [], admin.done("GET", path)
    while True:
        listed += [key["name"] for key in page["data"]]
        if not page["has_more"]:
            break
        page = admin.done("GET", f"{path}&after={page['next']}")
    assert listed == sorted(listed) and set(names) < set(listed)
    shown = catraca.command("key", "list", "--client", "acme", "--format", "json")
    assert [key["name"] for key in json.loads(shown.stdout)["data"]] == listed


def test_what_was_charged_and_granted_stays_listed_when_a_client_is_gone(admin):
    admin.done("POST", "/api/admin/clients", {"id": "gone"}, status=201)
    admin.done("POST", "/api/admin/credits", {"client_id": "gone", "tokens": 5}, status=201)
    assert admin.delete("/api/admin/clients/gone").status == 204
    [credit] = admin.done("GET", "/api/admin/credits?client=gone")["data"]
    assert credit["tokens_granted"] == 5
    assert admin.done("GET", "/api/token-billing/charges?client=gone")["data"] == []


def test_a_suspended_client_is_refused_at_once(catraca, admin):
    admin.done("POST", "/api/admin/clients", {"id": "beta"}, status=201)
    secret = make_key(admin, "beta")["secret"]
    assert ask(catraca, secret).status == 200
    admin.done("PATCH", "/api/admin/clients/beta", {"status": "suspended"})
    refused = ask(catraca, secret)
    assert (refused.status, refused.code) == (429, "budget_paused")
    status = catraca.admin(secret).done("GET", "/api/budget/status")
    assert (status["is_paused"], status["pause_reason"]) == (True, "manual")


def test_a_keys_secret_is_shown_once_and_works_at_once(catraca, admin):
    key = make_key(admin, "acme", models=["gpt-4o*"], requests_per_minute=600)
    assert key["secret"].startswith("sk-ctr-") and len(key["secret"]) == 50
    assert ask(catraca, key["secret"]).status == 200
    shown = admin.done("GET", "/api/admin/clients/acme/keys/web")
    assert "secret" not in shown and shown["models"] == ["gpt-4o*"]
    assert shown["last_used_at"] and shown["requests_per_minute"] == 600
    listed = admin.done("GET", "/api/admin/clients/acme/keys")["data"]
    assert [(entry["name"], entry["source"]) for entry in listed] == [
        ("main", "file"),
        ("web", "api"),
    ]
    for place, content in catraca.ledger.contents().items():
        assert key["secret"].encode() not in content, place


def test_a_rotated_key_overlaps_and_a_revoked_one_dies_at_once(catraca, admin):
    old = make_key(admin, "acme")["secret"]
    path = "/api/admin/clients/acme/keys/web"
    rotated = admin.done("POST", f"{path}/rotate", {"overlap_seconds": 3600})
    assert rotated["previous_expires_at"]
    assert ask(catraca, old).status == ask(catraca, rotated["secret"]).status == 200
    newest = admin.done("POST", f"{path}/rotate", {"overlap_seconds": 0})["secret"]
    assert ask(catraca, old).status == ask(catraca, rotated["secret"]).status == 401
    assert admin.delete(path).status == 204
    assert ask(catraca, newest).status == 401
    revoked = admin.done("GET", "/api/admin/clients/acme/keys?status=revoked")["data"]
    assert [key["name"] for key in revoked] == ["web"]
    assert make_key(admin, "acme")["status"] == "active"


def test_a_command_is_seen_by_the_running_api(catraca, admin):
    assert catraca.command("client", "create", "beta").returncode == 0
    eventually(lambda: admin.get("/api/admin/clients/beta").status == 200, "the client", 3)
