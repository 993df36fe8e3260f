"""The account: a server that keeps what is made with it, and knows what it did and what that costs.

It keeps every object by id, for whoever asks, as a provider does: it doesn't know that its clients
are several. It makes output at a given speed, notices a client that hangs up, and stops billing
then. Requests tell it what to do in the header `x-work`, a JSON object: see `Order`.
"""

import asyncio
import inspect
import itertools
import re
import threading
from dataclasses import dataclass

from .batches import Batches
from .completions import Completions
from .containers import Containers
from .conversations import Conversations
from .evals import Evals
from .faults import Fault, unknown
from .files import Files
from .fine_tuning import FineTuning
from .http import LARGEST_HEAD, Connection, Gone, read_request
from .images import Images
from .prompts import Prompts
from .realtime import Realtime
from .references import looked_up, named
from .responses import Responses
from .skills import Skills
from .sounds import Sounds
from .vector_stores import VectorStores
from .videos import Videos
from .work import Workshop


@dataclass(frozen=True)
class Arrival:
    """A request that reached the account."""

    method: str
    path: str
    query: str
    fields: dict
    ids: frozenset
    """Every id in its path, query, and body."""
    body: bytes


class Account:
    """Serves on a port of its own, in a thread of its own."""

    def __init__(self):
        self.requests = []
        """Every `Arrival`, in order."""
        self._ids = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self.workshop = Workshop(self._loop)
        self.truth = self.workshop.truth
        self._furnish()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=[started], daemon=True)
        self._thread.start()
        started.wait()

    def _furnish(self):
        self.files = Files(self)
        self.batches = Batches(self)
        self.completions = Completions(self)
        self.responses = Responses(self)
        self.conversations = Conversations(self)
        self.containers = Containers(self)
        self.vector_stores = VectorStores(self)
        self.skills = Skills(self)
        self.fine_tuning = FineTuning(self)
        self.evals = Evals(self)
        self.videos = Videos(self)
        self.prompts = Prompts(self)
        self.sounds = Sounds(self)
        self.images = Images(self)
        self.realtime = Realtime(self)
        all = [each for each in vars(self).values() if hasattr(each, "routes")]
        self._known = {kind: ids for each in all for kind, ids in each.known.items()}
        routes = [route for each in all for route in each.routes]
        # A literal segment goes before an id.
        routes.sort(key=lambda route: route[1].count("{}"))
        self._routes = [
            (method, re.compile("/v1" + path.replace("{}", "([^/]+)")), answer)
            for method, path, answer in routes
        ]

    def _run(self, started):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LARGEST_HEAD)
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        started.set()
        self._loop.run_forever()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def id(self, prefix):
        """An id that was never given before."""
        return f"{prefix}{next(self._ids):012d}"

    # Questions of tests

    def was_named(self, id):
        """Whether any request that came names an object."""
        return any(id in request.ids for request in list(self.requests))

    def expire(self, id):
        """Ends an object as a provider does in time, without a request for it."""
        for objects in self._known.values():
            if id in objects:
                objects.remove(id)

    def knows(self, kind, id):
        return id in self._known[kind]

    # One connection

    async def _serve(self, reader, writer):
        try:
            while True:
                await self._serve_one(reader, writer)
        except (Gone, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _serve_one(self, reader, writer):
        request = await read_request(reader)
        head = (request.method, request.path, request.query, request.fields)
        self.requests.append(Arrival(*head, named(request), request.body))
        connection = Connection(reader, writer)
        try:
            await self._answer(request, connection)
        except Fault as fault:
            await connection.respond(fault.status, fault.value)
        except (KeyError, ValueError, AttributeError, IndexError, TypeError) as fault:
            unreadable = Fault(400, f"unreadable: {fault!r}")
            await connection.respond(unreadable.status, unreadable.value)
        finally:
            await connection.end()

    async def _answer(self, request, connection):
        answer, ids = self._route(request)
        is_json = request.fields.get("content-type", "").startswith("application/json")
        if is_json and request.body:
            self.look_up(request.json)
        if inspect.iscoroutinefunction(answer):
            return await answer(request, connection, *ids)
        await connection.respond(200, answer(request, *ids))

    def _route(self, request):
        for method, pattern, answer in self._routes:
            if method == request.method and (match := pattern.fullmatch(request.path)):
                return answer, match.groups()
        raise Fault(404, f"Invalid URL ({request.method} {request.path})")

    def look_up(self, value):
        """Refuses a body that refers to an object which isn't there."""
        for kind, id, place in looked_up(value):
            if not self.knows(kind, id):
                raise unknown(kind, id, place)
