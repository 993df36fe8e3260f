"""The official OpenAI SDK, unchanged, sees what it would see of the provider."""

import asyncio
import json

import openai
import pytest
from harness.rows import assert_row
from harness.sandbox import WORDS, expected_usage, script, script_of
from harness.usage import Usage

MODEL = "gpt-4o-mini"
DATED_MODEL = "gpt-4o-mini-2024-07-18"
MESSAGES = [
    {"role": "system", "content": "You are brief."},
    {"role": "user", "content": "Olá! What does a turnstile do?"},
]
TOOL = {
    "type": "function",
    "function": {
        "name": "get_tide",
        "parameters": {"type": "object", "properties": {"port": {"type": "string"}}},
    },
}


def assert_recorded(running, usage, stream, model=MODEL, **others):
    assert_row(running.row(), running.configuration, usage, model=model, stream=stream, **others)


def test_a_plain_completion_is_metered_and_priced(running):
    answer = running.openai().chat.completions.create(model=MODEL, messages=MESSAGES)
    assert answer.choices[0].message.content.startswith("The turnstile")
    assert answer.usage.completion_tokens == WORDS
    assert_recorded(running, expected_usage(MESSAGES), stream=False)


@pytest.mark.parametrize("include_usage", [False, True])
def test_a_stream_is_metered_and_shows_usage_only_when_asked(running, include_usage):
    options = {"stream_options": {"include_usage": True}} if include_usage else {}
    chunks = list(
        running.openai().chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True, **options
        )
    )
    assert_recorded(running, expected_usage(MESSAGES), stream=True)
    with_usage = [chunk for chunk in chunks if chunk.usage]
    assert len(with_usage) == int(include_usage)
    assert all(chunk.choices for chunk in chunks if not chunk.usage)


def test_an_asynchronous_client_streams_too(running):
    async def collect():
        stream = await running.async_openai().chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert "açaí" in asyncio.run(collect())
    assert_recorded(running, expected_usage(MESSAGES), stream=True)


def test_the_stream_helper_assembles_the_answer(running):
    with running.openai().chat.completions.stream(model=MODEL, messages=MESSAGES) as stream:
        answer = stream.get_final_completion()
    assert answer.choices[0].message.content.startswith("The turnstile")
    assert_recorded(running, expected_usage(MESSAGES), stream=True)


