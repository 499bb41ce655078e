#!/usr/bin/env python3
"""bench.py - the budgets, measured side by side in one run (started by tests/bench/run)

bench.py [--check] [PATTERN...]: the sections whose name matches, or all. All of them on a quiet
machine write docs/performance.tsv and docs/PERFORMANCE.md; --check compares with the first and
fails when a ratio got worse by more than its spread. A busy machine is refused; with FORCE=1 in the
environment it is measured all the same, and nothing is written.
"""
import os
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time

import capture
import loads
import measure
import readers
from table import Table

KEPT, SHOWN = "docs/performance.tsv", "docs/PERFORMANCE.md"
FLOOR_SPREAD, BUSY_CPUS = 1.25, 0.15
SECTION_SECONDS = 180  # a section that takes longer ends with a reason


class Bench:
    """Where things are; what every section needs."""

    def __init__(self, tmp, shm):
        self.programs = os.environ["B"]
        self.tmp, self.shm = tmp, shm
        self.out = os.path.join(tmp, "out")
        self.loop = os.path.join(self.programs, "tests/bench/loop")
        self.load = os.path.join(self.programs, "tests/bench/load")
        self.synth_program = os.path.join(self.programs, "tests/bench/synth")

    def program(self, name):
        return os.path.join(self.programs, "iotap-" + name)

    def path(self, name):
        return os.path.join(self.tmp, name)

    def capture(self, name, *options):
        return [self.program("capture"), "--force", "-o", self.path(name), *options]

    def last(self):
        """The numbers of the last line that a workload left."""
        with open(self.out) as file:
            return [float(number) for number in file.read().splitlines()[-1].split()]

    def time_loop(self, call, n=400_000, before=(), wall=False):
        """Nanoseconds of CPU (of time) that one call takes."""
        target = os.path.join(self.shm, "file") if call == "file" else call
        run = measure.Measured([*before, self.loop, self.out, target, str(n)])
        if run.status != 0:
            raise measure.Skip(f"{before[0] if before else 'loop'} ended with status {run.status}")
        return self.last()[1 if wall else 0]

    def time_load(self, *arguments, before=(), timeout=120, **kwargs):
        """Nanoseconds that a workload of load.c takes, from inside."""
        lines = os.path.exists(self.out) and open(self.out).read().count("\n")
        run = measure.Measured([*before, self.load, self.out, *map(str, arguments)], timeout=timeout, **kwargs)
        if open(self.out).read().count("\n") <= (lines or 0):
            raise measure.Skip(f"{before[0] if before else 'load'} ended with status {run.status}")
        return self.last()[0]

    def synth(self, calls, per_target=1000):
        """A made-up recording, made once."""
        path = self.path(f"synth-{calls}-{per_target}.iotap")
        if not os.path.exists(path):
            with open(path, "wb") as file:
                measure.Measured([self.synth_program, str(calls), str(per_target)], stdout=file, timeout=300)
        return path


def floor(bench):
    return [bench.time_loop("getppid") for _ in range(5)]


def not_quiet(bench):
    """Reasons why a figure of now would say nothing; and the floor."""
    reasons = []
    busy = measure.busy_cpus()
    if busy > BUSY_CPUS:
        reasons.append(f"other programs use {busy:.2f} CPUs")
    others = measure.who_traces()
    if others:
        reasons.append("somebody else traces: " + ", ".join(others[:5]))
    values = floor(bench)
    if max(values) > FLOOR_SPREAD * min(values):
        reasons.append(f"an untraced call takes {min(values):.0f} to {max(values):.0f} ns")
    return reasons, values


def select(patterns):
    chosen = [part for module in (capture, loads, readers) for part in module.SECTIONS]
    return [part for part in chosen
            if not patterns or any(re.search(pattern, part.__name__ + " " + part.__doc__) for pattern in patterns)]


def too_long(*_):
    raise measure.TooLong(f"ended after {SECTION_SECONDS} s")


def run(bench, table, parts):
    """Every section, whatever becomes of the others: what fails is a row with its reason."""
    signal.signal(signal.SIGALRM, too_long)
    for part in parts:
        table.begin(part.__doc__.splitlines()[0])
        start = time.monotonic()
        signal.alarm(SECTION_SECONDS)
        try:
            part(bench, table)
        except (measure.Skip, measure.TooLong) as reason:
            table.skip(part.__name__, str(reason))
        except Exception as error:  # pylint: disable=broad-except
            table.skip(part.__name__, f"could not be measured: {type(error).__name__}: {error}")
        signal.alarm(0)
        measure.end_children()
        print(f"  [{part.__name__}: {time.monotonic() - start:.0f} s]", flush=True)


def verdict(table, bench, at_start, forced, check, everything):
    """What is said and written at the end; the exit status."""
    table.begin("The machine, afterwards")
    table.row("untraced getppid, at the end / at the start", [ns / statistics.median(at_start) for ns in floor(bench)],
              "x", note="how far times of this run can be compared with each other; ratios are measured in turns")
    table.save(os.path.join(bench.programs, "performance.tsv"))
    missed = [row.name for row in table.rows if row.met() is False]
    print(f"\n{len(table.rows)} rows, {len(missed)} budgets missed" + (": " + "; ".join(missed) if missed else ""))
    if check:
        kept = Table.load(KEPT)
        worse = table.worse_than(kept)
        for name in table.missing(kept):
            print(f"not compared, as there is no figure: {name}")
        print("\n".join(f"worse: {text}" for text in worse) or f"no ratio is worse than in {KEPT}")
        return 1 if worse else 0
    if forced or not everything:
        print("not published: " + ("; ".join(forced) if forced else "not all sections"))
        return 0
    table.save(KEPT)
    table.publish(SHOWN, measure.machine(), measure.peers())
    print(f"written: {KEPT}, {SHOWN}")
    return 0


def main():
    check = "--check" in sys.argv[1:]
    patterns = [argument for argument in sys.argv[1:] if argument and argument != "--check"]
    if os.geteuid() != 0:
        sys.exit("bench: needs root")
    parts = select(patterns)
    if not parts:
        sys.exit("bench: no section matches")
    if check and not os.path.exists(KEPT):
        sys.exit(f"bench: there is no {KEPT} to compare with: make bench writes it")
    shm = tempfile.mkdtemp(prefix="iotap-bench.", dir="/dev/shm")
    tmp = tempfile.mkdtemp(prefix="iotap-bench.")
    try:
        bench, table = Bench(tmp, shm), Table()
        reasons, values = not_quiet(bench)
        if reasons and os.environ.get("FORCE") != "1":
            print("bench: this machine is busy: " + "; ".join(reasons) + " (FORCE=1 measures all the same)",
                  file=sys.stderr)
            return 3
        table.begin("The machine")
        table.row("untraced getppid", values, "ns", note="; ".join(reasons) or "nobody else traces, nothing else runs")
        run(bench, table, parts)
        return verdict(table, bench, values, reasons, check, not patterns)
    finally:
        shutil.rmtree(shm)
        shutil.rmtree(tmp)


if __name__ == "__main__":
    sys.exit(main())
