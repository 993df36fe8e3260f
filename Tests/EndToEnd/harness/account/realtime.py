"""Realtime sessions: WebSocket messages, each checked for what it refers to."""

import base64
import hashlib
import json
import struct

from .faults import Fault

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Realtime:
    def __init__(self, account):
        self._account = account
        self.known = {}
        self.events = []
        """Every event that clients sent."""
        self.routes = [("GET", "/realtime", self.open)]

    async def open(self, request, connection):
        reader, writer = await connection.take_over()
        key = request.fields["sec-websocket-key"].encode()
        accept = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
        head = "HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        writer.write(f"{head}sec-websocket-accept: {accept}\r\n\r\n".encode())
        session = {"type": "realtime", "id": self._account.id("sess_")}
        write(writer, {"type": "session.created", "event_id": "e", "session": session})
        while (message := await read_message(reader, writer)) is not None:
            self._answer(json.loads(message), writer)
            await writer.drain()
        writer.close()

    def _answer(self, event, writer):
        self.events.append(event)
        try:
            self._account.look_up(event)
        except Fault as fault:
            error = {**fault.value["error"], "event_id": event.get("event_id")}
            return write(writer, {"type": "error", "event_id": "e", "error": error})
        match event["type"]:
            case "session.update":
                answer = {"type": "session.updated", "session": event["session"]}
            case "response.create":
                id = self._account.id("resp_")
                made = {"id": id, "object": "realtime.response", "status": "completed"}
                tokens = {"total_tokens": 2, "input_tokens": 1, "output_tokens": 1}
                answer = {"type": "response.created", "response": {**made, "output": []}}
                write(writer, {**answer, "event_id": "e"})
                done = {**made, "output": [], "usage": tokens}
                answer = {"type": "response.done", "response": done}
            case "conversation.item.create":
                answer = {"type": "conversation.item.added", "item": event["item"]}
            case _:
                return None
        return write(writer, {**answer, "event_id": "e"})


def write(writer, value):
    content = json.dumps(value).encode()
    size = len(content)
    length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
    writer.write(bytes([0x80 | TEXT]) + length + content)


async def read_message(reader, writer):
    """The next message's text; None at the end. Answers pings."""
    message = b""
    while True:
        first, second = await reader.readexactly(2)
        size = second & 0x7F
        if size >= 126:
            width = 2 if size == 126 else 8
            size = int.from_bytes(await reader.readexactly(width), "big")
        mask = await reader.readexactly(4)
        content = await reader.readexactly(size)
        content = bytes(byte ^ mask[place % 4] for place, byte in enumerate(content))
        kind = first & 0x0F
        if kind == CLOSE:
            writer.write(bytes([0x80 | CLOSE, len(content)]) + content)
            return None
        if kind == PING:
            writer.write(bytes([0x80 | PONG, len(content)]) + content)
        elif kind != PONG:
            message += content
            if first & 0x80:
                return message.decode()
