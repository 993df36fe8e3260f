"""Endpoints about text besides chat: the SDKs see what they would see, and each cost is exact."""

import json

import openai
import pytest
from harness.configuration import BRL_PER_USD
from harness.prices import Prices
from harness.raw_http import Connection
from harness.rows import assert_estimated, assert_row
from harness.sandbox import WORDS, expected_usage, script
from harness.usage import Usage

COMPLETION = "gpt-3.5-turbo-instruct"
RESPONSE = "gpt-5-mini"
EMBEDDING = "text-embedding-3-small"
GROQ = "openai/gpt-oss-20b"
INPUT = "Olá! What does a turnstile do?"
# The sandbox counts an input of a response as a message.
INPUT_USAGE = expected_usage([{"content": INPUT}])


def assert_recorded(running, usage, operation, endpoint, model, stream=False, **others):
    assert_row(
        running.row(),
        running.configuration,
        usage,
        operation=operation,
        endpoint=endpoint,
        model=model,
        stream=stream,
        **others,
    )


def assert_billed(running, provider, parts, calls):
    """The row costs what several prices make, and can be recomputed from what is kept."""
    row = running.row()
    prices = Prices(running.configuration.folder / "pricing")
    assert row["cost_nano_usd"] == prices.bill(provider, row["model"], parts, calls)
    assert row["cost_nano"] == prices.bill(provider, row["model"], parts, calls, BRL_PER_USD)
    assert row["calls"] == sum(calls.values())
    assert row["overrun_tokens"] == row["overrun_nano_usd"] == 0
    audit = running.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    explained = running.command("explain", row["request_id"])
    assert "which is not what is recorded" not in explained.stdout
    return row


# Completions


def completion(running, prompt="Once upon", **options):
    return running.openai().completions.create(model=COMPLETION, prompt=prompt, **options)


def assert_completion(running, completion_tokens, prompt=("Once upon",), **others):
    usage = expected_usage([{"content": text} for text in prompt], completion_tokens)
    assert_recorded(running, usage, "completion", "/v1/completions", COMPLETION, **others)


def test_a_completion_has_sixteen_tokens_unless_it_asks_for_more(running):
    answer = completion(running)
    assert answer.choices[0].text.startswith("The turnstile")
    assert answer.choices[0].finish_reason == "length"
    assert_completion(running, 16)


@pytest.mark.parametrize("include_usage", [False, True])
def test_a_streamed_completion_shows_usage_only_when_asked(running, include_usage):
    options = {"stream_options": {"include_usage": True}} if include_usage else {}
    chunks = list(completion(running, max_tokens=5, stream=True, **options))
    assert len([chunk for chunk in chunks if chunk.usage]) == int(include_usage)
    assert "".join(choice.text for chunk in chunks for choice in chunk.choices)
    assert_completion(running, 5, stream=True)


def test_candidates_that_are_not_returned_are_charged_and_bounded(running):
    answer = completion(running, prompt=["Ping!", "Pong!"], best_of=3, n=1, max_tokens=4)
    assert len(answer.choices) == 2
    assert_completion(running, 2 * 3 * 4, prompt=("Ping!", "Pong!"))


# Responses


def test_a_response_is_metered_and_priced(running):
    answer = running.openai().responses.create(model=RESPONSE, input=INPUT)
    assert answer.output_text.startswith("The turnstile")
    assert_recorded(running, INPUT_USAGE, "responses", "/v1/responses", RESPONSE)


@pytest.mark.parametrize("limit, end", [(None, "completed"), (7, "incomplete")])
def test_a_streamed_response_is_metered_by_its_last_event(running, limit, end):
    options = {"max_output_tokens": limit} if limit else {}
    events = list(
        running.openai().responses.create(
            model=RESPONSE, input=[{"role": "user", "content": INPUT}], stream=True, **options
        )
    )
    assert events[-1].type == f"response.{end}"
    usage = expected_usage([{"content": INPUT}], limit or WORDS)
    assert events[-1].response.usage.total_tokens == usage.total
    assert_recorded(running, usage, "responses", "/v1/responses", RESPONSE, stream=True)


def test_a_stream_that_ends_with_an_error_is_estimated(running):
    events = list(
        running.openai().responses.create(
            model=RESPONSE,
            input=INPUT,
            stream=True,
            extra_headers=script(error_midstream=True),
        )
    )
    assert events[-1].type == "error"
    assert_estimated(running.row_in_time(), "provider_error", operation="responses")


