"""Responses made in the background: charged once, whoever sees their end, and after any death."""

import json

import openai
import pytest
from harness.otlp import Sink
from harness.rows import assert_estimated, assert_row
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MODEL = "gpt-5-mini"
INPUT = "Olá! What does a turnstile do?"
USAGE = expected_usage([{"content": INPUT}])
FOREVER = script(pending_looks=1_000_000)
BUDGET = {"name": "b", "mode": "tokens", "tokens": 100_000, "period": "total"}


def create(running, client="acme", headers=None, **options):
    return running.openai(client).responses.create(
        model=MODEL,
        input=INPUT,
        background=True,
        max_output_tokens=1000,
        extra_headers=headers or {},
        **options,
    )


def assert_settled(running, **others):
    assert_row(
        running.row(),
        running.configuration,
        USAGE,
        operation="responses",
        endpoint="/v1/responses",
        model=MODEL,
        **{"stream": False, **others},
    )
    assert running.ledger.in_flight() == running.ledger.deferred() == []
    audit = running.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr


@pytest.fixture
def limited(catraca, tokens):
    """A started server whose client `limited` has a budget."""
    catraca.configuration.add_client("limited", [BUDGET])
    return catraca.start()


def budget(running, tokens):
    answer = running.admin(tokens["admin"]).get("/api/admin/budgets/limited/b")
    return answer.json()


def test_the_answer_comes_at_once_and_nothing_is_settled_yet(limited, tokens):
    response = create(limited, "limited", FOREVER)
    assert (response.status, response.usage) == ("queued", None)
    assert limited.ledger.usage() == []
    stands = budget(limited, tokens)
    assert (stands["current_tokens"], stands["held_tokens"] > 1000) == (0, True)
    shown = limited.command("budget", "status", "--client", "limited", "--format", "json")
    [listed] = json.loads(shown.stdout)["data"]
    for figure in ("held_tokens", "held_cost", "remaining_tokens"):
        assert listed[figure] == stands[figure]


def test_the_client_that_asks_settles_it_once(running):
    created = create(running, headers=script(pending_looks=1))
    client = running.openai()
    seen = eventually(
        lambda: (r := client.responses.retrieve(created.id)).status == "completed" and r, "the end"
    )
    assert seen.usage.total_tokens == USAGE.total
    assert_settled(running)
    client.responses.retrieve(created.id)
    assert_settled(running)


def test_a_response_that_nobody_asks_for_is_settled_all_the_same(running, sandbox):
    create(running)
    eventually(running.ledger.usage, "a row of usage")
    eventually(lambda: not running.ledger.deferred(), "its end")
    assert_settled(running)
    assert [entry["method"] for entry in sandbox.journal()] == ["POST", "GET"]


def test_what_was_held_is_given_back_at_the_end(limited, tokens):
    create(limited, "limited")
    eventually(limited.ledger.usage, "a row of usage")
    stands = budget(limited, tokens)
    assert (stands["current_tokens"], stands["held_tokens"]) == (USAGE.total, 0)


def test_a_kill_in_between_loses_neither_the_hold_nor_the_usage(catraca, tokens):
    catraca.configuration.add_client("limited", [BUDGET])
    catraca.start()
    created = create(catraca, "limited", script(pending_looks=3))
    held = budget(catraca, tokens)["held_tokens"]
    catraca.kill()
    catraca.start()
    assert catraca.process.event("started")["recovered_requests"] == 0
    assert catraca.ledger.usage() == []
    assert budget(catraca, tokens)["held_tokens"] == held > 1000
    client = catraca.openai("limited")
    eventually(lambda: client.responses.retrieve(created.id).status == "completed", "the end")
    assert_settled(catraca, client_id="limited")
    stands = budget(catraca, tokens)
    assert (stands["current_tokens"], stands["held_tokens"]) == (USAGE.total, 0)


def test_after_a_kill_catraca_itself_asks(running):
    create(running)
    running.kill()
    running.start()
    eventually(running.ledger.usage, "a row of usage")
    eventually(lambda: not running.ledger.deferred(), "its end")
    assert_settled(running)


def test_a_stop_leaves_it_deferred(running):
    create(running, headers=script(pending_looks=1))
    assert running.terminate() == 0
    assert running.ledger.usage() == []
    assert len(running.ledger.deferred()) == 1
    running.start()
    eventually(running.ledger.usage, "a row of usage")
    assert running.row()["outcome"] == "ok"


def test_a_stream_that_shows_the_end_settles_it(running):
    events = list(create(running, stream=True))
    assert events[-1].type == "response.completed"
    assert_settled(running, stream=True)


def test_a_stream_that_is_left_goes_on_without_it(running, sandbox):
    headers = script(chunk_delay_ms=50)
    with create(running, headers=headers, stream=True) as stream:
        next(iter(stream))
    eventually(running.ledger.usage, "a row of usage")
    eventually(lambda: not running.ledger.deferred(), "its end")
    assert_settled(running, stream=True)


def test_reading_it_as_a_stream_settles_it(running):
    created = create(running)
    events = list(running.openai().responses.retrieve(created.id, stream=True))
    assert events[-1].type == "response.completed"
    assert_settled(running)


def test_a_cancelled_response_is_settled_with_an_estimate(running):
    created = create(running, headers=FOREVER)
    cancelled = running.openai().responses.cancel(created.id)
    assert cancelled.status == "cancelled"
    assert_estimated(running.row(), "client_disconnected", status=200)
    assert running.ledger.deferred() == []


def test_the_row_is_of_the_client_that_made_it(limited):
    created = create(limited, "limited")
    with pytest.raises(openai.NotFoundError):
        limited.openai("acme").responses.retrieve(created.id)
    limited.openai("limited").responses.retrieve(created.id)
    assert limited.row()["client_id"] == "limited"


def test_reading_any_other_response_charges_nothing(running):
    with pytest.raises(openai.NotFoundError):
        running.openai().responses.retrieve("resp_of_somebody")
    assert running.ledger.usage() == []


def test_a_budget_that_cannot_pay_for_it_refuses_it(catraca, sandbox):
    catraca.configuration.add_client("poor", [{**BUDGET, "tokens": 500}])
    running = catraca.start()
    with pytest.raises(openai.RateLimitError):
        create(running, "poor")
    assert sandbox.journal() == []


def test_what_is_held_for_it_is_not_there_for_others(catraca, sandbox):
    catraca.configuration.add_client("small", [{**BUDGET, "tokens": 2200}])
    catraca.configuration.settings["budgets"] = {"admission_wait": "0ms"}
    running = catraca.start()
    create(running, "small", FOREVER)
    with pytest.raises(openai.RateLimitError) as refusal:
        create(running, "small", FOREVER)
    assert refusal.value.code == "budget_contended"


def test_its_log_line_has_the_trace_of_its_request(catraca):
    sink, trace = Sink(), "a" * 32
    try:
        catraca.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = sink.url
        catraca.start()
        create(catraca, headers={"traceparent": f"00-{trace}-{'b' * 16}-01"})
        eventually(catraca.ledger.usage, "a row")
        assert catraca.process.event("request")["trace_id"] == trace
    finally:
        sink.close()
