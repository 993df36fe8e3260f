"""A key's models hold for every model that a request names, wherever it names it."""

import pytest
from harness.catraca import Catraca
from harness.configuration import Configuration, sandbox_providers

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
OWN, OTHER, DEAR = "gpt-4o-mini", "gpt-4o", "gpt-6-astra"
MESSAGES = [{"role": "user", "content": "Hello"}]
BODY = {"model": OWN, "messages": MESSAGES, "max_tokens": 5}

MEMBERS = [
    {"models": [OWN, OTHER]},
    {"fallbacks": [{OWN: [OTHER]}]},
    {"fallbacks": [{"model": OTHER}]},
    {"fallback_model": OTHER},
    {"extra_body": {"models": [OTHER]}},
]


@pytest.fixture(scope="module")
def house(tmp_path_factory, sandbox_process):
    folder = tmp_path_factory.mktemp("models")
    configuration = Configuration(folder, sandbox_providers(sandbox_process.url))
    configuration.settings["metering"] = {"unmetered_endpoints": ["/v1/*"]}
    configuration.add_client("free")
    configuration.add_client("bound", models=[OWN, "gpt-5*"])
    configuration.add_client("texts", operations=["chat", "responses"])
    tokens = {"name": "small", "mode": "cost", "currency": "USD", "cost": "0.002"}
    configuration.add_client("small", [{**tokens, "period": "total", "enforcement": "hard"}])
    catraca = Catraca(configuration).start()
    yield catraca
    catraca.end()


def refused(house, sandbox, body, path, client, code="model_not_allowed", **more):
    before = len(sandbox.journal())
    answer = house.post(body, path, client, **more)
    assert (answer.status, answer.code) == (403, code), answer.body
    assert len(sandbox.journal()) == before


@pytest.mark.parametrize("members", MEMBERS, ids=str)
def test_a_metered_request_names_no_other_model(house, sandbox, members):
    refused(house, sandbox, {**BODY, **members}, CHAT, "bound")
    assert house.post({**BODY, **members}, CHAT, "free").status == 200


def test_a_response_reasons_by_no_other_model(house, sandbox):
    body = {"model": OWN, "input": "Hello", "reasoning": {"model": OTHER}}
    refused(house, sandbox, body, RESPONSES, "bound")


def test_several_models_in_one_name_are_several(house, sandbox):
    refused(house, sandbox, {**BODY, "model": f"gpt-5,{OTHER}"}, CHAT, "bound")


def test_the_dearest_of_the_models_is_held(house):
    """0.002 USD pay for a thousand tokens of the small model, and not of a dear one."""
    body = {**BODY, "max_tokens": 1000}
    assert house.post({**body, "models": [DEAR]}, CHAT, "small").code == "budget_exceeded"
    assert house.post(body, CHAT, "small").status == 200


def test_another_model_needs_a_price(house):
    answer = house.post({**BODY, "models": ["unheard-of"]}, CHAT, "free")
    assert (answer.status, answer.code) == (400, "model_not_priced")


@pytest.mark.parametrize(
    "body",
    [
        *MEMBERS,
        {"model": OTHER},
        {"tools": [{"type": "image_generation"}]},
        {"tools": [{"type": "image_generation", "model": "gpt-image-1"}]},
        {"data_source": {"model": OTHER}},
    ],
    ids=str,
)
def test_an_opened_path_takes_no_other_model(house, sandbox, body):
    refused(house, sandbox, body, "/v1/tomorrow", "bound")
    # The stand-in has no such call: that its own 404 comes shows that it was asked.
    assert house.post(body, "/v1/tomorrow", "free").status == 404
    own = {"model": OWN, "models": [OWN], "metadata": {"model": OTHER}}
    assert house.post(own, "/v1/tomorrow", "bound").status == 404


@pytest.mark.parametrize("path", [f"/v1/tomorrow?models[]={OTHER}", f"/v1/engines/{OTHER}/x"])
def test_an_opened_path_names_no_other_model_itself(house, sandbox, path):
    refused(house, sandbox, {}, path, "bound")


def test_a_form_of_an_opened_path_names_no_other_model(house, sandbox):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    with house.connect() as connection:
        answer = connection.post(
            "/v1/tomorrow", f"model={OTHER}".encode(), house.key("bound"), headers=headers
        )
    assert (answer.status, answer.code) == (403, "model_not_allowed")


def test_a_key_of_texts_draws_on_no_opened_path(house, sandbox):
    body = {"tools": [{"type": "image_generation"}]}
    refused(house, sandbox, body, "/v1/tomorrow", "texts", "operation_not_allowed")
