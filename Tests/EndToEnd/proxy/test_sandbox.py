"""The stand-in provider itself: the SDKs get from it what they get from the real ones."""

import groq
import openai
import pytest
from harness.raw_http import Connection, Truncated
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MESSAGES = [{"role": "user", "content": "Olá!"}]
CHAT = "/v1/chat/completions"
BODY = {"model": "gpt-4o-mini", "messages": MESSAGES}


@pytest.fixture
def openai_client(sandbox):
    return openai.OpenAI(base_url=f"{sandbox.url}/v1", api_key="sk-any", max_retries=0)


@pytest.fixture
def groq_client(sandbox):
    return groq.Groq(base_url=sandbox.url, api_key="gsk-any", max_retries=0)


def test_usage_follows_from_the_request_alone(openai_client, groq_client):
    usage = expected_usage(MESSAGES)
    for answer in (
        openai_client.chat.completions.create(**BODY),
        groq_client.chat.completions.create(**BODY),
    ):
        assert answer.usage.prompt_tokens == usage.prompt
        assert answer.usage.completion_tokens == usage.completion


@pytest.mark.parametrize("limit, reason", [(3, "length"), (23, "length"), (25, "stop")])
def test_an_output_limit_is_kept(openai_client, limit, reason):
    answer = openai_client.chat.completions.create(**BODY, max_completion_tokens=limit)
    assert answer.usage.completion_tokens == min(limit, 24)
    assert answer.choices[0].finish_reason == reason


def test_openais_stream_shows_usage_only_when_asked(openai_client):
    plain = openai_client.chat.completions.with_raw_response.create(**BODY, stream=True)
    assert '"usage"' not in plain.http_response.read().decode()
    asked = openai_client.chat.completions.with_raw_response.create(
        **BODY, stream=True, stream_options={"include_usage": True}
    )
    events = asked.http_response.read().decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    assert all('"usage":null}' in event for event in events[:-3])
    assert '"choices":[],"usage":{"prompt_tokens":' in events[-3]


def test_groqs_stream_shows_usage_in_its_last_chunk(groq_client):
    *chunks, last = groq_client.chat.completions.create(**BODY, stream=True)
    assert last.x_groq.usage.total_tokens == expected_usage(MESSAGES).total
    assert chunks[0].x_groq.id == last.x_groq.id


def test_the_sdk_gathers_the_stream_of_a_response(openai_client):
    with openai_client.responses.stream(model="gpt-4o-mini", input="Olá!") as stream:
        types = [event.type for event in stream]
        text = stream.get_final_response().output_text
    assert text and types[1:4] == [
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
    ]
    assert types[-4:] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]


def test_a_seed_makes_answers_equal(sandbox):
    def answer(headers):
        with Connection(sandbox.host, sandbox.port) as connection:
            return connection.post(CHAT, {**BODY, "stream": True}, "k", headers).body

    assert answer(script(seed=3)) == answer(script(seed=3))
    assert answer(script(seed=3)) != answer(script(seed=4))


def test_a_key_is_required(sandbox):
    with Connection(sandbox.host, sandbox.port) as connection:
        answer = connection.post(CHAT, BODY)
        assert (answer.status, answer.code) == (401, "invalid_api_key")


@pytest.mark.parametrize(
    "values",
    [{"cut_after": 3}, {"cut_after": 0}, {"cut_after": 3, "chunk_delay_ms": 5}],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_answer_is_never_whole(sandbox, values, stream):
    with Connection(sandbox.host, sandbox.port) as connection:
        with pytest.raises(Truncated):
            connection.post(CHAT, {**BODY, "stream": stream}, "k", script(**values))
    assert not sandbox.journal()[0]["completed"]


@pytest.mark.parametrize("text", ["nonsense", "status=200", "chunks=-1", "delay_ms=x"])
def test_a_script_with_a_mistake_is_refused(sandbox, text):
    with Connection(sandbox.host, sandbox.port) as connection:
        answer = connection.post(CHAT, BODY, "k", {"x-sandbox": text})
        assert (answer.status, answer.code) == (400, "invalid_script")


def test_the_journal_tells_what_was_served(sandbox):
    with Connection(sandbox.host, sandbox.port) as connection:
        connection.post(CHAT, BODY, "sk-12345678")
        connection.post("/openai" + CHAT, {**BODY, "model": "missing-1"}, "sk-12345678")
        connection.send(connection.request("POST", CHAT, BODY, "k", script(hang=True)))
        eventually(lambda: len(sandbox.journal()) == 3, "the third request")
    served, missing, hung = sandbox.journal()
    assert (served["status"], served["completed"], served["key_ending"]) == (200, True, "5678")
    assert served["prompt_tokens"] == expected_usage(MESSAGES).prompt
    assert (missing["status"], missing["prompt_tokens"]) == (404, None)
    assert (hung["status"], hung["completed"]) == (None, False)


def test_input_tokens_are_counted_as_they_are_reported(sandbox):
    with Connection(sandbox.host, sandbox.port) as connection:
        answer = connection.post("/v1/responses/input_tokens", {"input": MESSAGES}, "k")
    assert answer.json()["input_tokens"] == expected_usage(MESSAGES).prompt
