"""Providers' charges and the margin: admins see them everywhere, and nobody else anywhere."""

import json
import re
import urllib.request

import pytest
from harness.admin import Admin
from harness.billing import declare_plan
from harness.document import operations
from harness.metrics import Metrics
from harness.routes import LIVE_EVENTS, page_routes
from harness.sandbox import script
from harness.waiting import eventually
from test_dashboard_access import Visitor

BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 100,
}
ODD = script(prompt_tokens=333, cached_tokens=100, completion_tokens=7)
PROVIDER, CHARGED, MARGIN = "0.000046650", "0.000055980", "0.000009330"
FIGURES = re.compile(r"[.,]0000(4665|0933)|\b(46650|9330)\b")
NAMES = re.compile(
    r"provider_cost|margin_|ProviderCost|Provider.s cost|Custo do provedor|Margin|Margem|markup"
)
ANALYTICS = "/api/analytics?client=acme&by=model"
SUMMARY = "/api/usage/summary?client=acme"
LOGS = "/api/admin/usage-logs?client=acme"


@pytest.fixture
def used(catraca, tokens):
    """A server that has charged a client, with a markup of 20%, for one request."""
    catraca.configuration.clients["plans"]["free"]["markup"] = "20%"
    catraca.configuration.settings["admin"]["metrics"] = "token"
    catraca.start()
    assert catraca.post(BODY, headers=ODD).status == 200
    assert catraca.row()["provider_cost_nano_usd"] == 46650
    return catraca


def exported(text):
    """The only row of an export in CSV."""
    names, values = (line.split(",") for line in text.splitlines())
    return dict(zip(names, values, strict=False))


def test_admins_see_the_providers_cost_and_the_margin(used, tokens):
    admin = used.admin(tokens["admin"])
    both = {"provider_cost_usd": PROVIDER, "margin_usd": MARGIN}
    answer = admin.done("GET", ANALYTICS)
    assert both.items() <= answer["totals"].items()
    [line] = answer["series"]
    assert {**both, "cost_usd": CHARGED}.items() <= line.items()
    summary = admin.done("GET", SUMMARY)
    assert {f"total_{name}": value for name, value in both.items()}.items() <= summary.items()
    [day] = summary["daily_usage"]
    assert both.items() <= day.items()
    [row] = admin.done("GET", LOGS)["data"]
    assert (row["cost_usd"], row["provider_cost_usd"]) == (CHARGED, PROVIDER)
    one = admin.done("GET", f"/api/admin/usage-logs/{row['request_id']}")
    assert one["provider_cost_usd"] == PROVIDER
    assert json.loads(admin.get(f"{LOGS}&format=jsonl").text) == row
    assert exported(admin.get(f"{LOGS}&format=csv").text)["provider_cost_usd"] == PROVIDER
    focus = admin.get(f"{LOGS}&format=focus").text
    assert focus.splitlines()[0].endswith(",x_ProviderCost")
    assert focus.splitlines()[1].endswith(f",{PROVIDER}")
    by_command = used.command("usage", "--format", "focus").stdout
    assert by_command.splitlines() == focus.splitlines()
    shown = json.loads(used.command("usage", "--by", "model", "--format", "json").stdout)
    assert both.items() <= shown["totals"].items() and both.items() <= shown["series"][0].items()


def test_admins_see_the_markups_of_plans_and_clients(used, tokens):
    admin = used.admin(tokens["admin"])
    assert admin.done("GET", "/api/admin/plans/free")["markup"] == "20%"
    assert admin.done("GET", "/api/admin/plans")["data"][0]["markup"] == "20%"
    assert admin.done("GET", "/api/admin/clients/acme")["markup"] is None
    assert admin.done("GET", "/api/admin/clients")["data"][0]["markup"] is None
    viewer = used.admin(tokens["viewer"])
    assert "markup" not in viewer.done("GET", "/api/admin/plans/free")


