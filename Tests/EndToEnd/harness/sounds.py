"""Files that sound, or rather are silent."""

import io
import wave
from decimal import Decimal

RATE = 8000


def wave_file(seconds):
    """A WAV file that lasts so long, to the sample."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(RATE)
        writer.writeframes(bytes(int(Decimal(seconds) * RATE)))
    return file.getvalue()


def lying_flac(frames):
    """A FLAC file of silence at 8 kHz that states one sample; 8.192 seconds a frame."""
    info = bytes(10) + (8000 << 44 | 7 << 36 | 1).to_bytes(8, "big") + bytes(16)
    head = bytes([0xFF, 0xF8, 0x70, 0, 0, 0xFF, 0xFF])
    frame = head + crc8(head) + bytes(4)
    return b"fLaC\x80" + len(info).to_bytes(3, "big") + info + frames * frame


def crc8(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ 7) & 0xFF if value & 0x80 else value << 1
    return bytes([value])
