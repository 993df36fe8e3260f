"""Objects that one replica has recorded, as the others know them: also once they are forgotten."""

import json

import pytest
from harness.crowd import at_once
from harness.objects import nothing_forwarded
from harness.replay import WHOLE, Replay
from harness.sanitizers import TIME_FACTOR
from harness.waiting import eventually

# A second, and one for a busy machine.
IN_FORCE = 2.0 * TIME_FACTOR
OBJECTS = "/api/admin/objects"
RESPONSES = "/v1/responses"
RESPONSE = {"model": "gpt-4o-mini", "input": "Hello", "max_output_tokens": 50}


@pytest.fixture
def pair(replicas, account, tokens):
    """Two started replicas of two clients, whose provider is one account."""
    replicas.configuration.settings["providers"]["openai"]["base_url"] = account.url
    replicas.configuration.add_client("other")
    return [replica.start() for replica in replicas[:2]]


def get(replica, path, client="acme"):
    with replica.connect() as connection:
        connection.send(connection.request("GET", path, None, replica.key(client)))
        return connection.answer()


def until(replica, path, status, client="acme"):
    """Waits until a replica answers so, as long as a change may take to be in force."""
    eventually(
        lambda: get(replica, path, client).status == status, f"{status} for {client}", IN_FORCE
    )


@pytest.mark.parametrize("maker", [0, 1])
@pytest.mark.parametrize("admin", [0, 1])
def test_what_is_forgotten_at_one_is_forgotten_at_both(pair, account, tokens, maker, admin):
    """Whichever has recorded the object, and both have granted it before."""
    made = pair[maker].post(RESPONSE, RESPONSES).json()["id"]
    path = f"{RESPONSES}/{made}"
    for replica in pair:
        assert get(replica, path).status == 200
    target = f"{OBJECTS}?provider=openai&object_id={made}"
    assert pair[admin].admin(tokens["admin"]).delete(target).status == 204
    for replica in pair:
        until(replica, path, 404)
    with nothing_forwarded(account):
        for replica in pair:
            unknown = get(replica, f"{RESPONSES}/resp_unheard_of").body
            refused = get(replica, path).body
            assert refused.replace(made.encode(), b"ID") == unknown.replace(
                b"resp_unheard_of", b"ID"
            )
    # Nobody's is nobody's, until it is assigned.
    assert get(pair[0], path, "other").status == 404
    body = {"provider": "openai", "object_id": made, "kind": "response", "client_id": "other"}
    assert pair[1 - admin].admin(tokens["admin"]).post(OBJECTS, body).status == 201
    for replica in pair:
        until(replica, path, 200, "other")
        assert get(replica, path).status == 404


def test_what_its_owner_deletes_at_one_is_gone_at_both(pair, account):
    made = pair[0].post(RESPONSE, RESPONSES).json()["id"]
    path = f"{RESPONSES}/{made}"
    assert get(pair[1], path).status == 200
    pair[0].openai(max_retries=0).responses.delete(made)
    until(pair[1], path, 404)
    with nothing_forwarded(account):
        assert get(pair[0], path).status == 404


def test_the_results_of_a_batch_are_owned_through_the_other_replica(pair, account):
    """One has begun the batch, and hasn't settled it; its client reads the results at the other."""
    line = {"custom_id": "0", "method": "POST", "url": RESPONSES, "body": RESPONSE}
    client = pair[0].openai(max_retries=0)
    file = client.files.create(file=("x.jsonl", json.dumps(line).encode()), purpose="batch").id
    slow = {"x-work": json.dumps({"output": 50, "rate": 40})}
    batch = client.batches.create(
        input_file_id=file,
        endpoint=RESPONSES,
        completion_window="24h",
        extra_headers=slow,
    ).id
    kept = account.batches.batches.get(batch)
    # Catraca asks after 1, 2 and 4 seconds: the batch ends in between.
    eventually(lambda: kept.value["output_file_id"], "the batch's end")
    assert pair[0].ledger.deferred()
    output = get(pair[1], f"/v1/batches/{batch}").json()["output_file_id"]
    content = get(pair[1], f"/v1/files/{output}/content").body
    made = json.loads(content)["response"]["body"]["id"]
    assert get(pair[1], f"{RESPONSES}/{made}").status == 200
    assert get(pair[1], f"{RESPONSES}/{made}", "other").status == 404


def test_a_session_of_a_container_is_paid_for_at_one_replica(replicas):
    """Of several replicas that begin it at once, too."""
    provider = Replay()
    replicas.configuration.settings["providers"]["openai"]["base_url"] = f"{provider.url}/v1"
    item = {"type": "code_interpreter_call", "id": "ci_1", "container_id": "cntr_1"}
    answer = {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}
    answer["usage"] = {"input_tokens": 10, "output_tokens": 5}
    replicas.start()
    provider.play(200, {"content-type": "application/json"}, json.dumps(answer).encode(), WHOLE)
    request = {**RESPONSE, "tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]}
    replies = at_once(6, lambda index: replicas.post(index, request, path=RESPONSES))
    assert [reply.status for reply in replies] == [200] * 6
    assert sorted(row["calls"] for row in replicas.ledger.usage()) == [0] * 5 + [1]
    replicas.assert_sound()
    provider.end()
