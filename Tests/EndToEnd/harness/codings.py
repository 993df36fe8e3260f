"""Encoders of `Content-Encoding`, by the system's libraries: in one piece, or flushed block by
block."""

import ctypes
import zlib

CODINGS = ["gzip", "deflate", "br", "zstd"]
ROOM = 1 << 20


def encode(coding, content):
    return Encoder(coding).flushed(content, ends=True)


class Encoder:
    """Encodes one body. The result of `flushed` can be decoded without the rest."""

    def __init__(self, coding):
        self._flushed = {
            "gzip": _Zlib(31),
            "deflate": _Zlib(15),
            "bare deflate": _Zlib(-15),
            "br": _Brotli(),
            "zstd": _Zstd(),
        }[coding]

    def flushed(self, content, ends=False):
        return self._flushed(content, ends)


class _Zlib:
    def __init__(self, window):
        self._state = zlib.compressobj(9, zlib.DEFLATED, window)

    def __call__(self, content, ends):
        mode = zlib.Z_FINISH if ends else zlib.Z_SYNC_FLUSH
        return self._state.compress(content) + self._state.flush(mode)


class _Brotli:
    FLUSH, FINISH = 1, 2

    def __init__(self):
        self._library = ctypes.CDLL("libbrotlienc.so.1")
        self._library.BrotliEncoderCreateInstance.restype = ctypes.c_void_p
        self._state = ctypes.c_void_p(self._library.BrotliEncoderCreateInstance(None, None, None))

    def __call__(self, content, ends):
        room = ctypes.create_string_buffer(ROOM)
        source = ctypes.create_string_buffer(content, max(1, len(content)))
        left, size = ctypes.c_size_t(len(content)), ctypes.c_size_t(ROOM)
        begin, end = ctypes.cast(source, ctypes.c_void_p), ctypes.cast(room, ctypes.c_void_p)
        done = self._library.BrotliEncoderCompressStream(
            self._state, self.FINISH if ends else self.FLUSH, ctypes.byref(left),
            ctypes.byref(begin), ctypes.byref(size), ctypes.byref(end), None,
        )
        assert done and left.value == 0
        return room.raw[: ROOM - size.value]


class _Buffer(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("position", ctypes.c_size_t)]


class _Zstd:
    FLUSH, END = 1, 2

    def __init__(self):
        self._library = ctypes.CDLL("libzstd.so.1")
        self._library.ZSTD_createCCtx.restype = ctypes.c_void_p
        self._library.ZSTD_compressStream2.restype = ctypes.c_size_t
        self._state = ctypes.c_void_p(self._library.ZSTD_createCCtx())

    def __call__(self, content, ends):
        room = ctypes.create_string_buffer(ROOM)
        source = ctypes.create_string_buffer(content, max(1, len(content)))
        output = _Buffer(ctypes.cast(room, ctypes.c_void_p), ROOM, 0)
        given = _Buffer(ctypes.cast(source, ctypes.c_void_p), len(content), 0)
        left = self._library.ZSTD_compressStream2(
            self._state, ctypes.byref(output), ctypes.byref(given), self.END if ends else self.FLUSH
        )
        assert left == 0 and given.position == given.size
        return room.raw[: output.position]
