"""capture.py - what tracing costs: the traced, the others, the tracer, the start"""
import os
import re
import signal
import statistics
import subprocess
import time

from measure import Measured, Skip, need, ratios, turns

ROUNDS = 5
ROUNDS_EXTRAS = 3
CALLS = 400_000
RAW = "raw_syscalls:sys_enter,raw_syscalls:sys_exit"


def peer_loop(bench, before, n):
    """The time of the loop under a peer, not its CPU time: the peer works beside it."""
    def one():
        need(before[0])
        return bench.time_loop("file", n, before, wall=True)
    return one


def small_call(bench, table):
    """A small call: what the traced pays

    Validated identity, latency, offset and the counters of both laws are on.
    """
    data = bench.path("perf.data")
    variants = {
        "untraced": lambda: bench.time_loop("file"),
        "iotap": lambda: bench.time_loop("file", before=[*bench.capture("cost.iotap"), "--"]),
        "perf record": peer_loop(bench, ["perf", "record", "-q", "-m", "8M", "-o", data, "-e", RAW, "--"], CALLS),
        "bpftrace count()": lambda: bpftrace_loop(bench),
        "trace-cmd": peer_loop(bench, ["trace-cmd", "record", "-q", "-o", data, "-e", "raw_syscalls", "-F"], CALLS),
        "strace": peer_loop(bench, ["strace", "-f", "-o", "/dev/null", "-e", "trace=write"], 20_000),
        "strace --seccomp-bpf": peer_loop(bench, ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e",
                                                  "trace=write"], 20_000),
        "perf trace": peer_loop(bench, ["perf", "trace", "-o", "/dev/null", "-e", "write"], 20_000),
    }
    if "--no-latency" in subprocess.run([bench.program("capture"), "--help"], capture_output=True, text=True).stdout:
        variants["iotap --no-latency"] = lambda: bench.time_loop(
            "file", before=[*bench.capture("cost.iotap", "--no-latency"), "--"])
    figures = turns(variants, ROUNDS)
    table.row("1-byte write to a file (tmpfs), untraced", figures["untraced"], "ns", command="loop OUT FILE 400000")
    table.row("traced by iotap", figures["iotap"], "ns", command="iotap-capture -o F -- loop OUT FILE 400000")
    for name in variants:
        if name == "untraced":
            continue
        if ("skipped", name) in figures:
            table.skip(f"{name} / untraced", figures["skipped", name])
            continue
        budget = {"iotap": ("<=", 2.7), "iotap --no-latency": ("<=", 1.9)}.get(name)
        table.row(f"{name} / untraced", ratios(figures, name, "untraced"), "x", budget,
                  ratio=name.startswith("iotap"),
                  note="" if name.startswith("iotap") else "wall time, the peer works beside it")
    if ("skipped", "iotap --no-latency") not in figures and "iotap --no-latency" not in variants:
        table.skip("iotap --no-latency / untraced", "iotap-capture has no such option")
    null = turns({"untraced": lambda: bench.time_loop("null"),
                  "iotap": lambda: bench.time_loop("null", before=[*bench.capture("cost.iotap"), "--"])}, ROUNDS)
    table.row("1-byte write to /dev/null, iotap / untraced", ratios(null, "iotap", "untraced"), "x", ratio=True,
              note="the cheapest write there is: " + f"{statistics.median(null['untraced']):.0f} ns")


BPFTRACE_COUNT = ["bpftrace", "-q", "-e", "tracepoint:raw_syscalls:sys_exit /comm == \"loop\"/ { @[args->id] = count(); }"]


