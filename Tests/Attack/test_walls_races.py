"""An object is its client's as soon as a byte shows it: on all replicas, and through kills."""

import pytest
from callers import Caller
from neighbors import assert_passed, assert_refused
from racers import WAYS, Witness, race

ROUNDS = 1200
KILLS = 4


@pytest.fixture
def two_clients(configuration):
    for client in ["alice", "bob"]:
        configuration.add_client(client)


def test_what_is_made_through_one_replica_is_used_through_the_other(
    two_clients, replicas, account
):
    servers = [replica.start() for replica in replicas[:2]]
    race(servers, account, ROUNDS)


def test_what_is_made_is_used_at_once(two_clients, catraca, account):
    race([catraca.start()], account, ROUNDS)


def test_what_was_shown_is_owned_after_a_kill(two_clients, catraca, account):
    for round_ in range(KILLS):
        catraca.start()
        witness = Witness(catraca, account)
        witness.run_until_killed(after=30 + 17 * round_)
        catraca.start()
        owner, other = (Caller(catraca.url, account, catraca.key(c)) for c in ["alice", "bob"])
        for way, id in witness.seen:
            request = WAYS[way][1](id)
            assert_refused(other.call(*request), (way, id))
            assert_passed(owner.call(*request))
        owner.close()
        other.close()
        assert catraca.terminate() == 0
    catraca.start()
