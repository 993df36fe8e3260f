"""Replicas go on without the database with what they have leased, and the limit holds."""

import itertools
import json

import pytest
from harness.overspend import BODY, assert_used_up, billed, dearest, learn_bound, token_budget
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

# Of a slice each of three replicas keeps a part for a dozen requests.
LIMIT_IN_BOUNDS = 600
FEWEST = 8
# Fifteen seconds until a lost replica's leases have returned, and five for a busy machine.
TAKEN_OVER = 20.0 * TIME_FACTOR


class Requests:
    """Requests of one client, each of a user of its own and of all that is held for it."""

    def __init__(self, bound):
        self.bound = bound
        self.served = []
        self._users = itertools.count()

    def post(self, replica):
        """The status, or the code of a refusal for now."""
        user = f"u{next(self._users)}"
        answer = replica.post(
            {**BODY, "user": user}, client="small", headers=dearest(self.bound)
        )
        if answer.status == 200:
            self.served.append(user)
        return answer.code if answer.status == 503 else answer.status

    def use_up(self, replica, refusal):
        """How many a replica serves until it refuses one."""
        count = 0
        while (result := self.post(replica)) == 200:
            count += 1
        assert result == refusal
        return count


@pytest.fixture
def requests(replicas, sandbox):
    """Three replicas that have leased something, the first behind a path of its own."""
    bound = learn_bound(replicas[0])
    budget = token_budget(LIMIT_IN_BOUNDS * bound)
    replicas.configuration.add_client("small", [budget])
    replicas.configuration.settings["budgets"] = {"admission_wait": "500ms"}
    replicas[0].put_proxy()
    replicas.start()
    sandbox.clear()
    requests = Requests(bound)
    for replica in replicas:
        assert requests.post(replica) == 200
    assert reserved(replicas) == len(replicas)
    return requests


def reserved(replicas):
    """How many have something for the time offline."""
    [row] = replicas.ledger.query("SELECT count(*) AS count FROM budget_reserves")
    return row["count"]


def assert_exact(replicas, sandbox, requests):
    """Each request that was served has its row, as the provider counted it."""
    expected = {
        json.loads(entry["body"])["user"]: entry["prompt_tokens"] + entry["completion_tokens"]
        for entry in sandbox.journal()
        if entry["prompt_tokens"] is not None
    }
    assert set(requests.served) == set(expected)

    def recorded():
        rows = replicas.ledger.usage(client_id="small")
        assert {row["outcome"] for row in rows} == {"ok"}
        return {row["user_id"]: row["total_tokens"] for row in rows}

    eventually(lambda: recorded() == expected, "rows are what the provider counted", TAKEN_OVER)
    replicas.assert_sound()


def test_requests_run_on_the_leases_at_hand_while_the_database_is_away(
    replicas, sandbox, postgres, requests
):
    postgres.stop_at_once()
    for replica in replicas:
        assert requests.use_up(replica, "ledger_unavailable") >= FEWEST
    assert replicas[0].admin(None).get("/readyz").status == 503
    postgres.start()
    eventually(
        lambda: {requests.post(replica) for replica in replicas} == {200},
        "all are back",
        TAKEN_OVER,
    )
    assert_exact(replicas, sandbox, requests)


@pytest.mark.parametrize("way", ["cut", "swallow"])
def test_what_one_uses_that_is_cut_off_is_not_given_to_others(replicas, sandbox, requests, way):
    lost, *others = replicas
    limit = LIMIT_IN_BOUNDS * requests.bound
    getattr(lost.path, way)()
    assert requests.post(lost) == 200

    def others_have_all():
        """The tokens that the lost one had leased are theirs, but for its reserve."""
        counts = [requests.use_up(replica, 429) for replica in others]
        [account] = replicas.ledger.query("SELECT * FROM budget_accounts WHERE tokens > 0")
        [reserve] = replicas.ledger.query("SELECT * FROM budget_reserves")
        left = limit - account["tokens"] - reserve["tokens"]
        return counts == [0, 0] and left < requests.bound

    eventually(others_have_all, "others use what is left", TAKEN_OVER)
    # It doesn't know that it was given up, and goes on.
    assert requests.use_up(lost, "ledger_unavailable") >= FEWEST
    assert sum(billed(sandbox)) <= limit
    lost.path.heal()
    eventually(lambda: requests.post(lost) in (200, 429), "it is back", TAKEN_OVER)
    assert_used_up(
        replicas, sandbox, limit, requests.bound, "small", BODY, dearest(requests.bound)
    )
    eventually(lambda: reserved(replicas) == 0, "nothing is kept back")


@pytest.mark.parametrize("is_started_again", [True, False], ids=["again", "by another"])
def test_what_a_killed_one_served_offline_is_written(
    replicas, sandbox, postgres, requests, is_started_again
):
    postgres.stop_at_once()
    assert [requests.post(replicas[1]) for _ in range(FEWEST)] == [200] * FEWEST
    replicas[1].kill()
    postgres.start()
    if is_started_again:
        replicas[1].start()
        # Its former life is over without a wait.
        assert len(listed(replicas[0])) == len(replicas)
    assert_exact(replicas, sandbox, requests)

    def all_is_given_back():
        [account] = replicas.ledger.query("SELECT * FROM budget_accounts WHERE tokens > 0")
        return account["leased_tokens"] == 0 and reserved(replicas) == 0

    eventually(all_is_given_back, "all is given back", TAKEN_OVER)


def test_what_a_lost_machine_kept_is_everybodys_once_it_is_forgotten(replicas, requests):
    lost, other, _ = replicas
    lost.kill()
    # Nobody finds its spool, and with it the proof that its process is over.
    (lost.working_folder / "catraca.spool.id").unlink()
    [spool] = [
        row["spool"] for row in listed(other) if row["name"].endswith(f":{lost.process.pid}")
    ]
    forgotten = other.command("replica", "forget", spool)
    assert (forgotten.returncode, "is used by" in forgotten.stderr) == (1, True), forgotten.stderr

    def is_given_up():
        return [row for row in listed(other) if (row["spool"], row["silent_ms"]) == (spool, None)]

    [row] = eventually(is_given_up, "others take it for dead", TAKEN_OVER)
    assert row["reserved_budgets"] == 1
    assert other.command("replica", "forget", spool).returncode == 0
    assert spool not in [row["spool"] for row in listed(other)]
    replicas.assert_sound()


def test_a_spool_that_cant_be_read_is_told(replicas, requests):
    lost = replicas[1]
    lost.kill()
    with open(lost.spool, "ab") as spool:
        spool.write(b"{}\n")

    def told():
        lines = [*replicas[0].process.log, *replicas[2].process.log]
        return [line for line in lines if line.get("event") == "spool_not_inherited"]

    [line, *_] = eventually(told, "it is in the log", TAKEN_OVER)
    assert line["path"] == str(lost.spool) and "between bytes 0 and 3" in line["reason"]
    # Nothing of it is thrown away.
    assert lost.spool.read_bytes() == b"{}\n"


def listed(replica):
    """The replicas that `catraca replica list` names."""
    done = replica.command("replica", "list", "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["data"]
