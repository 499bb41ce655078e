"""bombs.py B TMP - zstd frames of a gigabyte of zeros as blocks of a recording, each way to lie about their size

Each must be told of, and cost less than 100 ms of CPU time and 16 MiB. What Python holds when it makes a process
counts to that one's peak, so a small one that has read nothing stands between (10 MiB).
"""
import os
import re
import struct
import subprocess
import sys
import zlib

B, TMP = sys.argv[1], sys.argv[2]
GIGABYTE, PLAIN_MAX = 1 << 30, 4 << 20
CPU_MS, MEMORY = 100, 16 << 20
HEAD = struct.Struct("<4sBBHQQIIQQIIII")
STORY = b"block header session=1\nhost format_major=1 os=1\nclock boot_ns=5000000000 real_ns=1700000000000000000\n"
REST = b"block state\nclock boot_ns=5000000000 real_ns=1700000000000000000\n"


def assembled(text):
    return subprocess.run([os.path.join(B, "tests/golden/assemble")], input=text, capture_output=True, check=True).stdout


def frame(size, *options):
    """A frame of so many zeros, its size in it unless the options say otherwise."""
    path = os.path.join(TMP, "zeros")
    with open(path, "wb") as f:
        f.truncate(size)
    return subprocess.run(["zstd", "-q", "-c", "-1", "--single-thread", "--check", *options, path], capture_output=True, check=True).stdout


def block(kind, sequence, payload, plain, count=1):
    stored = len(payload)
    head = HEAD.pack(b"", kind, 1, 2 if kind == 4 else 0, sequence, SESSION, stored, plain, 5000000000, 5000000001, count, 1, zlib.crc32(payload), 0)
    head = MAGIC + head[4:60]
    return head + struct.pack("<I", zlib.crc32(head)) + payload


def cost(command):
    """Status, what it said, ms of CPU time, bytes of memory at most."""
    measured = ("import os,subprocess,sys\np = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)\n_, s, u = os.wait4(p.pid, 0)\n"
                "print('\\ncost', os.waitstatus_to_exitcode(s), round((u.ru_utime + u.ru_stime) * 1000), u.ru_maxrss << 10)")
    done = subprocess.run(["python3", "-S", "-E", "-c", measured, *command], capture_output=True, text=True, errors="replace")
    status, ms, memory = map(int, re.search(r"^cost (-?\d+) (\d+) (\d+)$", done.stdout, re.M).groups())
    return status, done.stdout + done.stderr, ms, memory


WHOLE = assembled(STORY + REST)
MAGIC, SESSION = WHOLE[:4], struct.unpack_from("<Q", WHOLE, 16)[0]
assert struct.unpack_from("<I", WHOLE, 60)[0] == zlib.crc32(WHOLE[:60])     # the sum that is meant
KNOWN, SILENT = frame(GIGABYTE), frame(GIGABYTE, "--no-content-size")
BOMBS = {
    "all that a block may have": block(4, 2, KNOWN, PLAIN_MAX),
    "the frame says nothing of its size": block(4, 2, SILENT, PLAIN_MAX),
    "the block says that it is small": block(3, 2, KNOWN, 20),
    "the block says what it is": block(3, 2, KNOWN, GIGABYTE),
    "the block says nothing": block(3, 2, SILENT, 0),
    "an end block": block(6, 2, SILENT, PLAIN_MAX),
    "an index": block(7, 2, KNOWN, PLAIN_MAX),
    "twenty of them": b"".join(block(3, 2 + i, SILENT, PLAIN_MAX) for i in range(20)),
}
PROGRAMS = (["iotap-decode"], ["iotap-decode", "-F", "json"], ["iotap-decode", "--check"], ["iotap-report"])


def case(name, problem):
    print("%s - %s" % ("not ok" if problem else "ok", name))
    if problem:
        print("    " + ascii(problem)[:1500])


case("a bomb of 30 to 100 KB", not all(30000 < len(f) < 100000 for f in (KNOWN, SILENT)) and (len(KNOWN), len(SILENT)))
for name, bomb in BOMBS.items():
    path = os.path.join(TMP, "bomb.iotap")
    with open(path, "wb") as f:
        f.write(WHOLE + bomb)
    for program in PROGRAMS:
        status, said, ms, memory = cost([os.path.join(B, program[0]), *program[1:], path])
        told = status in (1, 4) and re.search(r"damage|abruptly|could not be used", said)
        case("%s: %s" % (name, " ".join(program)), (not told or ms >= CPU_MS or memory >= MEMORY) and (status, said, ms, memory))
        if os.environ.get("SHOW"):
            print("    %d ms, %.1f MiB" % (ms, memory / (1 << 20)))
