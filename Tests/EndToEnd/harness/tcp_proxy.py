"""A path to a server that a test can cut, or let swallow what is sent along it."""

import random
import re
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
        self._marks = None
        self._is_silence = False
        self.ended = set()
        """The texts after whose commit a connection was ended."""
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

    def end_commits_of(self, marks, silence=False):
        """Ends each connection on which a text was sent that the pattern `marks` finds, as soon as
        COMMIT was sent after it: the server carries that out, and the client is never told. Once
        for each text. With `silence` the connection stays open, and nothing more passes on it."""
        self._is_silence = silence
        self._marks = re.compile(marks)

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
                path = Path()
                back = threading.Thread(target=self._pump, args=(server, client, path), daemon=True)
                back.start()
                self._pump(client, server, path, self._is_last)
                back.join()

    def _is_last(self, piece, path):
        """Whether nothing passes after this piece."""
        if self._marks is None:
            return False
        if found := self._marks.search(piece):
            path.mark = found[0]
        if path.mark is None or path.mark in self.ended or b"commit" not in piece:
            return False
        self.ended.add(path.mark)
        return True

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

    def _pump(self, source, sink, path, is_last=lambda *_: False):
        """Passes on the bytes of one peer to the other, and its end."""
        try:
            while piece := source.recv(PIECE):
                self._passing.wait()
                if path.is_silent:
                    continue
                path.is_silent = is_last(piece, path)
                sink.sendall(piece)
                if path.is_silent and not self._is_silence:
                    end_both_ways(source)
            self._passing.wait()
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            end_both_ways(source)
            end_both_ways(sink)


class Path:
    """Of one connection: what was seen on it."""

    mark = None
    is_silent = False


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
