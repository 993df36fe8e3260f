"""The account itself: it takes every request of the walks, and knows what it doesn't have."""

import pytest
from belongings import make
from callers import Caller, unknown_like
from harness.account import Account
from object_endpoints import NAMING
from object_places import ALL
from walks import filled, needed, path_of


@pytest.fixture(scope="module")
def operator():
    account = Account()
    operator = Caller(account.url, account)
    yield operator
    operator.close()
    account.close()


@pytest.mark.parametrize("endpoint", NAMING, ids=str)
def test_an_endpoint_finds_what_is_there(endpoint, operator):
    made = make(operator, *needed(endpoint))
    first = endpoint.kinds[0]
    unknown = {**made, first: unknown_like(made[first])}
    for named, is_good in [(unknown, False), (made, True)]:
        body = endpoint.body_for(named)
        reply = operator.call(endpoint.method, path_of(endpoint, named), body)
        assert reply.status == (200 if is_good else 404), reply
        assert named[first] in reply.arrivals[0].ids


@pytest.mark.parametrize("place", ALL, ids=str)
def test_a_body_finds_what_is_there(place, operator):
    id = make(operator, place.kind)[place.kind]
    path, body = filled(operator, place, place.body(id))
    assert operator.call(place.method, path, body).status == 200
    other = unknown_like(id)
    path, body = filled(operator, place, place.body(other))
    reply = operator.call(place.method, path, body)
    is_previous = str(place).endswith("previous_response_id")
    assert reply.status == (400 if is_previous else 404), reply
    assert other in reply.json()["error"]["message"]
    assert other in reply.arrivals[0].ids
