"""`GET /v1/models`: Catraca answers it, with the models that a key may use and what they cost."""

import groq
import openai
import pytest
from harness.metrics import Metrics
from harness.waiting import eventually

MODEL, ALIAS = "gpt-4o-mini", "gpt-4o-mini-2024-07-18"
GROQ_MODEL = "openai/gpt-oss-20b"
PRICES = "/api/pricing-config"
BODY = {"messages": [{"role": "user", "content": "Hello"}], "max_completion_tokens": 5}


def get(server, path, client="acme"):
    with server.connect() as connection:
        return connection.get(path, server.key(client))


def listed(server, path="/v1/models", client="acme"):
    """The entries by their ids, which are unique."""
    answer = get(server, path, client)
    assert answer.status == 200, answer.body
    assert answer.fields["content-type"] == "application/json"
    body = answer.json()
    assert body["object"] == "list" and set(body) == {"object", "data"}
    entries = {entry["id"]: entry for entry in body["data"]}
    assert len(entries) == len(body["data"])
    return entries


def test_every_provider_is_listed_and_none_is_asked(running, sandbox):
    entries = listed(running)
    assert {entry["owned_by"] for entry in entries.values()} == {"openai", "groq"}
    assert listed(running, "/openai/v1/models").keys() < entries.keys()
    assert listed(running, "/groq/openai/v1/models") == listed(running, "/groq/v1/models")
    for name in ("openai", "groq"):
        owners = {e["owned_by"] for e in listed(running, f"/{name}/v1/models").values()}
        assert owners == {name}
    assert sandbox.journal() == []
    assert running.ledger.usage() == []


def test_an_entry_is_openais_with_what_a_request_costs(running):
    entry = listed(running)[MODEL]
    assert set(entry) == {"id", "object", "created", "owned_by", "catraca"}
    assert (entry["object"], entry["owned_by"]) == ("model", "openai")
    assert isinstance(entry["created"], int) and entry["created"] > 1_700_000_000
    terms = entry["catraca"]
    assert terms["provider"] == "openai"
    assert (terms["model"], terms["operation"], terms["currency"]) == (MODEL, "chat", "USD")
    assert (terms["context_tokens"], terms["max_output_tokens"]) == (128000, 16384)
    assert terms["per_million_tokens"]["input"] == "0.150000000"
    assert terms["tiers"]["batch"]["per_million_tokens"]["output"] == "0.300000000"
    assert terms["surcharges"]["web_search"] == {"per_call": "0.025000000"}
    assert not {"file", "source", "as_of"} & set(terms), "the operator's files are nobody's concern"


def test_an_alias_says_what_it_stands_for(running):
    entries = listed(running)
    assert entries[ALIAS]["catraca"] == entries[MODEL]["catraca"]
    one = get(running, f"/v1/models/{ALIAS}").json()
    assert one == entries[ALIAS]


def test_both_sdks_list_and_retrieve(running, sandbox):
    openais, groqs = running.openai(), running.groq()
    names = [model.id for model in openais.models.list()]
    assert MODEL in names
    model = openais.models.retrieve(ALIAS)
    assert (model.id, model.object, model.owned_by) == (ALIAS, "model", "openai")
    assert model.catraca["model"] == MODEL
    assert GROQ_MODEL in [model.id for model in groqs.models.list().data]
    model = groqs.models.retrieve(GROQ_MODEL)
    assert (model.id, model.owned_by) == (GROQ_MODEL, "groq")
    assert openais.models.retrieve(GROQ_MODEL).id == GROQ_MODEL
    for client, kind in ((openais, openai.NotFoundError), (groqs, groq.NotFoundError)):
        with pytest.raises(kind) as caught:
            client.models.retrieve("no-such-model")
        assert caught.value.status_code == 404
    assert sandbox.journal() == []


