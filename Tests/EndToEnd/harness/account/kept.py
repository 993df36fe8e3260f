"""The store of an account: objects by id, in the order in which they were made."""

import bisect
import itertools
from dataclasses import dataclass, field

from .faults import Fault, unknown

BEGIN = 1_790_000_000
"""When the first object was made; each later one a second after the one before it."""

clock = itertools.count(1)


@dataclass(eq=False)
class Kept:
    """One object: what answers show of it, its content, and what it has itself."""

    value: dict
    content: bytes = b""
    parts: dict = field(default_factory=dict)
    """Collections inside it, such as a conversation's items, by name."""
    response: object = None
    """The response with its work, where it is one."""
    number: int = field(default_factory=lambda: next(clock))

    def __post_init__(self):
        self.value.setdefault("created_at", BEGIN + self.number)

    @property
    def id(self):
        return self.value["id"]


class Collection:
    """Objects of one kind, of the whole account or inside another object."""

    def __init__(self, kind):
        self.kind = kind
        self._by_id = {}
        self._in_order = []

    def __contains__(self, id):
        return id in self._by_id

    def __iter__(self):
        return iter(list(self._in_order))

    def __len__(self):
        return len(self._in_order)

    def add(self, value, content=b"", response=None, **parts):
        kept = Kept(value, content, parts, response)
        self._by_id[kept.id] = kept
        self._in_order.append(kept)
        return kept

    def get(self, id):
        if id not in self._by_id:
            raise unknown(self.kind, id)
        return self._by_id[id]

    def remove(self, id):
        kept = self.get(id)
        del self._by_id[id]
        del self._in_order[bisect.bisect_left(self._in_order, kept.number, key=number)]
        return kept

    def page(self, request, usual=20, most=100, suits=None, show=lambda kept: kept.value):
        """A page of a list, as the query asks for it."""
        limit, order = limit_of(request, usual, most), order_of(request)
        ordered = self._in_order if order == "asc" else self._in_order[::-1]
        first = self._place(request, "after", order) or 0
        end = self._place(request, "before", order)
        ordered = ordered[first:] if end is None else ordered[first : end - 1]
        fitting = (kept for kept in ordered if suits is None or suits(kept))
        page = list(itertools.islice(fitting, limit + 1))
        data = [show(kept) for kept in page[:limit]]
        return page_of(data, has_more=len(page) > limit)

    def _place(self, request, parameter, order):
        """How many elements of the whole list come up to a cursor, itself among them."""
        id = request.parameters.get(parameter)
        if id is None:
            return None
        if id not in self._by_id:
            raise unknown(self.kind, id, parameter)
        kept = self._by_id[id]
        place = bisect.bisect_left(self._in_order, kept.number, key=number)
        return place + 1 if order == "asc" else len(self._in_order) - place


def number(kept):
    return kept.number


def page_of(data, has_more=False):
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {}
    ends = ends or {"first_id": None, "last_id": None}
    return {"object": "list", "data": data, **ends, "has_more": has_more}


def limit_of(request, usual, most):
    text = request.parameters.get("limit", str(usual))
    if not text.isdigit() or not 1 <= int(text) <= most:
        raise Fault(400, f"Invalid 'limit': '{text}'. Expected 1 to {most}.", "limit")
    return int(text)


def order_of(request):
    order = request.parameters.get("order", "desc")
    if order not in ("asc", "desc"):
        raise Fault(400, f"Invalid 'order': '{order}'. Expected 'asc' or 'desc'.", "order")
    return order


def deleted(id, kind):
    return {"id": id, "object": kind, "deleted": True}
