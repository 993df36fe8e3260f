"""A client's own key at a provider: all of its requests, and what follows from them, go out with
that key, and nothing shows it."""

import json

import pytest
from harness.configuration import PROVIDER_KEYS
from harness.raw_http import Connection
from harness.realtime import open_session, respond
from harness.recording_server import RecordingServer
from harness.sandbox import expected_usage, script
from harness.waiting import eventually

MODEL, GROQ_MODEL = "gpt-4o-mini", "llama-3.1-8b-instant"
MESSAGES = [{"role": "user", "content": "What does a turnstile do?"}]
BODY = {"model": MODEL, "messages": MESSAGES, "max_completion_tokens": 50}
VARIABLE = "ACME_OPENAI_KEY"
OWN, ROTATED = "sk-own-account-of-acme-acm1", "sk-own-account-of-acme-acm2"
MAIN = PROVIDER_KEYS["TEST_OPENAI_KEY"]
FOREVER = script(pending_looks=1_000_000)


def own_key(catraca, client="acme", **source):
    """Gives a client a key of its own for openai, in the file."""
    clients = catraca.configuration.clients["clients"]
    clients[client]["provider_keys"] = {"openai": source or {"api_key_env": VARIABLE}}


@pytest.fixture
def house(catraca):
    """A server that isn't started yet, whose client `acme` has an own key; `beta` has none."""
    catraca.environment[VARIABLE] = OWN
    catraca.configuration.add_client("beta")
    own_key(catraca)
    return catraca


def endings(sandbox):
    """The last characters of the keys that the provider was sent."""
    return {entry["key_ending"] for entry in sandbox.journal()}


def ending(key):
    return {key[-4:]}


def chat(house):
    assert house.post(BODY).status == 200


def stream(house):
    assert house.post({**BODY, "stream": True}).status == 200


def response(house):
    assert house.post({"model": MODEL, "input": "Hello"}, "/openai/v1/responses").status == 200


def embedding(house):
    body = {"model": "text-embedding-3-small", "input": "Hello"}
    assert house.post(body, "/v1/embeddings").status == 200


def speech(house):
    house.openai().audio.speech.create(model="tts-1", voice="alloy", input="Hello").read()


def realtime(house):
    with open_session(house) as session:
        respond(session)


def free_count(house):
    body = {"model": MODEL, "input": "Hello"}
    assert house.post(body, "/v1/responses/input_tokens").status == 200


def retrieval(house):
    house.openai().responses.retrieve(background(house).id)


def upload(house):
    house.openai().files.create(file=("requests.jsonl", b"{}"), purpose="batch")


KINDS = [chat, stream, response, embedding, speech, realtime, free_count, retrieval, upload]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_request_goes_out_with_the_clients_own_key(house, sandbox, kind):
    house.start()
    kind(house)
    assert endings(sandbox) == ending(OWN)


def test_other_clients_and_other_providers_are_as_before(house, sandbox):
    house.start()
    assert house.post(BODY, client="beta").status == 200
    assert endings(sandbox) == ending(MAIN)
    sandbox.clear()
    assert house.post({**BODY, "model": GROQ_MODEL}).status == 200
    assert endings(sandbox) == ending(PROVIDER_KEYS["TEST_GROQ_KEY"])


def test_it_is_metered_and_priced_as_any_other(house):
    house.start()
    assert house.post(BODY).status == 200
    assert house.post(BODY, client="beta").status == 200
    own, other = house.ledger.usage()
    assert own["client_id"] == "acme" and own["total_tokens"] == expected_usage(MESSAGES).total
    for name in ("cost_nano_usd", "total_tokens", "price_version", "source", "held_tokens"):
        assert own[name] == other[name], name


def test_a_budget_holds_and_the_last_mile_counts_with_the_own_key(house, sandbox):
    text = [{"role": "user", "content": "Turnstiles let one person through. " * 60}]
    room = expected_usage(text).prompt + 50 + 100
    house.configuration.add_client("small", [{"name": "all", "period": "total", "tokens": room}])
    own_key(house, "small")
    house.start()
    assert house.post({**BODY, "messages": text}, client="small").status == 200
    assert [entry["path"] for entry in sandbox.journal()] == [
        "/v1/responses/input_tokens",
        "/v1/chat/completions",
    ]
    assert endings(sandbox) == ending(OWN)
    assert house.post({**BODY, "messages": text}, client="small").status == 429


