"""The overspend attack: a crowd on a budget that pays for a few of its requests."""

from collections import Counter

from .crowd import at_once
from .sandbox import script_of
from .usage import Usage
from .waiting import eventually

CROWD = 200
PAYABLE = 7
OUTPUT = 50
BODY = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}],
    "max_completion_tokens": OUTPUT,
}


def mixed(index):
    """Every second request is a stream."""
    return {**BODY, "stream": index % 2 == 0}


def dearest(bound, **values):
    """The script that makes the provider bill all that is held for BODY."""
    return script_of(Usage(prompt=bound - OUTPUT, completion=OUTPUT), **values)


def learn_bound(catraca):
    """The tokens that are held for BODY; the server is stopped again."""
    catraca.start()
    catraca.post(BODY)
    bound = catraca.row()["held_tokens"]
    assert catraca.terminate() == 0
    return bound


def token_budget(limit, **rules):
    return {"name": "all", "mode": "tokens", "tokens": limit, "period": "total", **rules}


def billed(sandbox):
    """The tokens of each request that the provider served, oldest first.

    The provider bills nothing for a count of input tokens, which Catraca asks for when little is
    left."""
    return [
        entry["prompt_tokens"] + entry["completion_tokens"]
        for entry in sandbox.journal()
        if entry["prompt_tokens"] is not None
    ]


def attack(post, sandbox, client, bodies, headers):
    """The answers to the crowd, and the tokens that the provider billed.

    `post(index, body, client=, headers=)` sends the request with that number."""
    sandbox.clear()
    answers = at_once(
        CROWD, lambda index: post(index, bodies(index), client=client, headers=headers).status
    )
    return Counter(answers), billed(sandbox)


def assert_used_up(replicas, sandbox, limit, bound, client, body, headers):
    """When leases have returned, every replica lets in what can be paid for, and nothing else."""

    def all_refuse():
        answers = [
            replicas.post(index, body, client=client, headers=headers).status
            for index in range(len(replicas))
        ]
        assert set(answers) <= {200, 429}
        return set(answers) == {429} and limit - sum(billed(sandbox)) < bound

    eventually(all_refuse, f"{client} is used up")
    assert sum(billed(sandbox)) <= limit, client
