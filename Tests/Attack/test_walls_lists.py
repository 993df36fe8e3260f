"""Lists of an account that many clients share: each client sees its own objects in full pages."""

import random

import pytest
from neighbors import EVERYBODY, assert_looks_unknown, without

COUNT = 3000
MOST_PAGES = 20
"""Of the provider's list, whatever a client asks for."""
STRANGERS = 28
OF_BOB = [7, 1503, 2988]
SHARED = [400, 2500]


def simple(collection, prefix):
    def keep(account, number):
        value = {"id": account.id(prefix), "object": "x", "name": f"n{number % 2}"}
        value |= {"model": "gpt-4o-mini", "metadata": {"n": str(number % 2)}, "status": "cancelled"}
        return collection(account).add(value)

    return keep


KEPT = {
    "/files": lambda account, n: account.files.add(b"x", ["user_data", "vision"][n % 2]),
    "/batches": simple(lambda account: account.batches.batches, "batch_"),
    "/chat/completions": simple(lambda account: account.completions.completions, "chatcmpl-"),
    "/containers": simple(lambda account: account.containers.containers, "cntr_"),
    "/vector_stores": simple(lambda account: account.vector_stores.stores, "vs_"),
    "/skills": simple(lambda account: account.skills.skills, "skill_"),
    "/fine_tuning/jobs": simple(lambda account: account.fine_tuning.jobs, "ftjob-"),
    "/evals": simple(lambda account: account.evals.evals, "eval_"),
    "/videos": simple(lambda account: account.videos.videos, "video_"),
}
"""How an object of each list is put into the account, without a request."""

KINDS = {
    "/files": "file",
    "/batches": "batch",
    "/chat/completions": "completion",
    "/containers": "container",
    "/vector_stores": "vector_store",
    "/skills": "skill",
    "/fine_tuning/jobs": "fine_tuning_job",
    "/evals": "eval",
    "/videos": "video",
}

FILTERS = {
    "/files": "purpose=vision",
    "/chat/completions": "metadata[n]=1",
    "/containers": "name=n1",
}
"""Queries that every second object meets."""


BACKWARD = ["/vector_stores"]
"""The lists that have the parameter `before`."""


class Shelf:
    """The account's objects of one kind, oldest first, and the owner of each."""

    def __init__(self, neighbors, path):
        chance = random.Random(f"shelf {path}")
        account, self.path = neighbors.account, path
        self.ids = [KEPT[path](account, number).id for number in range(COUNT)]
        strangers = [f"stranger{number}" for number in range(STRANGERS)]
        self.owners = [chance.choice(["alice", *strangers, None]) for _ in range(COUNT)]
        for place in OF_BOB:
            self.owners[place] = "bob"
        for place in SHARED:
            self.owners[place] = EVERYBODY
        neighbors.assign_all(KINDS[path], zip(self.ids, self.owners, strict=True))

    def seen_by(self, name, newest_first=True, step=1):
        ids = [
            id
            for place, (id, owner) in enumerate(zip(self.ids, self.owners, strict=True))
            if owner in (name, EVERYBODY) and place % step == step - 1
        ]
        return ids[::-1] if newest_first else ids


@pytest.fixture(scope="module")
def shelves(neighbors):
    return {path: Shelf(neighbors, path) for path in KEPT}


@pytest.fixture(params=KEPT)
def shelf(request, shelves):
    return shelves[request.param]


def page(caller, path, **parameters):
    """A page of a list, which took no more than its share of the provider's."""
    query = "&".join(f"{name}={value}" for name, value in parameters.items() if value)
    reply = caller.call("GET", f"{path}?{query}" if query else path)
    assert reply.status == 200, reply
    lists = [each for each in reply.arrivals if each.path == f"/v1{path}"]
    assert len(lists) <= MOST_PAGES, len(lists)
    limit = int(parameters.get("limit") or (10_000 if path == "/files" else 20))
    # A small page is filled by id as a page of twenty is.
    assert len(reply.arrivals) - len(lists) <= max(limit, 20) + 1
    return reply.json()


def ids_of(value):
    return [each["id"] for each in value["data"]]


