"""JSON bodies in other spellings, which some reader may take for the plain one."""

import json


def holding(value, id):
    """The object and the name of its member in which an id stands, directly or in a list."""
    if isinstance(value, dict):
        for name, member in value.items():
            if member == id or isinstance(member, list) and id in member:
                return value, name
    members = value.values() if isinstance(value, dict) else value
    for member in members:
        if isinstance(member, (dict, list)) and (found := holding(member, id)):
            return found
    return None


def changed(body, id, change):
    """A copy of a body in which `change` was made to the object and the member with an id."""
    copy = json.loads(json.dumps(body))
    change(*holding(copy, id))
    return json.dumps(copy).encode()


def renamed(body, id, name_of):
    def change(holder, name):
        members = {(name_of(key) if key == name else key): holder[key] for key in holder}
        holder.clear()
        holder.update(members)

    return changed(body, id, change)


def replaced(body, id, member_of):
    def change(holder, name):
        holder[name] = member_of(holder[name])

    return changed(body, id, change)


def repeated(body, id, other, is_last):
    """The member with the id stands twice, once with another value."""
    marker = "the second of both"

    def change(holder, name):
        first, second = (other, holder[name]) if is_last else (holder[name], other)
        members = {}
        for key in holder:
            members[key] = first if key == name else holder[key]
            if key == name:
                members[f"{key}{marker}"] = second
        holder.clear()
        holder.update(members)

    return changed(body, id, change).replace(marker.encode(), b"")


def escaped(body):
    """All strings and names, written with nothing but escapes."""

    def write(value):
        if isinstance(value, str):
            return '"' + "".join(f"\\u{ord(letter):04x}" for letter in value) + '"'
        if isinstance(value, list):
            return f"[{','.join(map(write, value))}]"
        if isinstance(value, dict):
            pairs = [f"{write(name)}:{write(member)}" for name, member in value.items()]
            return f"{{{','.join(pairs)}}}"
        return json.dumps(value)

    return write(body).encode()


def all_of(body, id):
    """Spellings of a body, by what was done."""
    spelled = {
        "escapes": escaped(body),
        "capitals of the member": renamed(body, id, str.upper),
        "a capital of the member": renamed(body, id, str.capitalize),
        "repeated, the last": repeated(body, id, "x", is_last=True),
        "repeated, the first": repeated(body, id, "x", is_last=False),
        "repeated as nothing": repeated(body, id, None, is_last=False),
        "a name with a NUL": renamed(body, id, lambda name: f"{name}\x00x"),
        "a new name": renamed(body, id, lambda name: "invented"),
    }
    return {name: text for name, text in spelled.items() if is_reference(name, id)}


def is_reference(spelling, id):
    """Under a new name only ids of a known form are looked for."""
    return spelling != "a new name" or id.startswith(KNOWN_FORMS)


KNOWN_FORMS = ("file-", "resp_", "batch_", "conv_", "vs_", "cntr_", "skill_", "pmpt_", "ft:")