@pytest.mark.parametrize("prefix", ["/v1", "/groq/v1", "/groq/openai/v1"])
@pytest.mark.parametrize("slash", ["/", "%2F", "%2f"])
def test_a_slash_in_a_name_may_be_escaped(running, prefix, slash):
    answer = get(running, f"{prefix}/models/{GROQ_MODEL.replace('/', slash)}")
    assert (answer.status, answer.json()["id"]) == (200, GROQ_MODEL)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/models/no-such-model", "no-such-model"),
        ("/v1/models/openai/no-such", "openai/no-such"),
        (f"/groq/v1/models/{MODEL}", MODEL),
        (f"/openai/v1/models/{GROQ_MODEL}", GROQ_MODEL),
    ],
)
def test_an_unknown_model_is_refused_as_openai_refuses_it(running, path, name):
    answer = get(running, path)
    assert answer.status == 404
    assert answer.json() == {
        "error": {
            "message": f"The model '{name}' does not exist",
            "type": "invalid_request_error",
            "param": "model",
            "code": "model_not_found",
        }
    }


@pytest.mark.parametrize(
    "path", ["/v1/models/..%2Fchat%2Fcompletions", "/v1/models/%2F", "/v1/models/a%2F"]
)
def test_an_escaped_slash_leads_nowhere_else(running, path):
    answer = get(running, path)
    assert (answer.status, answer.code) == (400, "invalid_path")


def test_fine_tuned_models_are_retrieved_at_the_price_of_their_base(catraca):
    catraca.configuration.settings["metering"] = {"unowned_objects": "allow"}
    running = catraca.start()
    base = "ft:gpt-4o-mini-2024-07-18"
    assert not any(name.startswith("ft:") for name in listed(running))
    for colon in (":", "%3A"):
        answer = get(running, f"/v1/models/{base}:acme::x1".replace(":", colon))
        assert (answer.status, answer.json()["id"]) == (200, f"{base}:acme::x1")
        assert answer.json()["catraca"]["model"] == base


def test_a_model_tuned_for_nobody_here_is_unknown(running, sandbox):
    answer = get(running, "/v1/models/ft:gpt-4o-mini-2024-07-18:acme::x1")
    assert (answer.status, answer.code) == (404, "model_not_found")
    line = running.process.event("object_not_owned")
    assert (line["kind"], line["provider"]) == ("fine_tuning_job", "openai")
    assert sandbox.journal() == []


def test_a_key_sees_what_it_may_use(catraca):
    add = catraca.configuration.add_client
    add("mini", models=["gpt-4o-mini*"])
    add("embedder", operations=["embedding"])
    add("responder", operations=["responses"])
    add("batches", operations=["batch"])
    catraca.start()
    assert {name for name in listed(catraca) if name.startswith("gpt-4o-mini")} == set(
        listed(catraca, client="mini")
    )
    assert {e["catraca"]["operation"] for e in listed(catraca, client="embedder").values()} == {
        "embedding"
    }
    responder = {e["catraca"]["operation"] for e in listed(catraca, client="responder").values()}
    assert responder == {"chat", "responses"}
    assert listed(catraca, client="batches") == {}
    for client, name in (("mini", "gpt-4o"), ("embedder", MODEL)):
        answer = get(catraca, f"/v1/models/{name}", client)
        assert (answer.status, answer.code) == (404, "model_not_found")
        refused = catraca.post({**BODY, "model": name}, client=client)
        assert refused.status == 403, "what isn't listed isn't served either"


def test_a_model_of_two_providers_is_listed_once_for_the_one_that_serves_it(catraca):
    settings = catraca.configuration.settings
    settings["providers"]["other"] = dict(settings["providers"]["openai"])
    text = catraca.configuration.price_file("openai").read_text()
    other = text.replace("provider: openai", "provider: other")
    catraca.configuration.write_text("pricing/other.yaml", other)
    settings["pricing"] = ["pricing/other.yaml", "pricing/openai.yaml"]
    catraca.start()
    assert {entry["owned_by"] for entry in listed(catraca).values()} == {"other"}
    assert listed(catraca, "/openai/v1/models")[MODEL]["owned_by"] == "openai"
    assert get(catraca, f"/openai/v1/models/{MODEL}").json()["owned_by"] == "openai"
    assert catraca.post({**BODY, "model": MODEL}).status == 200
    assert catraca.row()["source"] == "other"


