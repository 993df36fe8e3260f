"""Batches: held when they are submitted, a row for each line of their results, at batch prices."""

import json

import openai
import pytest
from harness.prices import Prices
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MODEL = "gpt-4o-mini"
GROQ = "llama-3.1-8b-instant"
CHAT = "/v1/chat/completions"
BUDGET = {"name": "b", "mode": "tokens", "tokens": 100_000, "period": "total"}
TEXTS = ["Olá!", "What does a turnstile do?", "One more"]


def line(index, text, url=CHAT, **body):
    body = {
        "model": MODEL,
        "messages": [{"role": "user", "content": text}],
        "max_tokens": 100,
        **body,
    }
    return {"custom_id": f"line-{index}", "method": "POST", "url": url, "body": body}


def lines(texts=TEXTS, **body):
    return [line(index, text, **body) for index, text in enumerate(texts)]


def upload(client, requests):
    content = "\n".join(json.dumps(request) for request in requests).encode()
    return client.files.create(file=("requests.jsonl", content), purpose="batch").id


def submit(client, requests, headers=None, endpoint=CHAT):
    return client.batches.create(
        input_file_id=upload(client, requests),
        endpoint=endpoint,
        completion_window="24h",
        extra_headers=headers or {},
    )


def settled(running, count):
    """The rows, when the batch has ended."""
    eventually(lambda: len(running.ledger.usage()) >= count, f"{count} rows")
    eventually(lambda: not running.ledger.deferred(), "the batch's end")
    rows = running.ledger.usage()
    assert len(rows) == count
    assert running.ledger.in_flight() == []
    audit = running.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    return rows


def assert_rows(running, rows, texts=TEXTS, provider="openai", model=MODEL, **others):
    prices = Prices(running.configuration.folder / "pricing")
    for row, text in zip(rows, texts, strict=True):
        usage = expected_usage([{"content": text}])
        expected = {
            "operation": "batch",
            "endpoint": CHAT,
            "source": provider,
            "model": model,
            "status": 200,
            "outcome": "ok",
            "usage_source": "reported",
            "cost_nano_usd": prices.batch_nano_usd(provider, model, usage),
            "overrun_tokens": 0,
            **usage.columns,
            **others,
        }
        assert {name: row[name] for name in expected} == expected
        assert row["held_tokens"] == usage.total
    assert len({row["request_id"] for row in rows}) == len(rows)


@pytest.fixture
def limited(catraca, tokens):
    """A started server whose client `limited` has a budget."""
    catraca.configuration.add_client("limited", [BUDGET])
    return catraca.start()


def budget(running, tokens):
    return running.admin(tokens["admin"]).get("/api/admin/budgets/limited/b").json()


def test_a_batch_that_nobody_downloads_makes_a_row_for_each_line(limited, tokens):
    batch = submit(limited.openai("limited"), lines())
    assert batch.status == "validating"
    rows = settled(limited, 3)
    assert_rows(limited, rows, client_id="limited")
    stands = budget(limited, tokens)
    total = sum(row["total_tokens"] for row in rows)
    assert (stands["current_tokens"], stands["held_tokens"]) == (total, 0)


def test_the_sum_of_all_lines_is_held_until_the_end(limited, tokens):
    submit(limited.openai("limited"), lines(), script(pending_looks=1_000_000))
    stands = budget(limited, tokens)
    assert stands["current_tokens"] == 0
    assert 3 * 100 < stands["held_tokens"] < 3 * 400
    assert limited.ledger.usage() == []


def test_the_client_reads_its_results_as_the_provider_wrote_them(running):
    client = running.openai()
    batch = submit(client, lines())
    done = eventually(
        lambda: (b := client.batches.retrieve(batch.id)).status == "completed" and b, "the end"
    )
    results = [
        json.loads(text) for text in client.files.content(done.output_file_id).text.splitlines()
    ]
    assert [result["custom_id"] for result in results] == ["line-0", "line-1", "line-2"]
    assert_rows(running, settled(running, 3))


def test_a_batch_of_groq_is_metered_alike(running):
    batch = submit(running.groq(), lines(model=GROQ))
    assert batch.status == "validating"
    assert_rows(running, settled(running, 3), provider="groq", model=GROQ)


