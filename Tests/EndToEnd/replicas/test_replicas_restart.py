"""Replicas are stopped and started one after the other, under load, and nothing is lost."""

from harness.balanced_load import BalancedLoad
from harness.overspend import BODY, dearest, learn_bound, token_budget

LIMIT = 100_000


def test_a_rolling_restart_loses_no_row(replicas, sandbox):
    replicas.configuration.add_client("small", [token_budget(LIMIT)])
    replicas.start()
    with BalancedLoad(replicas, "small") as load:
        for replica in replicas:
            load.wait_for(30)
            assert replica.terminate() == 0
            load.wait_for(30)
            replica.start()
        load.wait_for(30)
    replicas.terminate()
    load.assert_recorded(sandbox.served(), LIMIT)


def test_what_is_leased_is_given_back_at_a_stop(replicas, sandbox):
    """At once, so that all of a budget can be used by who stays."""
    bound = learn_bound(replicas[0])
    limit = 20 * bound
    replicas.configuration.add_client("small", [token_budget(limit)])
    replicas.start()
    for index in range(len(replicas)):
        assert replicas.post(index, BODY, client="small", headers=dearest(bound)).status == 200
    stays, *others = replicas
    for replica in others:
        assert replica.terminate() == 0
    for _ in range(20 - len(replicas)):
        assert stays.post(BODY, client="small", headers=dearest(bound)).status == 200
    assert stays.post(BODY, client="small", headers=dearest(bound)).status == 429
    [budget] = replicas.ledger.budgets(client_id="small")
    assert budget["current_tokens"] == limit


def test_all_stopped_and_one_started_again_has_all_of_the_ledger(replicas, sandbox):
    replicas.configuration.add_client("small", [token_budget(LIMIT)])
    replicas.start()
    for index in range(9):
        assert replicas.post(index, BODY, client="small").status == 200
    replicas.terminate()
    rows = replicas.ledger.usage()
    replicas[1].start()
    assert replicas.ledger.usage() == rows and len(rows) == 9
    replicas.assert_sound()
