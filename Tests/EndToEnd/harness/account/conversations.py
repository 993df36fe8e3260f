"""Conversations, and their items."""

from .faults import Fault
from .kept import Collection, deleted, page_of

LARGEST_ADDITION = 20


class Conversations:
    def __init__(self, account):
        self._account = account
        self.conversations = Collection("conversation")
        self.items = {}
        """Every item of the account, of conversations and of responses, by id."""
        self.known = {"conversation": self.conversations, "item": self.items}
        one = "/conversations/{}"
        self.routes = [
            ("POST", "/conversations", self.make),
            ("GET", one, lambda request, id: self.conversations.get(id).value),
            ("POST", one, self.update),
            ("DELETE", one, self.delete),
            ("POST", f"{one}/items", self.add),
            ("GET", f"{one}/items", lambda request, id: self._items(id).page(request)),
            ("GET", f"{one}/items/{{}}", self.item),
            ("DELETE", f"{one}/items/{{}}", self.remove_item),
        ]

    def make(self, request):
        body = request.json if request.body else {}
        value = {"id": self._account.id("conv_"), "object": "conversation"}
        value["metadata"] = body.get("metadata") or {}
        kept = self.conversations.add(value, items=Collection("item"))
        self.extend(kept.id, body.get("items") or [])
        return value

    def extend(self, id, items):
        """Adds items that a request sends; returns them with the ids that they got."""
        added = [self.identified(item) for item in items]
        for item in added:
            if item["id"] not in self._items(id):
                self._items(id).add(dict(item))
        return added

    def identified(self, item):
        """An item with an id, which is known from now on; those that are referred to have one."""
        if item.get("type") == "item_reference" or set(item) == {"id"}:
            return self.items[item["id"]]
        prefix = {"message": "msg_", "reasoning": "rs_", "function_call": "fc_"}
        beginning = prefix.get(item.get("type", "message"), "item_")
        item = {"id": self._account.id(beginning), **item}
        self.items[item["id"]] = item
        return item

    def update(self, request, id):
        kept = self.conversations.get(id)
        kept.value["metadata"] = request.json["metadata"]
        return kept.value

    def delete(self, request, id):
        for item in self._items(id):
            self.items.pop(item.id, None)
        self.conversations.remove(id)
        return deleted(id, "conversation.deleted")

    def add(self, request, id):
        items = request.json["items"]
        if len(items) > LARGEST_ADDITION:
            raise Fault(400, f"Expected at most {LARGEST_ADDITION} items.", "items")
        self._items(id)
        return page_of(self.extend(id, items))

    def item(self, request, id, item):
        return self._items(id).get(item).value

    def remove_item(self, request, id, item):
        self._items(id).remove(item)
        self.items.pop(item, None)
        return self.conversations.get(id).value

    def _items(self, id):
        return self.conversations.get(id).parts["items"]
