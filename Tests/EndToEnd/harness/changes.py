"""One call for each way in which the admin API changes something, in an order that works."""

from dataclasses import dataclass


@dataclass
class Change:
    method: str
    path: str
    body: dict | None
    status: int
    action: str
    """Its name in the audit log."""
    target: str

    def __str__(self):
        return f"{self.method} {self.path}"

    def make(self, admin):
        reply = admin.call(self.method, self.path, self.body)
        assert reply.status == self.status, (str(self), reply)
        return reply


ADMIN = "/api/admin"
PRICES = "/api/pricing-config"
MODEL = {"client_id": "beta", "provider": "openai", "model": "gpt-4o-mini"}
BETA = f"{ADMIN}/clients/beta"
WEB = f"{BETA}/keys/web"
GOLD = f"{ADMIN}/plans/gold"
OBJECTS = f"{ADMIN}/objects"
CAP = f"{ADMIN}/budgets/beta/cap"
LATER = "2099-01-01T00:00:00Z"

MAKE = [
    Change("POST", f"{ADMIN}/plans", {"name": "gold"}, 201, "plan.create", "plan:gold"),
    Change(
        "PATCH",
        GOLD,
        {
            "monthly_tokens": 50_000,
            "billing": {"fixed_fee": "9", "overage": {"every_tokens": 9, "charge": "1"}},
        },
        200,
        "plan.update",
        "plan:gold",
    ),
    Change("POST", f"{ADMIN}/clients", {"id": "beta"}, 201, "client.create", "client:beta"),
    Change("PATCH", BETA, {"metadata": {"a": "b"}}, 200, "client.update", "client:beta"),
    Change(
        "POST",
        f"{BETA}/subscription",
        {"plan": "gold"},
        200,
        "subscription.create",
        "subscription:beta",
    ),
    Change(
        "POST",
        "/api/token-billing/create-subscription",
        {"customerId": "cus_1", "clientId": "beta"},
        200,
        "subscription.create",
        "subscription:beta",
    ),
    Change("POST", f"{BETA}/keys", {"name": "web"}, 201, "key.create", "key:beta/web"),
    Change("PATCH", WEB, {"models": ["gpt-4o*"]}, 200, "key.update", "key:beta/web"),
    Change("POST", f"{WEB}/rotate", {}, 200, "key.rotate", "key:beta/web"),
    Change(
        "POST",
        f"{ADMIN}/credits",
        {"client_id": "beta", "tokens": 20_000, "note": "goodwill", "expires_at": LATER},
        201,
        "credit.create",
        "credit:crd_01",
    ),
    Change(
        "POST",
        f"{ADMIN}/budgets",
        {"client_id": "beta", "name": "cap", "tokens": 1000, "cost": "5", "currency": "BRL"},
        201,
        "budget.create",
        "budget:beta/cap",
    ),
    Change("POST", f"{CAP}/pause", {"note": "n"}, 200, "budget.pause", "budget:beta/cap"),
    Change("POST", f"{CAP}/resume", {}, 200, "budget.resume", "budget:beta/cap"),
    Change("POST", f"{CAP}/reset", {"usage": "keep"}, 200, "budget.reset", "budget:beta/cap"),
    Change(
        "POST",
        PRICES,
        {**MODEL, "per_million_tokens": {"input": "0.30", "output": "1.2"}},
        201,
        "pricing.create",
        "pricing:beta/openai/gpt-4o-mini",
    ),
    Change(
        "POST",
        OBJECTS,
        {"provider": "openai", "object_id": "file-1", "kind": "file", "client_id": "beta"},
        201,
        "object.assign",
        "object:openai/file-1",
    ),
]
REMOVE = [
    Change(
        "DELETE",
        f"{OBJECTS}?provider=openai&object_id=file-1",
        None,
        204,
        "object.forget",
        "object:openai/file-1",
    ),
    Change(
        "DELETE",
        f"{PRICES}?client=beta&provider=openai&model=gpt-4o-mini",
        None,
        204,
        "pricing.delete",
        "pricing:beta/openai/gpt-4o-mini",
    ),
    Change("DELETE", CAP, None, 204, "budget.delete", "budget:beta/cap"),
    Change("DELETE", WEB, None, 204, "key.delete", "key:beta/web"),
    Change(
        "DELETE",
        f"{BETA}/subscription",
        None,
        204,
        "subscription.delete",
        "subscription:beta",
    ),
    Change("DELETE", BETA, None, 204, "client.delete", "client:beta"),
    Change("DELETE", GOLD, None, 204, "plan.delete", "plan:gold"),
]


def raised(until):
    """A raise ends at a time in the future, at most 366 days from now."""
    return Change(
        "POST",
        f"{CAP}/raise",
        {"tokens": 9, "cost": "1.50", "until": until},
        200,
        "budget.raise",
        "budget:beta/cap",
    )
