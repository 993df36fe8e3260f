"""The official Groq SDK, unchanged, sees what it would see of the provider."""

import asyncio

import groq
import pytest
from harness.rows import assert_row
from harness.sandbox import expected_usage, script

MODEL = "llama-3.3-70b-versatile"
MESSAGES = [{"role": "user", "content": "What does a turnstile do?"}]


def assert_recorded(running, usage, stream, **others):
    assert_row(
        running.row(),
        running.configuration,
        usage,
        provider="groq",
        model=MODEL,
        stream=stream,
        **others,
    )


def test_a_plain_completion_is_metered_and_priced(running):
    answer = running.groq().chat.completions.create(model=MODEL, messages=MESSAGES)
    assert answer.usage.queue_time == 0.017371826
    assert answer.x_groq.id.startswith("req_sandbox")
    assert_recorded(running, expected_usage(MESSAGES), stream=False)


def test_a_stream_is_metered_by_its_last_chunk(running):
    chunks = list(
        running.groq().chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
    )
    assert chunks[-1].x_groq.usage.total_tokens == expected_usage(MESSAGES).total
    assert_recorded(running, expected_usage(MESSAGES), stream=True)


def test_usage_that_comes_three_times_counts_once(running):
    chunks = list(
        running.groq().chat.completions.create(
            model=MODEL,
            messages=MESSAGES,
            stream=True,
            extra_body={"stream_options": {"include_usage": True}},
        )
    )
    assert len([chunk for chunk in chunks if not chunk.choices]) == 1
    assert_recorded(running, expected_usage(MESSAGES), stream=True)


def test_an_asynchronous_client_streams_too(running):
    async def collect():
        stream = await running.async_groq().chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert "turnstile" in asyncio.run(collect())
    assert_recorded(running, expected_usage(MESSAGES), stream=True)


def test_raw_responses_have_the_providers_headers_and_ours(running):
    raw = running.groq().chat.completions.with_raw_response.create(model=MODEL, messages=MESSAGES)
    assert raw.headers["x-groq-region"] == "sandbox"
    assert raw.headers["x-catraca-request-id"] == running.row()["request_id"]


def test_models_can_be_listed(running):
    assert MODEL in [model.id for model in running.groq().models.list().data]


def test_an_unknown_key_raises_authentication_error(running, sandbox):
    with pytest.raises(groq.AuthenticationError):
        running.groq().with_options(api_key="sk-ctr-no").chat.completions.create(
            model=MODEL, messages=MESSAGES
        )
    assert sandbox.journal() == []


def test_a_providers_own_error_passes_untouched(running):
    with pytest.raises(groq.UnprocessableEntityError):
        running.groq().chat.completions.create(
            model=MODEL, messages=MESSAGES, extra_headers=script(status=422)
        )
    row = running.row()
    assert (row["status"], row["outcome"], row["cost_nano_usd"]) == (422, "provider_error", 0)
