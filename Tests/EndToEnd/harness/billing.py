"""Plans with a price, and what was charged for them."""

from .stripe import SECRET

PROCESS_USAGE = "/api/token-billing/process-usage"
CHARGES = "/api/token-billing/charges"


def price(fixed_fee="400.00", included=8_000_000, every=8_000_000, charge="100.00", **others):
    """The billing of the article Billing, or another."""
    return {
        "currency": "BRL",
        "fixed_fee": fixed_fee,
        "included_tokens": included,
        "overage": {"every_tokens": every, "charge": charge},
        **others,
    }


def declare_plan(configuration, client="acme", name="pro", **billing):
    """Puts a client of the file on a plan of the file that has a price."""
    configuration.clients["plans"][name] = {"display_name": "Pro", "billing": price(**billing)}
    configuration.clients["clients"][client]["plan"] = name


def collect_through(stripe, catraca, webhook_secret="whsec_catraca"):
    """Has a server that isn't started yet collect its charges through localstripe."""
    catraca.environment |= {"STRIPE_SECRET_KEY": SECRET, "STRIPE_WEBHOOK_SECRET": webhook_secret}
    catraca.configuration.settings["payments"] = {
        "provider": "stripe",
        "base_url": stripe.url,
        "secret_key_env": "STRIPE_SECRET_KEY",
        "webhook_secret_env": "STRIPE_WEBHOOK_SECRET",
    }


def know_customer(catraca, customer, client="acme"):
    """The ledger knows the customer, who has no subscription."""
    with catraca.ledger.changing() as database:
        database.execute(
            "INSERT INTO payment_accounts (client_id, customer_id, status, updated_at)"
            " VALUES (?, ?, 'active', '2026-01-01T00:00:00.000Z')",
            (client, customer),
        )


def report(admin, tokens, **fields):
    """Reports usage; returns what the call answers of it."""
    body = {"userId": "acme", "tokensUsed": tokens, **fields}
    answer = admin.done("POST", PROCESS_USAGE, body)
    assert answer["success"] is True
    return answer["data"]


def summary(admin, client="acme", query=""):
    return admin.done("GET", f"/api/token-billing/user-summary/{client}{query}")["data"]


def charges(admin, query="limit=1000"):
    answer = admin.done("GET", f"{CHARGES}?{query}")
    assert answer["success"] is True
    return answer["data"]
