#!/usr/bin/env python3
"""Writes a program of 32-bit ARM: 20 times write(1, ..., 3), then exit(0).

    arm32.py FILE

Instructions by hand, so that no compiler for it is needed. Its write is number 4, which is a call of
another kind on arm64, and its exit number 1.
"""
import os
import struct
import sys

CODE = [
    0xE3A04014,  # mov r4, #20
    0xE3A00001,  # 1: mov r0, #1
    0xE28F101C,  # add r1, pc, #28
    0xE3A02003,  # mov r2, #3
    0xE3A07004,  # mov r7, #4
    0xEF000000,  # svc 0
    0xE2544001,  # subs r4, r4, #1
    0x1AFFFFF8,  # bne 1b
    0xE3A00000,  # mov r0, #0
    0xE3A07001,  # mov r7, #1
    0xEF000000,  # svc 0
]
BASE, HEADERS = 0x10000, 52 + 32
body = b"".join(struct.pack("<I", word) for word in CODE) + b"32\n\0"
size = HEADERS + len(body)
header = b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
    "<HHIIIIIHHHHHH", 2, 40, 1, BASE + HEADERS, 52, 0, 0x5000400, 52, 32, 1, 0, 0, 0)
program = struct.pack("<IIIIIIII", 1, 0, BASE, BASE, size, size, 5, 0x1000)
with open(sys.argv[1], "wb") as out:
    out.write(header + program + body)
os.chmod(sys.argv[1], 0o755)
