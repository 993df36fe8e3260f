"""Work of a model: made at a given speed, and noted with what the account would bill for it."""

import asyncio
import json
from dataclasses import dataclass

from .http import Gone
from .truth import Truth, Work

TICK = 0.02


@dataclass
class Order:
    """The work that a request wants of the account, in its header `x-work`."""

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
    instant: bool = False
    """Whether all output is there at once, without waiting for a clock."""

    @classmethod
    def of(cls, fields):
        return cls(**json.loads(fields.get("x-work", "{}")))


def input_tokens(value):
    """Four bytes of a request's text make a token."""
    return -(-len(json.dumps(value, ensure_ascii=False).encode()) // 4)


class Workshop:
    def __init__(self, loop):
        self.truth = Truth()
        self._loop = loop
        self._background = set()

    def begin(self, kind, body, tokens):
        user = body.get("user") or body.get("safety_identifier")
        work = Work(kind, body.get("model"), user, input_tokens=tokens)
        self.truth.add(work)
        return work

    def spawn(self, coroutine):
        task = self._loop.create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def make(self, work, output, order, connection, show=None):
        """Makes output until all is made, or the client of a request that it can end is gone."""
        work.is_underway = True
        if connection and order.delay:
            await asyncio.sleep(order.delay)
        begin = self._loop.time()
        try:
            while work.output_tokens < output and not work.is_cancelled:
                if connection and connection.is_gone:
                    raise Gone
                made = output
                if not order.instant:
                    await asyncio.sleep(TICK)
                    made = min(output, int((self._loop.time() - begin) * order.rate))
                fresh, work.output_tokens = made - work.output_tokens, made
                if show and fresh:
                    await show(fresh)
        finally:
            work.is_underway = False

    async def answer_submission(self, order, connection, value):
        await asyncio.sleep(order.delay)
        if order.silent:
            raise Gone
        await connection.respond(200, value)


def chat_usage(work):
    return {
        "prompt_tokens": work.input_tokens,
        "completion_tokens": work.output_tokens,
        "total_tokens": work.input_tokens + work.output_tokens,
    }