def test_a_batch_of_embeddings(running):
    requests = [
        {
            "custom_id": str(index),
            "method": "POST",
            "url": "/v1/embeddings",
            "body": {"model": "text-embedding-3-small", "input": text},
        }
        for index, text in enumerate(TEXTS)
    ]
    submit(running.openai(), requests, endpoint="/v1/embeddings")
    rows = settled(running, 3)
    assert [row["prompt_tokens"] for row in rows] == [-(-len(t.encode()) // 4) for t in TEXTS]
    assert all(row["cost_nano_usd"] > 0 for row in rows)


def test_a_budget_that_cannot_pay_for_all_lines_refuses_the_batch(catraca, sandbox):
    catraca.configuration.add_client("poor", [{**BUDGET, "tokens": 400}])
    running = catraca.start()
    with pytest.raises(openai.RateLimitError) as refusal:
        submit(running.openai("poor"), lines())
    assert refusal.value.code == "budget_exceeded"
    assert [entry["path"] for entry in sandbox.journal() if entry["method"] == "POST"] == [
        "/v1/files"
    ]
    [denial] = running.denials(1)
    assert denial["operation"] == "batch"


@pytest.mark.parametrize(
    "requests, status, code, words",
    [
        ([line(0, "a"), line(1, "b", model="unheard-of")], 400, "model_not_priced", "Line 2"),
        ([line(0, "a", url="/v1/embeddings")], 400, "invalid_json", "Line 1"),
        ([line(0, "a"), line(1, "b", model="gpt-4o")], 400, "invalid_json", "the same"),
        ([{"custom_id": "x"}], 400, "invalid_json", "Line 1"),
    ],
    ids=["not priced", "another endpoint", "two models", "no request"],
)
def test_a_line_that_cannot_be_metered_refuses_the_batch(
    running, sandbox, requests, status, code, words
):
    with pytest.raises(openai.APIStatusError) as refusal:
        submit(running.openai(max_retries=0), requests)
    assert (refusal.value.status_code, refusal.value.code) == (status, code)
    assert words in refusal.value.message
    assert "/v1/batches" not in [entry["path"] for entry in sandbox.journal()]


def test_an_endpoint_that_has_no_batches_here_is_refused(running):
    client = running.openai()
    with pytest.raises(openai.BadRequestError) as refusal:
        client.batches.create(
            input_file_id="f", endpoint="/v1/videos", completion_window="24h"
        )
    assert refusal.value.param == "endpoint"


def test_lines_that_the_provider_refuses_cost_nothing(running):
    requests = [line(0, TEXTS[0]), line(1, TEXTS[1], messages="not a list")]
    submit(running.openai(), requests)
    fine, refused = settled(running, 2)
    assert_rows(running, [fine], TEXTS[:1])
    assert (refused["status"], refused["outcome"]) == (400, "provider_error")
    assert (refused["total_tokens"], refused["cost_nano_usd"]) == (0, 0)


def test_lines_that_say_nothing_of_their_usage_take_their_shares_of_the_hold(limited, tokens):
    submit(limited.openai("limited"), lines(), script(no_usage=True, pending_looks=1))
    held = budget(limited, tokens)["held_tokens"]
    rows = settled(limited, 3)
    for row in rows:
        assert (row["outcome"], row["usage_source"]) == ("ok", "estimated")
        assert row["total_tokens"] == row["held_tokens"] == held // 3 > 100
        assert row["cost_nano_usd"] == row["held_nano_usd"] > 0


def test_a_cancelled_batch_is_charged_for_its_finished_lines(running):
    client = running.openai()
    batch = submit(client, lines(), script(pending_looks=1_000_000))
    assert client.batches.cancel(batch.id).status == "cancelled"
    assert_rows(running, settled(running, 1), TEXTS[:1])


def test_a_kill_in_between_loses_neither_the_hold_nor_the_usage(catraca, tokens):
    catraca.configuration.add_client("limited", [BUDGET])
    catraca.start()
    submit(catraca.openai("limited"), lines(), script(pending_looks=1))
    held = budget(catraca, tokens)["held_tokens"]
    catraca.kill()
    catraca.start()
    assert catraca.process.event("started")["recovered_requests"] == 0
    assert budget(catraca, tokens)["held_tokens"] == held
    rows = settled(catraca, 3)
    assert_rows(catraca, rows)
    stands = budget(catraca, tokens)
    total = sum(row["total_tokens"] for row in rows)
    assert (stands["current_tokens"], stands["held_tokens"]) == (total, 0)


def test_a_kill_while_rows_are_written_neither_loses_nor_doubles_one(catraca, tokens):
    catraca.configuration.add_client("limited", [{**BUDGET, "tokens": 10_000_000}])
    catraca.start()
    texts = [f"text {index}" for index in range(1000)]
    submit(catraca.openai("limited"), lines(texts))
    eventually(catraca.ledger.usage, "the first rows", within=30)
    catraca.kill()
    written = len(catraca.ledger.usage())
    catraca.start()
    rows = settled(catraca, 1000)
    assert written <= 1000
    assert_rows(catraca, rows, texts)
    stands = budget(catraca, tokens)
    total = sum(row["total_tokens"] for row in rows)
    assert (stands["current_tokens"], stands["held_tokens"]) == (total, 0)


RESPONSES = "/v1/responses"
SEARCH = [{"type": "web_search"}]


def drawing(model):
    return [{"type": "image_generation", "model": model, "size": "1024x1024"}]


def response_line(index, **body):
    body = {"model": MODEL, "input": "x", "max_output_tokens": 16, **body}
    return {"custom_id": f"line-{index}", "method": "POST", "url": RESPONSES, "body": body}


def test_what_a_line_draws_is_priced_by_the_model_of_its_tool(running):
    body = {"tools": drawing("gpt-image-1"), "max_tool_calls": 1}
    submit(running.openai(), [response_line(0, **body), response_line(1)], endpoint=RESPONSES)
    drawn, plain = settled(running, 2)
    prices = Prices(running.configuration.folder / "pricing")
    images = {"input_tokens": 100, "output_tokens": 1056, "image_output_tokens": 1056}
    costs = prices.whole_bill("openai", MODEL, {"gpt-image-1": images}, {}, tier="batch")
    assert drawn["cost_nano_usd"] - plain["cost_nano_usd"] == costs
    assert drawn["overrun_nano_usd"] == 0


@pytest.mark.parametrize(
    "tools, code, words",
    [
        ([SEARCH], "unsupported_parameter", "max_tool_calls"),
        ([drawing("gpt-image-1"), drawing("gpt-image-2")], "invalid_json", "one model"),
    ],
    ids=["calls without a limit", "two models that draw"],
)
def test_tools_that_no_budget_can_pay_for_refuse_the_batch(limited, sandbox, tools, code, words):
    requests = [response_line(index, tools=tool) for index, tool in enumerate(tools)]
    if len(tools) > 1:
        for request in requests:
            request["body"]["max_tool_calls"] = 1
    with pytest.raises(openai.BadRequestError) as refusal:
        submit(limited.openai("limited"), requests, endpoint=RESPONSES)
    assert refusal.value.code == code
    assert f"Line {len(tools)}" in refusal.value.message and words in refusal.value.message
    assert "/v1/batches" not in [entry["path"] for entry in sandbox.journal()]


def test_calls_without_a_limit_pass_where_no_budget_is_hard(running):
    submit(running.openai(), [response_line(0, tools=SEARCH)], endpoint=RESPONSES)
    settled(running, 1)


@pytest.mark.parametrize(
    "rights, body, code",
    [
        ({"operations": ["batch"]}, {}, "operation_not_allowed"),
        ({"models": ["gpt-4o*"]}, {"tools": drawing("gpt-image-1")}, "model_not_allowed"),
        (
            {"operations": ["batch", "responses"]},
            {"tools": drawing("gpt-image-1")},
            "operation_not_allowed",
        ),
    ],
)
def test_a_key_is_held_to_its_rules_in_lines(catraca, sandbox, rights, body, code):
    catraca.configuration.add_client("narrow", **rights)
    running = catraca.start()
    with pytest.raises(openai.PermissionDeniedError) as refusal:
        submit(running.openai("narrow"), [response_line(0, **body)], endpoint=RESPONSES)
    assert refusal.value.code == code
    assert "/v1/batches" not in [entry["path"] for entry in sandbox.journal()]
