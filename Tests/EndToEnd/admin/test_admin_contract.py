"""The rules for every call of the admin API, tested on each call that its document names."""

import re
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest
from harness.configuration import new_key

METHODS = ["DELETE", "GET", "PATCH", "POST", "PUT"]
TOMORROW = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat()

# A valid body for each POST; those about a client are about one of the API's.
BODIES = {
    "/api/admin/clients": {"id": "gamma"},
    "/api/admin/clients/{client}/keys": {"name": "second"},
    "/api/admin/clients/{client}/keys/{name}/rotate": {},
    "/api/admin/clients/{client}/subscription": {"plan": "free"},
    "/api/admin/plans": {"name": "extra"},
    "/api/admin/credits": {"client_id": "beta", "tokens": 5},
    "/api/admin/budgets": {"client_id": "beta", "name": "other", "tokens": 5},
    "/api/admin/budgets/{client}/{name}/pause": {"note": "holidays"},
    "/api/admin/budgets/{client}/{name}/resume": {},
    "/api/admin/budgets/{client}/{name}/reset": {"usage": "keep"},
    "/api/admin/budgets/{client}/{name}/raise": {"tokens": 5, "until": TOMORROW},
    "/api/pricing-config": {
        "client_id": "beta",
        "provider": "openai",
        "model": "gpt-4o-mini",
        "per_million_tokens": {"input": "0.30"},
    },
    "/api/admin/objects": {
        "provider": "openai",
        "object_id": "file-1",
        "kind": "file",
        "client_id": "beta",
    },
    "/api/token-billing/process-usage": {"userId": "beta", "tokensUsed": 5},
    "/api/token-billing/create-subscription": {"customerId": "cus_1", "clientId": "beta"},
}


@pytest.fixture
def furnished(admin):
    """An API with one of everything that its paths can name."""
    admin.done("POST", "/api/admin/clients", {"id": "beta"}, status=201)
    admin.done("POST", "/api/admin/clients/beta/keys", {"name": "main"}, status=201)
    admin.done("POST", "/api/admin/plans", {"name": "main"}, status=201)
    budget = {"client_id": "beta", "name": "main", "tokens": 1000}
    admin.done("POST", "/api/admin/budgets", budget, status=201)
    return admin


def filled(path):
    return re.sub(r"\{[^}]*\}", "main", path.replace("{client}", "beta"))


def operations(admin):
    """Method, path and description of each call of the document."""
    for path, calls in admin.done("GET", "/api/openapi.json")["paths"].items():
        for method, operation in calls.items():
            yield method.upper(), path, operation


def takes_fields(method, path):
    """The payment provider's own bodies are read once their signature is right."""
    return method in ("POST", "PATCH") and not path.endswith("/webhook")


def posts(admin):
    return [path for method, path, _ in operations(admin) if method == "POST"]


def refusal(reply):
    return reply.status, reply.code, reply.error["param"]


def test_an_unknown_parameter_is_named_by_every_call(furnished):
    for method, path, _ in operations(furnished):
        reply = furnished.call(method, f"{filled(path)}?colour=red")
        assert refusal(reply) == (400, "unknown_field", "colour"), (method, path, reply)


def test_an_unknown_field_is_named_by_every_call_with_a_body(furnished):
    for method, path, _ in operations(furnished):
        if takes_fields(method, path):
            reply = furnished.call(method, filled(path), {"colour": "red"})
            assert refusal(reply) == (400, "unknown_field", "colour"), (method, path, reply)


def test_a_body_that_is_no_object_of_json_is_refused_by_every_call_with_a_body(furnished):
    for method, path, _ in operations(furnished):
        if takes_fields(method, path):
            for data in [b"{", b"[]", b"null", b'{"a":1,"a":2}']:
                reply = furnished.call(method, filled(path), data=data)
                assert refusal(reply) == (400, "invalid_json", None), (method, path, data, reply)


def test_a_body_above_a_mebibyte_is_413_everywhere(furnished):
    for method, path, _ in operations(furnished):
        if method in ("POST", "PATCH"):
            reply = furnished.call(method, filled(path), data=b" " * (1 << 20) + b"{}")
            assert refusal(reply) == (413, "request_too_large", None), (method, path, reply)