def test_a_negative_margin_is_shown_as_one(catraca, tokens):
    catraca.configuration.clients["clients"]["acme"]["markup"] = "-50%"
    admin = catraca.start().admin(tokens["admin"])
    assert catraca.post(BODY, headers=ODD).status == 200
    totals = admin.done("GET", ANALYTICS)["totals"]
    assert (totals["cost_usd"], totals["margin_usd"]) == ("0.000023325", "-0.000023325")
    visitor = Visitor(admin.url)
    visitor.sign_in(tokens["admin"])
    page = visitor.get("/dashboard/billing").text
    assert ">-$0.000023<" in page and ">-100.0\u00a0%<" in page


@pytest.mark.parametrize("language, cost", [("en", "$0.0000466"), ("pt-BR", "US$\u00a00,0000466")])
def test_the_billing_pages_show_admins_the_margin_by_client_and_model(
    used, tokens, language, cost
):
    visitor = Visitor(used.admin(None).url)
    visitor.sign_in(tokens["admin"])
    fields = {"accept-language": language}
    for path, key in [("", "acme"), ("?by=model", "gpt-4o-mini"), ("/acme", "gpt-4o-mini")]:
        page = visitor.get(f"/dashboard/billing{path}", fields).text
        table = re.search(r'id="margins?".*', page, re.S)[0]
        assert key in table and f">{cost}<" in table, (path, table)
        assert ">16{}6\u00a0%<".format("." if language == "en" else ",") in table
    request = visitor.get(f"/dashboard/requests/{used.row()['request_id']}", fields).text
    assert "00004665" in request
    for wrong in ["by=user", "days=8", "days=x"]:
        assert visitor.get(f"/dashboard/billing?{wrong}").status == 400


def readers(catraca, tokens):
    """How each of those who may not know reads a path."""
    listener = catraca.admin(None)
    for who, token in [("viewer", tokens["viewer"]), ("key", catraca.key())]:
        call = catraca.admin(token).call
        visitor = Visitor(listener.url)
        assert visitor.sign_in(token).status == 303
        yield who, call, visitor


def paths_of(operation, row):
    """The path of a call, and each way to ask for it that shows more."""
    names = {"client": "acme", "request": row["request_id"], "key": "main", "plan": "free"}
    path = operation.filled(names)
    paths = [path]
    if "client" in operation.query_names:
        paths.append(f"{path}?client=acme")
        for name, values in [
            ("format", ["jsonl", "csv", "focus"]),
            ("by", ["client", "model", "day", "key"]),
        ]:
            if name in operation.query_names:
                paths += [f"{path}?client=acme&{name}={value}" for value in values]
    return paths


def assert_nothing(text, where, names=True):
    found = FIGURES.search(text) or (NAMES.search(text) if names else None)
    assert not found, (where, found and found[0], text)


def test_no_call_shows_a_viewer_or_a_key_what_the_provider_charges(used, tokens):
    row = used.row()
    described = operations(used.admin(tokens["admin"]))
    for who, call, _ in readers(used, tokens):
        answered = 0
        for operation in described:
            for path in paths_of(operation, row):
                reply = call(operation.method, path, {} if operation.takes_body else None)
                answered += reply.status == 200
                # The description names the members, for those who have them.
                names = operation.path != "/api/openapi.json"
                assert_nothing(f"{reply.fields}{reply.text}", (who, path), names)
        assert answered > 5, who
    for operation in described:
        for path in paths_of(operation, row) if operation.method == "GET" else []:
            with used.connect() as connection:
                reply = connection.get(path, used.key())
            assert_nothing(reply.body.decode(), ("key on the proxy", path))


def test_no_page_shows_a_viewer_or_a_client_what_the_provider_charges(used, tokens):
    row = used.row()
    paths = ["/dashboard/clients/acme", "/dashboard/billing/acme"]
    paths += ["/dashboard/billing?by=model", f"/dashboard/requests/{row['request_id']}"]
    paths += [path for method, path in page_routes() if method == "GET"]
    for who, _, visitor in readers(used, tokens):
        seen = 0
        for path in paths:
            if path == LIVE_EVENTS[1] or path.endswith((".css", ".js")):
                continue
            for language in ["en", "pt-BR"]:
                page = visitor.get(path, {"accept-language": language})
                seen += page.status == 200
                assert_nothing(f"{page.headers}{page.text}", (who, path))
        assert seen > 5, who
    token = used.admin(used.key()).done("POST", "/api/widget-tokens", {}, 201)
    for view in ["", "&view=page"]:
        assert_nothing(used.admin(None).get(token["path"] + view).text, "the widget")


