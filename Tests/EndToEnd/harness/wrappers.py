"""Sounds in wrappers that decoders open, and whose headers state a moment.

Each sound is silence in FLAC, which a decoder makes about 8.192 seconds a frame of, or PCM."""

import struct

from .sounds import RATE, crc8, lying_flac

FRAMES = 20
# The duration of the sound that FFmpeg decodes of FRAMES.
TRUE_MILLISECONDS = FRAMES * 65_535 // 8


def crc16(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x8005) & 0xFFFF if value & 0x8000 else value << 1
    return value.to_bytes(2, "big")


def frame(number, code=0, hertz=None):
    """A frame of 65,535 samples of one channel, all of them zero.

    `code` is that of the rate, 0 for that of the file; with `hertz` the frame states it."""
    head = bytes([0xFF, 0xF8, 0x70 | (13 if hertz else code), 0x08, number, 0xFF, 0xFE])
    if hertz:
        head += hertz.to_bytes(2, "big")
    head += crc8(head)
    # A constant subframe: its type, and a sample of 16 bits.
    data = head + bytes(3)
    return data + crc16(data)


def frames(code=0):
    return [frame(number, code) for number in range(FRAMES)]


def stream_info(rate=RATE, samples=1):
    sizes = bytes.fromhex("ffffffff") + bytes(6)
    return sizes + (rate << 44 | 15 << 36 | samples).to_bytes(8, "big") + bytes(16)


def flac(rate=RATE, code=0):
    info = stream_info(rate)
    return b"fLaC\x80" + len(info).to_bytes(3, "big") + info + b"".join(frames(code))


def tag(size=20):
    return b"ID3\x04\x00\x00" + bytes([0, 0, size >> 7, size & 0x7F]) + bytes(size)


def wave(codec, content, *, rate=RATE, byte_rate=RATE * 1000, extra=b""):
    """A WAV file whose byte rate claims a moment."""
    fmt = struct.pack("<HHIIHH", codec, 1, rate, byte_rate, 1, 8)
    if extra:
        fmt += struct.pack("<H", len(extra)) + extra
    chunks = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt
    chunks += b"data" + struct.pack("<I", len(content)) + content
    return b"RIFF" + struct.pack("<I", len(chunks)) + chunks


# WebM and Matroska


def element(id, content):
    return bytes.fromhex(id) + (1 << 28 | len(content)).to_bytes(4, "big") + content


def matroska(codec, packets, *, rate=RATE, private=b""):
    """A file whose head states 0.1 seconds."""
    sound = element("B5", struct.pack(">f", rate)) + element("9F", b"\x01")
    track = element("D7", b"\x01") + element("73C5", b"\x01") + element("83", b"\x02")
    track += element("86", codec) + element("E1", sound)
    if private:
        track += element("63A2", private)
    info = element("2AD7B1", (10**6).to_bytes(3, "big")) + element("4489", struct.pack(">d", 100))
    head = element("1549A966", info) + element("1654AE6B", element("AE", track))
    blocks = [element("A3", b"\x81\x00\x00\x80" + packet) for packet in packets]
    cluster = element("1F43B675", element("E7", b"\x00") + b"".join(blocks))
    kind = element("4282", b"matroska") + element("4287", b"\x04") + element("4285", b"\x02")
    return element("1A45DFA3", kind) + element("18538067", head + cluster)


# MP4


def box(kind, content):
    return (len(content) + 8).to_bytes(4, "big") + kind + content


