"""The first inputs of the fuzzers, which go deep into each target (see FuzzTarget.swift)."""

import base64
import gzip
import json
import struct
import wave
import zlib
from io import BytesIO
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CASES = REPOSITORY / "Tests" / "MeteringTests" / "Cases"
CONFIG = REPOSITORY / "config"

REQUESTS = [
    b"GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /v1/chat/completions?x=%2f HTTP/1.1\r\nHost: a:80\r\nContent-Length: 2\r\n\r\n{}",
    b"POST http://a/v1/x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    b"\r\nGET / HTTP/1.0\r\nConnection: keep-alive, x\r\nHost: [::1]\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n"
    b"OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n",
]
CHUNKED = [
    b"0\r\n\r\n",
    b'5;a=b;c="d e"\r\nhello\r\nA\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n',
    b"000f;\r\n0123456789abcde\r\n000\r\n\r\n",
]
EVENTS = [
    b"data: a\n\ndata: b\r\n\r\ndata: c\r\r",
    b"\xef\xbb\xbf: comment\nevent: x\nid: 1\nretry: 5\ndata:a\ndata\ndata: b\n\n",
    b"data: [DONE]",
]
FORM = "multipart/form-data; boundary=b"
FORM_BODY = (
    b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n'
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n'
    b"Content-Type: audio/wav\r\n\r\nRIFF\r\n"
    b'--b\r\nContent-Disposition: form-data; name="response_format"\r\n\r\nsrt\r\n--b--\r\n'
)
CHAT = {
    "model": "gpt-4o-mini",
    "stream": True,
    "n": 2,
    "max_completion_tokens": 5,
    "service_tier": "flex",
    "user": "u",
    "metadata": {"conversation_id": "c"},
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "é\n"}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
}
REALTIME = [
    {"type": "session.update", "session": {"model": "gpt-realtime", "max_output_tokens": 9}},
    {"type": "input_audio_buffer.append", "audio": base64.b64encode(b"\0" * 48).decode()},
    {"type": "response.create", "response": {"max_output_tokens": "inf"}},
]
REFERRING = [
    {"previous_response_id": "resp_1", "conversation": {"id": "conv_1"}, "model": "ft:x"},
    {"input": [{"type": "item_reference", "id": "msg_1"}, {"id": "msg_2"}]},
    {"input": [{"type": "reasoning", "id": "rs_1"}, {"content": [{"file_id": "file-1"}]}]},
    {"tools": [{"vector_store_ids": ["vs_1"]}, {"container": {"file_ids": ["file-1"]}}]},
    {"prompt": {"id": "pmpt_1", "variables": {"a": {"file_id": "file-1"}}}, "part_ids": ["x"]},
    {"messages": [{"audio": {"id": "audio_1"}, "tool_calls": [{"id": "call_1"}]}]},
]


def all_seeds():
    """The seeds of every target, by its name."""
    answers, streams, requests = recorded()
    return {
        "request": REQUESTS,
        "chunked": CHUNKED,
        "events": EVENTS + [body for _, body in streams],
        "websocket": list(frames()),
        "multipart": [with_line(FORM, FORM_BODY)],
        "facts": [
            *(with_line(path, compact(body)) for path, body in requests),
            with_line("/v1/chat/completions", compact(CHAT)),
            with_line(f"/v1/audio/transcriptions {FORM}", FORM_BODY),
        ],
        "answer": [with_line(path, body) for path, body in answers],
        "stream": [with_line(path, body) for path, body in streams],
        "realtime": [
            (CASES / "c57-realtime-events.jsonl").read_bytes(),
            b"\n".join(compact(event) for event in REALTIME),
        ],
        "objects": [
            *(with_line("body", compact(body)) for _, body in requests),
            *(with_line("body", compact(body)) for body in REFERRING),
            with_line("query", b"after=file-1&limit=2&model=ft:x&metadata[a]=b"),
            with_line(FORM, FORM_BODY.replace(b'name="model"', b'name="file_ids[]"')),
        ],
        "coded": list(coded()),
        "audio": [silence(), (CASES / "c40-speech-binary.mp3").read_bytes(), *containers()],
        "configuration": list(configuration()),
    }