@pytest.mark.parametrize("order", ["asc", "desc", None])
@pytest.mark.parametrize("limit", [1, 2, 20, 100])
def test_pages_are_full_and_in_order(shelf, limit, order, neighbors):
    """As an SDK reads them: from each to the next, until there are no more."""
    for caller in [neighbors.alice, neighbors.bob]:
        expected = shelf.seen_by(caller.name, newest_first=order != "asc")
        if limit < 20:
            # Enough to see how one page follows another.
            expected = expected[:5]
        seen, after = [], None
        while len(seen) < len(expected):
            value = page(caller, shelf.path, limit=limit, order=order, after=after)
            ids = ids_of(value)
            assert len(ids) == min(limit, len(shelf.seen_by(caller.name)) - len(seen)), value
            seen += ids
            after = seen[-1]
            has_more = len(seen) < len(shelf.seen_by(caller.name))
            assert value["has_more"] is has_more, (len(seen), value["has_more"])
            if shelf.path != "/fine_tuning/jobs":
                assert (value["first_id"], value["last_id"]) == (ids[0], ids[-1])
        assert seen[: len(expected)] == expected


def test_a_page_has_as_many_as_the_provider_gives_without_a_limit(shelf, neighbors):
    usual = 10_000 if shelf.path == "/files" else 20
    for caller in [neighbors.alice, neighbors.bob]:
        expected = shelf.seen_by(caller.name)[:usual]
        assert ids_of(page(caller, shelf.path)) == expected


def test_the_elements_are_what_the_provider_has(shelf, neighbors):
    """Byte for byte, also where they were fetched one by one."""
    collection = page(neighbors.bob, shelf.path)["data"]
    for value in collection:
        assert value == neighbors.operator.done("GET", f"{shelf.path}/{value['id']}")


def test_a_cursor_of_another_client_looks_unknown(shelf, neighbors):
    foreign = shelf.ids[shelf.owners.index("alice")]
    nobodys = shelf.ids[shelf.owners.index(None)]
    for parameter in ["after", "before"] if shelf.path in BACKWARD else ["after"]:

        def ask(caller, id, parameter=parameter):
            return caller.call("GET", f"{shelf.path}?limit=2&{parameter}={id}")

        answer = assert_looks_unknown(neighbors.bob, ask, foreign)
        assert without(ask(neighbors.bob, nobodys), nobodys) == without(answer, foreign)
        assert answer.status == 404


def test_a_cursor_is_found_in_every_spelling(shelf, neighbors):
    id = shelf.ids[shelf.owners.index("alice")]
    for query in [
        "after=" + "".join(f"%{ord(letter):02x}" for letter in id),
        f"%61fter={id}",
        f"after=x&after={id}",
        f"after={id}&after=x",
    ]:
        reply = neighbors.bob.call("GET", f"{shelf.path}?{query}")
        assert 400 <= reply.status < 500, (query, reply)
        assert not reply.arrivals, (query, reply)


def test_a_cursor_of_all_is_a_cursor_for_each(shelf, neighbors):
    cursor = shelf.ids[SHARED[1]]
    expected = shelf.seen_by("bob")
    value = page(neighbors.bob, shelf.path, limit=100, after=cursor)
    assert ids_of(value) == expected[expected.index(cursor) + 1 :]


@pytest.mark.parametrize("path", FILTERS)
def test_filters_are_the_providers(path, shelves, neighbors):
    shelf = shelves[path]
    name, value = FILTERS[path].split("=")
    for caller in [neighbors.alice, neighbors.bob]:
        expected = shelf.seen_by(caller.name, step=2)
        got = page(caller, path, limit=100, **{name: value})
        assert ids_of(got) == expected[:100]
        assert got["has_more"] is (len(expected) > 100)


@pytest.mark.parametrize("limit", ["0", "100000", "-1", "x", "1.5"])
def test_a_limit_that_no_provider_takes_is_its_own_to_refuse(shelf, limit, neighbors):
    reply = neighbors.bob.call("GET", f"{shelf.path}?limit={limit}")
    assert reply.status == 400, reply


def test_what_the_provider_has_no_more_is_left_out(shelf, neighbors):
    """An object that has expired is one, for example."""
    account = neighbors.account
    gone, rest = [KEPT[shelf.path](account, number).id for number in range(2)]
    carol = neighbors.carol
    neighbors.assign_all(KINDS[shelf.path], [(gone, "carol"), (rest, "carol")])
    shared = shelf.seen_by(EVERYBODY)
    assert ids_of(page(carol, shelf.path)) == [rest, gone, *shared]
    account.expire(gone)
    value = page(carol, shelf.path)
    assert (ids_of(value), value["has_more"]) == ([rest, *shared], False)
    account.expire(rest)


def test_who_has_nothing_sees_what_is_of_all(neighbors, shelf):
    value = page(neighbors.dave, shelf.path)
    assert ids_of(value) == shelf.seen_by(EVERYBODY)
    assert value["has_more"] is False


def test_an_empty_list_has_the_providers_form(neighbors):
    callers = [neighbors.dave, neighbors.operator]
    ours, theirs = (caller.done("GET", "/files?purpose=evals") for caller in callers)
    assert ours == theirs
