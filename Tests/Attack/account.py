"""A stand-in for a provider's account, which knows what it truly did and what that costs.

It keeps files, batches and background responses as a provider does, makes output at a given speed,
notices a client that hangs up, and stops billing then. Requests tell it what to do in the header
`x-work`, a JSON object: see `Order`.
"""

import asyncio
import itertools
import json
import re
import threading
from dataclasses import dataclass, field

from provider_http import HEAD_END, LARGEST_HEAD, Connection, Gone, error, read_request
from truth import Truth, Work

TICK = 0.02


@dataclass
class Order:
    """What a request wants of the account."""

    output: int = 20
    """Output tokens in all."""
    rate: float = 5000.0
    """Output tokens a second."""
    hidden: bool = False
    """Whether no text shows what is being made, as with reasoning."""
    delay: float = 0.0
    """Seconds before the head of the answer, in which nothing is made."""
    silent: bool = False
    """Whether the answer of a submission never comes, although the work was begun."""
    searches: int = 0
    """Calls of the hosted search."""
    added: int = 0
    """Input tokens that nothing in the request explains."""

    @classmethod
    def of(cls, fields):
        return cls(**json.loads(fields.get("x-work", "{}")))


@dataclass
class Objects:
    """What the account keeps, by id."""

    files: dict = field(default_factory=dict)
    batches: dict = field(default_factory=dict)
    responses: dict = field(default_factory=dict)


