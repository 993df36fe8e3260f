"""HTTP/1.1 as a provider speaks it: requests read, and answers that notice a client's end."""

import asyncio
import json
from dataclasses import dataclass

HEAD_END = b"\r\n\r\n"
LARGEST_HEAD = 1 << 20


@dataclass
class Request:
    method: str
    path: str
    query: str
    fields: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Gone(Exception):
    """The client has hung up."""


def error(status, message):
    return status, {"error": {"message": message, "type": "invalid_request_error"}}


async def read_request(reader):
    head = (await reader.readuntil(HEAD_END)).decode("latin-1")
    line, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = line.split(" ")
    fields = {}
    for name, _, value in (line.partition(":") for line in lines):
        fields[name.lower()] = value.strip()
    if fields.get("transfer-encoding") == "chunked":
        body = await read_chunks(reader)
    else:
        body = await reader.readexactly(int(fields.get("content-length", 0)))
    path, _, query = target.partition("?")
    return Request(method, path, query, fields, body)


async def read_chunks(reader):
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


class Connection:
    """One request's answer; notices that the client has hung up."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        self.is_gone = False
        self._watch = asyncio.ensure_future(self._wait_for_end())

    async def _wait_for_end(self):
        try:
            # Nobody sends a second request before the first is answered.
            if not await self._reader.read(1):
                self.is_gone = True
        except ConnectionError:
            self.is_gone = True

    async def end(self):
        self._watch.cancel()
        await asyncio.wait([self._watch])

    async def respond(self, status, value):
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        head = f"HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n"
        self._write(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        await self._writer.drain()

    async def start(self, content_type):
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n"
        self._write(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        await self._writer.drain()

    async def event(self, value):
        await self._chunk(b"data: " + json.dumps(value).encode() + b"\n\n")

    async def finish(self, last):
        await self._chunk(last)
        self._write(b"0\r\n\r\n")
        await self._writer.drain()

    async def _chunk(self, data):
        self._write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self._writer.drain()

    def _write(self, data):
        if self.is_gone:
            raise Gone
        self._writer.write(data)