def bpftrace_loop(bench):
    """It cannot start a command that it then leaves alone: it runs beside, until it is attached."""
    need("bpftrace")
    tracer = subprocess.Popen(BPFTRACE_COUNT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    try:
        return bench.time_loop("file", wall=True)
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()


class Beside:
    """A program that runs while something else is measured: at once, when it has said so, or when its file is there."""

    def __init__(self, command, says=False, file=None):
        if file and os.path.exists(file):
            os.unlink(file)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 15
        if says:
            self.process.stdout.readline()
        while file and not os.path.exists(file) and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        if self.process.poll() is not None or (file and not os.path.exists(file)):
            self.__exit__()
            raise Skip(f"{os.path.basename(command[0])} does not run here")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()


def bystander(bench, table):
    """Others: what a process pays that is not traced"""
    calls = {"getppid": "getppid", "1-byte write to a file": "file"}
    figures = {side: {call: [] for call in calls} for side in ("alone", "empty", "iotap")}
    empty = [os.path.join(bench.programs, "tests/bench/empty")]

    def look(side):
        for call, what in calls.items():
            figures[side][call].append(bench.time_loop(what))
    with Beside(["sleep", "600"]) as sleeper:
        for _ in range(ROUNDS):
            look("alone")
            with Beside(empty, says=True):
                look("empty")
            with Beside(bench.capture("by.iotap", str(sleeper.process.pid)), file=bench.path("by.iotap")):
                look("iotap")
    for call in calls:
        alone, floor, taxed = (figures[side][call] for side in ("alone", "empty", "iotap"))
        table.row(f"two programs that do nothing: untraced {call}", [e - a for e, a in zip(floor, alone)], "ns",
                  command="tests/bench/empty", note="on sys_enter and sys_exit, of our kind: the floor")
        table.row(f"tax on an untraced {call}", [t - a for t, a in zip(taxed, alone)], "ns", ("<=", 45),
                  note=f"above the floor: {statistics.median(t - e for t, e in zip(taxed, floor)):.1f} ns")


def more(bench):
    """What is asked for besides: {name: options}; the first one is nothing."""
    return {"": [], "--with io_uring": ["--with", "io_uring"], "--with libaio": ["--with", "libaio"],
            "--with mmap": ["--with", "mmap"], "--path, it matches": ["--path", bench.shm + "/*"],
            "--path, it does not": ["--path", "/nowhere/*"], "--min-latency 1s": ["--min-latency", "1s"],
            "--failed": ["--failed"]}


SPECIAL = {"--with io_uring": ("request of io_uring", "ring", 400_000),
           "--with mmap": ("page of a mapping", "page", 5_000)}


def extras(bench, table):
    """Optional sets and filters: what they add to the traced and to others"""
    pages = "page:" + bench.path("pages")
    measured = {"getppid": lambda before=(): bench.time_loop("getppid", before=before),
                "1-byte write": lambda before=(): bench.time_loop("file", before=before)}
    for name, what, n in SPECIAL.values():
        measured[name] = lambda before=(), what=what, n=n: bench.time_loop(pages if what == "page" else what, n, before)
    for look in measured.values():
        look()                  # a first time has its own price
    others, traced = extras_others(bench, measured), extras_traced(bench, measured)
    for who, figures in (("untraced", others), ("traced", traced)):
        for option in list(more(bench))[1:]:
            special = SPECIAL.get(option, ("",))[0]
            for name in [("getppid" if who == "untraced" else "1-byte write"), *([special] if special else [])]:
                sides = figures.get((option, name)), figures.get(("", name))
                if not all(sides):
                    table.skip(f"{who} {name}, {option}", "it does not run here")
                    continue
                table.row(f"{who} {name}, {option}", [a - b for a, b in zip(*sides)], "ns",
                          note=f"without: {statistics.median(sides[1]):.0f} ns")


def wanted(option, name):
    """Whether a figure is needed: everything without options, the special loads under their sets only."""
    specials = [special[0] for special in SPECIAL.values()]
    return not option or name not in specials or SPECIAL.get(option, ("",))[0] == name


def extras_others(bench, measured):
    """{(option, load): figures} of loads beside a capture that traces somebody else."""
    figures = {}
    with Beside(["sleep", "600"]) as sleeper:
        for _ in range(ROUNDS_EXTRAS):
            for option, options in more(bench).items():
                try:
                    with Beside(bench.capture("by.iotap", *options, str(sleeper.process.pid)),
                                file=bench.path("by.iotap")):
                        for name, look in measured.items():
                            if name != "1-byte write" and wanted(option, name):
                                figures.setdefault((option, name), []).append(look())
                except Skip:
                    pass
    return figures


def extras_traced(bench, measured):
    """{(option, load): figures} of loads that are traced."""
    figures = {}
    for _ in range(ROUNDS_EXTRAS):
        for option, options in more(bench).items():
            for name, look in measured.items():
                if name == "getppid" or not wanted(option, name):
                    continue
                try:
                    figures.setdefault((option, name), []).append(
                        look([*bench.capture("by.iotap", *options), "--"]))
                except Skip:
                    pass
    return figures


def start_up(bench, table):
    """Start-up and attaching: from the command line to the first traced call"""
    times = []
    for _ in range(ROUNDS + 2):
        start = time.time() * 1e9
        bench.time_loop("getppid", n=1, before=[*bench.capture("start.iotap"), "--"])
        times.append((bench.last()[3] - start) / 1e6)
    table.row("start-up to the command's main", times, "ms", ("<=", 100), command="iotap-capture -o F -- COMMAND")
    crowd(bench, table)


def crowd(bench, table, processes=10_000, files=100):
    """Attaching to many processes with many descriptors."""
    with open("/proc/sys/kernel/pid_max") as file:
        processes = min(processes, int(file.read()) // 2)
    with open("/proc/meminfo") as file:
        free_kib = int(re.search(r"^MemAvailable:\s*(\d+)", file.read(), re.M).group(1))
    processes = min(processes, free_kib // 2 // (400 + files))  # a process about 400 KiB, a file about 0.5 KiB
    holder = subprocess.Popen([bench.load, bench.out, "hold", str(processes), str(files)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        ready = holder.stdout.readline().split()
        if len(ready) != 2:
            raise Skip("the processes could not be made")
        times = [attach_seconds(bench, holder.pid) for _ in range(3)]
        table.row(f"attach to {int(ready[1]):,} processes with {files} open files each", times, "s", ("<=", 3),
                  command="load OUT hold 10000 100; iotap-capture -f PID",
                  note="" if int(ready[1]) == 10_000 else "scaled down to what this machine can hold")
    finally:
        holder.stdin.close()
        holder.wait()


def attach_seconds(bench, pid):
    """Until the recording has its name: everything that was open is defined and traced by then."""
    path = bench.path("crowd.iotap")
    if os.path.exists(path):
        os.unlink(path)
    start = time.monotonic()
    tracer = subprocess.Popen(bench.capture("crowd.iotap", "-f", str(pid)), stderr=subprocess.DEVNULL)
    while not os.path.exists(path) and tracer.poll() is None and time.monotonic() - start < 60:
        time.sleep(0.002)
    taken = time.monotonic() - start
    tracer.send_signal(signal.SIGINT)
    tracer.wait()
    return taken


def flood(bench, table):
    """Floods: what is lost, what the tracer itself costs"""
    seconds, rate = 30, 1_000_000
    bench.time_load("pace", rate, seconds, before=[*bench.capture("pace.iotap"), "--"])
    paced = bench.last()
    table.row(f"calls lost at 1 M/s for {seconds} s, default buffer", [lost(bench, "pace.iotap")], "calls", ("<=", 0),
              command=f"iotap-capture -o F -- load OUT pace {rate} {seconds}; iotap-decode --check F",
              note=f"{paced[1] / paced[0] * 1e3:.2f} M calls/s reached")
    n = 20_000_000
    bench.time_loop("null", n, [*bench.capture("flood.iotap"), "--"])
    table.row("calls lost of 20 M at full rate, one thread", [lost(bench, "flood.iotap")], "calls", ("<=", 0),
              note=f"{1e3 / bench.last()[1]:.1f} M calls/s")
    table.row("bytes per call of that recording", [os.path.getsize(bench.path("flood.iotap")) / n], "B", ratio=True)
    capture_cpu(bench, table)


def lost(bench, name):
    """Calls that are in the recording's sums only: the proof says how many."""
    run = subprocess.run([bench.program("decode"), "--check", bench.path(name)], capture_output=True, text=True)
    found = re.search(r"aggregated = sum of the aggregates: (\d+)", run.stdout)
    gone = re.search(r"recorded = written \+ lost in user space: (\d+) = (\d+)", run.stdout)
    if not found or not gone:
        raise Skip("the recording is not whole")
    return int(found.group(1)) + abs(int(gone.group(1)) - int(gone.group(2)))


def cpu_of_capture(bench, n):
    """Seconds of CPU of a capture of n writes, start-up and end included."""
    fifo = bench.path("go")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    target = subprocess.Popen(["sh", "-c", 'read x <"$1"; exec "$2" "$3" null "$4"', "sh", fifo, bench.loop,
                               bench.out, str(n)])
    tracer = subprocess.Popen(bench.capture("cpu.iotap", str(target.pid)), stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    with open(fifo, "w") as file:
        file.write("go\n")
    target.wait()
    _, status, usage = os.wait4(tracer.pid, 0)
    tracer.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def capture_cpu(bench, table):
    whole, rest = [], []
    for _ in range(ROUNDS):
        small, large = cpu_of_capture(bench, 1000), cpu_of_capture(bench, 5_000_000)
        whole.append(large * 1e9 / 5_000_000)
        rest.append((large - small) * 1e9 / 5_000_000)
    table.row("capture's own CPU per call, start-up and end included", whole, "ns", ("<=", 100),
              command="iotap-capture PID of 5 M writes: user and system time / 5 M")
    table.row("  the same without start-up and end", rest, "ns", ("<=", 100))


def producers(bench, table):
    """Producers: threads that call at the same time"""
    n = 4_000_000
    alone = None
    for threads in (1, 2, 8):
        figures = turns({"untraced": lambda: bench.time_load("threads", threads, n // threads) / n,
                         "iotap": lambda: bench.time_load("threads", threads, n // threads, before=[
                             *bench.capture("threads.iotap"), "--"]) / n}, ROUNDS)
        if ("skipped", "iotap") in figures:
            raise Skip(figures["skipped", "iotap"])
        gone = lost(bench, "threads.iotap")
        rate = 1e3 / statistics.median(figures["iotap"])
        alone = alone or rate
        table.row(f"{threads} thread{'s' if threads > 1 else ''}: iotap / untraced, wall",
                  ratios(figures, "iotap", "untraced"), "x", ratio=True,
                  command=f"load OUT threads {threads} {n // threads}",
                  note=f"{rate:.1f} M calls/s, {rate / alone:.2f} times one thread's; lost: {gone}; capture shares the CPUs")


def spawning(bench, table):
    """Processes that are born all the time"""
    n = 1500
    figures = turns({
        "untraced": lambda: bench.time_load("spawn", n) / n,
        "iotap": lambda: bench.time_load("spawn", n, before=[*bench.capture("spawn.iotap", "-f"), "--"]) / n,
        "strace": lambda: peer_spawn(bench, ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=write"]),
        "perf record": lambda: peer_spawn(bench, ["perf", "record", "-q", "-m", "8M", "-o", bench.path("perf.data"),
                                                  "-e", RAW, "--"])}, ROUNDS)
    rate = 1e9 / statistics.median(figures["untraced"])
    table.row("fork, exec and wait, untraced", [ns / 1e3 for ns in figures["untraced"]], "us",
              command=f"load OUT spawn {n}", note=f"{rate:,.0f} a second, as fast as it goes")
    for name in ("iotap", "strace", "perf record"):
        if ("skipped", name) in figures:
            table.skip(f"{name} / untraced", figures["skipped", name])
            continue
        table.row(f"{name} / untraced", ratios(figures, name, "untraced"), "x",
                  ("<=", 1.05) if name == "iotap" else None, ratio=name == "iotap")


def peer_spawn(bench, before):
    need(before[0])
    return bench.time_load("spawn", 1500, before=before, timeout=60) / 1500


def delay(bench, table):
    """How soon a call is seen"""
    script = 'for i in $(seq 20); do echo x >/dev/null; sleep 0.1; done'
    tracer = subprocess.Popen([bench.program("capture"), "-o", "-", "--", "sh", "-c", script],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    decode = subprocess.Popen([bench.program("decode"), "-F", "json", "-"], stdin=tracer.stdout,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    tracer.stdout.close()
    delays = []
    for line in decode.stdout:
        now = time.time()
        stamp = re.match(r'{"type":"event","time_ns":(\d+)', line)
        if stamp and '"/dev/null"' in line:
            delays.append((now - int(stamp.group(1)) / 1e9) * 1e3)
    tracer.wait()
    decode.wait()
    table.row("from the call to its line", delays, "ms", ("<=", 60), command="iotap-capture -o - | iotap-decode -F json -")


SECTIONS = [small_call, bystander, extras, start_up, flood, producers, spawning, delay]
