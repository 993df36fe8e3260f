"""Templates of prompts."""

from .kept import Collection


class Prompts:
    """Templates, which only the provider's own pages make."""

    def __init__(self, account):
        self._account = account
        self.prompts = Collection("prompt")
        self.known = {"prompt": self.prompts}
        self.routes = []

    def add(self):
        return self.prompts.add({"id": self._account.id("pmpt_"), "object": "prompt"}).id
