"""Users and conversations that the lines of a batch name: rows and budgets."""

import openai
import pytest
from harness.sandbox import script
from test_batches import TEXTS, line, settled, submit

PER_USER = {"name": "users", "per": "user", "mode": "tokens", "tokens": 1_000, "period": "total"}


@pytest.mark.parametrize("restarts", [False, True])
def test_lines_name_their_users_and_conversations(catraca, restarts):
    running = catraca.start()
    requests = [
        line(0, TEXTS[0], user="u1", metadata={"conversation_id": "c1"}),
        line(1, TEXTS[1], safety_identifier="u2"),
        line(2, TEXTS[2]),
    ]
    submit(running.openai(), requests, headers=script(pending_looks=2) if restarts else {})
    if restarts:
        running.kill()
        running.start()
    rows = settled(running, 3)
    assert [row["user_id"] for row in rows] == ["u1", "u2", None]
    assert [row["conversation_id"] for row in rows] == ["c1", None, None]


def test_the_header_names_the_user_of_all_lines(running):
    requests = [line(0, TEXTS[0], user="u1"), line(1, TEXTS[1])]
    submit(running.openai(), requests, headers={"X-Catraca-User": "u9"})
    assert [row["user_id"] for row in settled(running, 2)] == ["u9", "u9"]


def users(running, tokens):
    """The tokens that each user has used, and those held."""
    path = "/api/admin/budgets/team/users/subjects"
    found = running.admin(tokens["admin"]).get(path).json()["data"]
    return {each["subject"]: (each["current_tokens"], each["held_tokens"]) for each in found}


def test_a_budget_per_user_counts_the_lines_of_each_user(catraca, tokens):
    catraca.configuration.add_client("team", [PER_USER])
    running = catraca.start()
    requests = [line(0, TEXTS[0], user="u1"), line(1, TEXTS[1], user="u2"), line(2, TEXTS[2])]
    submit(running.openai("team"), requests, script(pending_looks=2))
    held = users(running, tokens)
    assert set(held) == {"user:u1", "user:u2", "user:"}
    assert all(used == 0 and 100 < amount < 400 for used, amount in held.values())
    running.kill()
    running.start()
    assert users(running, tokens) == held
    rows = settled(running, 3)
    assert users(running, tokens) == {
        f"user:{row['user_id'] or ''}": (row["total_tokens"], 0) for row in rows
    }


@pytest.mark.parametrize("count", [1, 2])
def test_lines_can_not_overspend_a_budget_of_their_user(catraca, tokens, count):
    catraca.configuration.add_client("team", [PER_USER])
    running = catraca.start()
    client = running.openai("team", max_retries=0)
    requests = [line(i, TEXTS[0], user="u1", max_tokens=1_000 // count) for i in range(count)]
    with pytest.raises(openai.RateLimitError) as refused:
        submit(client, [*requests, line(9, TEXTS[1], user="u2")])
    assert refused.value.body["code"] == "budget_exceeded"
    assert "user 'u1'" in refused.value.message
    assert running.ledger.usage() == []
    assert {held for _, held in users(running, tokens).values()} <= {0}


@pytest.mark.parametrize("kind", ["user", "conversation"])
def test_a_batch_names_at_most_a_thousand_users_that_budgets_count(catraca, kind):
    limit = {**PER_USER, "per": kind, "tokens": 100_000}
    catraca.configuration.add_client("team", [limit])
    running = catraca.start()

    def named(i):
        name = {"user": f"u{i}"} if kind == "user" else {"metadata": {"conversation_id": f"c{i}"}}
        return line(i, "Hi", max_tokens=1, **name)

    requests = [named(i) for i in range(1_001)]
    with pytest.raises(openai.BadRequestError) as refused:
        submit(running.openai("team"), requests)
    assert refused.value.body["param"] == "input_file_id"
    submit(running.openai("team"), requests[:1_000])
