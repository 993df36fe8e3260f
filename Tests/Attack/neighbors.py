"""Two clients of a server that share a provider's account, and what they and others have there."""

import re
from datetime import datetime, timedelta

from belongings import KINDS, make
from callers import Caller, unknown_like

EVERYBODY = "*"

OPENED = [
    "containers",
    "vector_stores",
    "fine_tuning/jobs",
    "evals",
    "videos",
    "models",
    "invented",
]
"""Names that cost money while they rest, or aren't known: they pass only where they are opened."""


def open_all(configuration):
    patterns = [f"/v1/{name}{rest}" for name in OPENED for rest in ("", "/*")]
    configuration.settings["metering"] = {"unmetered_endpoints": patterns}


class Client(Caller):
    def __init__(self, neighbors, name):
        server = neighbors.server
        super().__init__(server.url, neighbors.account, server.key(name))
        self.name = name
        self._neighbors = neighbors

    def new_prompt(self):
        """Prompts are made on the provider's own pages, and assigned by an administrator."""
        id = super().new_prompt()
        self._neighbors.assign("prompt", id, self.name)
        return id


class Neighbors:
    """The clients of a running server; `carol` and `dave` are for tests that need few objects."""

    def __init__(self, server, account):
        self.server = server
        self.account = account
        self._assigned = 0
        self.alice = Client(self, "alice")
        self.bob = Client(self, "bob")
        self.carol = Client(self, "carol")
        self.dave = Client(self, "dave")
        self.operator = Caller(account.url, account)
        """Asks the account itself: what it makes is nobody's."""

    def close(self):
        for caller in [self.alice, self.bob, self.carol, self.dave, self.operator]:
            caller.close()

    def shared(self, *kinds):
        """Objects that an administrator has given to all."""
        made = make(self.operator, *kinds)
        for kind, id in made.items():
            # A version is a number, and its skill's.
            if kind != "version":
                self.assign(KINDS.get(kind, kind), id, EVERYBODY)
        return made

    def assign(self, kind, id, client):
        self.assign_all(kind, [(id, client)])

    def assign_all(self, kind, owners):
        """Gives objects to clients, as an administrator may; None leaves one to nobody."""
        with self.server.ledger.changing() as database:
            database.executemany(
                "INSERT INTO provider_objects"
                " (provider, object_id, kind, client_id, key_name, created_at)"
                " VALUES ('openai', ?, ?, ?, NULL, ?)",
                [(id, kind, client, self._next_time()) for id, client in owners if client],
            )

    def _next_time(self):
        self._assigned += 1
        time = datetime(2026, 1, 1) + timedelta(seconds=self._assigned)
        return time.isoformat(timespec="milliseconds") + "Z"


def without(reply, *ids):
    """An answer without the ids that it names."""
    body = reply.body.decode()
    for id in ids:
        body = body.replace(id, "ID")
    fields = {name: text for name, text in reply.fields.items() if is_about_all(name)}
    fields["content-length"] = None
    return reply.status, fields, re.sub(r"req_\w+", "REQUEST", body)


def is_about_all(name):
    """Whether a header field is the same for all answers to requests of a kind."""
    return name not in ("date", "x-request-id", "connection") and not re.match(
        r"x-ratelimit-|x-catraca-", name
    )


def assert_refused(reply, id=None):
    """Nothing of the request has reached the account."""
    assert 400 <= reply.status < 500, (id, reply)
    assert not reply.arrivals, (id, reply)


def assert_passed(reply):
    assert 200 <= reply.status < 300, reply
    assert reply.arrivals, reply


def assert_looks_unknown(caller, ask, id):
    """A request that names an object is answered as one that names an id which never was."""
    other = unknown_like(id)
    foreign, unknown = ask(caller, id), ask(caller, other)
    assert_refused(foreign, id)
    assert_refused(unknown, other)
    assert without(foreign, id) == without(unknown, other)
    return foreign
