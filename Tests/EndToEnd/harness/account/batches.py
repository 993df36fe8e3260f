"""Batches, which are work from their submission to their end."""

import json

from .kept import Collection
from .work import Order, input_tokens


class Batches:
    def __init__(self, account):
        self._account = account
        self.batches = Collection("batch")
        self.known = {"batch": self.batches}
        self.routes = [
            ("POST", "/batches", self.submit),
            ("GET", "/batches", lambda request: self.batches.page(request)),
            ("GET", "/batches/{}", lambda request, batch: self.batches.get(batch).value),
            ("POST", "/batches/{}/cancel", self.cancel),
        ]

    async def submit(self, request, connection):
        account, body, order = self._account, request.json, Order.of(request.fields)
        content = account.files.files.get(body["input_file_id"]).content
        lines = [json.loads(line) for line in content.splitlines()]
        account.look_up([line["body"] for line in lines])
        works = [self._begin(line["body"]) for line in lines]
        kept = self.batches.add(
            {
                "id": account.id("batch_"),
                "object": "batch",
                "endpoint": body["endpoint"],
                "input_file_id": body["input_file_id"],
                "completion_window": "24h",
                "status": "in_progress",
                "output_file_id": None,
                "error_file_id": None,
                "request_counts": {"total": len(works), "completed": 0, "failed": 0},
            }
        )
        begun = dict(kept.value)
        account.workshop.spawn(self._run(kept, lines, works, order))
        await account.workshop.answer_submission(order, connection, begun)

    def cancel(self, request, batch):
        kept = self.batches.get(batch)
        if kept.value["status"] == "in_progress":
            kept.value["status"] = "cancelling"
        return kept.value

    def _begin(self, body):
        tokens = input_tokens(body.get("messages") or body.get("input"))
        work = self._account.workshop.begin("batch", body, tokens)
        work.is_underway = True
        return work

    async def _run(self, kept, lines, works, order):
        for line, work in zip(lines, works, strict=True):
            limit = line["body"].get("max_tokens") or line["body"].get("max_output_tokens")
            output = min(order.output, limit or order.output)
            await self._account.workshop.make(work, output, order, None)
        results = [self._result(*each, order) for each in zip(lines, works, strict=True)]
        failure = {"custom_id": None, "response": None, "error": None}
        add = self._account.files.add
        output = add(lines_of(results), "batch_output", "output.jsonl")
        errors = add(lines_of([failure]), "batch_output", "errors.jsonl")
        kept.value |= {"output_file_id": output.id, "error_file_id": errors.id}
        kept.value["status"] = "completed"

    def _result(self, line, work, order):
        """A line of the results. The answer in it may be kept."""
        account, body = self._account, line["body"]
        if line["url"] == "/v1/responses":
            answer = account.responses.whole(body, work)
        else:
            head = {"id": account.id("chatcmpl-"), "model": body["model"]}
            answer = account.completions.whole(body, head, work, order)
        response = {"status_code": 200, "request_id": "r", "body": answer}
        return {"custom_id": line["custom_id"], "response": response, "error": None}


def lines_of(values):
    return "\n".join(map(json.dumps, values)).encode()
