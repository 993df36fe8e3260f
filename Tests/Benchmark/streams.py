"""Streams at rest: an origin that begins them and then says nothing, and who opens them."""

import asyncio
import contextlib
import socket
import sys
import time

import scene
import servers

STEP = 100
SETTLE_SECONDS = 1
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def start_origin(stack, folder, cores):
    port = scene.free_port()
    home = folder / "stream-origin"
    home.mkdir()
    command = [sys.executable, __file__, str(port)]
    return servers.start_listening(stack, "stream origin", home, cores, command, port)


async def serve(port):
    event = scene.stream().partition("\n\n")[0].encode() + b"\n\n"

    async def answer(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
            await reader.readexactly(int(length or 0))
            writer.write(HEAD + b"%x\r\n%b\r\n" % (len(event), event))
            await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


def memory_of_each(proxy, count):
    """KiB that a proxy takes for each of `count` streams after their first event."""
    request = (
        f"POST {proxy.path('stream')} HTTP/1.1\r\nhost: benchmark\r\n"
        f"content-type: application/json\r\nauthorization: Bearer {proxy.key}\r\n"
        f"content-length: {scene.REQUEST_BYTES}\r\n\r\n{proxy.body('stream')}"
    ).encode()
    with contextlib.ExitStack() as stack:
        # The first ones make what all share.
        open_streams(stack, proxy.port, request, STEP)
        time.sleep(SETTLE_SECONDS)
        before = proxy.server.memory_bytes()
        for _ in range(0, count - STEP, STEP):
            open_streams(stack, proxy.port, request, STEP)
        time.sleep(SETTLE_SECONDS)
        return (proxy.server.memory_bytes() - before) / 1024 / (count - STEP)


def open_streams(stack, port, request, count):
    opened = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), servers.PATIENCE_SECONDS)
        stack.callback(connection.close)
        connection.sendall(request)
        opened.append(connection)
    for connection in opened:
        answer = b""
        while b"data: " not in answer:
            piece = connection.recv(65536)
            if not piece or not answer + piece > b"HTTP/1.1 200":
                raise SystemExit(f"a stream didn't begin: {answer + piece!r}")
            answer += piece


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
