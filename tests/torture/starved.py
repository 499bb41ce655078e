"""starved.py - no memory at any place: tests/hostile/faults.py with every allocation of every form of its programs

Each fails once, and with all after it. The forms are counted one by one: those of iotap-analyze ask for memory
10,000 times and more, most of it SQLite's.
"""
import os
import re
import subprocess
import sys
import tempfile

from tracing import B, Wrong

sys.path.insert(0, "tests/hostile")
import forms  # noqa: E402

DONE = re.compile(r"^(ok|not ok) - .*: memory fails at (\d+) of (\d+) places", re.M)


def starved(part, arguments, tmp):
    shim, rows = tmp + "/starve.so", part.setdefault("rows", [])
    subprocess.run([*os.environ.get("CC", "cc").split(), "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-fPIC", "-shared", "-o", shim,
                    "tests/hostile/starve.c", "-ldl"], check=True)
    for name in [*forms.MAIN, *forms.MORE]:
        if arguments.over() or name in [row[0] for row in rows]:
            continue
        with tempfile.TemporaryDirectory(dir=tmp) as folder:
            said = subprocess.run([sys.executable, "tests/hostile/faults.py", B, folder, shim, str(arguments.starved), name],
                                  capture_output=True, text=True)
        done = DONE.search(said.stdout)
        if not done:
            raise Wrong(f"faults.py, {name}: {said.returncode} {said.stdout}{said.stderr}")
        rows.append([name, int(done[2]), int(done[3])])
        part.add(2 * int(done[2]), None if done[1] == "ok" else said.stdout)


def table(part):
    return ["| no memory | places | of them failed, once and for ever |", "|---|---:|---:|"] + [
        f"| {name} | {places} | {tried} |" for name, tried, places in part.get("rows", [])]
