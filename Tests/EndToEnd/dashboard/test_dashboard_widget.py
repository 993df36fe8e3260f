"""The widget: a client's figures on the client's own pages, by a token that shows nothing else."""

import http.server
import json
import threading

import pytest
from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Olá!"}]}
BUDGETS = [
    {"name": "month", "tokens": 10_000},
    {"name": "each-user", "per": "user", "tokens": 500},
]


@pytest.fixture
def served(configuration, catraca, tokens):
    """Two clients, of which each has used something, and one has two users."""
    configuration.add_client("acme", BUDGETS)
    configuration.add_client("beta", [{"name": "secret", "tokens": 77_777}])
    catraca.start()
    for client, user in [("acme", "u1"), ("acme", "u2"), ("acme", "u2"), ("beta", "u1")]:
        headers = {"x-catraca-user": user}
        body = {**BODY, "max_completion_tokens": 100}
        assert catraca.post(body, client=client, headers=headers).status == 200
    return catraca


def with_key(catraca, client="acme"):
    return catraca.admin(catraca.key(client))


def used(catraca, user=None):
    rows = [row for row in catraca.ledger.usage() if row["client_id"] == "acme"]
    return sum(row["total_tokens"] for row in rows if user in (None, row["user_id"]))


def widget(catraca, view="", client="acme", **body):
    made = with_key(catraca, client).done("POST", "/api/widget-tokens", body, 201)
    return catraca.admin(None).get(made["path"] + view)


def test_a_token_shows_its_clients_figures_alone(served):
    reply = widget(served)
    assert reply.status == 200
    assert f"{used(served):,} of 10,000 tokens" in reply.text and "renews in" in reply.text
    for others in ["beta", "77,777", "u1", "u2", "each-user"]:
        assert others not in reply.text, others


@pytest.mark.parametrize("view", ["", "&view=page"])
def test_a_users_token_shows_that_user_alone(served, view):
    reply = widget(served, view, user="u1")
    assert f"{used(served, 'u1'):,} of 500 tokens" in reply.text
    assert "u2" not in reply.text and "10,000" not in reply.text
    assert f">{used(served):,}<" not in reply.text and f">{used(served, 'u2'):,}<" not in reply.text
    if view:
        assert f">{used(served, 'u1'):,}<" in reply.text


def test_a_token_that_is_changed_old_or_made_up_shows_nothing(served):
    made = with_key(served).done("POST", "/api/widget-tokens", {}, 201)
    other = with_key(served, "beta").done("POST", "/api/widget-tokens", {}, 201)
    expiry, client, user, code = made["token"].split(".")
    later = str(int(expiry) + 1000)
    theirs = other["token"].split(".")[1]
    for token in [
        "",
        "x",
        f"{later}.{client}.{user}.{code}",
        f"{expiry}.{theirs}.{user}.{code}",
        f"{expiry}.{client}.dTE.{code}",
        f"{expiry}.{client}.{user}.{code[:-1]}",
        f"{made['token']}.",
    ]:
        refused = served.admin(None).get(f"/widget?token={token}")
        assert refused.status == 401, token
        # It stands in another site's frame: no word of tokens, and no way to the dashboard.
        assert "This link is not valid, or has expired." in refused.text
        assert "dashboard/\"" not in refused.text


def test_a_key_makes_tokens_for_its_own_client_alone(served, tokens):
    key = with_key(served)
    reply = key.post("/api/widget-tokens", {"client_id": "beta"})
    assert (reply.status, reply.code) == (403, "forbidden")
    admin = served.admin(tokens["admin"])
    assert admin.post("/api/widget-tokens", {}).code == "missing_field"
    assert admin.post("/api/widget-tokens", {"client_id": "beta"}).status == 201
    viewer = served.admin(tokens["viewer"])
    assert viewer.post("/api/widget-tokens", {"client_id": "beta"}).status == 403
    for seconds in [59, 86_401, "60"]:
        assert key.post("/api/widget-tokens", {"expires_in": seconds}).status == 400
    token = key.done("POST", "/api/widget-tokens", {}, 201)["token"]
    for path in ["/dashboard/", "/api/usage/summary", "/api/budget/status"]:
        assert served.admin(token).get(path).status in (303, 401) or path == "/dashboard/"


