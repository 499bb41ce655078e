#!/usr/bin/env python3
"""bench.py - the budgets, measured side by side in one run (started by tests/bench/run)

What is compared is measured in turns within one round, never in blocks, so that a change of the
machine's speed hits both sides; medians of ROUNDS rounds, with the spread.
"""
import math
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

B = os.environ["B"]
ROUNDS = 5
N = 400_000
WANTED = [re.compile(pattern) for pattern in sys.argv[1:]]
rows = []


def program(name):
    return os.path.join(B, "iotap-" + name)


def row(name, measured, budget="", holds=None, note=""):
    verdict = "" if holds is None else "holds" if holds else "MISSED"
    rows.append((name, measured, budget, verdict, note))
    print(f"{name:<44} {measured:>22}  {budget:<16} {verdict:<7} {note}", flush=True)


def wanted(name):
    return not WANTED or any(pattern.search(name) for pattern in WANTED)


def middle(values):
    return statistics.median(values)


def spread(values):
    return f"{middle(values):.0f} ({min(values):.0f}-{max(values):.0f})"


class Measured:
    """A finished command: wall and CPU seconds, highest resident set in MiB, exit status."""

    def __init__(self, command, **kwargs):
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **kwargs)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss = usage.ru_maxrss / 1024
        self.status = process.returncode


