"""Instructor, which asks for answers of a declared shape by way of a tool."""

import instructor
from pydantic import BaseModel
from questions import MESSAGES, MODEL


class get_tide(BaseModel):
    """When the tide is high; the tool is called by the class's name."""

    port: str


def client():
    return instructor.from_provider(f"openai/{MODEL}")


def plain():
    answer = client().create(messages=MESSAGES, response_model=None)
    return answer.choices[0].message.content


def streaming():
    partial = client().create_partial(messages=MESSAGES, response_model=get_tide)
    return [tide.port or "" for tide in partial]


def tools():
    tide = client().create(messages=MESSAGES, response_model=get_tide)
    return ["get_tide", tide.model_dump_json()]
