"""LlamaIndex's LLM and embeddings of OpenAI."""

import json

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.openai import OpenAI
from questions import EMBEDDED, EMBEDDING_MODEL, MODEL, QUESTION


def get_tide(port: str) -> str:
    """When the tide is high."""
    return f"at noon in {port}"


def plain():
    return OpenAI(model=MODEL).chat([ChatMessage(content=QUESTION)]).message.content


def plain_without_retries():
    llm = OpenAI(model=MODEL, max_retries=0)
    return llm.chat([ChatMessage(content=QUESTION)]).message.content


def streaming():
    stream = OpenAI(model=MODEL).stream_chat([ChatMessage(content=QUESTION)])
    return [answer.delta or "" for answer in stream]


def tools():
    llm = OpenAI(model=MODEL)
    tool = FunctionTool.from_defaults(get_tide)
    answer = llm.chat_with_tools([tool], user_msg=QUESTION, tool_required=True)
    [call] = llm.get_tool_calls_from_response(answer)
    return [call.tool_name, json.dumps(call.tool_kwargs)]


def embeddings():
    return OpenAIEmbedding(model=EMBEDDING_MODEL).get_text_embedding(EMBEDDED)