def test_other_methods_are_405_and_say_which_are_allowed(furnished):
    allowed = {}
    for method, path, _ in operations(furnished):
        allowed.setdefault(path, []).append(method)
    for path, methods in allowed.items():
        for method in set(METHODS) - set(methods):
            reply = furnished.call(method, filled(path))
            assert refusal(reply) == (405, "method_not_allowed", None), (method, path, reply)
            assert sorted(reply.fields["allow"].split(", ")) == sorted(methods), path


def test_a_viewer_may_read_everything_and_change_nothing(catraca, furnished, tokens):
    viewer = catraca.admin(tokens["viewer"])
    for method, path, operation in operations(furnished):
        reply = viewer.call(method, filled(path))
        if "security" not in operation:
            continue
        if method == "GET":
            assert reply.status not in (401, 403), (method, path, reply)
        else:
            assert refusal(reply) == (403, "forbidden", None), (method, path, reply)


@pytest.mark.parametrize("key", ["", "two words", "é".encode().decode("latin-1"), "k" * 256])
def test_an_idempotency_key_is_1_to_255_visible_characters(furnished, key):
    for path in posts(furnished):
        reply = furnished.post(filled(path), BODIES.get(path), headers={"idempotency-key": key})
        assert refusal(reply) == (400, "invalid_value", "Idempotency-Key"), (path, reply)


@pytest.mark.parametrize("path", BODIES)
def test_every_post_is_done_once_for_an_idempotency_key(furnished, path):
    def call(body):
        return furnished.post(filled(path), body, headers={"idempotency-key": "k" * 255})

    first, again = call(BODIES[path]), call(BODIES[path])
    assert first.status in (200, 201), first
    assert (again.status, again.text) == (first.status, first.text)
    assert "idempotent-replayed" not in first.fields
    assert again.fields["idempotent-replayed"] == "true"
    change = {"tokensUsed": 6} if "tokensUsed" in BODIES[path] else {"colour": "red"}
    other = call({**BODIES[path], **change})
    assert (other.status, other.code) == (409, "idempotency_conflict")


@pytest.mark.parametrize(
    "method, path, body, param",
    [
        ("POST", "/api/admin/clients", {"id": "gamma", "name": "%"}, "name"),
        ("PATCH", "/api/admin/clients/beta", {"payment_customer_id": "%"}, "payment_customer_id"),
        ("PATCH", "/api/admin/clients/beta", {"name": "%"}, "name"),
        ("PATCH", "/api/admin/clients/beta", {"timezone": "%"}, "timezone"),
        ("POST", "/api/admin/plans", {"name": "extra", "display_name": "%"}, "display_name"),
        ("POST", "/api/admin/credits", {"client_id": "beta", "tokens": 5, "note": "%"}, "note"),
        ("POST", "/api/admin/budgets/beta/main/pause", {"note": "%"}, "note"),
        ("GET", "/api/admin/clients?q=%", None, "q"),
        ("GET", "/api/admin/usage-logs?user=%", None, "user"),
        ("GET", "/api/budget/status?client=beta&user=%", None, "user"),
    ],
)
def test_texts_have_1_to_256_bytes_without_control_characters(
    furnished, method, path, body, param
):
    for text in ["x" * 257, "é" * 129, "a\tb", "a\x7f", "a\x85b", ""]:
        if body is None:
            reply = furnished.call(method, path.replace("%", quote(text)))
        else:
            fields = {key: text if value == "%" else value for key, value in body.items()}
            reply = furnished.call(method, path, fields)
        assert refusal(reply) == (400, "invalid_value", param), (text, reply)


def test_ids_and_names_follow_one_pattern(furnished):
    for path, param, others in [
        ("/api/admin/clients", "id", {}),
        ("/api/admin/clients/beta/keys", "name", {}),
        ("/api/admin/plans", "name", {}),
        ("/api/admin/budgets", "name", {"client_id": "beta", "tokens": 5}),
    ]:
        for name in ["", "-a", "a b", "a/b", "é", "x" * 64, 7]:
            reply = furnished.post(path, {param: name, **others})
            assert refusal(reply) == (400, "invalid_value", param), (path, name, reply)
    longest = "9" + "._-" * 20 + "ab"
    assert len(longest) == 63
    furnished.done("POST", "/api/admin/clients", {"id": longest}, status=201)


