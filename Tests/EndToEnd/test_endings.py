"""However a client ends its connection, the process serves everybody else."""

import socket

import pytest
from harness.endings import ENDINGS

PROXY_PATHS = ["/healthz", "/api/v1/usage", "/widget", "/v1/chat/completions"]
ADMIN_PATHS = ["/healthz", "/metrics", "/api/v1/plans", "/dashboard/sign-in", "/widget"]
HALF_BODIES = {
    "sized": b"content-length: 5\r\n\r\nx",
    "chunked": b"transfer-encoding: chunked\r\n\r\n5\r\nx",
}


@pytest.mark.parametrize("framing", HALF_BODIES)
@pytest.mark.parametrize("ending", ENDINGS)
def test_half_a_body_of_a_nameless_client_ends_its_own_connection_alone(
    running, ending, framing
):
    listeners = {name: running.process.address(name) for name in ("proxy", "admin")}
    for listener, paths in [("proxy", PROXY_PATHS), ("admin", ADMIN_PATHS)]:
        for path in paths:
            with socket.create_connection(listeners[listener], 20) as connection:
                head = f"POST {path} HTTP/1.1\r\nhost: {listener}\r\n".encode()
                connection.sendall(head + HALF_BODIES[framing])
                ENDINGS[ending](connection)
            assert is_alive(running), (listener, path)


def is_alive(server):
    if not server.process.is_running():
        return False
    with server.connect() as connection:
        return connection.get("/healthz").status == 200
