"""The reach of each client, on every call that the description names: none can be forgotten."""

import pytest
from harness.document import operations

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "SECRET"}]}
OURS = {"client": "acme", "key": "main", "name": "1", "plan": "free"}
BUDGET = {"name": "1", "tokens": 1_000_000}
MARK = "beta-only"
"""Stands in everything of the other client's that a call could show."""


@pytest.fixture
def theirs(catraca):
    """The other client's objects, by the names that paths have in braces."""
    configuration = catraca.configuration
    configuration.add_client("acme", [BUDGET])
    configuration.add_client("beta", [{**BUDGET, "name": MARK}])
    configuration.clients["clients"]["beta"]["name"] = MARK
    catraca.start()
    assert catraca.post(BODY, client="beta", headers={"x-catraca-user": MARK}).status == 200
    row = catraca.row()
    return {**OURS, "client": "beta", "name": MARK, "request": row["request_id"]}


def body_naming(operation, client):
    """A body that names a client wherever the call takes one."""
    if not operation.takes_body:
        return None
    names = {"client_id", "clientId", "userId"} & set(operation.body_names)
    return {name: client for name in names}


def test_a_clients_key_never_reaches_another_client(catraca, tokens, theirs):
    admin = catraca.admin(tokens["admin"])
    before = state(admin)
    with_key = catraca.admin(catraca.key("acme"))
    for operation in operations(admin):
        if not operation.needs_credential:
            continue
        path = operation.filled(theirs)
        paths = [path]
        if "client" in operation.query_names:
            paths = [f"{path}?client=beta", f"{path}?client=nobody"]
        for path in paths:
            reply = with_key.call(operation.method, path, body_naming(operation, "beta"))
            assert reply.status in (403, 404), (str(operation), path, reply)
            assert MARK not in reply.text.replace(path, ""), (path, reply)
            operation.check(reply)
    assert state(admin) == before


def test_what_a_clients_key_may_read_has_nothing_of_others(catraca, tokens, theirs):
    with_key = catraca.admin(catraca.key("acme"))
    readable = []
    for operation in operations(catraca.admin(tokens["admin"])):
        if operation.method != "GET" or not operation.needs_credential:
            continue
        for path in {operation.filled(OURS), operation.filled(OURS) + "?client=acme"}:
            reply = with_key.get(path)
            assert "beta" not in reply.text and MARK not in reply.text, reply
            if reply.status == 200:
                readable.append(operation.path)
    assert {path.split("/")[2] for path in readable} <= {
        "budget",
        "usage",
        "analytics",
        "token-billing",
    }
    assert "/api/budget/status" in readable and "/api/usage/summary" in readable


def test_the_proxy_listener_keeps_clients_apart_too(catraca, tokens, theirs):
    for operation in operations(catraca.admin(tokens["admin"])):
        if operation.method != "GET" or not operation.needs_credential:
            continue
        path = operation.filled(theirs) + "?client=beta"
        with catraca.connect() as connection:
            reply = connection.get(path, catraca.key("acme"))
        assert reply.status in (403, 404), (path, reply)
        assert MARK.encode() not in bytes(reply.body).replace(path.encode(), b""), path


def test_without_a_token_every_call_is_401(catraca, tokens, theirs):
    nobody = catraca.admin(None)
    for operation in operations(catraca.admin(tokens["admin"])):
        reply = nobody.call(operation.method, operation.filled(theirs), body_naming(operation, ""))
        assert (reply.status == 401) == operation.needs_credential, (str(operation), reply)
        operation.check(reply)


def test_a_viewer_changes_nothing(catraca, tokens, theirs):
    admin = catraca.admin(tokens["admin"])
    viewer = catraca.admin(tokens["viewer"])
    before = state(admin)
    for operation in operations(admin):
        reply = viewer.call(
            operation.method, operation.filled(theirs), body_naming(operation, "beta")
        )
        if operation.method != "GET" and operation.needs_credential:
            assert (reply.status, reply.code) == (403, "forbidden"), (str(operation), reply)
        else:
            assert reply.status not in (401, 403), (str(operation), reply)
        operation.check(reply)
    assert state(admin) == before


def state(admin):
    """All that an administrator can have set, and the log of it; not what a clock makes of it."""
    lists = ["clients", "plans", "credits", "budgets", "audit-log", "clients/beta/keys"]
    found = {name: admin.done("GET", f"/api/admin/{name}")["data"] for name in lists}
    for budget in found["budgets"]:
        del budget["forecast"]
    return found


def test_an_unknown_query_parameter_or_field_is_named(catraca, tokens, theirs):
    admin = catraca.admin(tokens["admin"])
    for operation in operations(admin):
        path = operation.filled(theirs)
        reply = admin.call(operation.method, path + "?colour=red", body_naming(operation, "beta"))
        named = (reply.status, reply.code, reply.error["param"])
        assert named == (400, "unknown_field", "colour"), (str(operation), reply)
        operation.check(reply)


def test_a_wrong_method_is_405_and_says_which_are_right(catraca, tokens, theirs):
    admin = catraca.admin(tokens["admin"])
    described = operations(admin)
    for path in {operation.path for operation in described}:
        [one, *_] = same = [operation for operation in described if operation.path == path]
        right = {operation.method for operation in same}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - right:
            reply = admin.call(method, one.filled(theirs), {} if method != "GET" else None)
            assert (reply.status, reply.code) == (405, "method_not_allowed"), (method, path)
            assert set(reply.fields["allow"].split(", ")) == right, (method, path)
            one.check(reply)
