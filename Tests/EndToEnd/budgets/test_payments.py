"""Charges that Stripe collects: once each, whoever dies meanwhile, and never in a request's way."""

import hashlib
import hmac
import json
import threading
import time

import pytest
from harness.billing import (
    CHARGES,
    charges,
    collect_through,
    declare_plan,
    know_customer,
    report,
    summary,
)
from harness.crowd import at_once
from harness.receivers import WebReceiver
from harness.stripe import SECRET, Stripe
from harness.waiting import eventually

WEBHOOK = "/api/token-billing/webhook"
WEBHOOK_SECRET = "whsec_catraca"
CHAT = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
SUBSCRIBE = "/api/token-billing/create-subscription"


@pytest.fixture
def stripe(tmp_path):
    server = Stripe(tmp_path).start()
    yield server
    server.kill()


@pytest.fixture
def receiver():
    receiver = WebReceiver()
    yield receiver
    receiver.close()


@pytest.fixture
def paid(catraca, tokens, stripe):
    """A configuration whose charges localstripe collects, with a plan of small blocks."""
    collect_through(stripe, catraca, WEBHOOK_SECRET)
    declare_plan(catraca.configuration, included=1000, every=1000)
    return catraca.start().admin(tokens["admin"])


def subscribe(admin, customer):
    return admin.done("POST", SUBSCRIBE, {"customerId": customer, "clientId": "acme"})["data"]


def statuses(catraca):
    return [charge["status"] for charge in catraca.ledger.charges() if charge["block"] > 0]


def all_are(catraca, status, count):
    # One that was sent may be asked for after half a minute, and once more after another.
    eventually(
        lambda: statuses(catraca) == [status] * count,
        f"{count} charges {status}",
        within=90,
    )


def test_three_blocks_are_paid_once_each_whoever_dies_meanwhile(catraca, paid, stripe, tokens):
    subscribe(paid, stripe.customer())

    def use(number):
        key = {"idempotency-key": f"report-{number}"}
        body = {"userId": "acme", "tokensUsed": 125}
        return paid.post("/api/token-billing/process-usage", body, headers=key).status

    stopping = threading.Timer(0.05, stripe.kill)
    stopping.start()
    # 31 × 125 tokens: 3,875 begin three blocks, at 1,001, 2,001 and 3,001.
    assert set(at_once(31, use)) == {200}
    stopping.join()
    assert len(statuses(catraca)) == 3
    catraca.kill()
    stripe.start()
    catraca.start()
    all_are(catraca, "succeeded", 3)
    made = stripe.payments("succeeded")
    blocks = sorted(payment["metadata"]["block"] for payment in made if payment["metadata"])
    assert blocks == ["1", "2", "3"]
    for payment in made:
        if payment["metadata"]:
            assert (payment["amount"], payment["currency"]) == (10000, "brl")
            assert payment["metadata"]["client"] == "acme"
    ids = {charge["payment_id"] for charge in catraca.ledger.charges() if charge["block"] > 0}
    assert ids == {payment["id"] for payment in made if payment["metadata"]}
    assert catraca.command("audit").returncode == 0


def test_a_payment_whose_answer_was_lost_is_found_and_not_made_again(catraca, paid, stripe):
    subscribe(paid, stripe.customer())
    report(paid, 1001)
    all_are(catraca, "succeeded", 1)
    catraca.kill()
    with catraca.ledger.changing() as database:
        database.execute(
            "UPDATE token_billing_charges SET status = 'pending', payment_id = NULL,"
            " sent_at = created_at, next_attempt_at = created_at WHERE block = 1"
        )
    catraca.start()
    all_are(catraca, "succeeded", 1)
    assert len([payment for payment in stripe.payments() if payment["metadata"]]) == 1


def test_an_outage_of_the_provider_never_touches_traffic(catraca, paid, stripe):
    subscribe(paid, stripe.customer())
    stripe.kill()
    began = time.monotonic()
    assert len(report(paid, 2500)["tierCharges"]) == 2
    assert catraca.post(CHAT).status == 200
    assert time.monotonic() - began < 5
    line = catraca.process.wait_for_line(
        lambda line: line.get("event") == "charge_postponed", "a charge is postponed"
    )
    assert line["client"] == "acme"
    assert set(statuses(catraca)) == {"pending"}
    stripe.start()
    all_are(catraca, "succeeded", 2)


