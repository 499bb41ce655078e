"""laws.py - both laws, and the kernel's own account of bytes, over many shapes of loss

Run i has its shape by i alone, so a series that was cut goes on where it was. Several go on at once: most
of a run's time is waiting.
"""
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import threading
import time

from tracing import B, DEADLINE, WORK, Progress, Wrong, check, summary, traces, until

RINGS = ["64K", "128K", "256K", "1M", "4M", "32M"]
THREADS = [1, 2, 4, 8, 16, 32, 64]
CALLS = 60000


def shape(i, seed):
    """By turns, so that a short row of runs has every ring. The first fills the ring of definitions and the
    sums: 40,000 files."""
    lot = random.Random(seed * 1000003 + i)
    if i == 0:
        return RINGS[0], 4, 2.0, 1, 200000
    return (RINGS[i % len(RINGS)], lot.choice(THREADS), lot.choice([0, lot.uniform(0, 2)]), lot.choice([0, 1]),
            lot.randrange(CALLS // 3, CALLS * 2))


def io_of(pid):
    with open(f"/proc/{pid}/io") as f:
        lines = dict(line.split(": ") for line in f)
    return int(lines["rchar"]), int(lines["wchar"])


def bytes_of(s):
    totals = s["totals"]
    return tuple(sum(v["bytes"] for k, v in totals.items() if k.endswith(end)) for end in ("_read", "_write"))


def calls_of(s):
    return sum(v["calls"] for k, v in s["totals"].items() if k.endswith(("_read", "_write")))


def traced(tmp, out, ring, threads, stopped, files, calls):
    """Makes the recording; the bytes that the kernel counted meanwhile."""
    place = tmp + "/dir"
    os.mkdir(place)
    target = subprocess.Popen([WORK + "flood", place, str(threads), str(max(calls // threads, 1)), str(files)])
    # Its loader reads the C library: that is over before anybody counts.
    until(lambda: os.path.exists(place + "/ready"), "the target", target)
    capture = subprocess.Popen([B + "/iotap-capture", "--force", "--buffer", ring, "-o", out, str(target.pid)],
                               stdin=subprocess.DEVNULL)
    try:
        until(lambda: traces(out), "capture to begin", capture)
        before = io_of(target.pid)
        if stopped:
            capture.send_signal(signal.SIGSTOP)
        open(place + "/go", "w").close()
        if stopped:
            time.sleep(stopped)
            capture.send_signal(signal.SIGCONT)
        until(lambda: os.path.exists(place + "/done"), "the calls", target)
        after = io_of(target.pid)
        capture.send_signal(signal.SIGINT)
        status = capture.wait(DEADLINE)
    finally:
        capture.kill()
        target.kill()
        target.wait()
        capture.wait()
    if status not in (0, 4):
        raise Wrong(f"capture gave {status}")
    return tuple(b - a for a, b in zip(before, after))


def one_run(base, i, seed):
    """Calls, of these as sums, what is wrong."""
    ring, threads, stopped, files, calls = what = shape(i, seed)
    tmp = f"{base}/{i}"
    os.mkdir(tmp)
    os.chmod(tmp, 0o755)
    try:
        expected = traced(tmp, tmp + "/t.iotap", *what)
        check(tmp + "/t.iotap")
        s, events = summary(tmp + "/t.iotap")
        if bytes_of(s) != expected:
            raise Wrong(f"bytes read and written: {bytes_of(s)}, by the kernel's own accounting {expected}")
        return calls_of(s), calls_of(s) - events, None
    except (Wrong, subprocess.TimeoutExpired) as e:
        return 0, 0, (f"run {i}, ring {ring}, {threads} threads, stopped {stopped:.1f} s, "
                      f"{'files' if files else 'no files'}, {calls} calls: {e}")
    finally:
        shutil.rmtree(tmp)


def laws(part, arguments, tmp):
    """Adds rows by ring: runs, calls, of these as sums, with a difference."""
    rows, done = part.setdefault("rows", {}), set(part.setdefault("done", []))
    progress, lock = Progress("laws", len(done), arguments.runs), threading.Lock()

    def turn(i):
        if arguments.over():
            return
        calls, summed, wrong = one_run(tmp, i, arguments.seed)
        with lock:
            row = rows.setdefault(shape(i, arguments.seed)[0], [0, 0, 0, 0])
            for k, n in enumerate((1, calls, summed, 1 if wrong else 0)):
                row[k] += n
            done.add(i)
            part["done"] = sorted(done)
            part.add(1, wrong)
            progress.step(len(done))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(turn, [i for i in range(arguments.runs) if i not in done]))
    progress.end()


def table(part):
    rows = [(ring, part["rows"][ring]) for ring in RINGS if ring in part["rows"]]
    rows.append(("all", [sum(r[i] for _, r in rows) for i in range(4)]))
    return (["| ring | runs | reads and writes | of these as sums | runs with a difference |", "|---|---:|---:|---:|---:|"] +
            [f"| {ring} | {r[0]} | {r[1]} | {r[2]} | {r[3]} |" for ring, r in rows])
