"""How the requests of the walks are made from their tables."""

import json

from belongings import make


def path_of(endpoint, made):
    return endpoint.path.format(**made)


def needed(endpoint):
    """Kinds to make for an endpoint, each after what it is made of."""
    # A model is made by a job.
    first = [kind for kind in endpoint.needs if kind == "job"]
    return list(dict.fromkeys([*first, *endpoint.kinds, *endpoint.needs]))


def request_of(caller, place, id):
    """A request of a caller whose body names the object; what else it names is the caller's."""
    return (place.method, *filled(caller, place, place.body(id)))


def filled(caller, place, body):
    """A place's path and body with the caller's own objects."""
    kinds = [part[1:-1] for part in place.path.split("/") if part.startswith("{")]
    own = make(caller, *kinds, *place.needs)
    if place.needs:
        body = json.loads(json.dumps(body).replace("PROMPT", own["prompt"]))
    return place.path.format(**own), body