def test_a_refused_payment_is_told_and_can_be_retried(catraca, stripe, paid, receiver):
    catraca.configuration.settings["alerts"] = {"webhooks": [{"url": receiver.url}]}
    catraca.configuration.write()
    customer = stripe.customer(card=None)
    catraca.process.wait_for_line(
        lambda line: line.get("event") == "configuration_reloaded", "the alerts in force"
    )
    know_customer(catraca, customer)
    report(paid, 1001)
    all_are(catraca, "needs_action", 1)
    [charge] = charges(paid, "status=needs_action")
    assert "payment method" in charge["last_error"] and charge["attempts"] == 1
    [told] = receiver.told(1)
    assert (told["type"], told["client_id"], told["budget"]) == ("payment.failed", "acme", None)
    assert "BRL 100.00" in told["text"] and charge["id"] in told["text"]
    stripe.give_card(customer)
    retried = paid.done("POST", f"{CHARGES}/{charge['id']}/retry", {})["data"]
    assert retried["status"] == "pending"
    all_are(catraca, "succeeded", 1)
    assert len(stripe.payments("succeeded")) == 1


def test_a_card_that_is_declined_fails_the_charge_and_another_pays_it(catraca, paid, stripe):
    customer = stripe.customer(card="4000000000000341")
    know_customer(catraca, customer)
    report(paid, 1001)
    all_are(catraca, "failed", 1)
    [charge] = charges(paid, "status=failed")
    assert "declined" in charge["last_error"]
    stripe.give_card(customer)
    paid.done("POST", f"{CHARGES}/{charge['id']}/retry", {})
    all_are(catraca, "succeeded", 1)
    made = stripe.payments()
    assert [payment["status"] for payment in made].count("succeeded") == 1


def test_a_client_who_does_not_pay_is_paused_after_so_many_days(catraca, paid, stripe):
    customer = stripe.customer(card=None)
    know_customer(catraca, customer)
    report(paid, 1001)
    all_are(catraca, "needs_action", 1)
    assert catraca.post(CHAT).status == 200
    catraca.terminate()
    with catraca.ledger.changing() as database:
        database.execute(
            "UPDATE token_billing_charges SET failing_since = '2026-01-01T00:00:00.000Z'"
            " WHERE block = 1"
        )
    catraca.configuration.settings["payments"]["pause_after"] = "7d"
    catraca.start()
    eventually(lambda: catraca.post(CHAT).status == 429, "paused")
    assert catraca.post(CHAT).json()["error"]["code"] == "budget_paused"
    signed = event("payment_intent.succeeded", payment("succeeded", 1, customer))
    assert deliver(catraca, signed).status == 200
    eventually(lambda: catraca.post(CHAT).status == 200, "paid, and let through")


def test_the_fixed_fee_is_collected_by_a_subscription(catraca, paid, stripe):
    customer = stripe.customer()
    made = subscribe(paid, customer)
    assert made["subscriptionId"].startswith("sub_") and made["status"] == "active"
    assert (made["customerId"], made["clientId"], made["plan"]) == (customer, "acme", "pro")
    [subscription] = stripe.call("GET", "subscriptions")["data"]
    assert subscription["id"] == made["subscriptionId"]
    plan = subscription["items"]["data"][0]["plan"]
    assert (plan["amount"], plan["currency"], plan["interval"]) == (40000, "brl", "month")
    [fee] = charges(paid)
    assert (fee["block"], fee["status"]) == (0, "succeeded")
    # Again, it is the same one.
    assert subscribe(paid, customer) == made
    assert len(stripe.call("GET", "subscriptions")["data"]) == 1


def test_a_customer_that_the_provider_does_not_know_is_refused(paid, stripe):
    reply = paid.post(SUBSCRIBE, {"customerId": "cus_nobody", "clientId": "acme"})
    assert (reply.status, reply.error["param"]) == (400, "customerId")
    stripe.kill()
    reply = paid.post(SUBSCRIBE, {"customerId": "cus_nobody", "clientId": "acme"})
    assert (reply.status, reply.code) == (503, "payment_provider_unavailable")
    assert SECRET not in reply.text


# Events


def event(kind, thing, name="evt_1", created=None):
    created = int(time.time()) if created is None else created
    return json.dumps(
        {"id": name, "type": kind, "created": created, "data": {"object": thing}}
    ).encode()


