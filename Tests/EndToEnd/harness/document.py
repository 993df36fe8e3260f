"""The calls that the API's own description names, so that a test can't forget one."""

import re
from dataclasses import dataclass

import jsonschema


@dataclass
class Operation:
    method: str
    path: str
    description: dict
    components: dict

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def takes_body(self):
        return "requestBody" in self.description

    @property
    def needs_credential(self):
        return "security" in self.description

    @property
    def query_names(self):
        return self._names("query")

    @property
    def path_names(self):
        return self._names("path")

    @property
    def body_names(self):
        if not self.takes_body:
            return []
        # A body that takes anything names nothing.
        return list(self._schema(self.description["requestBody"]).get("properties", []))

    def _names(self, place):
        return [entry["name"] for entry in self.description["parameters"] if entry["in"] == place]

    def _schema(self, holder):
        return holder["content"]["application/json"]["schema"]

    def filled(self, names):
        """The path with what its braces stand for; `nobody` for what isn't among the names."""
        return re.sub(r"{(\w+)}", lambda match: names.get(match[1], "nobody"), self.path)

    def check(self, reply):
        """The answer must have a status of the document, and the body that it says."""
        response = self.description["responses"].get(str(reply.status))
        assert response, (str(self), reply)
        if "content" not in response:
            assert reply.text == "", (str(self), reply)
            return
        if "application/json" not in response["content"]:
            [media_type] = response["content"]
            assert reply.fields["content-type"].startswith(media_type), (str(self), reply)
            return
        schema = {**self._schema(response), "components": self.components}
        jsonschema.validate(reply.json(), schema, cls=jsonschema.Draft202012Validator)


def operations(admin):
    """All of them, in the order of the document."""
    document = admin.done("GET", "/api/openapi.json")
    return [
        Operation(method.upper(), path, description, document["components"])
        for path, methods in document["paths"].items()
        for method, description in methods.items()
    ]
