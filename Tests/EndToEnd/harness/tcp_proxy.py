"""A path to a server that a test can cut, or let swallow what is sent along it."""

import random
import socket
import threading
from contextlib import contextmanager

from .postgres import PORTS

PIECE = 65536
ATTEMPTS = 5


class TCPProxy:
    """Forwards each connection to a port of 127.0.0.1, both ways, byte for byte."""

    def __init__(self, target):
        self._target = target
        self._passing = threading.Event()
        self._passing.set()
        self._lock = threading.Lock()
        self._connections = set()
        self._threads = []
        self._listen(listener_on_any_port())

    @property
    def port(self):
        return self._port

    def cut(self):
        """Ends all connections, and refuses new ones."""
        self._is_cut = True
        # Closing alone wouldn't wake who accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._connections:
                end_both_ways(connection)

    def swallow(self):
        """Accepts connections and forwards nothing, as a network does that drops all packets."""
        self._passing.clear()

    def heal(self):
        """Lets all pass again; what was swallowed arrives late, as TCP sends it once more."""
        self._passing.set()
        if self._is_cut:
            self._listen(socket.create_server(("127.0.0.1", self._port)))

    def end(self):
        if not self._is_cut:
            self.cut()
        self._passing.set()
        for thread in self._threads:
            thread.join()

    def _listen(self, listener):
        self._listener = listener
        self._port = listener.getsockname()[1]
        self._is_cut = False
        self._run(self._accept, listener)

    def _run(self, action, *arguments):
        thread = threading.Thread(target=action, args=arguments, daemon=True)
        with self._lock:
            self._threads = [each for each in self._threads if each.is_alive()]
            self._threads.append(thread)
            thread.start()

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self._run(self._forward, client)

    def _forward(self, client):
        """One way on this thread, the other on its own."""
        with self._kept(client):
            self._passing.wait()
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            with self._kept(server):
                back = threading.Thread(target=self._pump, args=(server, client), daemon=True)
                back.start()
                self._pump(client, server)
                back.join()

    @contextmanager
    def _kept(self, connection):
        """Among those that a cut ends, while it is open."""
        with self._lock:
            self._connections.add(connection)
            if self._is_cut:
                end_both_ways(connection)
        try:
            yield
        finally:
            with self._lock:
                self._connections.discard(connection)
                connection.close()

    def _pump(self, source, sink):
        """What one sends, the other receives, up to its end and with it."""
        try:
            while piece := source.recv(PIECE):
                self._passing.wait()
                sink.sendall(piece)
            self._passing.wait()
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            end_both_ways(source)
            end_both_ways(sink)


def listener_on_any_port():
    """None that the system gives to who connects, who could take it during a cut."""
    for attempt in range(ATTEMPTS):
        try:
            return socket.create_server(("127.0.0.1", random.choice(PORTS)))
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise


def end_both_ways(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # It has ended already.
