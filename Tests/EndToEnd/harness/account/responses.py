"""Responses: at once, streamed, in the background; and what is kept of them."""

import asyncio

from .kept import Collection, deleted
from .response_items import output_items
from .response_stream import Events
from .work import TICK, Order, input_tokens


class Response:
    """One response and its work."""

    def __init__(self, id, body, work):
        self.id = id
        self.body = body
        self.work = work
        self.output = []
        self.conversation = None

    @property
    def status(self):
        if self.work.is_cancelled:
            return "cancelled"
        return "in_progress" if self.work.is_underway else "completed"

    @property
    def value(self):
        """The response as answers show it now."""
        work, is_done = self.work, self.status == "completed"
        usage = {
            "input_tokens": work.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": work.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": work.input_tokens + work.output_tokens,
        }
        return {
            "id": self.id,
            "object": "response",
            "model": self.body["model"],
            "status": self.status,
            "background": bool(self.body.get("background")),
            "store": self.body.get("store", True),
            "previous_response_id": self.body.get("previous_response_id"),
            "conversation": self.conversation and {"id": self.conversation},
            "tools": self.body.get("tools") or [],
            "output": self.output if is_done else [],
            "usage": usage if is_done else None,
        }


class Responses:
    def __init__(self, account):
        self._account = account
        self.responses = Collection("response")
        self.known = {"response": self.responses}
        one = "/responses/{}"
        self.routes = [
            ("POST", "/responses", self.make),
            ("POST", "/responses/compact", self.compact),
            ("POST", "/responses/input_tokens", self.count_input),
            ("GET", one, self.read),
            ("DELETE", one, self.delete),
            ("POST", f"{one}/cancel", self.cancel),
            ("GET", f"{one}/input_items", self.input_items),
        ]

    async def make(self, request, connection):
        body, order = request.json, Order.of(request.fields)
        response = self._begin(body, order)
        limit = body.get("max_output_tokens") or order.output
        output = min(order.output, limit)
        if body.get("background"):
            return await self._submit(response, output, order, connection)
        if body.get("stream"):
            return await self._show(response, output, order, connection)
        await self._account.workshop.make(response.work, output, order, connection)
        self._finish(response)
        await connection.respond(200, response.value)

    def _begin(self, body, order):
        workshop = self._account.workshop
        calls = min(order.searches, body.get("max_tool_calls") or order.searches)
        work = workshop.begin("response", body, input_tokens(body.get("input")) * (1 + calls))
        work.input_tokens += order.added
        work.calls = calls
        response = Response(self._account.id("resp_"), body, work)
        conversation = body.get("conversation")
        is_named = isinstance(conversation, str)
        response.conversation = conversation if is_named else (conversation or {}).get("id")
        if body.get("store", True) or body.get("background"):
            self._keep(response)
        return response

    def whole(self, body, work):
        """A response whose work has ended, as an answer shows it; the account may keep it."""
        response = Response(self._account.id("resp_"), body, work)
        if body.get("store", True):
            self._keep(response)
        self._finish(response)
        return response.value

    def _keep(self, response):
        given = response.body.get("input") or []
        items = [text_item(given)] if isinstance(given, str) else given
        conversations = self._account.conversations
        identified = [conversations.identified(item) for item in items]
        inputs = Collection("item")
        for item in identified:
            if item["id"] not in inputs:
                inputs.add(dict(item))
        if response.conversation:
            conversations.extend(response.conversation, identified)
        self.responses.add({"id": response.id}, response=response, inputs=inputs)

    async def _submit(self, response, output, order, connection):
        """A submission is work from now on, whoever listens."""
        response.work.is_underway = True
        begun = response.value
        self._account.workshop.spawn(self._run(response, output, order))
        if response.body.get("stream"):
            return await self._show(response, output, order, connection)
        await self._account.workshop.answer_submission(order, connection, begun)

    async def _run(self, response, output, order):
        await self._account.workshop.make(response.work, output, order, None)
        self._finish(response)

    def _finish(self, response):
        if not response.output:
            response.output = output_items(self._account, response)
        if response.id in self.responses:
            conversations = self._account.conversations
            conversations.items.update({item["id"]: item for item in response.output})
            if response.conversation:
                conversations.extend(response.conversation, response.output)

    async def _show(self, response, output, order, connection):
        """Streams a response; its items are known from the event on that shows them."""
        await connection.start("text/event-stream")
        events = Events(response)
        for event in events.begin():
            await connection.event(event, event["type"])
        if response.body.get("background"):
            while response.work.is_underway:
                await asyncio.sleep(TICK)
        else:
            await self._account.workshop.make(response.work, output, order, connection)
        self._finish(response)
        for event in events.rest():
            await connection.event(event, event["type"])
        await connection.finish()

    def compact(self, request):
        work = self._account.workshop.begin("response", request.json, 1)
        response = Response(self._account.id("resp_"), request.json, work)
        item = {"id": self._account.id("cmp_"), "type": "compaction", "encrypted_content": "x"}
        value = {**response.value, "object": "response.compaction"}
        return {**value, "output": [item]}

    def count_input(self, request):
        tokens = input_tokens(request.json.get("input"))
        return {"object": "response.input_tokens", "input_tokens": tokens}

    async def read(self, request, connection, id):
        response = self._response(id)
        if request.parameters.get("stream") != "true":
            return await connection.respond(200, response.value)
        after = int(request.parameters.get("starting_after", -1))
        await connection.start("text/event-stream")
        events = Events(response)
        for event in [*events.begin(), *events.rest()]:
            if event["sequence_number"] > after:
                await connection.event(event, event["type"])
        await connection.finish()

    def delete(self, request, id):
        self.responses.remove(id)
        return deleted(id, "response")

    def cancel(self, request, id):
        response = self._response(id)
        response.work.cancel()
        return response.value

    def input_items(self, request, id):
        return self.responses.get(id).parts["inputs"].page(request)

    def _response(self, id):
        return self.responses.get(id).response


def text_item(text):
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "user", "content": content}
