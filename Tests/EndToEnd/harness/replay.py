"""A provider that answers every request with recorded bytes."""

import socketserver
import ssl
import threading

# How a recorded body is cut on its way: as it is, or every byte in a chunk of its own.
WHOLE = "whole"
BY_BYTES = "by bytes"
CUTS = [WHOLE, BY_BYTES]
PATIENCE_SECONDS = 30


class Replay:
    """Answers with the recording that `play` was given last, for the path if there is one of its
    own, and keeps what it was asked.

    A body goes out in HTTP chunks, so that how it is cut doesn't depend on the network. One that
    is `torn` ends without the last chunk: the connection closes in the midst of it. While it
    is `held`, requests wait for their answers."""

    def __init__(self, tls=None):
        self.requests = []
        # Of each request over TLS, whether its connection resumed an earlier session.
        self.resumptions = []
        self.held = None
        self._answers = {}
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if tls:
            # A handshake that fails mustn't end the thread that accepts: it is made by the handler.
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        host, port = self._server.server_address
        self.url = f"{'https' if tls else 'http'}://{host}:{port}"

    def play(self, status, fields, body, cut=WHOLE, torn=False, path=None):
        lines = [f"HTTP/1.1 {status} Recorded", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        head = "\r\n".join([*lines, "", ""]).encode()
        pieces = [body] if cut == WHOLE else [body[at : at + 1] for at in range(len(body))]
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
        self._answers[path] = head + chunks + (b"" if torn else b"0\r\n\r\n")
        self._torn = torn
        self.requests.clear()

    def end(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self):
        replay = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                while line := self.rfile.readline():
                    fields = {}
                    while field := self.rfile.readline().strip():
                        name, _, value = field.decode("latin-1").partition(":")
                        fields[name.lower()] = value.strip()
                    body = self.rfile.read(int(fields.get("content-length", 0)))
                    path = line.decode().split(" ")[1]
                    replay.requests.append((path, fields, body))
                    if isinstance(self.connection, ssl.SSLSocket):
                        replay.resumptions.append(self.connection.session_reused)
                    if replay.held:
                        replay.held.wait(PATIENCE_SECONDS)
                    answers = replay._answers
                    self.wfile.write(answers.get(path) or answers[None])
                    if replay._torn:
                        return

        return Handler
