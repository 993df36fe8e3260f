"""The API's own description."""

import re


def test_the_document_needs_no_credential_and_describes_every_path(admin):
    admin.token = None
    document = admin.done("GET", "/api/openapi.json")
    assert document["openapi"] == "3.1.0"
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            named = {entry["name"] for entry in operation["parameters"] if entry["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path)), path
            filled = re.sub(r"{\w+}", "nobody", path)
            reply = admin.call(method.upper(), filled, {} if method in ("post", "patch") else None)
            assert str(reply.status) in operation["responses"], (method, path)
            assert (reply.status == 401) == ("security" in operation), (method, path)
