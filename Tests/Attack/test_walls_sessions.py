"""Events of realtime sessions that name objects: refused by an `error` event, and never sent on."""

import json

import pytest
from belongings import make
from callers import unknown_like
from harness.realtime import open_session, receive, send

SECOND = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}


def update(**session):
    return "session.update", {"session": {"type": "realtime", **session}}


PLACES = {
    "session.update prompt": ("prompt", lambda id: update(prompt={"id": id})),
    "response.create prompt": (
        "prompt",
        lambda id: ("response.create", {"response": {"prompt": {"id": id}}}),
    ),
    "prompt variables": (
        "file",
        lambda id: update(prompt={"id": "PROMPT", "variables": {"v": input_file(id)}}),
    ),
    "an item's content": (
        "file",
        lambda id: ("conversation.item.create", {"item": {**SECOND, "content": [input_file(id)]}}),
    ),
    "a tool": (
        "vector_store",
        lambda id: update(tools=[{"type": "file_search", "vector_store_ids": [id]}]),
    ),
}


def input_file(id):
    return {"type": "input_file", "file_id": id}


@pytest.fixture
def sessions(neighbors):
    """One of each client."""
    opened = {name: open_session(neighbors.server, name) for name in ["alice", "bob"]}
    yield opened
    for session in opened.values():
        session.close()


def tell(neighbors, session, place, id, client):
    """Sends an event that names an object; returns what comes of it."""
    caller = getattr(neighbors, client)
    type_, members = PLACES[place][1](id)
    text = json.dumps(members)
    if "PROMPT" in text:
        members = json.loads(text.replace("PROMPT", caller.new_prompt()))
    send(session, type_, event_id="event_1", **members)
    return receive(session)


@pytest.mark.parametrize("place", PLACES)
def test_an_event_that_names_a_neighbors_object_is_refused(place, neighbors, sessions):
    kind, _ = PLACES[place]
    theirs = make(neighbors.alice, kind)[kind]
    answers = []
    for id in [theirs, unknown_like(theirs), make(neighbors.operator, kind)[kind]]:
        event = tell(neighbors, sessions["bob"], place, id, "bob")
        assert event["type"] == "error", event
        event.pop("event_id")
        answers.append(json.dumps(event).replace(id, "ID"))
        assert id not in json.dumps(neighbors.account.realtime.events)
    assert answers[0] == answers[1] == answers[2]
    # The session goes on.
    for client in ["alice", "bob"]:
        own = make(getattr(neighbors, client), kind)[kind]
        event = tell(neighbors, sessions[client], place, own, client)
        assert event["type"] != "error", event


def test_a_session_says_of_an_object_what_the_provider_says(neighbors, sessions):
    id = unknown_like("pmpt_0123456789")
    event = tell(neighbors, sessions["bob"], "session.update prompt", id, "bob")
    error = event["error"]
    assert error["message"] == f"Prompt with id '{id}' not found."
    assert (error["type"], error["event_id"]) == ("invalid_request_error", "event_1")