class Bench:
    def __init__(self, tmp):
        self.tmp = tmp
        self.out = os.path.join(tmp, "out")
        self.shm = tempfile.mkdtemp(prefix="iotap-bench.", dir="/dev/shm")
        self.loop = os.path.join(B, "tests/bench/loop")

    def path(self, name):
        return os.path.join(self.tmp, name)

    def last(self):
        with open(self.out) as file:
            ns, wall, _, began = file.read().splitlines()[-1].split()
        return float(ns), float(wall), float(began)

    def time_loop(self, call, n=N, before=()):
        target = os.path.join(self.shm, "file") if call == "file" else call
        subprocess.run([*before, self.loop, self.out, target, str(n)], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self.last()[0]

    def capture(self, name, *options):
        return [program("capture"), "--force", "-o", self.path(name), *options]

    # -- the machine

    def quiet(self):
        floors = [self.time_loop("getppid") for _ in range(ROUNDS)]
        row("floor: getppid, untraced, ns", spread(floors),
            note="" if max(floors) < 1.2 * min(floors) else "THE MACHINE IS NOT QUIET: do not trust the rest")
        listed = subprocess.run(["bpftool", "prog", "show"], capture_output=True, text=True).stdout
        others = re.findall(r"^\d+: (?:tracing|raw_tracepoint|tracepoint|kprobe|perf_event)\s+name (\S+)", listed, re.M)
        if others:
            row("somebody else traces", ",".join(sorted(set(others)))[:22], note="their cost is in every figure")
        row("load average", "%.2f %.2f %.2f" % os.getloadavg())

    # -- what it costs

    def cost(self):
        peers = {"strace": ["strace", "-f", "-o", "/dev/null", "-e", "trace=write"],
                 "perf trace": ["perf", "trace", "-o", "/dev/null", "-e", "write"],
                 "perf record": ["perf", "record", "-q", "-m", "8M", "-o", self.path("perf.data"),
                                 "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"]}
        for call, budget in (("file", 2.7), ("null", 0)):
            base, traced, others = [], [], {name: [] for name in peers if shutil.which(peers[name][0])}
            for _ in range(ROUNDS):
                base.append(self.time_loop(call))
                traced.append(self.time_loop(call, before=[*self.capture("cost.iotap"), "--"]))
                for name in list(others) if call == "file" else []:
                    try:
                        self.time_loop(call, n=20_000 if name == "strace" else N, before=peers[name])
                        others[name].append(self.last()[1])  # wall: the peer works beside it
                    except subprocess.CalledProcessError:
                        others.pop(name)
            name = "1-byte write to a file on tmpfs" if call == "file" else "1-byte write to /dev/null"
            ratio = middle([t / b for t, b in zip(traced, base)])
            row(name + ", untraced, ns", spread(base))
            row(name + ", traced, ns", spread(traced), note=f"+{middle(traced) - middle(base):.0f} ns")
            row(name + ", traced / untraced", f"{ratio:.2f}", f"<= {budget}" if budget else "",
                ratio <= budget if budget else None)
            for peer, values in others.items():
                if values:
                    row("  " + peer + " / untraced", f"{middle(values) / middle(base):.1f}")

    def bystander(self):
        sleeper = subprocess.Popen(["sleep", "600"])
        base, taxed = {"getppid": [], "file": []}, {"getppid": [], "file": []}
        for _ in range(ROUNDS):
            for call in base:
                base[call].append(self.time_loop(call))
            capture = subprocess.Popen(self.capture("by.iotap", str(sleeper.pid)), stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            for call in base:
                taxed[call].append(self.time_loop(call))
            capture.send_signal(signal.SIGINT)
            capture.wait()
        sleeper.kill()
        sleeper.wait()
        for call in base:
            tax = middle([t - b for t, b in zip(taxed[call], base[call])])
            row(f"tax on an untraced process, {call}, ns", f"{tax:+.0f}", "<= +45", tax <= 45)

    def start_up(self):
        times = []
        for _ in range(ROUNDS):
            start = time.time() * 1e9
            self.time_loop("getppid", n=1, before=[*self.capture("start.iotap"), "--"])
            times.append((self.last()[2] - start) / 1e6)
        row("start-up to the command's main, ms", spread(times), "<= 100", middle(times) <= 100)

    # -- what it loses, what it takes

    def flood(self):
        n = 20_000_000
        measured = Measured([*self.capture("flood.iotap"), "--", self.loop, self.out, "null", str(n)],
                            stderr=subprocess.DEVNULL)
        loop_ns = self.last()[1]
        check = subprocess.run([program("decode"), "--check", self.path("flood.iotap")],
                               capture_output=True, text=True)
        row("flood: calls a second, one thread", f"{1e9 / loop_ns:,.0f}", note=f"{n:,} calls")
        row("flood: lost", "0" if check.returncode == 0 else "some", "0", check.returncode == 0,
            "" if check.returncode == 0 else (check.stdout + check.stderr).strip().splitlines()[-1][:60])
        size = os.path.getsize(self.path("flood.iotap"))
        row("flood: bytes per call", f"{size / n:.2f}")
        two = Measured([*self.capture("flood2.iotap", "-f"), "--", "sh", "-c",
                        f'"$1" "$2" null {n // 4} & "$1" "$2" null {n // 4}; wait', "sh", self.loop, self.out],
                       stderr=subprocess.DEVNULL)
        check = subprocess.run([program("decode"), "--check", self.path("flood2.iotap")], capture_output=True)
        row("flood on both CPUs: lost", "0" if check.returncode == 0 else "some",
            note=f"{n // 2 / two.wall:,.0f} calls a second, capture shares the CPUs")
        self.capture_cpu()

    def capture_cpu(self):
        n = 5_000_000
        values = []
        for _ in range(3):
            fifo = self.path("go")
            if not os.path.exists(fifo):
                os.mkfifo(fifo)
            target = subprocess.Popen(["sh", "-c", 'read x <"$1"; exec "$2" "$3" null "$4"', "sh", fifo,
                                       self.loop, self.out, str(n)])
            capture = subprocess.Popen(self.capture("cpu.iotap", str(target.pid)), stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            with open(fifo, "w") as file:
                file.write("go\n")
            target.wait()
            _, _, usage = os.wait4(capture.pid, 0)
            capture.returncode = 0
            values.append((usage.ru_utime + usage.ru_stime) * 1e9 / n)
        row("capture's own CPU, ns per call", spread(values), "<= 100", middle(values) <= 100,
            "start-up included")

    def size(self):
        work = self.path("mixed")
        os.mkdir(work)
        script = r'''
        cd "$1"; src=$2
        for i in 1 2 3; do for f in "$src"/formats/base/*.c; do gcc -I"$src" -D_GNU_SOURCE -O1 -c -o x.o "$f" 2>/dev/null; done; done
        for i in 1 2; do find /usr/include /usr/share/doc -type f | head -n 12000 | xargs cat | wc -c; done
        for i in 1 2 3; do tar cf t.tar /usr/include 2>/dev/null; tar xf t.tar; rm -rf usr; done
        sqlite3 t.db 'create table t(a, b)'
        for i in $(seq 300); do echo "insert into t values($i, hex(randomblob(100)));"; done | sqlite3 t.db
        '''
        run = Measured([*self.capture("mixed.iotap", "-f"), "--", "sh", "-c", script, "sh", work, os.getcwd()],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        calls = self.count("mixed.iotap")
        size = os.path.getsize(self.path("mixed.iotap"))
        definitions = self.count("mixed.iotap", ["--dump"], "^target ")
        if calls:
            row("mixed real load: bytes per call", f"{size / calls:.2f}",
                note=f"{calls:,} calls, {calls / run.wall:,.0f} a second, {definitions:,} definitions, {size:,} bytes")
            left, rate = (size - 25 * definitions) / calls, calls / run.wall
            # 4.5 from 40,000 a second on, 8 at 4,000: blocks are fuller the more calls there are.
            share = min(1.0, max(0.0, math.log(rate / 4000) / math.log(10)))
            limit = 8 - 3.5 * share
            row("  without 25 bytes a definition", f"{left:.2f}", f"<= {limit:.1f}", left <= limit)
        shutil.rmtree(work)
        capture = subprocess.Popen(self.capture("idle.iotap", "--", "sleep", "4"), stderr=subprocess.DEVNULL)
        time.sleep(1.5)
        first = os.path.getsize(self.path("idle.iotap"))
        time.sleep(2)
        row("idle: bytes a second", f"{(os.path.getsize(self.path('idle.iotap')) - first) / 2:.0f}", "<= 150",
            (os.path.getsize(self.path("idle.iotap")) - first) / 2 <= 150)
        capture.wait()

    def count(self, name, options=("-F", "json", "--all-ops"), line='^{"type":"\\(event\\|op\\)"'):
        with subprocess.Popen([program("decode"), *options, self.path(name)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as decode:
            count = subprocess.run(["grep", "-c", line], stdin=decode.stdout,
                                   capture_output=True, text=True).stdout
        return int(count or 0)

    # -- what reads it

    def recording(self, name, n):
        path = self.path(name)
        if not os.path.exists(path):
            Measured([*self.capture(name), "--", self.loop, self.out, "null", str(n)], stderr=subprocess.DEVNULL)
        return path

    def decode(self):
        path, n = self.recording("million.iotap", 3_000_000), 3_000_000
        for name, budget, options in (("events", 3.0, ["-F", "events"]), ("json", 2.0, ["-F", "json"]),
                                      ("text", 0, ["-F", "text"]), ("check", 0, ["--check"]),
                                      ("events, with the summary", 0, ["-F", "json", "--no-summary"])):
            if name.startswith("events, "):
                name = "json, without the tally"
            runs = [Measured([program("decode"), *options, path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) for _ in range(3)]
            rate = n / middle([run.wall for run in runs]) / 1e6
            row(f"decode to {name}, M calls/s", f"{rate:.2f}", f">= {budget}" if budget else "",
                rate >= budget if budget else None, f"status {runs[0].status}")

    def memory(self):
        for n in (1_000_000, 20_000_000):
            path = self.recording(f"{n}.iotap", n)
            run = Measured([program("decode"), "-F", "json", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            row(f"decode's highest memory, {n:,} calls, MiB", f"{run.rss:.1f}", "<= 64", run.rss <= 64)

    def load(self):
        path, n = self.recording("million.iotap", 3_000_000), 3_000_000
        values, size = [], 0
        for _ in range(3):
            for name in os.listdir(self.tmp):
                if name.startswith("l.db"):
                    os.unlink(self.path(name))
            run = Measured([program("analyze"), "load", "-o", self.path("l.db"), path],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if run.status != 0:
                row("load into SQLite", f"status {run.status}")
                return
            values.append(n / run.wall / 1e6)
            size = os.path.getsize(self.path("l.db"))
        row("load into SQLite, M calls/s", f"{middle(values):.2f}", ">= 1.5", middle(values) >= 1.5)
        row("database, bytes per call", f"{size / n:.1f}", "<= 45", size / n <= 45)
        start = time.monotonic()
        subprocess.run([program("analyze"), "report", "summary", self.path("l.db")], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        row("summary of the database, ms", f"{(time.monotonic() - start) * 1e3:.0f}", "<= 100")

    # -- how soon it shows

    def delay(self):
        script = 'for i in $(seq 20); do echo x >/dev/null; sleep 0.1; done'
        capture = subprocess.Popen([program("capture"), "-o", "-", "--", "sh", "-c", script],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        decode = subprocess.Popen([program("decode"), "-F", "json", "-"], stdin=capture.stdout,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        capture.stdout.close()
        delays = []
        for line in decode.stdout:
            now = time.time()
            stamp = re.match(r'{"type":"event","time_ns":(\d+)', line)
            if stamp and '"/dev/null"' in line:
                delays.append((now - int(stamp.group(1)) / 1e9) * 1e3)
        capture.wait()
        decode.wait()
        if delays:
            row("from call to line, ms", spread(delays), "<= 60", max(delays) <= 60)


def main():
    if os.geteuid() != 0:
        sys.exit("bench: needs root")
    if not os.access(program("capture"), os.X_OK):
        sys.exit("bench: build first: make")
    with tempfile.TemporaryDirectory(prefix="iotap-bench.") as tmp:
        bench = Bench(tmp)
        print(f"{'what':<44} {'measured':>22}  {'budget':<16}")
        try:
            bench.quiet()
            for name in ("cost", "bystander", "start_up", "flood", "size", "decode", "memory", "load", "delay"):
                if wanted(name):
                    getattr(bench, name)()
        finally:
            shutil.rmtree(bench.shm)
    missed = [name for name, _, _, verdict, _ in rows if verdict == "MISSED"]
    print(f"{len(rows)} rows, {len(missed)} budgets missed" + (": " + "; ".join(missed) if missed else ""))


main()
