"""Each attempt at a charge is a payment of its own; one that is repeated is the same payment."""

import time

import pytest
from harness.billing import CHARGES, charges, collect_through, declare_plan, know_customer, report
from harness.stripe import Stripe
from test_payments import WEBHOOK_SECRET, all_are, deliver, event, payment

DECLINED = "4000000000000341"
NEVER = "'2100-01-01T00:00:00.000Z'"


@pytest.fixture
def stripe(tmp_path):
    server = Stripe(tmp_path).start()
    yield server
    server.kill()


@pytest.fixture
def paid(catraca, tokens, stripe):
    collect_through(stripe, catraca, WEBHOOK_SECRET)
    declare_plan(catraca.configuration, included=1000, every=1000)
    return catraca.start().admin(tokens["admin"])


def change(catraca, columns):
    with catraca.ledger.changing() as database:
        database.execute(f"UPDATE token_billing_charges SET {columns} WHERE block = 1")


def payment_keys(stripe):
    """Those of payments of the first block, without what is the same in all of them."""
    keys = [key for key in stripe.keys() if not key.startswith("catraca-customer-")]
    beginning = f"catraca-acme-{time.strftime('%Y-%m')}-1"
    assert all(key.startswith(beginning) for key in keys), keys
    return [key.removeprefix(beginning) for key in keys]


def declined(catraca, paid, stripe):
    """A charge whose first payment was declined, and the payer's customer."""
    customer = stripe.customer(card=DECLINED)
    know_customer(catraca, customer)
    report(paid, 1001)
    all_are(catraca, "failed", 1)
    return customer, charges(paid, "status=failed")[0]["id"]


def retry(catraca, paid, charge):
    catraca.start().admin(paid.token).done("POST", f"{CHARGES}/{charge}/retry", {})


def test_a_retry_after_a_failure_that_an_event_told_is_another_payment(catraca, paid, stripe):
    customer, charge = declined(catraca, paid, stripe)
    catraca.terminate()
    # The provider had taken the first attempt, and goes on with it.
    change(
        catraca,
        "status = 'pending', refusals = 0, failing_since = NULL, last_error = NULL,"
        f" next_attempt_at = {NEVER}",
    )
    catraca.start()
    [first] = stripe.payments()
    failed = payment("requires_payment_method", 1, customer, id=first["id"])
    assert deliver(catraca, event("payment_intent.payment_failed", failed)).status == 200
    all_are(catraca, "failed", 1)
    catraca.terminate()
    stripe.give_card(customer)
    retry(catraca, paid, charge)
    all_are(catraca, "succeeded", 1)
    assert {made["status"] for made in stripe.payments()} == {"succeeded", "canceled"}
    assert payment_keys(stripe) == ["", "-1"]


def test_a_retry_of_one_that_failed_while_its_answer_was_lost_is_another(catraca, paid, stripe):
    customer, charge = declined(catraca, paid, stripe)
    catraca.terminate()
    # The server died after the second attempt was declined as well, before it knew.
    change(catraca, "status = 'pending', sent_at = updated_at, refusals = 0")
    stripe.give_card(customer)
    retry(catraca, paid, charge)
    all_are(catraca, "succeeded", 1)
    assert payment_keys(stripe) == ["", "-1"]


def test_an_attempt_that_was_never_made_keeps_its_number(catraca, paid, stripe):
    """The server died after it had written that it sends the fourth, before it sent it."""
    customer, charge = declined(catraca, paid, stripe)
    catraca.terminate()
    change(catraca, "status = 'pending', sent_at = updated_at, refusals = 3")
    stripe.give_card(customer)
    retry(catraca, paid, charge)
    all_are(catraca, "succeeded", 1)
    assert payment_keys(stripe) == ["", "-3"]


def test_an_attempt_is_repeated_as_the_same_payment(catraca, paid, stripe):
    """The provider takes the payment, and its list doesn't show it yet: the key finds it."""
    know_customer(catraca, stripe.customer())
    report(paid, 1001)
    all_are(catraca, "succeeded", 1)
    catraca.terminate()
    [made] = stripe.payments()
    change(catraca, "status = 'pending', payment_id = NULL, sent_at = created_at")
    stripe.call("POST", f"payment_intents/{made['id']}", **{"metadata[block]": "9"})
    change(catraca, "next_attempt_at = created_at")
    catraca.start()
    all_are(catraca, "succeeded", 1)
    assert len(stripe.payments()) == 1
    assert payment_keys(stripe) == [""]