@pytest.mark.parametrize("stream", [False, True])
def test_web_searches_are_charged_for_each_call(running, stream):
    answer = running.openai().responses.create(
        model=RESPONSE,
        input=INPUT,
        tools=[{"type": "web_search"}],
        max_tool_calls=5,
        stream=stream,
        extra_headers=script(web_searches=3),
    )
    if stream:
        list(answer)
    assert_billed(running, "openai", [(RESPONSE, INPUT_USAGE)], {"web_search": 3})


def test_a_chat_that_may_search_is_charged_one_search(running):
    running.openai().chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": INPUT}],
        web_search_options={},
    )
    assert_billed(running, "openai", [("gpt-4o-mini", INPUT_USAGE)], {"web_search": 1})


def test_a_budget_that_cannot_pay_for_the_tools_of_a_request_refuses_it(catraca, sandbox):
    catraca.configuration.add_client(
        "poor", [{"name": "b", "mode": "cost", "cost": "0.50", "currency": "USD"}]
    )
    running = catraca.start()
    with pytest.raises(openai.RateLimitError):
        running.openai("poor").responses.create(
            model=RESPONSE,
            input=INPUT,
            max_output_tokens=16,
            tools=[{"type": "web_search"}],
            max_tool_calls=60,
        )
    assert sandbox.journal() == []


def test_an_open_ended_response_gets_a_limit_from_a_small_budget(catraca, sandbox):
    catraca.configuration.add_client("small", [{"name": "b", "tokens": 2000}])
    running = catraca.start()
    running.openai("small").responses.create(model=RESPONSE, input="Hi")
    assert json.loads(sandbox.journal()[0]["body"])["max_output_tokens"] >= 256


def test_compacting_is_charged_by_the_model_that_was_asked(running):
    answer = running.post({"model": RESPONSE, "input": INPUT}, "/v1/responses/compact")
    assert json.loads(answer.body)["object"] == "response.compaction"
    assert_recorded(running, INPUT_USAGE, "responses", "/v1/responses/compact", RESPONSE)


# Embeddings and moderations


@pytest.mark.parametrize("encoding", [{}, {"encoding_format": "float"}])
def test_embeddings_are_charged_by_their_input(running, encoding):
    answer = running.openai().embeddings.create(
        model=EMBEDDING, input=["alpha", "be"], dimensions=4, **encoding
    )
    assert [item.embedding for item in answer.data] == [[1.0] * 4] * 2
    usage = Usage(prompt=3, completion=0)
    assert_recorded(running, usage, "embedding", "/v1/embeddings", EMBEDDING)


def test_ids_of_tokens_are_bounded_by_their_number(running):
    running.openai().embeddings.create(model=EMBEDDING, input=[[1, 2, 3], [4]])
    usage = Usage(prompt=4, completion=0)
    assert_recorded(running, usage, "embedding", "/v1/embeddings", EMBEDDING)
    assert running.row()["held_tokens"] < 200


@pytest.mark.parametrize("model", [None, "omni-moderation-latest"])
def test_moderation_is_free_and_recorded(catraca, model):
    catraca.configuration.add_client("acme", [{"name": "b", "tokens": 1}])
    running = catraca.start()
    options = {"model": model} if model else {}
    answer = running.openai().moderations.create(input="hello", **options)
    assert answer.results[0].flagged is False
    row = running.row()
    assert (row["operation"], row["model"]) == ("moderation", "omni-moderation-latest")
    assert (row["total_tokens"], row["cost_nano_usd"], row["held_tokens"]) == (0, 0, 0)


# Groq


def test_a_response_of_groq_is_metered_and_priced(running):
    client = openai.OpenAI(
        base_url=f"{running.url}/groq/openai/v1", api_key=running.key(), max_retries=0
    )
    answer = client.responses.create(model=GROQ, input=INPUT)
    assert answer.output_text.startswith("The turnstile")
    assert_recorded(running, INPUT_USAGE, "responses", "/v1/responses", GROQ, provider="groq")


