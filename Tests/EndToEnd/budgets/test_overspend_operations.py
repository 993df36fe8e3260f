"""The overspend attack on each kind of operation: ten rounds, each by a user never seen before."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from harness.crowd import at_once
from harness.forms import form, sound
from harness.sandbox import script_of
from harness.usage import Usage

ROUNDS = range(10)
CROWD = 200
PAYABLE = 7
OUTPUT = 50
NANO = 10**9


@dataclass(frozen=True)
class Operation:
    """A request, and the unit in which it is budgeted: what it can use most of exactly."""

    path: str
    body: object
    unit: str = "tokens"
    output: int = OUTPUT
    headers: dict = field(default_factory=dict)

    def bound(self, row):
        return row["held_tokens" if self.unit == "tokens" else "held_nano_usd"]

    def used(self, row):
        return row["total_tokens" if self.unit == "tokens" else "cost_nano_usd"]

    def budget(self, limit):
        if self.unit == "tokens":
            return {"mode": "tokens", "tokens": limit}
        money = f"{limit // NANO}.{limit % NANO:09}"
        return {"mode": "cost", "cost": money, "currency": "USD"}

    def dearest(self, bound):
        """The script that makes the provider bill all of the bound, if it doesn't anyway."""
        if self.unit != "tokens":
            return {}
        return script_of(Usage(prompt=bound - self.output, completion=self.output))

    def send(self, catraca, headers, user):
        headers = {**self.headers, **headers, "x-catraca-user": user}
        return catraca.post(self.body, path=self.path, headers=headers).status


def operation(path, output=OUTPUT, **body):
    return Operation(f"/v1/{path}", body, output=output)


def upload(path, **fields):
    content_type, body = form(sound(2), **fields)
    return Operation(path, body, unit="money", headers={"content-type": content_type})


RESPONSE = {"model": "gpt-4o-mini", "input": "Hello", "max_output_tokens": OUTPUT}
COMPLETION = {"model": "gpt-3.5-turbo-instruct", "prompt": "Hello", "max_tokens": OUTPUT}
SPEECH = {"voice": "alloy", "input": "Hello"}

EXACT = {
    "responses": operation("responses", **RESPONSE),
    "responses, stream": operation("responses", **RESPONSE, stream=True),
    "completion": operation("completions", **COMPLETION),
    "completion, stream": operation("completions", **COMPLETION, stream=True),
    "embedding": operation(
        "embeddings", output=0, model="text-embedding-3-small", input="Hello"
    ),
    "speech": Operation("/v1/audio/speech", {**SPEECH, "model": "tts-1"}, unit="money"),
}
LOOSE = {
    "transcription": upload("/v1/audio/transcriptions", model="whisper-1"),
    "translation": upload("/v1/audio/translations", model="whisper-1"),
    "speech by tokens, stream": Operation(
        "/v1/audio/speech",
        {**SPEECH, "model": "gpt-4o-mini-tts", "stream_format": "sse"},
        unit="money",
    ),
    "image": Operation(
        "/v1/images/generations",
        {"model": "gpt-image-1", "prompt": "A turnstile", "size": "1024x1024"},
        unit="money",
    ),
    "image, stream": Operation(
        "/v1/images/generations",
        {"model": "gpt-image-1", "prompt": "A turnstile", "stream": True, "partial_images": 0},
        unit="money",
    ),
}


def cases(operations):
    return pytest.mark.parametrize("operation", operations.values(), ids=list(operations))


def start_with_budget(catraca, operation):
    """Learns the bound of a request; each user may then use seven of them."""
    catraca.start()
    assert operation.send(catraca, {}, "nobody") == 200
    bound = operation.bound(catraca.row())
    assert catraca.terminate() == 0
    budget = {
        "name": "each",
        "per": "user",
        "period": "total",
        **operation.budget(PAYABLE * bound),
    }
    catraca.configuration.clients["clients"]["acme"]["budgets"] = [budget]
    # On a slow machine too, all that can be paid for has its turn.
    catraca.configuration.settings["budgets"] = {"admission_wait": "60s"}
    catraca.start()
    return bound


def attack(catraca, sandbox, operation, user, headers=()):
    """The answers to a crowd of one user's requests, and its rows."""
    sandbox.clear()
    answers = at_once(CROWD, lambda _: operation.send(catraca, dict(headers), user))
    rows = catraca.ledger.usage(user_id=user)
    served = [entry for entry in sandbox.journal() if entry["path"].endswith(operation.path)]
    assert Counter(answers) == {200: len(rows), 429: CROWD - len(rows)}
    assert len(served) == len(rows)
    return rows, served


@cases(EXACT)
def test_where_each_uses_its_bound_exactly_seven_pass(catraca, sandbox, operation):
    bound = start_with_budget(catraca, operation)
    for round_ in ROUNDS:
        rows, served = attack(
            catraca, sandbox, operation, f"u{round_}", operation.dearest(bound)
        )
        assert [operation.used(row) for row in rows] == [bound] * PAYABLE
        if operation.unit == "tokens":
            billed = [entry["prompt_tokens"] + entry["completion_tokens"] for entry in served]
            assert billed == [bound] * PAYABLE


@cases(LOOSE)
def test_where_each_uses_less_less_than_one_bound_is_left(catraca, sandbox, operation):
    bound = start_with_budget(catraca, operation)
    limit = PAYABLE * bound
    for round_ in ROUNDS:
        rows, _ = attack(catraca, sandbox, operation, f"u{round_}")
        assert limit - bound < sum(operation.used(row) for row in rows) <= limit
    assert catraca.ledger.in_flight() == []
