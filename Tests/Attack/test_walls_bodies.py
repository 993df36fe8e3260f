"""Each place of a body that names an object, in many spellings, and in the lines of batches."""

import pytest
import spellings
from belongings import CHAT, LINE, MESSAGE, RESPONSE, make
from callers import Form, unknown_like
from neighbors import assert_looks_unknown, assert_passed, assert_refused, without
from object_places import ALL, BATCHED, batch_input
from walks import filled, request_of

JSON_PLACES = [place for place in ALL if isinstance(place.body("id"), dict)]


@pytest.mark.parametrize("place", ALL, ids=str)
class TestAnObjectInABody:
    def test_is_unknown_to_a_neighbor(self, place, neighbors):
        def ask(caller, id):
            return caller.call(*request_of(caller, place, id))

        theirs = make(neighbors.alice, place.kind)[place.kind]
        foreign = assert_looks_unknown(neighbors.bob, ask, theirs)
        nobodys = make(neighbors.operator, place.kind)[place.kind]
        for caller in [neighbors.alice, neighbors.bob]:
            reply = ask(caller, nobodys)
            assert_refused(reply, nobodys)
            assert without(reply, nobodys) == without(foreign, theirs)

    def test_is_refused_in_the_providers_own_form(self, place, neighbors):
        id = unknown_like(make(neighbors.operator, place.kind)[place.kind])
        ours = neighbors.bob.call(*request_of(neighbors.bob, place, id))
        theirs = neighbors.operator.call(*request_of(neighbors.operator, place, id))
        assert_refused(ours)
        assert (ours.status, ours.json()) == (theirs.status, theirs.json())

    def test_passes_for_its_owner_and_where_it_is_shared(self, place, neighbors):
        for caller in [neighbors.alice, neighbors.bob]:
            for made in [make(caller, place.kind), neighbors.shared(place.kind)]:
                assert_passed(caller.call(*request_of(caller, place, made[place.kind])))


@pytest.mark.parametrize("place", JSON_PLACES, ids=str)
def test_no_spelling_of_a_body_passes(place, neighbors):
    id = make(neighbors.alice, place.kind)[place.kind]
    path, body = filled(neighbors.bob, place, place.body(id))
    for name, text in spellings.all_of(body, id).items():
        reply = neighbors.bob.call(place.method, path, text)
        assert_refused(reply, name)


@pytest.mark.parametrize("place", JSON_PLACES, ids=str)
def test_no_spelling_of_an_id_passes(place, neighbors):
    id = make(neighbors.alice, place.kind)[place.kind]
    for other in [id.upper(), f"{id} ", f" {id}", f"{id}\x00", f"{id}/content", f"{id}?x"]:
        reply = neighbors.bob.call(*request_of(neighbors.bob, place, other))
        assert_refused(reply, other)


@pytest.mark.parametrize("place", BATCHED, ids=str)
class TestAnObjectInALineOfABatch:
    def test_is_unknown_to_a_neighbor(self, place, neighbors):
        batches = neighbors.account.batches.batches

        def ask(caller, id):
            before = len(batches)
            reply = submitted(caller, place, id)
            assert len(batches) == before
            return reply

        id = make(neighbors.alice, place.kind)[place.kind]
        assert_looks_unknown(neighbors.bob, ask, id)

    def test_passes_for_its_owner_and_where_it_is_shared(self, place, neighbors):
        for made in [make(neighbors.bob, place.kind), neighbors.shared(place.kind)]:
            assert_passed(submitted(neighbors.bob, place, made[place.kind]))


def submitted(caller, place, id):
    """A batch whose second line names an object."""
    own = make(caller, *place.needs)
    content = batch_input(place, id).decode().replace("PROMPT", own.get("prompt", ""))
    file = caller.done("POST", "/files", Form(purpose="batch", file=content))["id"]
    return submit(caller, file, f"/v1{place.path}")


def submit(caller, file, endpoint=LINE["url"]):
    body = {"input_file_id": file, "endpoint": endpoint, "completion_window": "24h"}
    return caller.call("POST", "/batches", body)


def test_the_input_of_a_neighbors_batch_is_unknown(neighbors):
    content = batch_input(BATCHED[-2], "x")
    form = Form(purpose="batch", file=content.splitlines()[0])
    file = neighbors.alice.done("POST", "/files", form)["id"]
    assert_looks_unknown(neighbors.bob, submit, file)
    assert_passed(submit(neighbors.alice, file))


WHOLE = {"type": "output_text", "text": "x"}


def whole_items(made):
    """Items of a neighbor as an app sends them back: they are the request's own text."""
    citation = {"type": "file_citation", "file_id": made["file"], "filename": "x", "index": 0}
    inside = {"type": "container_file_citation", "container_id": made["container"]}
    inside |= {"file_id": "cfile_1", "filename": "x", "start_index": 0, "end_index": 1}
    content = [{**WHOLE, "annotations": [citation, inside]}]
    message = {"type": "message", "role": "assistant", "status": "completed"}
    return [
        {**message, "id": made["output"], "content": content},
        {**MESSAGE, "content": made["response"]},
        {"type": "function_call_output", "call_id": "c1", "output": made["file"]},
    ]


def test_what_is_no_reference_passes(neighbors):
    made = make(neighbors.alice, "file", "output", "response", "container")
    schema = {"type": "object", "properties": {"file_id": {"type": "string", "enum": ["x"]}}}
    function = {"type": "function", "name": "f", "parameters": schema, "strict": False}
    bodies = [
        {**RESPONSE, "input": [MESSAGE, *whole_items(made)]},
        {**RESPONSE, "input": made["response"]},
        {**RESPONSE, "metadata": {"file_id": made["file"]}, "tools": [function]},
    ]
    for body in bodies:
        assert_passed(neighbors.bob.call("POST", "/responses", body))
    messages = [{"role": "user", "content": made["file"]}]
    assert_passed(neighbors.bob.call("POST", "/chat/completions", {**CHAT, "messages": messages}))


UNLISTED = ["file", "response", "batch", "conversation", "container", "vector_store", "skill"]


@pytest.mark.parametrize("kind", [*UNLISTED, "prompt", "job", "lone_model"])
def test_what_looks_like_an_id_is_looked_up_where_no_table_has_it(kind, neighbors):
    """In an endpoint that an operator has opened, of which Catraca knows nothing."""

    def asks(id):
        yield "GET", f"/invented/{id}", None
        yield "GET", f"/invented/x/{id}/y", None
        yield "GET", f"/invented?x={id}", None
        yield "POST", "/invented", {"x": {"y": [{"z": id}]}}
        yield "POST", "/invented", [id]
        yield "POST", "/invented", Form(x=id)

    theirs = make(neighbors.alice, kind)[kind]
    own = make(neighbors.bob, kind)[kind]
    for foreign, passing in zip(asks(theirs), asks(own), strict=True):
        assert_refused(neighbors.bob.call(*foreign), foreign)
        # The account doesn't know the endpoint, but Catraca has let the request pass.
        assert neighbors.bob.call(*passing).arrivals, passing
