"""Transcriptions, which are billed by how long a sound truly is."""

from .truth import Work


class Sounds:
    def __init__(self, account):
        self._account = account
        self.known = {}
        self.routes = [("POST", "/audio/transcriptions", self.transcribe)]

    def transcribe(self, request):
        work = Work("transcription", "whisper-1", None)
        work.milliseconds = true_milliseconds(request.body)
        self._account.truth.add(work)
        seconds = -(-work.milliseconds // 1000)
        return {"text": "x", "usage": {"type": "duration", "seconds": seconds}}


def true_milliseconds(body):
    """How long a WAV file inside a form sounds: by its samples, whatever its byte rate claims."""
    start = body.index(b"RIFF")
    fmt = body.index(b"fmt ", start) + 8
    channels = int.from_bytes(body[fmt + 2 : fmt + 4], "little")
    rate = int.from_bytes(body[fmt + 4 : fmt + 8], "little")
    bits = int.from_bytes(body[fmt + 14 : fmt + 16], "little")
    data = body.index(b"data", fmt)
    size = int.from_bytes(body[data + 4 : data + 8], "little")
    return size * 1000 * 8 // (rate * channels * bits)
