"""Codes all answers of a provider, each piece as soon as it comes."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .codings import Encoder

UNTOUCHED = {"content-length", "transfer-encoding", "connection", "host"}


class CodingProxy:
    def __init__(self, host, port):
        self.coding = "gzip"
        """The coding of the answers from now on; None passes them as they are."""
        self.sent = []
        """The body of each answer, as it was sent."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                body = self.rfile.read(int(self.headers["content-length"] or 0))
                fields = {k: v for k, v in self.headers.items() if k.lower() not in UNTOUCHED}
                provider = http.client.HTTPConnection(host, port)
                provider.request(self.command, self.path, body or None, fields)
                answer = provider.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in UNTOUCHED:
                        self.send_header(name, value)
                if proxy.coding:
                    self.send_header("content-encoding", proxy.coding)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                proxy.sent.append(b"")
                for piece in proxy.pieces(answer):
                    proxy.sent[-1] += piece
                    if piece:
                        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")

            do_POST = do_DELETE = do_GET

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def pieces(self, answer):
        if not self.coding:
            yield answer.read()
            return
        encoder = Encoder(self.coding)
        while piece := answer.read1(65536):
            yield encoder.flushed(piece)
        yield encoder.flushed(b"", ends=True)
