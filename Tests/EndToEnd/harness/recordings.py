"""The recorded answers of Tests/MeteringTests/Cases: what was asked, what a provider answered, and
what has to be charged for it."""

import json
import uuid
from dataclasses import dataclass
from pathlib import Path

from .process import REPOSITORY
from .sounds import wave_file

CASES = REPOSITORY / "Tests/MeteringTests/Cases"
TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream; charset=utf-8",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".srt": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}
OUTCOMES = {
    "complete": "ok",
    "incomplete": "ok",
    "error": "provider_error",
    "truncated": "upstream_broken",
}


@dataclass
class Recording:
    facts: dict

    def __str__(self):
        return self.facts["name"]

    @property
    def provider(self):
        return self.facts["provider"]

    @property
    def expected(self):
        return self.facts["expected"]

    @property
    def path(self):
        """The endpoint, without the prefix by which its provider is chosen."""
        return self.facts["endpoint"].removeprefix("/openai")

    @property
    def model(self):
        request = self.facts["request"]
        return request.get("multipart", request).get("model")

    @property
    def streaming(self):
        return self.facts["streaming"]

    @property
    def status(self):
        return self.facts["status"]

    @property
    def outcome(self):
        return OUTCOMES[self.expected["outcome"]]

    @property
    def is_torn(self):
        return self.expected["outcome"] == "truncated"

    @property
    def answer(self):
        return self._bytes(self.facts["response_file"])

    @property
    def seen_by_client(self):
        """The answer without what is there only because usage was asked for."""
        return self._bytes(self.facts.get("client_file", self.facts["response_file"]))

    @property
    def fields(self):
        kind = TYPES[Path(self.facts["response_file"]).suffix]
        fields = {"content-type": kind, **self.facts.get("response_headers", {})}
        # How a body is framed is each connection's own matter.
        fields.pop("transfer-encoding", None)
        return fields

    def request(self):
        """The body and its media type."""
        request = self.facts["request"]
        if "multipart" in request:
            return form(request["multipart"])
        return json.dumps(request).encode(), "application/json"

    @staticmethod
    def _bytes(name):
        return (CASES / name).read_bytes()


def recordings():
    entries = []
    for index in ["index.json", "media.json"]:
        entries += json.loads((CASES / index).read_text())["cases"]
    return [Recording(entry) for entry in entries]


def form(parts):
    """Parts as the index describes them: a file by its size, or by how long it sounds."""
    boundary = uuid.uuid4().hex
    body = b""
    for name, value in parts.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, dict):
            head += f'; filename="{value["name"]}"\r\nContent-Type: application/octet-stream'
            content = wave_file(value["seconds"]) if "seconds" in value else bytes(value["bytes"])
        else:
            content = value.encode()
        body += head.encode() + b"\r\n\r\n" + content + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
