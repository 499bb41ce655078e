"""flow.py - the memory of a reader does not grow with its input: from a megabyte to 100 GB through a pipe

The recording is made up (tests/bench/synth.c) and not compressed. An epoch's table of definitions is nearly
empty or full; the calls are of 16 processes, or each 64 of another one. Memory is what the kernel says was
resident at most; it begins with what Python had when it made the process, 15 MiB.
"""
import os
import subprocess
import time

from tracing import B, Wrong

SIZES = (1e6, 100e6, 1e9, 10e9, 100e9)
CALL = 15.3                     # bytes, not compressed
EPOCH = 3000000
# Calls of a target (with 46, an epoch's table is full), processes, up to which size: the worst goes on to the end.
SHAPES = ((1000, 16, 10e9), (46, 16, 1e9), (46, 2097152, 100e9))
BASE, DESCRIPTOR = 64 << 20, 256


def one(size, per_target, processes, form):
    """Bytes of input, of memory at most, seconds."""
    calls, began = max(round(size / CALL), 1), time.time()
    make = subprocess.Popen([B + "/tests/bench/synth", str(calls), str(per_target), str(EPOCH), str(processes)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    decode = subprocess.Popen([B + "/iotap-decode", *form], stdin=make.stdout, stdout=subprocess.DEVNULL)
    make.stdout.close()
    _, status, usage = os.wait4(decode.pid, 0)
    made = make.stderr.read()
    make.wait()
    if status != 0 and os.waitstatus_to_exitcode(status) != 4 or make.returncode != 0:
        raise Wrong(f"decode gave {status}, synth {make.returncode} {made}")
    return int(made), usage.ru_maxrss << 10, time.time() - began


def limit(calls, per_target):
    """The bound: a part for everybody and one for each descriptor of an epoch, however many processes there are."""
    return BASE + DESCRIPTOR * (min(calls, EPOCH) // per_target)


def flow(part, arguments, tmp):
    rows = part.setdefault("rows", [])
    for size in SIZES:
        for per_target, processes, largest in SHAPES:
            known = [r for r in rows if r["asked"] == size and r["shape"] == [per_target, processes]]
            if size > min(largest, arguments.flow * 1e9) or known or arguments.over():
                continue
            n, most, seconds = one(size, per_target, processes, ["-F", "json"])
            bound = limit(round(size / CALL), per_target)
            rows.append({"asked": size, "shape": [per_target, processes], "bytes": n, "most": most, "bound": bound,
                         "live": min(round(size / CALL), EPOCH) // per_target, "seconds": seconds})
            part.add(1, f"flow: {n} bytes took {most} bytes of memory, more than {bound}" if most > bound else None)


def table(part):
    return ["| input of iotap-decode -F json, by a pipe | descriptors of an epoch | processes | memory | bound | seconds |",
            "|---:|---:|---:|---:|---:|---:|"] + [
        f"| {r['bytes'] / 1e6:,.0f} MB | {r['live']:,} | {r['shape'][1]:,} | {r['most'] / (1 << 20):.1f} MiB | "
        f"{r['bound'] / (1 << 20):.1f} MiB | {r['seconds']:.0f} |" for r in part.get("rows", [])]
