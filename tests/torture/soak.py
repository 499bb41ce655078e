"""soak.py - minutes with rotation at 20,000 writes a second: memory is flat, and the laws hold at the end"""
import os
import signal
import subprocess
import time

from tracing import B, DEADLINE, Progress, Wrong, check, traces, until

KEPT = 4


def rss(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def watched(arguments, tmp, base):
    """KiB, sampled; capture's status."""
    seconds, samples = arguments.soak * 60, []
    target = subprocess.Popen([B + "/tests/live/work/rate", tmp + "/said2", tmp + "/soaked", "20000", "86400000"])
    capture = subprocess.Popen([B + "/iotap-capture", "-o", base, "--rotate-size", "256k", "--keep", str(KEPT),
                                str(target.pid)], stdin=subprocess.DEVNULL)
    progress = Progress("soak, seconds", 0, round(seconds))
    try:
        until(lambda: traces(base + ".1"), "capture to begin", capture)
        began = time.time()
        while time.time() - began < seconds:
            time.sleep(min(1, seconds / 20))
            samples.append(rss(capture.pid))
            progress.step(round(time.time() - began))
        capture.send_signal(signal.SIGINT)
        return samples, capture.wait(DEADLINE)
    finally:
        progress.end()
        target.kill()
        capture.kill()
        target.wait()
        capture.wait()


def soak(part, arguments, tmp):
    base = tmp + "/soak.iotap"
    samples, status = watched(arguments, tmp, base)
    wrong = [] if status in (0, 4) else [f"soak: capture gave {status}"]
    files = sorted((f for f in os.listdir(tmp) if f.startswith("soak.iotap.")), key=lambda f: int(f.rsplit(".", 1)[1]))
    try:
        for f in files:
            check(tmp + "/" + f)
    except Wrong as e:
        wrong.append(f"soak: {e}")
    early, late = max(samples[len(samples) // 4:len(samples) // 2]), max(samples[-(len(samples) // 4 or 1):])
    if late > early * 1.1 + 2048:
        wrong.append(f"soak: memory grows: {early} KiB, then {late} KiB")
    if len(files) > KEPT:
        wrong.append(f"soak: {len(files)} files are left")
    part.clear()
    part.update(minutes=arguments.soak, files=files[-1].rsplit(".", 1)[1] if files else "0", early=early, late=late)
    part.add(1, "; ".join(wrong) or None)


def table(part):
    return [f"| soak: 20,000 writes a second, a new file each 256 KiB, {KEPT} kept | |", "|---|---:|",
            f"| minutes | {part['minutes']:g} |", f"| files | {part['files']} |",
            f"| memory in the second quarter, at most | {part['early']} KiB |",
            f"| memory in the last quarter, at most | {part['late']} KiB |"]
