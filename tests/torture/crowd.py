"""crowd.py - 20,000 threads in a call, 10,000 of them from before; 16,383 processes that are all there at once

More than a test of every run may ask of a machine: of 32,768 numbers of processes that there are by default.
"""
import json
import os
import signal
import subprocess
import time

from tracing import B, DEADLINE, Wrong, check, decoded, summary, traces, until

LIVE = B + "/tests/live/work/"
THREADS = 10000         # before, and as many more
DEPTH = 13              # of a tree of processes: 16,383
MEMORY = (64 + 32) << 10  # KiB that capture may take: with its rings


def peak(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def in_read(pid):
    n = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/syscall") as f:
                n += f.read(2) == "0 "
        except OSError:
            pass
    return n


def threads(tmp):
    """Seconds until capture traces, KiB it took, calls that were under way at the end."""
    go, out = tmp + "/go", tmp + "/threads.iotap"
    os.mkfifo(go)
    hold = os.open(go, os.O_RDWR)
    target = subprocess.Popen([LIVE + "crowd", tmp + "/crowd.s", str(THREADS), go])
    capture = None
    try:
        until(lambda: in_read(target.pid) == THREADS + 1, "the threads", target)
        began = time.time()
        capture = subprocess.Popen([B + "/iotap-capture", "--force", "-o", out, str(target.pid)],
                                   stdin=subprocess.DEVNULL)
        until(lambda: traces(out), "capture to begin", capture)
        took = time.time() - began
        os.write(hold, b"x")
        until(lambda: in_read(target.pid) == 2 * THREADS + 1, "more threads", target)
        most = peak(capture.pid)
        capture.send_signal(signal.SIGINT)
        if capture.wait(DEADLINE) != 0:
            raise Wrong("capture of the threads failed")
    finally:
        for process in (target, capture):
            if process:
                process.kill()
                process.wait()
        os.close(hold)
    check(out)
    s, _ = summary(out)
    return took, most, s["unfinished_calls"]


def processes(tmp):
    """KiB that capture took, and processes: that were there, told, ended, refused; their writes."""
    out = tmp + "/bomb.iotap"
    capture = subprocess.Popen([B + "/iotap-capture", "--force", "-f", "-o", out, "--",
                                LIVE + "bomb", tmp + "/bomb.s", tmp + "/bombed", str(DEPTH)], stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(capture.pid, 0)
    if status != 0:
        raise Wrong(f"capture of the processes: {status}")
    check(out)
    lines = [json.loads(line) for line in decoded(out, "-F", "json").stdout.splitlines()
             if '/bombed"' in line or line.startswith(('{"type":"attached"', '{"type":"exited"', '{"type":"summary"'))]
    kinds = [e["type"] for e in lines]
    writers = {e["pid"] for e in lines if e["type"] == "event" and e["syscall"] == "write" and e["bytes"] == 7}
    refused = sum(lines[kinds.index("summary")]["untraced_children"].values())
    return usage.ru_maxrss, [os.path.getsize(tmp + "/bombed") // 7, len(writers), kinds.count("attached"),
                             kinds.count("exited"), refused]


def crowd(part, arguments, tmp):
    took, threads_most, calls = threads(tmp)
    processes_most, told = processes(tmp)
    n = (2 << DEPTH) - 1
    wrong = []
    if calls != 2 * THREADS + 1:
        wrong.append(f"crowd: {calls} calls under way at the end, not {2 * THREADS + 1}")
    if told != [n, n, n - 1, n, 0]:
        wrong.append(f"crowd: processes that wrote, by their writes, attached, exited, refused: {told}, of {n}")
    if max(threads_most, processes_most) > MEMORY:
        wrong.append(f"crowd: capture took {threads_most} and {processes_most} KiB")
    part.clear()
    part.update(took=took, threads=calls, threads_most=threads_most, processes=told, processes_most=processes_most)
    part.add(1, "; ".join(wrong) or None)


def table(part):
    return ["| crowds | |", "|---|---:|",
            f"| calls under way at the end, each in a thread of its own, half of them from before | {part['threads']} |",
            f"| capture began after | {part['took']:.1f} s |",
            f"| its memory, at most | {part['threads_most'] >> 10} MiB |",
            f"| processes, all there at once | {part['processes'][0]} |",
            f"| told with their write, their end | {part['processes'][1]}, {part['processes'][3]} |",
            f"| refused | {part['processes'][4]} |",
            f"| memory of capture, at most | {part['processes_most'] >> 10} MiB |"]
