"""Every page in a real browser: both languages, both themes, wide and narrow.

Pictures of them are written to `.build/screenshots`, to be looked at.
"""

from datetime import datetime, timedelta, timezone

import pytest
from harness.billing import declare_plan
from harness.browser import NARROW, WIDE
from harness.chosen_ledger import IS_POSTGRESQL
from harness.ledger_troubles import CorruptPage

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Olá!"}]}
BUDGETS = [
    {"name": "month", "mode": "both", "tokens": 1000, "cost": "0.02", "currency": "BRL"},
    {"name": "each-user", "per": "user", "tokens": 500, "period": "30d", "enforcement": "soft"},
]
PAGES = {
    "overview": "/dashboard/",
    "clients": "/dashboard/clients",
    "client": "/dashboard/clients/acme",
    "requests": "/dashboard/requests",
    "refusals": "/dashboard/refusals?client=acme&reason=token_limit",
    "budgets": "/dashboard/budgets",
    "budget": "/dashboard/budgets/acme/month",
    "budget-of-users": "/dashboard/budgets/acme/each-user",
    "new-budget": "/dashboard/budgets/new?client=acme",
    "keys": "/dashboard/keys?client=acme",
    "objects-empty": "/dashboard/objects?client=nobody",
    "objects": "/dashboard/objects",
    "prices": "/dashboard/prices?client=acme&q=mini&model=gpt-4o-mini&in=1000&out=500",
    "billing": "/dashboard/billing",
    "client-billing": "/dashboard/billing/acme",
    "audit-trail": "/dashboard/audit?days=30",
    "client-90-weeks": "/dashboard/clients/acme?days=90&per=week&by=user",
}
TITLES = {
    "en": ["Overview", "Clients", "Requests", "Refusals", "Budgets", "Objects", "Prices", "Audit"],
    "pt-BR": ["Visão geral", "Clientes", "Requisições", "Recusas", "Objetos", "Cobrança"],
}


@pytest.fixture
def used(configuration, catraca, tokens):
    """A server that has served some requests and refused one."""
    configuration.add_client("acme", BUDGETS)
    declare_plan(configuration, included=40, every=30)
    catraca.start()
    for number in range(3):
        reply = catraca.post(
            {**BODY, "max_completion_tokens": 100}, headers={"x-catraca-user": f"u{number}"}
        )
        assert reply.status == 200
    large = {**BODY, "max_completion_tokens": 5000}
    assert catraca.post(large, headers={"x-catraca-user": "u0"}).status == 429
    catraca.denials(1)
    admin = catraca.admin(tokens["admin"])
    for owner, kind in {"acme": "file", "*": "vector_store"}.items():
        body = {"provider": "openai", "object_id": f"{kind}-" + 60 * "x", "kind": kind}
        admin.done("POST", "/api/admin/objects", {**body, "client_id": owner}, status=201)
    return admin