def test_a_client_sees_its_own_prices(catraca, admin):
    own = {"input": "0.30", "output": "1.2"}
    admin.done(
        "POST",
        PRICES,
        {
            "client_id": "acme",
            "provider": "openai",
            "model": MODEL,
            "per_million_tokens": own,
            "per_call": "0.5",
        },
        status=201,
    )
    terms = listed(catraca)[ALIAS]["catraca"]
    assert terms["per_million_tokens"]["input"] == "0.300000000"
    assert terms["per_million_tokens"]["cached_input"] == "0.075000000"
    assert terms["tiers"]["batch"]["per_million_tokens"]["output"] == "1.200000000"
    assert {s["per_call"] for s in terms["surcharges"].values()} == {"0.500000000"}
    assert catraca.post({**BODY, "model": ALIAS}).status == 200
    row = catraca.row()
    assert row["cost_nano_usd"] == row["prompt_tokens"] * 300 + row["completion_tokens"] * 1200


def test_a_client_with_a_markup_sees_it_in_its_prices(catraca, admin):
    clients = "/api/admin/clients"
    admin.done("POST", clients, {"id": "extra", "markup": "20%"}, status=201)
    key = admin.done("POST", f"{clients}/extra/keys", {"name": "app"}, status=201)
    with catraca.connect() as connection:
        terms = connection.get(f"/v1/models/{MODEL}", key["secret"]).json()["catraca"]
    assert terms["per_million_tokens"]["input"] == "0.180000000"
    assert terms["per_million_tokens"]["cached_input"] == "0.090000000"
    assert terms["tiers"]["batch"]["per_million_tokens"]["output"] == "0.360000000"


def test_the_list_needs_a_key_and_counts_as_a_request(catraca):
    catraca.configuration.add_client("beta", requests_per_minute=2)
    catraca.start()
    with catraca.connect() as connection:
        answer = connection.get("/v1/models")
        assert (answer.status, answer.code) == (401, "invalid_api_key")
    assert get(catraca, "/v1/models", "beta").status == 200
    assert get(catraca, f"/v1/models/{MODEL}", "beta").status == 200
    answer = get(catraca, "/v1/models", "beta")
    assert (answer.status, answer.code) == (429, "rate_limit_exceeded")

    def logged():
        return [line for line in catraca.process.log if line["event"] == "unmetered_request"]

    eventually(lambda: len(logged()) == 2, "two lines")
    assert [line["path"] for line in logged()] == ["/v1/models", f"/v1/models/{MODEL}"]
    counted = Metrics.of(catraca).series("catraca_unmetered_requests_total")
    assert counted == {(("client", "beta"),): 2}


@pytest.mark.parametrize("path", ["/v1/models", f"/v1/models/{MODEL}", "/v1/models/no"])
def test_head_has_the_head_of_get(running, path):
    with running.connect() as connection:
        whole = connection.get(path, running.key())
        connection.send(connection.request("HEAD", path, None, running.key()))
        head = connection.answer(to_head=True)
        assert head.status == whole.status
        assert head.fields["content-length"] == whole.fields["content-length"]
        assert connection.get(path, running.key()).status == whole.status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_other_methods_are_refused(running, sandbox, method):
    with running.connect() as connection:
        connection.send(connection.request(method, "/v1/models", {}, running.key()))
        answer = connection.answer()
    assert (answer.status, answer.code) == (403, "endpoint_not_metered")
    assert sandbox.journal() == []