def coded():
    """A body in each coding, and members of gzip, one behind the other."""
    text = b'{"usage":{"total_tokens":7}}' * 9
    yield with_line("gzip", gzip.compress(text))
    yield with_line("gzip", gzip.compress(text) + gzip.compress(text))
    yield with_line("deflate", zlib.compress(text))
    yield with_line("deflate", zlib.compress(text)[2:-4])
    brotli = "8b0d807b227573616765223a7b22746f74616c5f746f6b656e73223a377d7d03"
    yield with_line("br", bytes.fromhex(brotli))
    zstd = "28b52ffd201ce100007b227573616765223a7b22746f74616c5f746f6b656e73223a377d7d"
    yield with_line("zstd", bytes.fromhex(zstd))
    # Zeros, 128 KiB at a time.
    yield with_line("zstd", bytes.fromhex("28b52ffd0038" + "02001000" * 40 + "03001000"))


def recorded():
    """Recorded answers, streams and requests, each with its endpoint's path."""
    answers, streams, requests = [], [], []
    for case in json.loads((CASES / "index.json").read_text())["cases"]:
        body = (CASES / case["response_file"]).read_bytes()
        (streams if case["streaming"] else answers).append((case["endpoint"], body))
        if isinstance(case["request"], dict):
            requests.append((case["endpoint"], case["request"]))
    return answers, streams, requests


def frames():
    """Frames of a WebSocket: a text, one in two parts with a ping between, a close; masked too."""
    close = struct.pack("!H", 1000) + b"bye"
    parts = [(0x81, b"hello"), (0x01, b"\xc3"), (0x89, b"p"), (0x80, b"\xa9"), (0x88, close)]
    yield b"".join(bytes([head, len(body)]) + body for head, body in parts)
    yield b"".join(bytes([head, 0x80 | len(body)]) + b"\0\0\0\0" + body for head, body in parts)
    yield b"\x82\x7e\x01\x00" + b"\0" * 256


def silence():
    """A tenth of a second of nothing."""
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0" * 800)
    return file.getvalue()


def containers():
    """The beginnings of files in other containers, as far as their frames."""
    page = b"OggS" + bytes([0, 2]) + bytes(20) + bytes([1, 19])
    yield page + b"OpusHead" + bytes(11) + page[:5] + b"\0" + page[6:] + b"\x18"
    info = bytes(10) + (8000 << 44 | 7 << 36 | 1).to_bytes(8, "big") + bytes(16)
    frame = b"\xff\xf8\x70\x00\x00\xff\xff\x00"
    yield b"fLaC\x80" + len(info).to_bytes(3, "big") + info + 2 * frame
    table = b"\0\0\0\x14stsz" + bytes(8) + b"\0\0\0\x09"
    entry = b"\0\0\0\x24mp4a" + bytes(24) + b"\xbb\x80\0\0"
    described = b"\0\0\0\x34stsd" + bytes(4) + b"\0\0\0\x01" + entry
    yield b"\0\0\0\x0cftypM4A " + b"\0\0\0\x50moov" + described + table
    track = b"\xd7\x81\x01\x83\x81\x02\x86\x86A_OPUS"
    tracks = b"\x16\x54\xae\x6b" + bytes([0x80 | len(track) + 2, 0xAE, 0x80 | len(track)]) + track
    cluster = b"\x1f\x43\xb6\x75\xff\xa3\x85\x81\0\0\0\x18"
    yield b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff" + tracks + cluster
    yield 3 * b"\xff\xf1\x6c\x40\x01\x20\0\0\0"


def configuration():
    for name in ["catraca.yaml", "clients.yaml"]:
        yield with_line(name, (CONFIG / name).read_bytes())
    # The largest part of a price file is the same over and over.
    for path in sorted((CONFIG / "pricing").glob("*.yaml")):
        yield with_line("prices.yaml", path.read_bytes()[:8192])


def with_line(line, body):
    return line.encode() + b"\n" + body


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()
