"""tracing.py - what the parts share: a capture that has begun, what decode says of a recording"""
import json
import os
import subprocess
import sys
import time

B = os.environ["B"]
WORK = B + "/tests/torture/work/"
TURNS = 8000                    # of waiting, 5 ms and a look each: a machine that stood still is not held against it
DEADLINE = 120


class Wrong(Exception):
    pass


class Progress:
    """How far a part is, on a terminal."""

    def __init__(self, what, done, total):
        self.what, self.at_first, self.total, self.began = what, done, total, time.time()

    def step(self, done):
        if not sys.stderr.isatty():
            return
        left = (time.time() - self.began) / max(done - self.at_first, 1) * (self.total - done)
        sys.stderr.write(f"\r\033[K{self.what}: {done} of {self.total}, {left / 60:.1f} min left")
        sys.stderr.flush()

    def end(self):
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")


def until(condition, what, process):
    for _ in range(TURNS):
        if condition():
            return
        if process.poll() is not None:
            break
        time.sleep(0.005)
    raise Wrong("waited in vain for " + what)


def decoded(path, *options):
    return subprocess.run([B + "/iotap-decode", *options, path], capture_output=True, text=True)


def traces(path):
    return os.path.exists(path) and os.path.getsize(path) > 0 and '"type":"start"' in decoded(path, "-F", "json").stdout


def check(path):
    """Both laws hold, and nothing is damaged."""
    said = decoded(path, "--check")
    broken = [line for line in said.stdout.splitlines() if line.startswith(("BROKEN", "bad"))]
    if broken or said.returncode not in (0, 4) or said.stdout.count("ok ") < 2:
        raise Wrong(f"--check gave {said.returncode}: " + said.stdout + said.stderr)


def summary(path):
    """The last line, and how many events there were before it."""
    said = decoded(path, "-F", "json")
    last = said.stdout.rstrip("\n").rsplit("\n", 1)[-1]
    s = json.loads(last)
    if s["type"] != "summary":
        raise Wrong("no summary: " + last[:200])
    return s, said.stdout.count('{"type":"event"')
