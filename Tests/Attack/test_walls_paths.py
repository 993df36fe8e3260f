"""Each endpoint whose path names an object, asked by its owner, by a neighbor, and of what is there
for nobody or for all."""

import re

import pytest
from belongings import make
from callers import unknown_like
from harness.process import REPOSITORY
from neighbors import assert_looks_unknown, assert_passed, assert_refused, without
from object_endpoints import ALL, LISTS, NAMING, NEVER_PASS
from walks import needed, path_of


@pytest.mark.parametrize("endpoint", NAMING, ids=str)
class TestAnObjectInThePath:
    def test_is_unknown_to_a_neighbor(self, endpoint, neighbors):
        made = make(neighbors.alice, *needed(endpoint))

        def ask(caller, id):
            # The other objects in the body are the caller's own.
            named = {**made, **make(caller, *rest_of(endpoint)), endpoint.kinds[0]: id}
            return caller.call(endpoint.method, path_of(endpoint, named), endpoint.body_for(named))

        foreign = assert_looks_unknown(neighbors.bob, ask, made[endpoint.kinds[0]])
        nobodys = make(neighbors.operator, *needed(endpoint))
        id = nobodys[endpoint.kinds[0]]
        for caller in [neighbors.alice, neighbors.bob]:
            reply = ask(caller, id)
            assert_refused(reply)
            assert without(reply, id) == without(foreign, made[endpoint.kinds[0]])

    def test_is_refused_in_the_providers_own_form(self, endpoint, neighbors):
        made = make(neighbors.operator, *needed(endpoint))
        named = {**made, endpoint.kinds[0]: unknown_like(made[endpoint.kinds[0]])}
        request = endpoint.method, path_of(endpoint, named), endpoint.body_for({**made, **named})
        if endpoint.needs:
            # Of several unknown objects either may be told.
            request = *request[:2], {} if endpoint.body else None
        ours, theirs = neighbors.bob.call(*request), neighbors.operator.call(*request)
        assert_refused(ours)
        assert (ours.status, ours.json()) == (theirs.status, theirs.json())

    def test_passes_for_its_owner_and_where_it_is_shared(self, endpoint, neighbors):
        for caller in [neighbors.alice, neighbors.bob]:
            for made in [make(caller, *needed(endpoint)), neighbors.shared(*needed(endpoint))]:
                body = endpoint.body_for(made)
                reply = caller.call(endpoint.method, path_of(endpoint, made), body)
                assert_passed(reply)

    def test_is_unknown_in_no_other_spelling(self, endpoint, neighbors):
        made = make(neighbors.alice, *needed(endpoint))
        id = made[endpoint.kinds[0]]
        for spelling in spellings(id):
            path = path_of(endpoint, {**made, endpoint.kinds[0]: spelling})
            reply = neighbors.bob.call(endpoint.method, path, endpoint.body_for(made))
            assert_refused(reply, spelling)


def rest_of(endpoint):
    """The kinds in its body whose objects aren't made together with those in its path."""
    return [kind for kind in endpoint.needs if kind == "file"]


def spellings(id):
    """The same id in forms that some server may take for it."""
    escaped = "".join(f"%{ord(letter):02X}" for letter in id)
    first = f"%{ord(id[0]):02x}{id[1:]}"
    return [escaped, first, f"{id}/", f"./{id}", f"x/../{id}", f"{id}%00", f"{id};a=b", f"{id}%20"]


# Versions are numbers, the same in all skills.
INNER = [each for each in NAMING if len(each.kinds) > 1 and each.kinds[-1] != "version"]


@pytest.mark.parametrize("endpoint", INNER, ids=str)
def test_what_an_object_has_is_not_found_in_another(endpoint, neighbors):
    """A neighbor asks for it in an object of its own."""
    theirs = make(neighbors.alice, *needed(endpoint))
    inner = endpoint.kinds[-1]
    own = make(neighbors.bob, *needed(endpoint))
    body = endpoint.body_for(own)
    answers = []
    for id in [theirs[inner], unknown_like(theirs[inner])]:
        reply = neighbors.bob.call(endpoint.method, path_of(endpoint, {**own, inner: id}), body)
        assert reply.status == 404, reply
        answers.append(without(reply, id))
    assert answers[0] == answers[1]


ENDS = [each for each in NAMING if each.method == "DELETE" and len(each.kinds) == 1]


@pytest.mark.parametrize("endpoint", ENDS, ids=str)
def test_what_its_owner_has_deleted_is_unknown(endpoint, neighbors):
    made = make(neighbors.alice, *needed(endpoint))
    path = path_of(endpoint, made)
    assert_passed(neighbors.alice.call("DELETE", path))
    again = neighbors.alice.call("DELETE", path)
    assert_refused(again)
    [id] = (made[kind] for kind in endpoint.kinds)
    assert without(again, id) == without(neighbors.bob.call("DELETE", path), id)


@pytest.mark.parametrize("endpoint", NEVER_PASS, ids=str)
def test_what_is_of_the_whole_account_never_passes(endpoint, neighbors):
    body = {"model": "gpt-5-mini"} if endpoint.method == "POST" else None
    assert_refused(neighbors.alice.call(endpoint.method, endpoint.path, body))


def test_the_table_of_the_sources_has_the_same_endpoints():
    text = (REPOSITORY / "Sources/Objects/ObjectEndpoints.swift").read_text()
    names = dict(re.findall(r'let (\w+) = "(/v1[^"]*)"', text))

    def whole(path):
        for name, value in names.items():
            path = path.replace(f"\\({name})", value)
        return path

    found = re.findall(r'ObjectEndpoint\(\s*"(\w+)", (?:"([^"]+)"|(\w+))', text)
    paths = [(method, whole(path or names[name])) for method, path, name in found]
    theirs = {(m, re.sub(r"\{\w+\}|\*", "{}", p.removeprefix("/v1"))) for m, p in paths}
    assert len(found) == len(theirs)
    assert theirs == {endpoint.shape for endpoint in ALL}
    assert {path for path in LISTS} <= {path for method, path in theirs if method == "GET"}
