"""Pydantic AI: an agent, whose tool is called and answered."""

import asyncio
import json

from pydantic_ai import Agent, Embedder
from questions import EMBEDDED, EMBEDDING_MODEL, MODEL, QUESTION, TOOL_QUESTION

calls = []
agent = Agent(f"openai-chat:{MODEL}")


@agent.tool_plain
def get_tide(port: str) -> str:
    """When the tide is high."""
    calls.append(["get_tide", json.dumps({"port": port})])
    return f"at noon in {port}"


def plain():
    return agent.run_sync(QUESTION).output


def streaming():
    async def collect():
        async with agent.run_stream(QUESTION) as answer:
            return [delta async for delta in answer.stream_text(delta=True)]

    return asyncio.run(collect())


def tools():
    agent.run_sync(TOOL_QUESTION)
    [call] = calls
    return call


def embeddings():
    answer = Embedder(f"openai:{EMBEDDING_MODEL}").embed_query_sync(EMBEDDED)
    return list(answer.embeddings[0])