def payment(status, block, customer, **others):
    period = time.strftime("%Y-%m")
    metadata = {"client": "acme", "period": period, "block": str(block), "attempt": "0"}
    return {"id": "pi_1", "object": "payment_intent", "status": status, "created": 1} | {
        "amount": 10000,
        "currency": "brl",
        "customer": customer,
        "metadata": metadata,
        **others,
    }


def signature(body, secret=WEBHOOK_SECRET, instant=None):
    instant = int(time.time()) if instant is None else instant
    code = hmac.new(secret.encode(), b"%d." % instant + body, hashlib.sha256).hexdigest()
    return f"t={instant},v1={code},v0=00"


def deliver(catraca, body, header=None):
    """As Stripe does, without any token."""
    headers = {"stripe-signature": signature(body) if header is None else header}
    return catraca.admin(None).call("POST", WEBHOOK, data=body, headers=headers)


def test_events_count_once_when_they_are_signed_and_new(catraca, paid, stripe):
    customer = stripe.customer(card=None)
    know_customer(catraca, customer)
    report(paid, 2001)
    all_are(catraca, "needs_action", 2)
    body = event("payment_intent.succeeded", payment("succeeded", 1, customer))
    old = int(time.time()) - 301
    for header in ["", "t=1", signature(body, "whsec_other"), signature(body, instant=old)]:
        reply = deliver(catraca, body, header)
        assert (reply.status, reply.error["param"]) == (400, "Stripe-Signature"), header
        assert reply.json()["success"] is False
        assert "allowed: " in reply.error["message"] and " signature " in reply.error["message"]
    assert deliver(catraca, body + b" ", signature(body)).status == 400
    assert statuses(catraca) == ["needs_action", "needs_action"]
    for _ in range(2):
        assert deliver(catraca, body).json() == {"success": True, "data": {"received": True}}
    assert statuses(catraca) == ["succeeded", "needs_action"]
    # A paid charge stays paid, and an event that was taken is taken no more.
    failed = payment("requires_payment_method", 1, customer)
    later = event("payment_intent.payment_failed", failed, "evt_2")
    again = event("payment_intent.succeeded", payment("succeeded", 2, customer))
    for body in [later, again, event("charge.refunded", {"id": "ch_1"}, "evt_3")]:
        assert deliver(catraca, body).status == 200
    assert statuses(catraca) == ["succeeded", "needs_action"]
    assert deliver(catraca, b"{}", signature(b"{}")).status == 400


def test_a_payment_of_something_else_pays_nothing_and_is_told(catraca, stripe, paid, receiver):
    catraca.configuration.settings["alerts"] = {"webhooks": [{"url": receiver.url}]}
    catraca.configuration.write()
    customer = stripe.customer(card=None)
    catraca.process.wait_for_line(
        lambda line: line.get("event") == "configuration_reloaded", "the alerts in force"
    )
    know_customer(catraca, customer)
    report(paid, 1001)
    all_are(catraca, "needs_action", 1)
    receiver.told(1)
    wrong = payment("succeeded", 1, customer, amount=1)
    for _ in range(2):
        assert deliver(catraca, event("payment_intent.succeeded", wrong)).status == 200
    line = catraca.process.wait_for_line(
        lambda line: line.get("event") == "payment_mismatch", "the difference is logged"
    )
    assert line["level"] == "error"
    assert "the payment is 0.01 BRL, the charge is 100.00 BRL" in line["reason"]
    told = receiver.told(2)[-1]
    assert (told["type"], told["client_id"], told["budget"]) == ("payment.mismatch", "acme", None)
    [charge] = charges(paid, "status=needs_action")
    assert charge["id"] in told["text"] and "BRL 100.00" in told["text"]
    right = event("payment_intent.succeeded", payment("succeeded", 1, customer), "evt_2")
    assert deliver(catraca, right).status == 200
    assert statuses(catraca) == ["succeeded"]


def test_a_signed_event_of_an_absurd_time_is_refused_and_the_server_lives(catraca, paid):
    body = event("charge.refunded", {"id": "ch_1"})
    for instant in [-(2**63), -(2**63) + 1, 2**63 - 1]:
        reply = deliver(catraca, body, signature(body, instant=instant))
        assert (reply.status, reply.error["param"]) == (400, "Stripe-Signature"), instant
    assert deliver(catraca, body).status == 200


