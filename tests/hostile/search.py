"""search.py RECORDING PATTERN... - says what of the patterns is in a recording, every frame of it unpacked

Patterns are hexadecimal bytes. Prints "PATTERN COUNT" for each found, and how many bytes were searched.
"""
import ctypes
import ctypes.util
import struct
import sys

MAGIC, ROOM = b"\x28\xb5\x2f\xfd", 8 << 20
zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
for name in "ZSTD_decompress", "ZSTD_findFrameCompressedSize":
    getattr(zstd, name).restype = ctypes.c_size_t
room = ctypes.create_string_buffer(ROOM)


def frames(payload):
    at = payload.find(MAGIC)
    while at >= 0:
        rest = payload[at:]
        size = zstd.ZSTD_findFrameCompressedSize(rest, ctypes.c_size_t(len(rest)))
        if not zstd.ZSTD_isError(ctypes.c_size_t(size)):
            n = zstd.ZSTD_decompress(room, ctypes.c_size_t(ROOM), rest[:size], ctypes.c_size_t(size))
            assert not zstd.ZSTD_isError(ctypes.c_size_t(n)), "a frame that cannot be unpacked"
            yield room.raw[:n]
            at += size - 1
        at = payload.find(MAGIC, at + 1)


def pieces(data):
    at = n = 0
    while at < len(data):
        assert data[at:at + 4] == b"IoTB", "no block at %d" % at
        stored, plain = struct.unpack_from("<II", data, at + 24)
        payload = data[at + 64:at + 64 + stored]
        packed = b"".join(frames(payload))
        assert data[at + 5] == 0 or packed or not stored, "block %d: nothing was unpacked" % n
        yield data[at:at + 64] + payload
        yield packed
        at, n = at + 64 + stored, n + 1


with open(sys.argv[1], "rb") as f:
    everything = b"\0".join(pieces(f.read()))
for pattern in sys.argv[2:]:
    found = everything.count(bytes.fromhex(pattern))
    if found:
        at = everything.find(bytes.fromhex(pattern))
        print("%s %d, first in %r" % (pattern, found, everything[max(0, at - 40):at + 60]))
print("%d bytes searched" % len(everything), file=sys.stderr)
