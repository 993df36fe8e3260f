"""LangChain's chat model and embeddings of OpenAI."""

import json

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from questions import EMBEDDED, EMBEDDING_MODEL, MODEL, QUESTION, TOOL


def plain():
    return ChatOpenAI(model=MODEL).invoke(QUESTION).content


def streaming():
    return [chunk.content for chunk in ChatOpenAI(model=MODEL).stream(QUESTION)]


def tools():
    model = ChatOpenAI(model=MODEL).bind_tools([TOOL], tool_choice="required")
    [call] = model.invoke(QUESTION).tool_calls
    return [call["name"], json.dumps(call["args"])]


def embeddings():
    return OpenAIEmbeddings(model=EMBEDDING_MODEL).embed_query(EMBEDDED)
