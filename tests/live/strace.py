#!/usr/bin/env python3
"""strace.py STRACE JSONL - do strace and iotap tell the same data movements?

STRACE is the output of strace -f -y -s 0 of one run, JSONL iotap's of another run of a command
that makes the same calls each time. Threads are matched by the order of their ids. Of each thread,
calls that move data are compared in order: name, bytes or error, and the file's path. What /proc
answers is another thing in each run, so reads of it are left out.
"""
import errno
import json
import re
import sys

MOVES = ("read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 getdents getdents64 "
         "recvfrom recvmsg sendto sendmsg sendfile").split()
CALL = re.compile(r"^(\w+)\((-?\d+)(?:<((?:[^>\\]|\\.|->)*)>(\(deleted\))?)?")
RESULT = re.compile(r"\)\s+= (-?\d+|\?)(?: (E\w+))?[^=]*$")


def plain(path):
    return path.encode("latin1").decode("unicode_escape").encode("latin1") if path else b""


def strace_calls(name):
    begun, threads = {}, {}
    for line in open(name, encoding="latin1"):
        tid, text = line.rstrip("\n").split(None, 1)
        if text.endswith("<unfinished ...>"):
            begun[tid] = text[: -len("<unfinished ...>")]
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>", text)
        if resumed:
            text = begun.pop(tid, "") + text[resumed.end():]
        call, result = CALL.match(text), RESULT.search(text)
        threads.setdefault(int(tid), [])
        if not call or not result or call.group(1) not in MOVES or result.group(1) == "?":
            continue
        path = plain(call.group(3)) if (call.group(3) or "").startswith("/") else b""
        err = getattr(errno, result.group(2)) if result.group(2) else 0
        if path.startswith(b"/proc/"):
            continue
        threads[int(tid)].append((call.group(1), None if err else int(result.group(1)), err, path))
    return [threads[tid] for tid in sorted(threads) if threads[tid]]


def iotap_calls(name):
    threads = {}
    for line in open(name, encoding="utf-8"):
        e = json.loads(line)
        if e["type"] != "event" or e["syscall"] not in MOVES:
            continue
        target = e["target"]
        path = bytes.fromhex(target["path_hex"]) if "path_hex" in target else target.get("path", "").encode()
        path = path if target["kind"] == "file" and path.startswith(b"/") else b""
        if path.startswith(b"/proc/"):
            continue
        threads.setdefault(e["tid"], []).append((e["syscall"], e["bytes"], e["errno"], path))
    return [threads[tid] for tid in sorted(threads)]


def same(a, b):
    """Nameless files and temporary ones have another name in another run."""
    alike = [re.sub(rb"#\d+$|/sed\w{6}$", b"N", path) for path in (a[3], b[3])]
    return a[:3] == b[:3] and (alike[0] == alike[1] or not alike[0])


def main():
    expected, got = strace_calls(sys.argv[1]), iotap_calls(sys.argv[2])
    differences = []
    if len(expected) != len(got):
        differences.append(f"strace has {len(expected)} threads with data movements, iotap {len(got)}")
    for number, (a, b) in enumerate(zip(expected, got)):
        if len(a) != len(b):
            differences.append(f"thread {number}: strace has {len(a)} calls, iotap {len(b)}")
        differences += [f"thread {number}: strace {x}, iotap {y}" for x, y in zip(a, b) if not same(x, y)]
    print("\n".join(differences[:12]) or
          f"{sum(map(len, got))} calls of {len(got)} threads are as strace has them")
    sys.exit(1 if differences or not got else 0)


main()
