"""Uploads, as the bytes that go over the wire."""

import io
import wave


def sound(seconds):
    """A silent WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(8000)
        writer.writeframes(bytes(int(seconds * 8000)))
    return file.getvalue()


def form(file, **fields):
    """The content type and the body of a form with a sound file."""
    boundary = "catraca-form"
    parts = [
        f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="sound.wav"\r\n'
        "content-type: audio/wav\r\n\r\n"
    )
    body = b"".join([*parts, head.encode(), file, f"\r\n--{boundary}--\r\n".encode()])
    return f"multipart/form-data; boundary={boundary}", body
