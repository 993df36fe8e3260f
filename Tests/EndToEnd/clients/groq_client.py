"""The Groq SDK."""

from groq import Groq
from questions import GROQ_MODEL, MESSAGES, TOOL


def plain():
    answer = Groq().chat.completions.create(model=GROQ_MODEL, messages=MESSAGES)
    return answer.choices[0].message.content


def streaming():
    stream = Groq().chat.completions.create(model=GROQ_MODEL, messages=MESSAGES, stream=True)
    return [chunk.choices[0].delta.content or "" for chunk in stream]


def tools():
    answer = Groq().chat.completions.create(
        model=GROQ_MODEL, messages=MESSAGES, tools=[TOOL], tool_choice="required"
    )
    [call] = answer.choices[0].message.tool_calls
    return [call.function.name, call.function.arguments]