@pytest.mark.parametrize("language", ["en", "pt-BR"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_page_is_usable_wide_and_narrow(browser, used, tokens, language, colours):
    browser.read_in(language)
    browser.prefer(colours)
    browser.sign_in(used.url, tokens["admin"])
    for name, path in PAGES.items():
        for size in [WIDE, NARROW]:
            browser.resize(size)
            browser.open(used.url + path)
            assert browser.overflow <= 0, (name, size)
            assert browser.violations() == [], (name, size)
            browser.screenshot(f"{name}-{language}-{colours}-{size[0]}")
            assert browser.element("html").get_attribute("lang") == language
            for title in TITLES[language]:
                assert title in browser.element("nav").get_attribute("textContent")
    assert browser.complaints() == []


def test_the_sign_in_is_accessible_and_says_what_is_wrong(browser, used):
    browser.open(used.url + "/dashboard/")
    assert browser.violations() == []
    browser.screenshot("sign-in")
    browser.sign_in(used.url, "wrong")
    assert "This token is not valid." in browser.element("[role=alert]").text
    assert browser.violations() == []


def test_language_and_colours_are_switched_in_place(browser, used, tokens):
    browser.sign_in(used.url, tokens["viewer"])
    browser.open(used.url + "/dashboard/clients/acme?days=7")
    browser.choose("language", "pt-BR")
    assert browser.path == "/dashboard/clients/acme?days=7"
    assert "Últimos 7 dias" in browser.text and "R$ 0,0" in browser.text
    browser.choose("theme", "dark")
    assert browser.element("html").get_attribute("data-theme") == "dark"
    ground = "return getComputedStyle(document.body).backgroundColor"
    dark = browser.driver.execute_script(ground)
    browser.choose("theme", "light")
    assert browser.driver.execute_script(ground) != dark
    assert "Últimos 7 dias" in browser.text


def test_the_overview_says_who_is_near_a_limit_and_who_was_refused_and_why(browser, used, tokens):
    browser.sign_in(used.url, tokens["viewer"])
    budgets = browser.element("#budgets").text
    assert "acme/month" in budgets and "each-user (u0)" in budgets and "((" not in budgets
    refusals = browser.element("#refusals").text
    assert "acme" in refusals and "u0" in refusals
    assert "needed 5,1" in refusals and "left of" in refusals


def test_the_overview_names_models_without_a_price_until_they_have_one(
    browser, used, tokens, catraca
):
    browser.sign_in(used.url, tokens["viewer"])
    assert "Missing prices" not in browser.text
    refused = [catraca.post({**BODY, "model": model}) for model in ["gpt-99", "gpt-99", "<b>"]]
    refused.append(catraca.post({**BODY, "service_tier": "express"}))
    assert {reply.json()["error"]["code"] for reply in refused} == {"model_not_priced"}
    # Also after a restart.
    catraca.terminate()
    catraca.start()
    url = catraca.admin(None).url
    browser.sign_in(url, tokens["viewer"])
    notice = browser.element("#notices").text
    for part in ["gpt-99\nopenai the whole model refused: 2", "UTC acme"]:
        assert part in notice, part
    for part in ["<b>\nopenai the whole model", "openai service tier express"]:
        assert f"{part} refused: 1" in notice, part
    assert browser.violations() == []
    # A model that has a price by now isn't named any more.
    catraca.configuration.settings["metering"] = {"unknown_model": "free"}
    price = 'gpt-99: { per_million_tokens: { input: "1", output: "1" } }'
    file = catraca.configuration.price_file("openai")
    file.write_text(file.read_text().replace("models:\n", f"models:\n  {price}\n", 1))
    catraca.configuration.write()
    catraca.process.event("configuration_reloaded")
    assert catraca.post({**BODY, "model": "gpt-98"}).status == 200
    browser.open(url + "/dashboard/")
    notice = browser.element("#notices").text
    assert "gpt-99" not in notice
    assert "gpt-98\nopenai the whole model not charged: 1" in notice


@pytest.mark.skipif(IS_POSTGRESQL, reason="a page of a file is broken")
@pytest.mark.parametrize(
    "language, expected",
    [("en", "missing prices can't be read right now"), ("pt-BR", "não podem ser lidos agora")],
)
def test_missing_prices_that_cannot_be_read_leave_the_other_cards(
    browser, used, tokens, catraca, language, expected
):
    browser.read_in(language)
    browser.sign_in(used.url, tokens["viewer"])
    assert catraca.post({**BODY, "model": "gpt-99"}).status == 400
    browser.shows("gpt-99", "#notices")
    trouble = CorruptPage(catraca.ledger.path, "missing_prices")
    trouble.begin()
    browser.open(used.url + "/dashboard/")
    trouble.end()
    assert expected in browser.element("#notices [role=alert]").text
    assert "acme/month" in browser.element("#budgets").text
    assert browser.violations() == []
    lines = [line for line in catraca.process.log if line["event"] == "page_visit"]
    failures = {(line["path"], line["status"]) for line in lines if line["level"] == "error"}
    assert failures == {("/dashboard/", 200)}
    assert all("malformed" in line["reason"] for line in lines if line["level"] == "error")


def test_logs_are_narrowed_to_a_span_of_days(browser, used, tokens):
    browser.sign_in(used.url, tokens["viewer"])
    today = datetime.now(timezone.utc)
    days = [(today + timedelta(days=number)).date().isoformat() for number in (-1, 0, 2)]
    yesterday, _, later = days
    for page, count in [("requests", 3), ("refusals", 1), ("audit", 2)]:
        address = f"{used.url}/dashboard/{page}"
        for query, shown in [
            (f"from={yesterday}&to={later}", count),
            (f"from={later}", 0),
            (f"to={yesterday}", 0),
        ]:
            browser.open(f"{address}?{query}")
            rows = browser.elements("main tbody tr")
            assert len(rows) == shown, (page, query)
            assert shown or "Nothing matches." in browser.text
    browser.open(f"{used.url}/dashboard/requests?from={yesterday}")
    assert browser.element("[name=from]").get_attribute("value") == yesterday
    browser.send("form.filters button")
    assert f"from={yesterday}" in browser.path and len(browser.elements("#log tbody tr")) == 3
    browser.open(f"{used.url}/dashboard/requests?from=soon")
    assert "“From” is not valid" in browser.text


def test_figures_move_while_requests_come(browser, used, tokens, catraca):
    browser.sign_in(used.url, tokens["viewer"])
    browser.shows("3", "#tiles .tile:first-child dd")
    mark = "document.body.dataset.mark = 'here'"
    browser.driver.execute_script(mark)
    assert catraca.post({**BODY, "max_completion_tokens": 50}).status == 200
    browser.shows("4", "#tiles .tile:first-child dd")
    assert browser.element("body").get_attribute("data-mark") == "here", "it was loaded again"


def test_the_keyboard_reaches_everything_in_order(browser, used, tokens):
    browser.sign_in(used.url, tokens["viewer"])
    browser.open(used.url + "/dashboard/clients")
    names = [browser.tab() for _ in range(12)]
    assert names[0] == "Skip to the content" and names[1] == "Catraca"
    assert names[2:12] == ["Overview", "Clients", "Requests", "Refusals", "Budgets", "Keys"] + [
        "Objects",
        "Prices",
        "Billing",
        "Audit trail",
    ]
    browser.open(used.url + "/dashboard/clients")
    browser.tab()
    browser.enter()
    assert browser.driver.switch_to.active_element.tag_name == "main"
