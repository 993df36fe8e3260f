"""The API's own description."""

import re

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate


@pytest.fixture
def document(admin):
    return admin.done("GET", "/api/openapi.json")


def test_the_document_is_valid_openapi_3_1(document):
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_an_answer_is_as_the_document_says_also_for_requests_that_name_nobody(
    catraca, admin, document
):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    assert catraca.post(body).status == 200
    [content] = document["paths"]["/api/analytics"]["get"]["responses"]["200"]["content"].values()
    validator = Draft202012Validator({**content["schema"], "components": document["components"]})
    for grouping in ["user", "conversation", "agent", "key", "day"]:
        validator.validate(admin.done("GET", f"/api/analytics?by={grouping}"))


SIGNED = "/api/token-billing/webhook"
"""Its bodies are the payment provider's, who may add to them."""


def test_the_document_describes_every_body(document):
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in ("post", "patch") and path != SIGNED:
                [content] = operation["requestBody"]["content"].values()
                assert content["schema"]["additionalProperties"] is False, (method, path)
            for status, response in operation["responses"].items():
                assert ("content" in response) == (status != "204"), (method, path, status)


def test_the_document_needs_no_credential_and_describes_every_path(admin):
    admin.token = None
    document = admin.done("GET", "/api/openapi.json")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            named = {entry["name"] for entry in operation["parameters"] if entry["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path)), path
            filled = re.sub(r"{\w+}", "nobody", path)
            reply = admin.call(method.upper(), filled, {} if method in ("post", "patch") else None)
            assert str(reply.status) in operation["responses"], (method, path)
            assert (reply.status == 401) == ("security" in operation), (method, path)