def input_tokens(value):
    """Four bytes of a request's text make a token."""
    return -(-len(json.dumps(value, ensure_ascii=False).encode()) // 4)


class Account:
    """Serves on a port of its own, in a thread of its own."""

    def __init__(self):
        self.truth = Truth()
        self.objects = Objects()
        self.requests = []
        """Method, path with query, and header fields of every request that came."""
        self._ids = itertools.count(1)
        self._background = set()
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self._run, args=[started], daemon=True).start()
        started.wait()

    def _run(self, started):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LARGEST_HEAD)
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        started.set()
        self._loop.run_forever()

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)

    def id(self, prefix):
        return f"{prefix}_{next(self._ids):012d}"

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
        self.requests.append((request.method, request.path, request.query, request.fields))
        connection = Connection(reader, writer)
        try:
            await self._answer(request, connection)
        except (KeyError, ValueError, AttributeError, IndexError) as fault:
            await connection.respond(*error(400, f"unreadable: {fault!r}"))
        finally:
            await connection.end()

    # Endpoints

    async def _answer(self, request, connection):
        endpoints = {
            r"/v1/chat/completions": self._chat,
            r"/v1/responses": self._response,
            r"/v1/responses/(?P<id>[^/]+)(?P<cancel>/cancel)?": self._stored_response,
            r"/v1/files": self._upload,
            r"/v1/files/(?P<id>[^/]+)(?P<content>/content)?": self._stored_file,
            r"/v1/batches": self._submit,
            r"/v1/batches/(?P<id>[^/]+)(?P<cancel>/cancel)?": self._stored_batch,
            r"/v1/audio/transcriptions": self._transcribe,
        }
        for pattern, answer in endpoints.items():
            if match := re.fullmatch(pattern, request.path):
                return await answer(request, connection, **match.groupdict())
        await connection.respond(*error(404, f"Invalid URL ({request.path})"))

    async def _chat(self, request, connection):
        body, order = request.json, Order.of(request.fields)
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or order.output
        work = self._begin("chat", body, input_tokens(body["messages"]))
        model = {"id": self.id("chatcmpl"), "model": body["model"]}

        def usage():
            return {
                "prompt_tokens": work.input_tokens,
                "completion_tokens": work.output_tokens,
                "total_tokens": work.input_tokens + work.output_tokens,
            }

        if not body.get("stream"):
            await self._make(work, min(order.output, limit), order, connection)
            message = {"role": "assistant", "content": "x" * (0 if order.hidden else 4)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            whole = {"object": "chat.completion", "choices": [choice], "usage": usage()}
            return await connection.respond(200, {**model, **whole})

        await connection.start("text/event-stream")
        chunk = {**model, "object": "chat.completion.chunk"}

        async def show(count):
            delta = {"content": "" if order.hidden else "x" * 4 * count}
            choices = [{"index": 0, "delta": delta, "finish_reason": None}]
            await connection.event({**chunk, "choices": choices})

        await self._make(work, min(order.output, limit), order, connection, show)
        end = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        await connection.event({**chunk, "choices": end})
        if body.get("stream_options", {}).get("include_usage"):
            await connection.event({**chunk, "choices": [], "usage": usage()})
        await connection.finish(b"data: [DONE]\n\n")

    async def _response(self, request, connection):
        body, order = request.json, Order.of(request.fields)
        calls = min(order.searches, body.get("max_tool_calls", order.searches))
        limit = body.get("max_output_tokens", order.output)
        work = self._begin("response", body, input_tokens(body["input"]) * (1 + calls))
        work.input_tokens += order.added
        work.calls = calls
        stored = {"work": work, "id": self.id("resp"), "model": body["model"]}
        if not body.get("background"):
            await self._make(work, min(order.output, limit), order, connection)
            return await connection.respond(200, self._response_object(stored))
        # A submission is work from now on, whoever listens.
        work.is_underway = True
        self.objects.responses[stored["id"]] = stored
        self._spawn(self._work(stored, min(order.output, limit), order))
        await self._answer_submission(order, connection, self._response_object(stored))

    async def _answer_submission(self, order, connection, value):
        await asyncio.sleep(order.delay)
        if order.silent:
            raise Gone
        await connection.respond(200, value)

    async def _work(self, stored, output, order):
        await self._make(stored["work"], output, order, None)

    def _response_object(self, stored):
        work = stored["work"]
        status = "in_progress" if work.is_underway else "completed"
        status = "cancelled" if work.is_cancelled else status
        value = {"id": stored["id"], "object": "response", "model": stored["model"]}
        usage = {
            "input_tokens": work.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": work.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": work.input_tokens + work.output_tokens,
        }
        calls = [
            {"type": "web_search_call", "id": f"ws_{n}", "status": "completed"}
            for n in range(work.calls)
        ]
        text = {"type": "output_text", "text": "xxxx", "annotations": []}
        message = {"type": "message", "role": "assistant", "content": [text]}
        done = status == "completed"
        return {
            **value,
            "status": status,
            "output": [*calls, message] if done else [],
            "usage": usage if done else None,
        }

    async def _stored_response(self, request, connection, id, cancel):
        stored = self.objects.responses.get(id)
        if not stored:
            return await connection.respond(*error(404, f"Response with id '{id}' not found."))
        if cancel:
            stored["work"].cancel()
        if request.method == "DELETE":
            del self.objects.responses[id]
            deleted = {"id": id, "object": "response", "deleted": True}
            return await connection.respond(200, deleted)
        await connection.respond(200, self._response_object(stored))

    async def _upload(self, request, connection):
        boundary = request.fields["content-type"].partition("boundary=")[2].encode()
        parts = {}
        for part in request.body.split(b"--" + boundary)[1:-1]:
            head, _, content = part.partition(HEAD_END)
            name = re.search(rb'name="([^"]*)"', head)[1].decode()
            parts[name] = content.removesuffix(b"\r\n")
        id = self.id("file")
        self.objects.files[id] = parts["file"]
        value = {"id": id, "object": "file", "purpose": parts["purpose"].decode()}
        await connection.respond(200, {**value, "bytes": len(parts["file"])})

    async def _stored_file(self, request, connection, id, content):
        if id not in self.objects.files:
            return await connection.respond(*error(404, f"No such File object: {id}"))
        if content:
            return await connection.respond(200, self.objects.files[id])
        await connection.respond(200, {"id": id, "object": "file"})

    async def _submit(self, request, connection):
        if request.method == "GET":
            return await connection.respond(200, {"object": "list", "data": []})
        body, order = request.json, Order.of(request.fields)
        file = self.objects.files[body["input_file_id"]]
        lines = [json.loads(line) for line in file.splitlines()]
        works = [self._begin_line(line["body"]) for line in lines]
        batch = {"id": self.id("batch"), "lines": lines, "works": works, "body": body}
        self.objects.batches[batch["id"]] = batch
        self._spawn(self._run_batch(batch, order))
        await self._answer_submission(order, connection, self._batch_object(batch))

    def _begin_line(self, body):
        work = self._begin("batch", body, input_tokens(body["messages"]))
        work.is_underway = True
        return work

    async def _run_batch(self, batch, order):
        for line, work in zip(batch["lines"], batch["works"], strict=True):
            await self._make(work, min(order.output, line["body"]["max_tokens"]), order, None)
        results = []
        for line, work in zip(batch["lines"], batch["works"], strict=True):
            usage = {
                "prompt_tokens": work.input_tokens,
                "completion_tokens": work.output_tokens,
                "total_tokens": work.input_tokens + work.output_tokens,
            }
            answer = {"object": "chat.completion", "model": line["body"]["model"], "usage": usage}
            answer["choices"] = [{"index": 0, "message": {"role": "assistant", "content": "x"}}]
            response = {"status_code": 200, "request_id": "r", "body": answer}
            results.append({"custom_id": line["custom_id"], "response": response, "error": None})
        batch["output"] = self.id("file")
        self.objects.files[batch["output"]] = "\n".join(map(json.dumps, results)).encode()

    def _batch_object(self, batch):
        done = "output" in batch
        return {
            "id": batch["id"],
            "object": "batch",
            "endpoint": batch["body"]["endpoint"],
            "input_file_id": batch["body"]["input_file_id"],
            "completion_window": "24h",
            "status": "completed" if done else "in_progress",
            "output_file_id": batch.get("output"),
            "error_file_id": None,
            "request_counts": {"total": len(batch["works"]), "completed": 0, "failed": 0},
        }

    async def _stored_batch(self, request, connection, id, cancel):
        batch = self.objects.batches.get(id)
        if not batch:
            return await connection.respond(*error(404, f"No batch found with id '{id}'."))
        await connection.respond(200, self._batch_object(batch))

    async def _transcribe(self, request, connection):
        work = Work("transcription", "whisper-1", None)
        work.milliseconds = true_milliseconds(request.body)
        self.truth.add(work)
        seconds = -(-work.milliseconds // 1000)
        usage = {"type": "duration", "seconds": seconds}
        await connection.respond(200, {"text": "x", "usage": usage})

    # Work

    def _begin(self, kind, body, tokens):
        user = body.get("user") or body.get("safety_identifier")
        work = Work(kind, body["model"], user, input_tokens=tokens)
        self.truth.add(work)
        return work

    def _spawn(self, coroutine):
        task = self._loop.create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _make(self, work, output, order, connection, show=None):
        """Makes output until all is made, or the client of a request that it can end is gone."""
        work.is_underway = True
        if connection:
            await asyncio.sleep(order.delay)
        begin = self._loop.time()
        try:
            while work.output_tokens < output and not work.is_cancelled:
                if connection and connection.is_gone:
                    raise Gone
                await asyncio.sleep(TICK)
                made = min(output, int((self._loop.time() - begin) * order.rate))
                fresh, work.output_tokens = made - work.output_tokens, made
                if show and fresh:
                    await show(fresh)
        finally:
            work.is_underway = False


def true_milliseconds(body):
    """How long a WAV file inside a form sounds: by its samples, whatever its byte rate claims."""
    start = body.index(b"RIFF")
    fmt = body.index(b"fmt ", start) + 8
    channels = int.from_bytes(body[fmt + 2 : fmt + 4], "little")
    rate = int.from_bytes(body[fmt + 4 : fmt + 8], "little")
    bits = int.from_bytes(body[fmt + 14 : fmt + 16], "little")
    data = body.index(b"data", fmt)
    size = int.from_bytes(body[data + 4 : data + 8], "little")
    return size * 1000 * 8 // (rate * channels * bits)
