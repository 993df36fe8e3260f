"""The rights of each role on the admin listener."""

import re

import pytest
from harness.configuration import new_key

KEYLESS = ["/healthz", "/readyz"]
ADMIN_READS = [
    "/api/admin/clients",
    "/api/admin/clients/acme",
    "/api/admin/clients/acme/keys",
    "/api/admin/budgets",
]


@pytest.mark.parametrize("path", KEYLESS)
def test_health_needs_no_credential(admin, path):
    admin.token = None
    assert admin.done("GET", path) == {"status": "ok"}


def called(admin, host, path, **headers):
    return admin.call("GET", path, headers={"host": host, **headers})


def test_a_name_of_another_site_reads_nothing_and_is_told_the_setting(catraca, admin):
    evil = "evil.example:8081"
    for path in ["/metrics", "/api/admin/clients", "/openapi.json"]:
        reply = called(admin, evil, path)
        assert (reply.status, reply.code) == (421, "misdirected_request"), path
        assert evil in reply.error["message"] and "admin.hosts" in reply.error["message"]
    line = catraca.process.wait_for_line(
        lambda line: line.get("event") == "admin_host_refused", "the refused name"
    )
    assert (line["level"], line["host"]) == ("warn", evil) and "admin.hosts" in line["advice"]
    for path in ["/dashboard/", "/dashboard/events"]:
        page = called(admin, evil, path, **{"accept-language": "pt-BR"})
        assert page.status == 421 and f"Este servidor não se chama {evil}" in page.text
        # It has its look, and no link to a page that would be refused as well.
        assert "<a " not in page.text and "/dashboard/style.css" in page.text
        assert called(admin, evil, "/dashboard/style.css").status == 200
    for path in KEYLESS:
        assert called(admin, evil, path).status == 200
    for host in ["localhost", "127.0.0.1:1", "[::1]:8081"]:
        assert called(admin, host, "/metrics").status == 200


def test_a_name_in_admin_hosts_is_answered_at_once(catraca, admin):
    assert called(admin, "Catraca:8081", "/metrics").status == 421
    catraca.configuration.settings["admin"]["hosts"] = ["catraca"]
    catraca.configuration.write()
    catraca.process.event("configuration_reloaded")
    assert called(admin, "Catraca:8081", "/metrics").status == 200
    assert called(admin, "catraca.example", "/metrics").status == 421


@pytest.mark.parametrize("token", [None, "sk-ctr-unknown", "x"])
def test_without_a_valid_token_every_call_is_401(admin, token):
    admin.token = token
    for path in [*ADMIN_READS, "/api/budget/status"]:
        reply = admin.get(path)
        assert reply.status == 401
        assert (reply.code, reply.error["type"]) == ("invalid_api_key", "authentication_error")


def test_a_viewer_reads_everything_and_changes_nothing(catraca, tokens):
    viewer = catraca.start().admin(tokens["viewer"])
    for path in ADMIN_READS:
        assert viewer.get(path).status == 200
    reply = viewer.post("/api/admin/clients", {"id": "beta"})
    assert (reply.status, reply.code) == (403, "forbidden")
    assert catraca.admin(tokens["admin"]).get("/api/admin/clients/beta").status == 404


def test_a_clients_key_reaches_its_own_figures_alone(catraca, tokens):
    catraca.configuration.add_client("beta")
    client = catraca.start().admin(catraca.key("acme"))
    assert client.get("/api/budget/status").json()["client_id"] == "acme"
    assert client.get("/api/budget/status?client=acme").status == 200
    for other in ["beta", "nobody"]:
        reply = client.get(f"/api/budget/status?client={other}")
        assert (reply.status, reply.code) == (403, "forbidden")
    for path in ADMIN_READS:
        assert client.get(path).status == 403


def test_the_proxy_listener_serves_a_clients_own_status_alone(catraca, tokens):
    catraca.start()
    with catraca.connect() as connection:
        assert connection.get("/api/budget/status", catraca.key()).json()["client_id"] == "acme"
        for path in ["/api/budget/status", "/api/usage/nothing", "/widget"]:
            assert len(connection.get(path, catraca.key()).fields["x-catraca-request-id"]) == 36
        assert connection.get("/api/admin/clients", tokens["admin"]).status == 404
        assert connection.get("/api/budget/status").status == 401
        for role in ["admin", "viewer"]:
            for path in ["/api/budget/status", "/api/usage/summary", "/api/usage/check"]:
                reply = connection.get(f"{path}?client=acme", tokens[role])
                assert (reply.status, reply.code) == (401, "invalid_api_key"), path


def test_unknown_paths_methods_fields_and_parameters_are_named(admin):
    assert admin.get("/api/admin/nothing").code == "not_found"
    reply = admin.call("PATCH", "/api/admin/clients", {})
    assert (reply.status, reply.code) == (405, "method_not_allowed")
    assert reply.fields["allow"] == "GET, POST"
    reply = admin.get("/api/admin/clients?colour=red")
    assert (reply.status, reply.code, reply.error["param"]) == (400, "unknown_field", "colour")
    reply = admin.post("/api/admin/clients", {"id": "x", "colour": "red"})
    assert (reply.status, reply.code, reply.error["param"]) == (400, "unknown_field", "colour")
    reply = admin.call("POST", "/api/admin/clients", data=b'{"id":')
    assert (reply.status, reply.code) == (400, "invalid_json")
    reply = admin.call("POST", "/api/admin/clients", data=b" " * (1 << 20) + b"{}")
    assert (reply.status, reply.code) == (413, "request_too_large")


def test_a_first_start_without_tokens_prints_one_that_works_ever_after(catraca):
    catraca.start()
    [token] = re.findall(r"adm-ctr-[\w-]{43}", catraca.process.stderr_path.read_text())
    assert catraca.admin(token).get("/api/admin/clients").status == 200
    assert catraca.terminate() == 0
    catraca.process.stderr_path.write_text("")
    catraca.start()
    assert "adm-ctr-" not in catraca.process.stderr_path.read_text()
    assert catraca.admin(token).get("/api/admin/clients").status == 200
    assert catraca.admin(new_key()[0]).get("/api/admin/clients").status == 401
