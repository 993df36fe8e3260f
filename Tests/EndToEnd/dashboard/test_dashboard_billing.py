"""Clients' charges in a real browser: tiers, charges, and collecting one again."""

import pytest
from harness.billing import (
    charges,
    collect_through,
    declare_plan,
    know_customer,
    report,
)
from harness.stripe import Stripe
from harness.waiting import eventually

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Olá!"}]}


@pytest.fixture
def billed(catraca, tokens):
    """The plan of the article Billing, whose charges are recorded alone."""
    declare_plan(catraca.configuration)
    catraca.configuration.add_client("beta")
    return catraca.start().admin(tokens["admin"])


def tiers(browser):
    return [entry.text.replace("\u00a0", " ") for entry in browser.elements("#tiers li")]


def test_use_is_shown_against_the_tiers_of_the_plan(browser, billed, tokens):
    report(billed, 20_000_000)
    browser.sign_in(billed.url, tokens["viewer"])
    browser.open(billed.url + "/dashboard/billing")
    row = browser.element("#clients tbody tr").text.replace("\u00a0", " ")
    for part in ["acme", "pro", "20,000,000", "16M-24M", "R$600.00"]:
        assert part in row, part
    assert "No charge has failed." in browser.element("#unpaid").text
    browser.send("#clients tbody a")
    assert browser.path == "/dashboard/billing/acme"
    assert tiers(browser) == [
        "0-8M\nfixed fee: R$400.00",
        "8M-16M\ncharged: R$100.00",
        "16M-24M\ncharged: R$100.00",
        "24M-32M\nnot started: R$100.00",
    ]
    bars = [bar.get_attribute("aria-label") for bar in browser.elements("#tiers svg")]
    shares = [bar.replace("\u00a0", " ").split(": ")[1] for bar in bars]
    assert shares == ["100.0 %", "100.0 %", "50.0 %", "0.0 %"]
    assert "when use passes 24,000,000 tokens" in browser.element("#tiers").text
    table = browser.element("#charges").text
    assert "chg_03" in table and "recorded for your own invoice" in table
    assert "catraca invoice acme --period" in browser.element("#facts").text
    browser.send("#charges a")
    assert browser.path.startswith("/dashboard/requests/")


def test_another_period_is_chosen_and_a_client_without_a_price_says_so(browser, billed, tokens):
    report(billed, 1)
    browser.sign_in(billed.url, tokens["viewer"])
    browser.open(billed.url + "/dashboard/billing/acme")
    [period] = [option.text for option in browser.elements("#f-period option")]
    assert period == charges(billed)[0]["period"]
    browser.send("form.filters button")
    assert browser.path == f"/dashboard/billing/acme?period={period}"
    for page in ["acme?period=2020-01", "beta"]:
        browser.open(f"{billed.url}/dashboard/billing/{page}")
        assert "Nothing was billed" in browser.text, page
    wrong_month = "“Period” is not valid. Allowed: a month such as"
    for page, wrong in [("acme?period=2020", wrong_month), ("nobody", "nobody")]:
        browser.open(f"{billed.url}/dashboard/billing/{page}")
        assert wrong in browser.text, page


def test_figures_and_charges_move_while_requests_come(browser, catraca, billed, tokens):
    browser.sign_in(billed.url, tokens["viewer"])
    browser.open(billed.url + "/dashboard/billing/acme")
    report(billed, 8_000_001)
    browser.shows("8,000,001", "#totals")
    browser.shows("chg_02", "#charges")


def test_of_many_tiers_and_charges_the_last_are_shown(browser, billed, tokens):
    report(billed, 8_000_000 * 60)
    browser.sign_in(billed.url, tokens["viewer"])
    browser.open(billed.url + "/dashboard/billing/acme")
    assert len(browser.elements("#tiers li")) == 12
    assert "49 tiers before these are full." in browser.element("#tiers").text
    assert len(browser.elements("#charges tbody tr")) == 50
    browser.send("#charges > p a")
    assert [row.text.split()[0] for row in browser.elements("#charges tbody tr")] == [
        f"chg_{number:02}" for number in range(10, 0, -1)
    ]


@pytest.fixture
def stripe(tmp_path):
    server = Stripe(tmp_path).start()
    yield server
    server.kill()


@pytest.fixture
def unpaid(catraca, tokens, stripe):
    """A client who has crossed blocks through the proxy, and has nothing to pay with."""
    collect_through(stripe, catraca)
    declare_plan(catraca.configuration, included=10, every=10)
    admin = catraca.start().admin(tokens["admin"])
    customer = stripe.customer(card=None)
    know_customer(catraca, customer)
    assert catraca.post({**BODY, "max_completion_tokens": 50}).status == 200
    count = (catraca.row()["total_tokens"] - 1) // 10
    assert count > 1
    eventually(
        lambda: len(charges(admin, "status=needs_action")) == count,
        f"{count} charges that nobody can pay",
        within=40,
    )
    return admin, customer


def test_a_charge_that_failed_is_collected_again_by_a_button(
    browser, unpaid, stripe, catraca, tokens
):
    admin, customer = unpaid
    count = len(charges(admin, "status=needs_action"))
    browser.sign_in(admin.url, tokens["admin"])
    browser.open(admin.url + "/dashboard/billing")
    assert len(browser.elements("#unpaid tbody tr")) == count
    assert browser.violations() == []
    browser.open(admin.url + "/dashboard/billing/acme")
    # The fixed fee can't be retried: it says what it waits for.
    [*others, fee] = browser.elements("#charges tbody tr")
    assert len(others) == count and "waits for a subscription at Stripe" in fee.text
    assert len(browser.elements("#charges form")) == count
    failed = browser.element("#charges tbody tr").text
    assert "needs action" in failed and "has no payment method" in failed
    assert customer in browser.element("#facts").text
    browser.screenshot("client-billing-unpaid")

    stripe.give_card(customer)
    browser.send("#charges tbody tr:first-child form button")
    assert browser.path == "/dashboard/billing/acme?done=retried"
    assert "It is being collected again." in browser.element("[role=status]").text
    # It is told without a reload.
    browser.shows("paid", "#charges tbody tr:first-child")
    assert len(charges(admin, "status=succeeded")) == 1
    [paid] = stripe.payments("succeeded")
    assert paid["metadata"]["block"] == f"{count}"
    log = admin.done("GET", "/api/admin/audit-log?action=charge.retry")["data"]
    assert [change["actor"] for change in log] == ["token:admin"]


def test_a_viewer_sees_the_charges_and_no_button(browser, unpaid, tokens):
    admin, _ = unpaid
    browser.sign_in(admin.url, tokens["viewer"])
    for page in ["", "/acme"]:
        browser.open(f"{admin.url}/dashboard/billing{page}")
        assert "needs action" in browser.text and "Collect again" not in browser.text
        assert browser.elements("main form[method=post]") == []