def mp4(entry, packets, *, rate=RATE, count=None):
    """A file whose header states 0.1 seconds; `count` samples, where all are the first packet."""
    description = bytes(6) + b"\x00\x01" + bytes(8) + struct.pack(">HHHHI", 1, 16, 0, 0, rate << 16)
    kind, own = entry
    stsd = box(b"stsd", struct.pack(">II", 0, 1) + box(kind, description + own))
    media = b"".join(packets)
    start = box(b"ftyp", b"M4A \x00\x00\x02\x00M4A isom")
    data = len(start) + 8
    if count is None:
        sizes = struct.pack(">III", 0, 0, len(packets))
        sizes += b"".join(len(packet).to_bytes(4, "big") for packet in packets)
        chunks = struct.pack(">III", 0, 1, data)
        runs = struct.pack(">IIIII", 0, 1, 1, len(packets), 1)
        times = struct.pack(">IIII", 0, 1, len(packets), 65536)
    else:
        sizes = struct.pack(">III", 0, len(packets[0]), count)
        chunks = struct.pack(">II", 0, count) + count * data.to_bytes(4, "big")
        runs = struct.pack(">IIIII", 0, 1, 1, 1, 1)
        times = struct.pack(">IIII", 0, 1, count, 65536)
    tables = box(b"stts", times) + box(b"stsc", runs) + box(b"stsz", sizes) + box(b"stco", chunks)
    stbl = box(b"stbl", stsd + tables)
    reference = box(b"dref", struct.pack(">II", 0, 1) + box(b"url ", b"\x00\x00\x00\x01"))
    minf = box(b"minf", box(b"smhd", bytes(8)) + box(b"dinf", reference) + stbl)
    mdhd = box(b"mdhd", struct.pack(">IIIIIHH", 0, 0, 0, rate, rate // 10 or 1, 0x55C4, 0))
    handler = box(b"hdlr", bytes(8) + b"soun" + bytes(13))
    tkhd = box(b"tkhd", struct.pack(">IIIII", 7, 0, 0, 1, 0) + struct.pack(">I", 100) + bytes(60))
    track = box(b"trak", tkhd + box(b"mdia", mdhd + handler + minf))
    mvhd = box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1000, 100) + bytes(80))
    return start + box(b"mdat", media) + box(b"moov", mvhd + track)


FLAC_IN_MP4 = (b"fLaC", box(b"dfLa", bytes(4) + b"\x80\x00\x00\x22" + stream_info()))


# Ogg


def page(flags, number, packets, position=1):
    sizes = b"".join(bytes([255] * (len(p) // 255) + [len(p) % 255]) for p in packets)
    head = b"OggS\x00" + struct.pack("<BqII", flags, position, 7, number)
    content = bytes([len(sizes)]) + sizes + b"".join(packets)
    whole = head + bytes(4) + content
    return head + struct.pack("<I", ogg_crc(whole)) + content


def ogg_crc(data):
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7) & 0xFFFFFFFF if value & 0x80000000 else value << 1
    return value


def ogm(content, rate):
    """PCM in Ogg, which players of films know: a codec that no reader of Catraca knows."""
    head = b"\x01audio\x00\x00\x00" + b"0001" + struct.pack("<I", 52)
    head += struct.pack("<qqIIHHHHI", 10**7, rate, 1, len(content), 16, 0, 1, 2, 2 * rate)
    pieces = [b"\x08" + content[start : start + 8000] for start in range(0, len(content), 8000)]
    pages = [page(0, 2 + number, [piece]) for number, piece in enumerate(pieces)]
    return page(2, 0, [head], 0) + page(0, 1, [b"\x03" + bytes(8)], 0) + b"".join(pages)


PCM = bytes([128]) * (TRUE_MILLISECONDS * RATE // 1000)
SLOW = bytes([128]) * (TRUE_MILLISECONDS // 1000 + 1)

WRAPPED = {
    "two tags before FLAC": tag() + tag() + flac(),
    "three tags before FLAC": tag() * 3 + flac(),
    "a tag before FLAC": tag() + flac(),
    "FLAC": flac(),
    "FLAC whose frames state another rate": flac(96_000, code=4),
    "WAV": wave(1, PCM),
    "WAV at one hertz": wave(1, SLOW, rate=1),
    "FLAC in WAV": wave(0xF1AC, b"".join(frames(code=4)), extra=stream_info()),
    "slow FLAC in WAV": wave(0xF1AC, frame(0, hertz=400), rate=400, extra=stream_info(400)),
    "FLAC in Matroska": matroska(
        b"A_FLAC", frames(), private=b"fLaC\x80\x00\x00\x22" + stream_info()
    ),
    "PCM at one hertz in Matroska": matroska(b"A_PCM/INT/LIT", [SLOW + SLOW], rate=1),
    "FLAC in MP4": mp4(FLAC_IN_MP4, frames()),
    "one frame of FLAC 20 times in MP4": mp4(FLAC_IN_MP4, frames(), count=FRAMES),
    "PCM in MP4": mp4((b"raw ", b""), [PCM[:8000]], count=328),
    "an unknown codec in Ogg": ogm(SLOW + SLOW, 1),
}
