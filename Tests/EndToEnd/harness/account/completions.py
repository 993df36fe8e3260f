"""Chat completions, of which those with `store` can be read again."""

from .kept import Collection, deleted
from .work import Order, chat_usage, input_tokens


class Completions:
    def __init__(self, account):
        self._account = account
        self.completions = Collection("completion")
        self.sounds = Collection("audio")
        self.known = {"completion": self.completions, "audio": self.sounds}
        stored = "/chat/completions/{}"
        self.routes = [
            ("POST", "/chat/completions", self.make),
            ("GET", "/chat/completions", self.list),
            ("GET", stored, lambda request, id: self.completions.get(id).value),
            ("POST", stored, self.update),
            ("DELETE", stored, self.delete),
            ("GET", f"{stored}/messages", self.messages),
        ]

    async def make(self, request, connection):
        body, order = request.json, Order.of(request.fields)
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or order.output
        output = min(order.output, limit)
        work = self._account.workshop.begin("chat", body, input_tokens(body["messages"]))
        head = {"id": self._account.id("chatcmpl-"), "model": body["model"]}
        if body.get("stream"):
            return await self._stream(work, output, order, connection, body, head)
        await self._account.workshop.make(work, output, order, connection)
        value = self.whole(body, head, work, order)
        await connection.respond(200, value)

    def whole(self, body, head, work, order):
        """The object of a completion, which is kept if the request asked for that."""
        message = {"role": "assistant", "content": "x" * (0 if order.hidden else 4)}
        if isinstance(body.get("audio"), dict):
            sound = {"id": self._account.id("audio_"), "data": "", "transcript": "x"}
            message["audio"] = self.sounds.add({**sound, "expires_at": 0}).value
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        value = {**head, "object": "chat.completion", "choices": [choice]}
        value |= {"usage": chat_usage(work), "metadata": body.get("metadata") or {}}
        if body.get("store"):
            messages = Collection("item")
            for each in body["messages"]:
                messages.add({"id": self._account.id("msg_"), **each})
            self.completions.add(value, messages=messages)
        return value

    async def _stream(self, work, output, order, connection, body, head):
        await connection.start("text/event-stream")
        chunk = {**head, "object": "chat.completion.chunk"}

        async def show(count):
            delta = {"content": "" if order.hidden else "x" * 4 * count}
            choices = [{"index": 0, "delta": delta, "finish_reason": None}]
            await connection.event({**chunk, "choices": choices})

        if body.get("store"):
            self.whole(body, head, work, order)
        await self._account.workshop.make(work, output, order, connection, show)
        end = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        await connection.event({**chunk, "choices": end})
        if body.get("stream_options", {}).get("include_usage"):
            await connection.event({**chunk, "choices": [], "usage": chat_usage(work)})
        await connection.finish(b"data: [DONE]\n\n")

    def list(self, request):
        model = request.parameters.get("model")
        wanted = {
            name.removeprefix("metadata[").removesuffix("]"): value
            for name, value in request.parameters.items()
            if name.startswith("metadata[")
        }

        def suits(kept):
            metadata = kept.value["metadata"]
            has_all = all(metadata.get(name) == text for name, text in wanted.items())
            return model in (None, kept.value["model"]) and has_all

        return self.completions.page(request, suits=suits)

    def update(self, request, id):
        kept = self.completions.get(id)
        kept.value["metadata"] = request.json["metadata"]
        return kept.value

    def delete(self, request, id):
        self.completions.remove(id)
        return deleted(id, "chat.completion.deleted")

    def messages(self, request, id):
        return self.completions.get(id).parts["messages"].page(request)
