"""Races: an object is made through one server, and used through another at once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

from belongings import RESPONSE, make
from callers import Caller, Form
from neighbors import assert_passed, assert_refused

THREADS = 6


def stream_to_first_id(caller):
    """Begins a streamed response; returns its id as soon as an event shows it, and the stream."""
    body = {**RESPONSE, "stream": True, "max_output_tokens": 1000}
    slow = {"x-work": json.dumps({"output": 1000, "rate": 20_000})}
    stream = caller.begin("POST", "/responses", body, slow)
    shown = b""
    for chunk in stream.chunks:
        shown += chunk
        if b"\n\n" in shown:
            break
    event = shown.partition(b"data: ")[2].partition(b"\n\n")[0]
    return json.loads(event)["response"]["id"], stream


def made(kind):
    return lambda caller: (make(caller, kind)[kind], None)


WAYS = {
    "file": (made("file"), lambda id: ("GET", f"/files/{id}", None)),
    "response": (made("response"), lambda id: ("GET", f"/responses/{id}", None)),
    "continued": (
        made("response"),
        lambda id: ("POST", "/responses", {**RESPONSE, "previous_response_id": id}),
    ),
    "streamed": (stream_to_first_id, lambda id: ("GET", f"/responses/{id}", None)),
    "conversation": (
        made("conversation"),
        lambda id: ("POST", "/responses", {**RESPONSE, "conversation": id}),
    ),
    "upload": (
        made("upload"),
        lambda id: ("POST", f"/uploads/{id}/parts", Form(data=b"x")),
    ),
    "item": (
        made("output"),
        lambda id: ("POST", "/responses", {**RESPONSE, "input": [{"id": id}]}),
    ),
    "completion": (made("completion"), lambda id: ("GET", f"/chat/completions/{id}", None)),
}
"""How an object is made, and how it is used."""


class Track:
    """One thread's connections to each server: one by which the owner makes objects, one by which
    it uses them, also while the stream that shows them goes on, and one of another client."""

    def __init__(self, servers, account):
        self.makers, self.owners, self.others = (
            [Caller(each.url, account, each.key(client)) for each in servers]
            for client in ["alice", "alice", "bob"]
        )

    def close(self):
        for each in [*self.makers, *self.owners, *self.others]:
            each.close()

    def run(self, way, here, there):
        """One round: made here, used there."""
        make_one, use = WAYS[way]
        id, stream = make_one(self.makers[here])
        request = use(id)
        assert_refused(self.others[there].call(*request), id)
        assert_passed(self.owners[there].call(*request))
        if stream:
            stream.end()


def race(servers, account, rounds):
    """Runs rounds of all kinds in several threads."""
    ways = list(WAYS)

    def run(thread):
        track = Track(servers, account)
        try:
            for number in range(thread, rounds, THREADS):
                here = number % len(servers)
                track.run(ways[number // len(servers) % len(ways)], here, here - 1)
        finally:
            track.close()

    with ThreadPoolExecutor(THREADS) as pool:
        for each in [pool.submit(run, thread) for thread in range(THREADS)]:
            each.result()


class Witness:
    """Clients who make objects until the server dies, and what they saw of them."""

    def __init__(self, server, account):
        self._server = server
        self._account = account
        self._enough = threading.Event()
        self.seen = []
        self.count = threading.Semaphore(0)

    def run_until_killed(self, after):
        with ThreadPoolExecutor(THREADS) as pool:
            running = [pool.submit(self._make, thread) for thread in range(THREADS)]
            for _ in range(after):
                assert self.count.acquire(timeout=20)
            self._enough.set()
            self._server.kill()
            for each in running:
                each.result()

    def _make(self, thread):
        caller = Caller(self._server.url, self._account, self._server.key("alice"))
        ways = list(WAYS)
        try:
            for number in range(thread, 10**6):
                way = ways[number % len(ways)]
                id, stream = WAYS[way][0](caller)
                self.seen.append((way, id))
                self.count.release()
                if stream:
                    stream.end()
        except Exception:  # noqa: BLE001 - the server is being killed
            if not self._enough.is_set():
                raise
        finally:
            caller.close()