def background(house, headers=None):
    return house.openai().responses.create(
        model="gpt-5-mini",
        input="Hello",
        background=True,
        max_output_tokens=100,
        extra_headers=headers or {},
    )


def batch(house, headers=None):
    client = house.openai()
    line = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions"}
    line["body"] = {"model": MODEL, "messages": MESSAGES, "max_tokens": 50}
    content = json.dumps(line).encode()
    file = client.files.create(file=("requests.jsonl", content), purpose="batch")
    return client.batches.create(
        input_file_id=file.id,
        endpoint=line["url"],
        completion_window="24h",
        extra_headers=headers or {},
    )


def assert_settled(house):
    eventually(house.ledger.usage, "a row of usage")
    eventually(lambda: not house.ledger.deferred(), "its end")
    assert house.row()["outcome"] == "ok"
    assert house.row()["usage_source"] == "reported"


@pytest.mark.parametrize("begin", [background, batch])
def test_deferred_work_is_followed_with_the_own_key(house, sandbox, begin):
    house.start()
    begin(house)
    assert_settled(house)
    assert {"POST", "GET"} <= {entry["method"] for entry in sandbox.journal()}
    assert endings(sandbox) == ending(OWN)


@pytest.mark.parametrize("begin", [background, batch])
def test_so_it_is_after_a_restart_with_another_key(house, sandbox, begin):
    house.start()
    begin(house, script(pending_looks=2))
    house.kill()
    sandbox.clear()
    house.environment[VARIABLE] = ROTATED
    house.start()
    assert_settled(house)
    assert endings(sandbox) == ending(ROTATED)


@pytest.mark.parametrize("begin", [background, batch])
def test_work_whose_key_is_gone_waits_for_it_and_never_takes_another(house, sandbox, begin):
    house.start()
    begin(house, script(pending_looks=1))
    house.kill()
    sandbox.clear()
    keys = house.configuration.clients["clients"]["acme"].pop("provider_keys")
    house.start()
    line = house.process.event("deferred_without_key")
    assert (line["client"], line["own_key"]) == ("acme", True)
    assert house.post(BODY, client="beta").status == 200
    assert [entry["method"] for entry in sandbox.journal()] == ["POST"]
    assert len(house.ledger.deferred()) == 1
    house.configuration.clients["clients"]["acme"]["provider_keys"] = keys
    house.configuration.write()
    eventually(lambda: not house.ledger.deferred(), "its end")
    assert endings(sandbox) == ending(OWN) | ending(MAIN)


def test_work_of_the_common_account_is_followed_with_its_key(house, sandbox):
    del house.configuration.clients["clients"]["acme"]["provider_keys"]
    house.start()
    background(house, script(pending_looks=1))
    house.kill()
    own_key(house)
    house.start()
    assert_settled(house)
    assert endings(sandbox) == ending(MAIN)


def test_a_new_key_in_its_file_is_in_force_without_a_restart(house, sandbox):
    file = house.configuration.folder / "acme.key"
    file.write_text(f"{OWN}\n")
    own_key(house, api_key_file="acme.key")
    # The watched files don't depend on whether clients.yaml was decoded anew.
    house.start()
    chat(house)
    for key in (ROTATED, OWN, ROTATED):
        fresh = file.with_name("fresh")
        fresh.write_text(key)
        fresh.replace(file)

        def is_sent():
            sandbox.clear()
            chat(house)
            return endings(sandbox) == ending(key)

        eventually(is_sent, "the new key")
    file.unlink()
    house.process.event("configuration_refused")
    sandbox.clear()
    chat(house)
    assert endings(sandbox) == ending(ROTATED), "what was in force stays so"


