"""A ledger moves from SQLite to PostgreSQL, and several replicas go on with it."""

from collections import Counter

from harness.crowd import at_once
from harness.overspend import BODY, dearest, learn_bound, token_budget

LIMIT_IN_BOUNDS = 12
USED = 5
CROWD = 30


def migrate(catraca, ledger):
    catraca.environment |= ledger.environment
    return catraca.command("migrate", "--to", ledger.url)


def test_what_was_used_and_made_before_counts_for_the_replicas(
    catraca, replicas, tokens, sandbox
):
    bound = learn_bound(catraca)
    small = token_budget(LIMIT_IN_BOUNDS * bound)
    catraca.configuration.add_client("small", [small])
    catraca.configuration.settings["budgets"] = {"admission_wait": "60s"}
    catraca.start()
    admin = catraca.admin(tokens["admin"])
    budget = {"client_id": "acme", "name": "cap", "tokens": 1, "period": "total"}
    admin.done("POST", "/api/admin/budgets", budget, 201)
    key = admin.done("POST", "/api/admin/clients/small/keys", {"name": "web"}, 201)["secret"]
    catraca.configuration.keys["web"] = key
    for index in range(USED):
        body = {**BODY, "stream": index % 2 == 0, "user": f"u{index}"}
        assert catraca.post(body, client="small", headers=dearest(bound)).status == 200
    assert catraca.post(BODY).status == 429
    refused = migrate(catraca, replicas.ledger)
    assert refused.returncode == 1, "a server has it open"
    assert catraca.terminate() == 0

    for _ in range(2):
        done = migrate(catraca, replicas.ledger)
        assert done.returncode == 0, done.stdout + done.stderr
    for read in ("usage", "denials", "budgets"):
        assert getattr(replicas.ledger, read)() == getattr(catraca.ledger, read)(), read

    replicas.start()
    listed = replicas[1].admin(tokens["admin"]).done("GET", "/api/admin/budgets")["data"]
    assert {each["id"]: each["current_tokens"] for each in listed} == {
        "acme/cap": 0,
        "small/all": USED * bound,
    }
    assert replicas[2].post(BODY).status == 429
    sandbox.clear()
    answers = at_once(
        CROWD,
        lambda index: replicas.post(
            index, BODY, client=["small", "web"][index % 2], headers=dearest(bound)
        ).status,
    )
    left = LIMIT_IN_BOUNDS - USED
    assert Counter(answers) == {200: left, 429: CROWD - left}
    replicas.assert_sound()
