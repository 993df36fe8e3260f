"""The use of a budget outlives its definition, until its window ends."""

import json

import pytest
from harness.waiting import eventually

BUDGETS = "/api/admin/budgets"
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": 50,
}
CAP = {"name": "cap", "tokens": 100_000}


def used(admin):
    return admin.done("GET", f"{BUDGETS}/acme/cap")["current_tokens"]


def add_clients(catraca):
    """Two with a budget each: a file that lost all of its budgets would be taken for cut short."""
    for client in ("acme", "other"):
        catraca.configuration.add_client(client, [CAP])


def declare(catraca, admin, *budgets):
    """Puts budgets into the file, and waits until they are in force."""
    catraca.configuration.clients["clients"]["acme"]["budgets"] = list(budgets)
    catraca.configuration.write()
    status = 200 if budgets else 404
    eventually(
        lambda: admin.get(f"{BUDGETS}/acme/cap").status == status, "the edit is in force", 5
    )


@pytest.mark.parametrize("restarts", [False, True])
def test_a_budget_that_leaves_the_file_and_comes_back_goes_on(catraca, tokens, restarts):
    add_clients(catraca)
    admin = catraca.start().admin(tokens["admin"])
    assert catraca.post(BODY).status == 200
    before = used(admin)
    assert before > 0
    declare(catraca, admin)
    assert catraca.post(BODY).status == 200
    if restarts:
        catraca.kill()
        admin = catraca.start().admin(tokens["admin"])
    declare(catraca, admin, CAP)
    eventually(lambda: used(admin) == before, "the use of before", 5)
    assert catraca.post(BODY).status == 200
    eventually(lambda: used(admin) > before, "further use", 5)
    after = used(admin)
    catraca.kill()
    admin = catraca.start().admin(tokens["admin"])
    assert used(admin) == after
    assert catraca.command("audit").returncode == 0


def test_a_budget_that_is_used_up_stays_so_when_it_returns(catraca, tokens):
    add_clients(catraca)
    admin = catraca.start().admin(tokens["admin"])
    # Several, so that one request alone would fit into what all of them have used.
    for _ in range(10):
        assert catraca.post(BODY).status == 200
    declare(catraca, admin)
    declare(catraca, admin, {**CAP, "tokens": sum_of_tokens(catraca)})
    refused = catraca.post(BODY)
    assert (refused.status, refused.code) == (429, "budget_exceeded")


def sum_of_tokens(catraca):
    return sum(row["total_tokens"] for row in catraca.ledger.usage())


def test_a_budget_that_is_removed_and_made_again_goes_on_until_it_is_cleared(catraca, admin):
    admin.done("POST", BUDGETS, {"client_id": "acme", **CAP}, status=201)
    assert catraca.post(BODY).status == 200
    before = used(admin)
    assert before > 0
    assert admin.delete(f"{BUDGETS}/acme/cap").status == 204
    made = admin.done("POST", BUDGETS, {"client_id": "acme", **CAP}, status=201)
    eventually(lambda: used(admin) == before, "the use of before", 5)
    assert made["is_paused"] is False
    cleared = admin.done("POST", f"{BUDGETS}/acme/cap/reset", {"usage": "clear"})
    assert cleared["current_tokens"] == 0
    # Cleared use doesn't come back with the budget.
    assert admin.delete(f"{BUDGETS}/acme/cap").status == 204
    admin.done("POST", BUDGETS, {"client_id": "acme", **CAP}, status=201)
    assert used(admin) == 0
    catraca.kill()
    admin = catraca.start().admin(admin.token)
    assert used(admin) == 0
    assert catraca.command("audit").returncode == 0


def test_a_reset_clears_after_the_removal_of_a_budget_that_was_reset(catraca, admin):
    other = {**CAP, "name": "other"}
    for budget in [CAP, other]:
        admin.done("POST", BUDGETS, {"client_id": "acme", **budget}, status=201)
    admin.done("POST", f"{BUDGETS}/acme/other/reset", {"usage": "clear"})
    assert admin.delete(f"{BUDGETS}/acme/other").status == 204
    assert catraca.post(BODY).status == 200
    assert used(admin) > 0
    cleared = admin.done("POST", f"{BUDGETS}/acme/cap/reset", {"usage": "clear"})
    assert cleared["current_tokens"] == 0
    assert catraca.post(BODY).status == 200
    assert catraca.command("budget", "reset", "acme/cap", "--usage", "clear").returncode == 0
    eventually(lambda: used(admin) == 0, "the command's reset", 5)


def test_what_was_set_on_a_budget_of_the_file_is_in_force_when_it_returns(catraca, tokens):
    add_clients(catraca)
    admin = catraca.start().admin(tokens["admin"])
    admin.done("POST", f"{BUDGETS}/acme/cap/pause", {})
    declare(catraca, admin)
    assert catraca.post(BODY).status == 200
    declare(catraca, admin, CAP)
    refused = catraca.post(BODY)
    assert (refused.status, refused.code) == (429, "budget_paused")


def test_a_pause_by_a_limit_outlives_a_killed_process(catraca, tokens):
    catraca.configuration.add_client("acme", [{**CAP, "tokens": 400, "period": "total"}])
    admin = catraca.start().admin(tokens["admin"])

    def pause():
        status = admin.done("GET", f"{BUDGETS}/acme/cap")
        return status["is_paused"], status["pause_reason"], status["state"]

    def again():
        catraca.kill()
        return catraca.start().admin(tokens["admin"])

    large = {**BODY, "messages": [{"role": "user", "content": "x" * 150}]}
    assert catraca.post(BODY).status == 200
    assert catraca.post({**large, "max_completion_tokens": 1000}).code == "budget_exceeded"
    assert pause() == (True, "token_limit", "exceeded")
    eventually(lambda: catraca.ledger.denials(), "the refusal is written", 5)
    admin = again()
    assert pause() == (True, "token_limit", "exceeded")
    listed = json.loads(catraca.command("budget", "status", "--format", "json").stdout)["data"]
    assert [budget["pause_reason"] for budget in listed] == ["token_limit"]
    assert catraca.post(BODY).status == 200
    assert pause() == (False, None, "ok")
    admin = again()
    assert pause() == (False, None, "ok")
