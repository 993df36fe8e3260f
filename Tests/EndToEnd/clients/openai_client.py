"""The OpenAI SDK."""

from openai import OpenAI
from questions import EMBEDDED, EMBEDDING_MODEL, MESSAGES, MODEL, TOOL


def plain():
    answer = OpenAI().chat.completions.create(model=MODEL, messages=MESSAGES)
    return answer.choices[0].message.content


def streaming():
    stream = OpenAI().chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
    return [chunk.choices[0].delta.content or "" for chunk in stream]


def tools():
    answer = OpenAI().chat.completions.create(
        model=MODEL, messages=MESSAGES, tools=[TOOL], tool_choice="required"
    )
    [call] = answer.choices[0].message.tool_calls
    return [call.function.name, call.function.arguments]


def embeddings():
    answer = OpenAI().embeddings.create(model=EMBEDDING_MODEL, input=EMBEDDED)
    return answer.data[0].embedding
