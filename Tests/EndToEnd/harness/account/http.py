"""HTTP/1.1 as a provider speaks it: requests read, and answers that notice a client's end."""

import asyncio
import json
import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl

HEAD_END = b"\r\n\r\n"
LARGEST_HEAD = 1 << 20


@dataclass
class Request:
    method: str
    path: str
    query: str
    fields: dict
    body: bytes

    @cached_property
    def json(self):
        return json.loads(self.body)

    @cached_property
    def parameters(self):
        """Of the query; of those that are repeated, the last."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def is_form(self):
        return self.fields.get("content-type", "").startswith("multipart/form-data")

    @cached_property
    def form_parts(self):
        """Name and content of each part of a form."""
        boundary = self.fields["content-type"].partition("boundary=")[2].strip('"').encode()
        parts = []
        for part in self.body.split(b"--" + boundary)[1:-1]:
            head, _, content = part.partition(HEAD_END)
            name = re.search(rb'name="([^"]*)"', head)[1].decode()
            parts.append((name, content.removesuffix(b"\r\n")))
        return parts

    @property
    def form(self):
        return dict(self.form_parts)


class Gone(Exception):
    """The client has hung up."""


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

    async def take_over(self):
        """Leaves both directions to another protocol."""
        await self.end()
        return self._reader, self._writer

    async def respond(self, status, value):
        """Answers with bytes or a JSON value."""
        is_json = not isinstance(value, bytes)
        content = json.dumps(value).encode() if is_json else value
        content_type = "application/json" if is_json else "application/octet-stream"
        head = f"HTTP/1.1 {status} x\r\ncontent-type: {content_type}\r\n"
        self._write(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        await self._writer.drain()

    async def start(self, content_type):
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n"
        self._write(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        await self._writer.drain()

    async def event(self, value, name=None):
        head = f"event: {name}\n".encode() if name else b""
        await self._chunk(head + b"data: " + json.dumps(value).encode() + b"\n\n")

    async def finish(self, last=b""):
        if last:
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
