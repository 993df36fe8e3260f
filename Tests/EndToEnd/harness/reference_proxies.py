"""nginx and HAProxy as plain reverse proxies before one server, to compare Catraca with."""

import socket
import subprocess

from .waiting import eventually

NGINX = """
daemon off; master_process off; worker_processes 1; pid {home}/nginx.pid; error_log stderr crit;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_header_timeout 300ms; client_body_timeout 300ms; keepalive_timeout 300ms;
  client_body_temp_path {home}/body; proxy_temp_path {home}/proxy;
  fastcgi_temp_path {home}/fastcgi; uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{upstream};
      proxy_http_version 1.1; proxy_set_header Connection "";
    }}
  }}
}}
"""
HAPROXY = """
defaults
  mode http
  timeout connect 2s
  timeout client 300ms
  timeout server 5s
  timeout http-request 300ms
  timeout http-keep-alive 300ms
frontend front
  bind 127.0.0.1:{port}
  default_backend back
backend back
  server provider 127.0.0.1:{upstream}
"""

ATTEMPTS = 5


class ReferenceProxy:
    """One of the two, started; `name` is its command."""

    def __init__(self, name, folder, upstream):
        self.name = name
        self.host = "127.0.0.1"
        folder.mkdir()
        # Somebody else may take a port before the proxy does, which ends then.
        started = any(self._start(folder, upstream) for _ in range(ATTEMPTS))
        assert started, (folder / "output.txt").read_text()

    def _start(self, folder, upstream):
        """Whether it has come to listen."""
        self.port = free_port()
        file = folder / f"{self.name}.conf"
        text = {"nginx": NGINX, "haproxy": HAPROXY}[self.name]
        file.write_text(text.format(home=folder, port=self.port, upstream=upstream))
        if self.name == "nginx":
            command = ["nginx", "-p", folder, "-e", "stderr", "-c", file]
        else:
            command = ["haproxy", "-db", "-q", "-f", file]
        with open(folder / "output.txt", "wb") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)
        eventually(lambda: self._has_ended() or self._accepts(), f"{self.name} listening")
        return not self._has_ended()

    def _has_ended(self):
        return self._process.poll() is not None

    def end(self):
        self._process.terminate()
        self._process.wait(10)

    def _accepts(self):
        with socket.socket() as probe:
            return probe.connect_ex((self.host, self.port)) == 0


def free_port():
    """A port that nobody listens on now; neither proxy can say which one it was given."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