def test_a_payment_that_was_given_up_does_not_hide_the_one_sent_after_it(catraca, stripe, paid):
    """The event that the first is canceled comes while the answer of the second is awaited."""
    customer = stripe.customer(card="4000000000000341")
    know_customer(catraca, customer)
    report(paid, 1001)
    all_are(catraca, "failed", 1)
    [charge] = charges(paid, "status=failed")
    catraca.terminate()
    # The second is paid at the provider, and the server died before it knew.
    stripe.give_card(customer)
    [former] = stripe.payments("requires_payment_method")
    stripe.call("POST", f"payment_intents/{former['id']}/cancel")
    fields = {f"metadata[{name}]": value for name, value in former["metadata"].items()}
    method = stripe.call("GET", f"customers/{customer}")["invoice_settings"]
    stripe.call(
        "POST",
        "payment_intents",
        amount=10000,
        currency="brl",
        customer=customer,
        payment_method=method["default_payment_method"],
        confirm="true",
        off_session="true",
        **{**fields, "metadata[attempt]": "1"},
    )
    with catraca.ledger.changing() as database:
        database.execute(
            "UPDATE token_billing_charges SET status = 'pending', sent_at = updated_at,"
            " payment_id = ?, refusals = 1, next_attempt_at = '2100-01-01T00:00:00.000Z'"
            " WHERE block = 1",
            (former["id"],),
        )
    admin = catraca.start().admin(paid.token)
    canceled = payment("canceled", 1, customer, id=former["id"])
    assert deliver(catraca, event("payment_intent.canceled", canceled)).status == 200
    assert statuses(catraca) == ["pending"]
    admin.done("POST", f"{CHARGES}/{charge['id']}/retry", {})
    all_are(catraca, "succeeded", 1)
    assert [made["status"] for made in stripe.payments()].count("succeeded") == 1


def test_events_of_a_subscription_say_whether_the_fee_is_paid(catraca, paid, stripe):
    paid.done("POST", "/api/admin/clients", {"id": "beta"}, status=201)
    customer = stripe.customer()
    made = paid.done(
        "POST", SUBSCRIBE, {"customerId": customer, "clientId": "beta", "plan": "pro"}
    )["data"]
    name = made["subscriptionId"]

    def status():
        return paid.done("GET", "/api/admin/clients/beta/subscription")["status"]

    now = int(time.time()) + 5
    for number, (kind, thing, created, expected) in enumerate(
        [
            ("customer.subscription.updated", {"status": "past_due"}, now, "past_due"),
            ("customer.subscription.updated", {"status": "active"}, now - 3, "past_due"),
            ("customer.subscription.updated", {"status": "active"}, now + 1, "active"),
            ("customer.subscription.deleted", {"status": "canceled"}, now + 2, "canceled"),
        ]
    ):
        body = event(kind, {"id": name, **thing}, f"evt_s{number}", created)
        assert deliver(catraca, body).status == 200
        assert status() == expected, kind
    assert summary(paid, "beta")["fixed_fee_charged"] == 40000


def test_an_invoice_pays_the_month_that_it_is_for(catraca, paid, stripe):
    """Stripe sends an invoice of last month again for days."""
    customer = stripe.customer(card=None)
    know_customer(catraca, customer)
    with catraca.ledger.changing() as database:
        database.execute("UPDATE payment_accounts SET subscription_id = 'sub_1'")
    report(paid, 1)

    def invoice(number, start):
        lines = {"data": [{"period": {"start": start, "end": start + 30 * 86400}}]}
        amount = {"amount_paid": 40000, "currency": "brl", "customer": customer}
        names = {"id": f"in_{number}", "subscription": "sub_1", "payment_intent": f"pi_{number}"}
        body = {**names, **amount, "status": "paid", "lines": lines}
        assert deliver(catraca, event("invoice.paid", body, f"evt_{number}")).status == 200
        [fee] = [charge for charge in charges(paid) if charge["block"] == 0]
        return fee["status"]

    now = int(time.time())
    assert invoice(1, now - 35 * 86400) == "pending"
    assert invoice(2, now) == "succeeded"


def test_without_a_provider_there_are_no_events(catraca, tokens):
    catraca.start()
    assert deliver(catraca, b"{}").status == 404
