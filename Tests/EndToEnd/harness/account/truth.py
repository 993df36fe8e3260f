"""A provider's account as it truly is, beside Catraca's ledger."""

import threading
from dataclasses import dataclass

NANO_USD_PER_TOKEN = {
    # Input and output of each model that the attacks use, as in `config/pricing/openai.yaml`.
    "gpt-4o-mini": (150, 600),
    "gpt-5-mini": (250, 2000),
}
NANO_USD_PER_SECOND = 100_000  # whisper-1: 0.006 USD a minute
NANO_USD_PER_SEARCH = 10_000_000


@dataclass(eq=False)
class Work:
    """One thing that the account did, and would bill."""

    kind: str
    model: str
    user: str | None
    """As the request names it: the attacks give each request a user of its own."""
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    calls: int = 0
    is_underway: bool = False
    is_cancelled: bool = False

    def cancel(self):
        self.is_cancelled = self.is_cancelled or self.is_underway

    @property
    def tokens(self):
        return self.input_tokens + self.output_tokens

    @property
    def nano_usd(self):
        if self.kind == "transcription":
            return -(-self.milliseconds // 1000) * NANO_USD_PER_SECOND
        input_price, output_price = NANO_USD_PER_TOKEN[self.model]
        cost = self.input_tokens * input_price + self.output_tokens * output_price
        return (cost // 2 if self.kind == "batch" else cost) + self.calls * NANO_USD_PER_SEARCH


class Truth:
    def __init__(self):
        self._lock = threading.Lock()
        self._works = []

    def add(self, work):
        with self._lock:
            self._works.append(work)

    def works(self, user=None):
        with self._lock:
            return [work for work in self._works if user is None or work.user == user]

    @property
    def is_at_rest(self):
        return not any(work.is_underway for work in self.works())

    def nano_usd(self, user=None, client=None):
        """The charges of the account: for all, for one user, or for all users of a client."""
        works = self.works(user)
        if client:
            works = [work for work in works if (work.user or "").startswith(f"{client}-")]
        return sum(work.nano_usd for work in works)
