"""A replica that is killed under load: what it had is settled, and given back, by the others."""

import threading

from harness.balanced_load import BalancedLoad
from harness.load import by_user, check_budget, check_rows
from harness.overspend import BODY, dearest, learn_bound, token_budget
from harness.raw_http import Truncated
from harness.sandbox import script
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

# 15 seconds, and five for a busy machine.
TAKEN_OVER = 20.0 * TIME_FACTOR
LIMIT = 12_000
HANGING = 5


def hang(replica, index):
    """A request that the provider never answers."""
    try:
        replica.post({**BODY, "user": f"hanging{index}"}, headers=script(hang=True))
    except (OSError, Truncated):
        pass


def test_what_a_killed_replica_had_is_settled_and_given_back_by_the_others(replicas, sandbox):
    bound = learn_bound(replicas[0])
    replicas.configuration.add_client("small", [token_budget(LIMIT)])
    replicas.start()
    sandbox.clear()
    before = replicas.ledger.usage()
    hanging = [
        threading.Thread(target=hang, args=(replicas[1], index)) for index in range(HANGING)
    ]
    for thread in hanging:
        thread.start()
    eventually(lambda: len(sandbox.journal()) == HANGING, "all hang at the provider")
    with BalancedLoad(replicas, "small") as load:
        load.wait_for(60)
        replicas[1].kill()
        load.wait_for(60)
    for thread in hanging:
        thread.join()
    eventually(lambda: not replicas.ledger.in_flight(), "settled by the others", TAKEN_OVER)

    served = sandbox.served()
    rows = by_user(replicas.ledger.usage()[len(before) :])
    check_rows(rows, served, load.answered)
    # Others can't tell a death from a cut: what its requests may still use isn't given away.
    check_budget(replicas.ledger, "small", rows, served, LIMIT)
    for index in range(HANGING):
        assert rows[f"hanging{index}"]["outcome"] == "interrupted"

    def is_used_up():
        """Each of the others has used what it could of all that is left."""
        for replica in (replicas[0], replicas[2]):
            while replica.post(BODY, client="small", headers=dearest(bound)).status == 200:
                pass
        [budget] = replicas.ledger.budgets(client_id="small")
        # In the last mile the provider counts less than it then bills: no admission prevents that.
        overruns = sum(row["overrun_tokens"] for row in replicas.ledger.usage(client_id="small"))
        return LIMIT - bound < budget["current_tokens"] <= LIMIT + overruns

    eventually(is_used_up, "what it had leased is used by the others", TAKEN_OVER)
    replicas.assert_sound()