def test_live_events_tell_that_figures_changed_and_no_figure(used, tokens):
    for who, _, visitor in readers(used, tokens):
        request = urllib.request.Request(f"{visitor.url}{LIVE_EVENTS[1]}")
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        request.add_header("cookie", cookies)
        with visitor.opener.open(request, timeout=20) as stream:
            told = b"".join(stream.readline() for _ in range(5)).decode()
        assert re.fullmatch(r"retry: 2000\n\nevent: changed\ndata: \d{1,4}\n\n", told), who


def test_the_same_search_finds_it_where_admins_look(used, tokens):
    """So that the two tests above don't pass because they look for something else."""
    admin = used.admin(tokens["admin"])
    row = used.row()
    for operation in operations(admin):
        for path in paths_of(operation, row):
            shown = re.search("analytics|usage/summary.*client|usage-logs", path)
            if operation.method == "GET" and shown:
                text = admin.get(path).text
                assert FIGURES.search(text) and NAMES.search(text), path


def test_an_invoice_has_what_is_charged_alone(used):
    declare_plan(used.configuration)
    used.configuration.clients["plans"]["pro"]["markup"] = "20%"
    used.terminate()
    used.start()
    assert used.post(BODY, headers=ODD).status == 200
    period = used.ledger.charges()[0]["period"]
    for form in ["table", "json", "csv", "html"]:
        done = used.command("invoice", "acme", "--period", period, "--format", form)
        assert done.returncode == 0, done.stderr
        assert_nothing(done.stdout, form, names=form != "html")


def test_metrics_have_the_providers_cost_for_admin_tokens_alone(used, tokens):
    name = "catraca_provider_cost_usd_total"
    labels = {"client": "acme", "provider": "openai", "model": "gpt-4o-mini"}
    metrics = Metrics.of(used, tokens["admin"])
    assert metrics.value(name, **labels) == float(PROVIDER)
    assert f"{PROVIDER}\n" in metrics.text
    assert metrics.value("catraca_cost_usd_total", **labels) == float(CHARGED)
    seen = Metrics.of(used, tokens["viewer"])
    assert seen.series("catraca_cost_usd_total") and not seen.series(name)
    for token, status in [(None, 401), (used.key(), 403)]:
        assert used.admin(token).get("/metrics").status == status


def test_open_metrics_have_no_providers_cost_whoever_asks(catraca, tokens):
    catraca.start()
    assert catraca.post(BODY, headers=ODD).status == 200
    for token in [None, tokens["viewer"], tokens["admin"]]:
        metrics = Metrics.of(catraca, token)
        assert metrics.series("catraca_cost_usd_total")
        assert "provider_cost" not in metrics.text


@pytest.mark.parametrize("setting, status", [(None, 401), ("open", 200), ("token", 401)])
def test_off_loopback_metrics_need_a_token_unless_they_are_open(catraca, setting, status):
    admin = catraca.configuration.settings["admin"]
    admin |= {"listen": ["0.0.0.0:0"], "allow_plain_http": True}
    if setting:
        admin["metrics"] = setting
    catraca.start()
    _, port = catraca.process.address("admin")
    assert Admin(f"http://127.0.0.1:{port}", None).get("/metrics").status == status


def test_who_may_read_metrics_changes_at_once(catraca, tokens):
    catraca.start()
    nobody = catraca.admin(None)
    assert nobody.get("/metrics").status == 200
    catraca.configuration.settings["admin"]["metrics"] = "token"
    catraca.configuration.write()
    eventually(lambda: nobody.get("/metrics").status == 401, "a token is asked for", 20)
    assert catraca.admin(tokens["viewer"]).get("/metrics").status == 200