def test_a_token_outlives_the_server_that_made_it(served):
    made = with_key(served).done("POST", "/api/widget-tokens", {"user": "u1"}, 201)
    served.kill()
    served.start()
    reply = served.admin(None).get(made["path"])
    assert reply.status == 200 and f"{used(served, 'u1'):,} of 500 tokens" in reply.text
    assert served.admin(None).get(made["path"][:-1]).status == 401


def test_a_token_ends_with_the_key_that_made_it_and_while_its_client_is_suspended(served, tokens):
    admin = served.admin(tokens["admin"])
    keys = "/api/admin/clients/acme/keys"
    key = admin.done("POST", keys, {"name": "shop"}, 201)["secret"]
    by_key = served.admin(key).done("POST", "/api/widget-tokens", {}, 201)["path"]
    by_main = with_key(served).done("POST", "/api/widget-tokens", {}, 201)["path"]
    by_admin = admin.done("POST", "/api/widget-tokens", {"client_id": "acme"}, 201)["path"]
    rotated = admin.done("POST", f"{keys}/shop/rotate", {"overlap_seconds": 0}, 200)["secret"]
    by_rotated = served.admin(rotated).done("POST", "/api/widget-tokens", {}, 201)["path"]

    def statuses():
        return [
            served.admin(None).get(path).status
            for path in [by_key, by_rotated, by_main, by_admin]
        ]

    assert statuses() == [401, 200, 200, 200]
    admin.done("DELETE", f"{keys}/shop", None, 204)
    assert statuses() == [401, 401, 200, 200]
    served.configuration.clients["clients"]["acme"]["status"] = "suspended"
    served.configuration.write()
    eventually(lambda: statuses() == [401] * 4, "the suspension")


def test_the_widget_is_on_the_proxys_listener_too(served):
    with served.connect() as connection:
        made = connection.post("/api/widget-tokens", {"user": "u1"}, served.key())
    assert made.status == 201
    path = made.json()["path"]
    with served.connect() as connection:
        reply = connection.get(path, "")
    assert reply.status == 200 and b"of 500 tokens" in bytes(reply.body)
    for file in ["style.css", "icon.svg"]:
        with served.connect() as connection:
            assert connection.get(f"/widget/{file}", "").status == 200
    with served.connect() as connection:
        assert connection.get("/dashboard/clients", "").status == 404


def test_a_clients_key_shows_the_same_without_a_token(served):
    assert f"{used(served):,} of 10,000 tokens" in with_key(served).get("/widget").text
    assert served.admin(None).get("/widget").status == 401


def test_which_sites_may_frame_it_is_configured(served):
    policy = widget(served).fields["content-security-policy"]
    assert policy.endswith("frame-ancestors *")
    sites = ["self", "https://*.example.com"]
    served.configuration.settings["widget"] = {"frame_ancestors": sites}
    served.configuration.write()
    served.process.event("configuration_reloaded")
    policy = widget(served).fields["content-security-policy"]
    assert policy.endswith("frame-ancestors 'self' https://*.example.com")


def test_it_is_shown_in_a_frame_of_another_site(browser, served):
    token = with_key(served).done("POST", "/api/widget-tokens", {}, 201)["token"]
    url = f"{served.url}/widget?token={token}&language=pt-BR"
    with framing(url) as site:
        browser.open(site)
        browser.driver.switch_to.frame(0)
        text = browser.text.replace("\u00a0", " ")
        assert "de 10.000 tokens" in text and "renova em" in text
        browser.driver.switch_to.default_content()
        browser.screenshot("widget")
    browser.open(url)
    assert browser.violations() == []
    browser.open(url + "&view=page")
    assert browser.violations() == []
    browser.screenshot("widget-page")
    assert browser.complaints() == []


class framing:
    """Another site, with one page that has an address in a frame."""

    def __init__(self, address):
        page = (
            "<!doctype html><html lang=en><title>Shop</title><link rel=icon href=data:,>"
            f"<h1>Shop</h1><iframe title=Budget width=340 height=120 src={json.dumps(address)}>"
        ).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()
