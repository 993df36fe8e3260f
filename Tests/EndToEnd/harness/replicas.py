"""Servers of one configuration on one PostgreSQL ledger."""

import signal

from .catraca import Catraca
from .clock import Clock
from .crowd import at_once
from .postgres_ledger import PostgresLedger
from .tcp_proxy import TCPProxy

COUNT = 3


class Replica(Catraca):
    """One of them, in a folder of its own; clients and keys are those of all."""

    def __init__(self, shared, ledger, folder):
        folder.mkdir()
        super().__init__(shared.copy(folder / "config"))
        self.use(ledger, folder)
        self._shared = shared
        self._clock = None
        self.path = None
        """The way to the database, if a test wants to be in it."""

    def start(self):
        ledger = {**self._shared.settings["ledger"], "url": self._ledger_url()}
        self.configuration.settings = {**self._shared.settings, "ledger": ledger}
        return super().start()

    def _ledger_url(self):
        if not self.path:
            return self.ledger.url
        return self.ledger.server.url(self.ledger.database, port=self.path.port)

    def put_proxy(self):
        """From the next start on, the way to the database is one that can be cut."""
        self.path = TCPProxy(self.ledger.server.port)
        return self.path

    def set_clock_ahead(self, seconds):
        """How much the wall clock is wrong, from the next start on."""
        self._clock = self._clock or Clock(self, self.working_folder)
        self._clock.be_ahead(seconds)

    def end(self):
        try:
            super().end()
        finally:
            if self.path:
                self.path.end()


class Replicas(list):
    """Three that aren't started yet."""

    def __init__(self, configuration, server, folder):
        self.configuration = configuration
        self.ledger = PostgresLedger(server)
        super().__init__(
            Replica(configuration, self.ledger, folder / f"replica{number}")
            for number in range(COUNT)
        )

    def start(self):
        """All of them, at the same moment."""
        at_once(len(self), lambda index: self[index].start())
        return self

    def terminate(self):
        """Asks all to stop; returns when they have, without a complaint."""
        running = [each for each in self if each.process and each.process.is_running()]
        for each in running:
            each.process.signal(signal.SIGTERM)
        assert [each.process.wait() for each in running] == [0] * len(running)

    def end(self):
        for each in self:
            each.end()

    def post(self, number, body, **options):
        """Sends a request to one of them; numbers go round."""
        return self[number % len(self)].post(body, **options)

    def assert_sound(self):
        """Nothing is in flight, and all counters are what the rows say."""
        assert self.ledger.in_flight() == []
        audit = self[0].command("audit")
        assert audit.returncode == 0, audit.stdout + audit.stderr
