"""The ids that requests name: all of them, for tests; and those that the account must know."""

import json
import re
from urllib.parse import unquote

ID = re.compile(
    r"(?:(?:file|ftjob|chatcmpl)-|ft:|(?:resp|batch|conv|vs|vsfb|cntr|cfile|skill|pmpt|upload"
    r"|part|video|char|eval|evalrun|outputitem|msg|rs|fc|ci|sh|ig|ws|audio|rtc|live|cthr)_).+"
)
"""The forms of a provider's ids."""

ONE = {
    "file_id": "file",
    "input_file_id": "file",
    "training_file": "file",
    "validation_file": "file",
    "container_id": "container",
    "skill_id": "skill",
    "previous_response_id": "response",
    "response_id": "response",
    "comparison_response_id": "response",
}
"""Members whose text is an id, by name."""

MANY = {"file_ids": "file", "vector_store_ids": "vector store", "part_ids": "part"}
"""Members whose elements are ids, by name."""

INSIDE = {
    "conversation": "conversation",
    "prompt": "prompt",
    "audio": "audio",
    "video": "video",
}
"""Members whose object has an id, by name."""

TEXTS = {"annotations", "metadata", "parameters", "schema", "arguments"}
"""Members with an app's own texts, where no id is looked up."""


def named(request):
    """Every id in a request's path, query, and body, whatever it stands for."""
    texts = [*request.path.split("/"), *request.parameters.values()]
    if request.is_form:
        texts += [content.decode(errors="replace") for _, content in request.form_parts]
    elif request.body:
        try:
            texts += strings(request.body)
        except ValueError:
            pass  # Not JSON: it names nothing.
    return frozenset(text for text in map(unquote, texts) if ID.fullmatch(text))


def strings(text):
    """Every string of a JSON text, also those that a repeated key hides."""
    found = []

    def note(pairs):
        found.extend(value for pair in pairs for value in flat(pair[1]))
        return {}

    found.extend(flat(json.loads(text, object_pairs_hook=note)))
    return found


def flat(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from flat(element)


def looked_up(body):
    """Kind and id of each object that a body needs, and the body's member that names it."""
    if not isinstance(body, dict):
        yield from ((kind, id, None) for kind, id in needed(body))
        return
    for name, member in body.items():
        if name not in TEXTS:
            yield from ((kind, id, name) for kind, id in needed_in_member(name, member))


def needed(value):
    if isinstance(value, list):
        for element in value:
            yield from needed(element)
    if not isinstance(value, dict):
        return
    is_thin = value.get("type") == "reasoning" and not value.get("encrypted_content")
    if value.get("type") == "item_reference" or set(value) == {"id"} or is_thin and "id" in value:
        yield "item", value["id"]
    if value.get("type") == "file_id":
        yield "file", value["id"]
    for name, member in value.items():
        if name not in TEXTS:
            yield from needed_in_member(name, member)


def needed_in_member(name, member):
    if isinstance(member, str):
        if kind := ONE.get(name):
            # A built-in skill has a name instead.
            if kind != "skill" or not member.startswith("openai-"):
                yield kind, member
        elif name in ("conversation", "container"):
            yield name, member
        elif name == "model" and member.startswith("ft:"):
            yield "model", member
    elif name in MANY and isinstance(member, list):
        yield from ((MANY[name], element) for element in member)
    elif name in INSIDE and isinstance(member, dict):
        if isinstance(member.get("id"), str):
            yield INSIDE[name], member["id"]
        yield from needed({key: each for key, each in member.items() if key != "id"})
    else:
        yield from needed(member)
