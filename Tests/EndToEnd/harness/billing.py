"""Plans with a price, and what was charged for them."""

PROCESS_USAGE = "/api/token-billing/process-usage"
CHARGES = "/api/token-billing/charges"


def price(fixed_fee="400.00", included=8_000_000, every=8_000_000, charge="100.00", **others):
    """The billing of document 001, or another."""
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