@pytest.mark.parametrize("stream", [False, True])
def test_a_compound_answer_is_billed_by_the_models_that_made_it(running, stream):
    answer = running.groq().chat.completions.create(
        model="groq/compound",
        messages=[{"role": "user", "content": INPUT}],
        stream=stream,
        extra_headers=script(web_searches=0 if stream else 2),
    )
    if stream:
        list(answer)
    prompt = INPUT_USAGE.prompt
    parts = [
        ("openai/gpt-oss-120b", Usage(prompt - prompt // 2, WORDS)),
        ("llama-3.3-70b-versatile", Usage(prompt // 2, 0)),
    ]
    row = assert_billed(running, "groq", parts, {} if stream else {"web_search": 2})
    assert row["total_tokens"] == INPUT_USAGE.total
    assert row["price_version"].count("+") == (1 if stream else 2)


# All of them


def direct(sandbox, path, body, headers):
    with Connection(sandbox.host, sandbox.port) as connection:
        return connection.post(path, body, "any-key", headers)


BODIES = {
    "completions": ("/completions", {"model": COMPLETION, "prompt": "Hi"}),
    "responses": ("/responses", {"model": RESPONSE, "input": "Hi"}),
    "embeddings": ("/embeddings", {"model": EMBEDDING, "input": "Hi"}),
    "moderations": ("/moderations", {"input": "Hi"}),
    "compaction": ("/responses/compact", {"model": RESPONSE, "input": "Hi"}),
}
STREAMED = ["completions", "responses"]


@pytest.mark.parametrize(
    "case, stream", [(case, False) for case in BODIES] + [(case, True) for case in STREAMED]
)
def test_the_body_is_the_providers(running, sandbox, case, stream):
    path, body = BODIES[case]
    if stream:
        body = {**body, "stream": True}
    headers = script(seed=7)
    expected = direct(sandbox, f"/v1{path}", body, headers)
    received = running.post(body, f"/v1{path}", headers=headers)
    assert (received.status, received.body) == (expected.status, expected.body)
    assert len(running.ledger.usage()) == 1


CONTEXT = 128_000
SEARCH = {
    "model": "gpt-4o-mini",
    "input": INPUT,
    "max_output_tokens": 16,
    "tools": [{"type": "web_search"}],
}


def search(catraca, client, headers=None, **body):
    return catraca.post(
        {**SEARCH, **body}, path="/v1/responses", client=client, headers=headers or {}
    )


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("tokens, calls", [(10_000_000, 8), (1_000_000, 4), (500_000, 2)])
def test_a_hard_budget_limits_the_calls_of_tools(catraca, sandbox, stream, tokens, calls):
    catraca.configuration.add_client("small", [{"name": "b", "mode": "tokens", "tokens": tokens}])
    catraca.start()
    # The results of the calls fill the context each time.
    used = script(prompt_tokens=(calls + 1) * CONTEXT, web_searches=calls)
    answer = search(catraca, "small", used, stream=stream)
    assert answer.status == 200
    assert answer.fields["x-catraca-clamped-tool-calls"] == str(calls)
    assert f'"max_tool_calls":{calls}' in sandbox.journal()[-1]["body"]
    row = catraca.row_in_time()
    assert row["held_tokens"] == (calls + 1) * CONTEXT + 16
    assert (row["calls"], row["overrun_tokens"], row["overrun_nano_usd"]) == (calls, 0, 0)


def test_a_limit_of_calls_is_only_set_where_it_is_needed(catraca, sandbox):
    hard = {"name": "b", "mode": "tokens", "tokens": 10_000_000}
    catraca.configuration.add_client("hard", [hard])
    catraca.configuration.add_client("soft", [{**hard, "enforcement": "soft"}])
    catraca.start()
    function = {"type": "function", "name": "f", "parameters": {}}
    own = {"max_tool_calls": 2}
    for client, body in [("soft", {}), ("hard", own), ("hard", {"tools": [function]})]:
        answer = search(catraca, client, **body)
        assert answer.status == 200
        assert "x-catraca-clamped-tool-calls" not in answer.fields
        sent = sandbox.journal()[-1]["body"]
        assert ("max_tool_calls" in sent) == ("max_tool_calls" in body)


def test_a_budget_that_cannot_pay_for_one_call_refuses_the_request(catraca, sandbox):
    catraca.configuration.add_client("small", [{"name": "b", "mode": "tokens", "tokens": 200_000}])
    catraca.start()
    answer = search(catraca, "small")
    assert (answer.status, answer.code) == (429, "budget_exceeded")
    assert sandbox.journal() == []