def test_metadata_is_any_object_of_at_most_4_kib(catraca, furnished):
    path = "/api/admin/clients/beta"
    metadata = {"tier": {"name": "gold", "since": 2024}, "tags": ["a", None, True, 1.5], "é": ""}
    assert furnished.done("PATCH", path, {"metadata": metadata})["metadata"] == metadata
    for wrong in [[], "text", 1, {"a": "x" * 4096}]:
        reply = furnished.patch(path, {"metadata": wrong})
        assert refusal(reply) == (400, "invalid_value", "metadata")
    assert catraca.terminate() == 0
    admin = catraca.start().admin(furnished.token)
    assert admin.done("GET", path)["metadata"] == metadata
    assert admin.done("PATCH", path, {"metadata": None})["metadata"] == {}


def test_a_client_without_a_budget_has_the_same_fields(catraca, furnished):
    with_budget = furnished.done("GET", "/api/budget/status?client=beta")
    answer = catraca.post(
        {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    )
    assert answer.status == 200
    without = furnished.done("GET", "/api/budget/status?client=acme")
    assert list(without) == list(with_budget)
    row = catraca.row()
    assert (without["has_budget"], without["budgets"]) == (False, [])
    assert (without["state"], without["percentage_used"]) == ("ok", 0)
    assert (without["is_paused"], without["pause_reason"]) == (False, None)
    assert (without["subject"], without["currency"]) == ("client:acme", "BRL")
    assert without["current_tokens"] == row["total_tokens"]
    assert without["current_cost"] == without["by_operation"][0]["cost"]
    for unit in ["tokens", "cost", "brl"]:
        assert without[f"limit_{unit}"] is None


def test_a_pauses_note_is_in_the_audit_log(furnished):
    path = "/api/admin/budgets/beta/main"
    furnished.done("POST", f"{path}/pause", {"note": "holidays"})
    furnished.done("POST", f"{path}/resume", {})
    resumed, paused = furnished.done("GET", "/api/admin/audit-log?client=beta&limit=2")["data"]
    assert (paused["action"], paused["after"]["note"]) == ("budget.pause", "holidays")
    assert (resumed["action"], "note" in resumed["after"]) == ("budget.resume", False)


def test_too_many_failed_sign_ins_are_429_and_a_valid_token_still_passes(furnished, tokens):
    furnished.token = new_key()[0]
    statuses = [furnished.get("/api/admin/clients").status for _ in range(101)]
    assert statuses == [401] * 100 + [429]
    reply = furnished.get("/api/admin/clients")
    assert (reply.code, reply.error["type"]) == ("rate_limit_exceeded", "rate_limit_error")
    assert 1 <= int(reply.fields["retry-after"]) <= 60
    furnished.token = tokens["admin"]
    assert furnished.get("/api/admin/clients").status == 200


def test_a_declared_thing_is_named_with_its_line(catraca, tokens):
    budgets = [{"name": "cap", "tokens": 1000}]
    catraca.configuration.add_client("small", budgets)
    admin = catraca.start().admin(tokens["admin"])
    lines = (catraca.configuration.folder / "clients.yaml").read_text().splitlines()
    for method, path, body in [
        ("PATCH", "/api/admin/clients/small", {"name": "x"}),
        ("DELETE", "/api/admin/clients/small", None),
        ("PATCH", "/api/admin/clients/small/keys/main", {"requests_per_minute": 5}),
        ("DELETE", "/api/admin/clients/small/keys/main", None),
        ("POST", "/api/admin/clients/small/keys/main/rotate", {}),
        ("PATCH", "/api/admin/plans/free", {"monthly_tokens": 5}),
        ("DELETE", "/api/admin/plans/free", None),
        ("POST", "/api/admin/budgets", {"client_id": "small", "name": "cap", "tokens": 5}),
        ("DELETE", "/api/admin/budgets/small/cap", None),
    ]:
        reply = admin.call(method, path, body)
        assert (reply.status, reply.code) == (409, "declared_in_file"), (method, path, reply)
        named = re.search(r"clients\.yaml:(\d+)", reply.error["message"])
        assert named and 1 <= int(named[1]) <= len(lines), reply
