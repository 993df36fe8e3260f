"""The events of a streamed response."""

import itertools


class Events:
    def __init__(self, response):
        self._response = response
        self._numbers = itertools.count()

    def begin(self):
        """Those before any output."""
        snapshot = {**self._response.value, "status": "in_progress", "output": [], "usage": None}
        for name in ["created", "in_progress"]:
            yield self._event(f"response.{name}", response=snapshot)

    def rest(self):
        """Those of the output, which is there by now, and of the end."""
        for place, item in enumerate(self._response.output):
            started = {**item, "status": "in_progress"}
            if "content" in item:
                started["content"] = []
            yield self._event("response.output_item.added", output_index=place, item=started)
            if item["type"] == "message":
                yield from self._texts(item, place)
            yield self._event("response.output_item.done", output_index=place, item=item)
        value = self._response.value
        name = "incomplete" if value["status"] == "cancelled" else "completed"
        yield self._event(f"response.{name}", response=value)

    def _texts(self, item, place):
        where = {"item_id": item["id"], "output_index": place, "content_index": 0}
        text = item["content"][0]["text"]
        delta = {**where, "delta": text, "logprobs": []}
        yield self._event("response.output_text.delta", **delta)
        yield self._event("response.output_text.done", **where, text=text, logprobs=[])

    def _event(self, name, **members):
        return {"type": name, "sequence_number": next(self._numbers), **members}
