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