def test_errors_of_the_provider_do_not_show_it(house):
    provider = RecordingServer()
    url = f"http://127.0.0.1:{provider.port}/v1"
    house.configuration.settings["providers"]["openai"]["base_url"] = url
    said = f"Incorrect API key provided: {OWN}, {OWN[:8]}********{OWN[-4:]}."
    provider.answer = (401, {"error": {"message": said, "code": "invalid_api_key"}})
    house.start()
    try:
        for path in ("/v1/chat/completions", "/v1/responses/input_tokens"):
            answer = house.post({**BODY, "input": "Hello"}, path)
            assert answer.status == 401
            message = answer.json()["error"]["message"]
            assert message == "Incorrect API key provided: [provider key], [provider key]."
    finally:
        provider.close()
    line = house.process.event("provider_key_refused")
    assert (line["provider"], line["client"]) == ("openai", "acme")


PAGES = [
    "/api/admin/clients", "/api/admin/clients/acme", "/api/admin/openapi.json", "/metrics",
    "/api/admin/config", "/dashboard", "/dashboard/clients", "/dashboard/clients/acme",
]  # fmt: skip


def test_names_are_shown_and_the_key_never(house, tokens):
    house.configuration.clients["clients"]["beta"]["provider_keys"] = {
        "openai": {"api_key_file": "beta.key"},
        "groq": {"api_key_env": VARIABLE},
    }
    (house.configuration.folder / "beta.key").write_text(ROTATED)
    house.start()
    admin = house.admin(tokens["admin"])

    def shown(client):
        return admin.get(f"/api/admin/clients/{client}").json()["provider_keys"]

    assert shown("acme") == {"openai": {"api_key_env": VARIABLE}}
    named = {"groq": {"api_key_env": VARIABLE}, "openai": {"api_key_file": "beta.key"}}
    assert shown("beta") == named
    for path in PAGES:
        reply = admin.get(path)
        assert OWN not in reply.text and ROTATED not in reply.text, path
    done = house.command("client", "show", "beta", "--format", "json")
    assert json.loads(done.stdout)["provider_keys"] == named
    for arguments in (["check"], ["client", "list"], ["doctor", "--offline"]):
        done = house.command(*arguments)
        assert OWN not in done.stdout + done.stderr and ROTATED not in done.stdout + done.stderr


def test_the_api_does_not_set_it(house, tokens):
    house.start()
    admin = house.admin(tokens["admin"])
    keys = {"openai": {"api_key_env": "HOME"}}
    reply = admin.post("/api/admin/clients", {"id": "gamma", "provider_keys": keys})
    assert (reply.status, reply.code) == (400, "unknown_field")
    assert admin.post("/api/admin/clients", {"id": "gamma"}).json()["provider_keys"] == {}


def start_error(house):
    house.configuration.write()
    done = house.command("serve")
    assert done.returncode != 0
    return done.stderr


def test_a_missing_key_stops_the_start_and_check_warns(house):
    del house.environment[VARIABLE]
    assert f"the environment variable {VARIABLE} is not set" in start_error(house)
    check = house.command("check")
    assert check.returncode == 0 and f"{VARIABLE} is not set" in check.stderr
    doctor = house.command("doctor", "--offline")
    assert doctor.returncode == 1 and f"{VARIABLE} is not set" in doctor.stdout
    own_key(house, api_key_file="none.key")
    assert "none.key: no such file" in start_error(house)


def test_doctor_tries_each_own_key(house, sandbox):
    house.configuration.write()
    done = house.command("doctor", "--format", "json")
    assert done.returncode == 0, done.stdout
    asked = [(entry["path"], entry["key_ending"]) for entry in sandbox.journal()]
    assert ("/v1/models", OWN[-4:]) in asked and ("/v1/models", MAIN[-4:]) in asked
    findings = json.loads(done.stdout)["data"]
    assert any("openai, with the key of acme" in finding["finding"] for finding in findings)


def test_two_connections_to_one_provider_never_mix_keys(house, sandbox):
    """Requests of both clients, one after the other on the same connections."""
    house.start()
    with Connection(house.host, house.port) as first, Connection(house.host, house.port) as second:
        for index in range(20):
            client, connection = [("acme", first), ("beta", second)][index % 2]
            body = {**BODY, "user": client}
            path = "/v1/chat/completions"
            assert connection.post(path, body, house.key(client)).status == 200
    sent = {(json.loads(entry["body"])["user"], entry["key_ending"]) for entry in sandbox.journal()}
    assert sent == {("acme", OWN[-4:]), ("beta", MAIN[-4:])}