@pytest.mark.parametrize("stream", [False, True])
def test_tool_calls_pass(running, stream):
    answer = running.openai().chat.completions.create(
        model=MODEL, messages=MESSAGES, tools=[TOOL], tool_choice="required", stream=stream
    )
    if stream:
        deltas = [chunk.choices[0].delta for chunk in answer]
        calls = [call for delta in deltas for call in delta.tool_calls or []]
        name, arguments = calls[0].function.name, "".join(c.function.arguments for c in calls)
    else:
        [call] = answer.choices[0].message.tool_calls
        name, arguments = call.function.name, call.function.arguments
    assert name == "get_tide"
    assert json.loads(arguments) == {"port": "sandbox"}
    pieces = -(-len(arguments) // 4)
    assert_recorded(running, expected_usage(MESSAGES, pieces), stream=stream)


def test_json_mode_passes(running):
    answer = running.openai().chat.completions.create(
        model=MODEL, messages=MESSAGES, response_format={"type": "json_object"}
    )
    content = answer.choices[0].message.content
    assert json.loads(content) == {"answer": "a sandbox answer"}
    assert_recorded(running, expected_usage(MESSAGES, -(-len(content) // 4)), stream=False)


def test_raw_responses_have_the_providers_headers_and_ours(running):
    raw = running.openai().chat.completions.with_raw_response.create(model=MODEL, messages=MESSAGES)
    row = running.row()
    assert raw.headers["x-catraca-request-id"] == row["request_id"]
    assert raw.headers["x-catraca-cost-usd"] == row["cost_usd"]
    assert raw.headers["openai-version"] == "2020-10-01"
    assert raw.headers["x-ratelimit-limit-requests"] == "10000"
    assert raw.parse().choices[0].finish_reason == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_several_choices_are_charged_with_all_their_output(running, stream):
    answer = running.openai().chat.completions.create(
        model=MODEL, messages=MESSAGES, n=3, max_completion_tokens=5, stream=stream
    )
    if stream:
        assert {choice.index for chunk in answer for choice in chunk.choices} == {0, 1, 2}
    else:
        assert len(answer.choices) == 3
    assert_recorded(running, expected_usage(MESSAGES, 15), stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_cached_and_reasoning_tokens_are_priced_as_what_they_are(running, stream):
    usage = Usage(prompt=20, completion=1007, cached=13, reasoning=1000)
    answer = running.openai().chat.completions.create(
        model=MODEL,
        messages=MESSAGES,
        max_completion_tokens=2000,
        stream=stream,
        extra_headers=script_of(usage),
    )
    if stream:
        list(answer)
    assert_recorded(running, usage, stream=stream)


def test_the_answers_model_is_recorded_beside_the_one_asked(running):
    running.openai().chat.completions.create(
        model=MODEL, messages=MESSAGES, extra_headers=script(response_model=DATED_MODEL)
    )
    usage = expected_usage(MESSAGES)
    assert_recorded(running, usage, stream=False, response_model=DATED_MODEL)


def test_user_conversation_and_agent_are_recorded(running):
    running.openai().chat.completions.create(
        model=MODEL,
        messages=MESSAGES,
        user="body-user",
        metadata={"conversation_id": "c-1"},
        extra_headers={"X-Catraca-User": "header-user", "X-Catraca-Agent": "bot"},
    )
    row = running.row()
    assert (row["user_id"], row["conversation_id"], row["agent_id"]) == (
        "header-user",
        "c-1",
        "bot",
    )


def test_models_can_be_listed_at_no_cost(running, sandbox):
    assert MODEL in [model.id for model in running.openai().models.list()]
    assert running.ledger.usage() == []


def test_an_unknown_key_raises_authentication_error_and_reaches_nobody(running, sandbox):
    client = running.openai().with_options(api_key="sk-ctr-" + "A" * 43)
    with pytest.raises(openai.AuthenticationError) as caught:
        client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert caught.value.code == "invalid_api_key"
    assert sandbox.journal() == []
    assert running.ledger.usage() == []


def test_a_model_that_the_provider_lacks_raises_not_found_and_costs_nothing(catraca, sandbox):
    catraca.configuration.settings["metering"] = {"unknown_model": {"as": MODEL}}
    catraca.start()
    with pytest.raises(openai.NotFoundError) as caught:
        catraca.openai().chat.completions.create(model="missing-model", messages=MESSAGES)
    assert caught.value.code == "model_not_found"
    row = catraca.row()
    assert (row["status"], row["outcome"]) == (404, "provider_error")
    assert (row["total_tokens"], row["cost_nano_usd"]) == (0, 0)


def test_a_providers_own_error_passes_untouched(running):
    with pytest.raises(openai.BadRequestError) as caught:
        running.openai().chat.completions.create(
            model=MODEL, messages=MESSAGES, extra_headers=script(status=400)
        )
    assert caught.value.body["message"] == "The sandbox was asked for status 400."
    assert running.row()["cost_nano_usd"] == 0


def test_a_groq_model_below_v1_goes_to_groq(running, sandbox):
    model = "llama-3.1-8b-instant"
    running.openai().chat.completions.create(model=model, messages=MESSAGES)
    assert sandbox.journal()[0]["path"] == "/openai/v1/chat/completions"
    assert_recorded(running, expected_usage(MESSAGES), stream=False, model=model, provider="groq")


def test_the_provider_gets_its_own_key_and_none_of_our_headers(running, sandbox):
    running.openai().chat.completions.create(model=MODEL, messages=MESSAGES)
    [entry] = sandbox.journal()
    assert entry["key_ending"] == "oai1"
    assert json.loads(entry["body"]) == {"messages": MESSAGES, "model": MODEL}
