"""measure.py - commands timed in turns, the machine they ran on, and whether it was quiet

What is compared is measured in turns within one round, never in blocks, so that a change of the
machine's speed hits both sides. Nothing here knows what a figure means.
"""
import os
import re
import shutil
import signal
import statistics
import subprocess
import threading
import time


class Skip(Exception):
    """A row that cannot be measured here; its text is the reason."""


class TooLong(Exception):
    """A section's time is over; no Skip, as that ends a variant only."""


class Measured:
    """A finished command: wall and CPU seconds, highest resident set in MiB, exit status."""

    def __init__(self, command, timeout=120, **kwargs):
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("stdout", subprocess.DEVNULL)
        kwargs.setdefault("stderr", subprocess.DEVNULL)
        start = time.monotonic()
        process = subprocess.Popen(command, **kwargs)
        killer = threading.Timer(timeout, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        self.wall = time.monotonic() - start
        killer.cancel()
        process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss = usage.ru_maxrss / 1024


def need(*programs):
    for name in programs:
        if not shutil.which(name):
            raise Skip(f"{name} is not installed (make bench-deps)")


ROUNDS_LEAST, TURNS_SECONDS = 3, 40


def turns(variants, rounds):
    """Calls each of {name: function}, one after the other, so many rounds; {name: [figure]}. Fewer, but
    three, when they take more than TURNS_SECONDS.

    The first one is what the others are compared with. One that raises Skip is left out; its reason
    is under ("skipped", name). A peer that takes more than 8 seconds has one figure only.
    """
    figures = {name: [] for name in variants}
    left = dict(variants)
    begin = time.monotonic()
    for i in range(rounds):
        if i >= ROUNDS_LEAST and time.monotonic() - begin > TURNS_SECONDS:
            break
        for name in list(left):
            start = time.monotonic()
            try:
                figures[name].append(left[name]())
            except Skip as reason:
                figures.pop(name)
                left.pop(name)
                figures["skipped", name] = str(reason)
                continue
            if time.monotonic() - start > 8 and name != next(iter(variants))\
                    and not name.startswith("iotap"):
                left.pop(name)
    return figures


def ratios(figures, name, base):
    """Round by round; where a slow peer had fewer rounds, against the base's median."""
    middle = statistics.median(figures[base])
    if len(figures[name]) == len(figures[base]):
        return [a / b for a, b in zip(figures[name], figures[base])]
    return [a / middle for a in figures[name]]


def end_children():
    """What a section that failed has left behind: our children, theirs, and so on."""
    parent = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                parent[int(pid)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    ours = {os.getpid()}
    while found := {pid for pid, up in parent.items() if up in ours} - ours:
        ours |= found
    for pid in ours - {os.getpid()}:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        while ours and os.waitpid(-1, 0):
            pass
    except ChildProcessError:
        pass


# -- the machine

def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return ""


def machine():
    """What a figure depends on, as (name, value)."""
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    with open("/proc/meminfo") as file:
        memory = int(re.search(r"^MemTotal:\s*(\d+)", file.read(), re.M).group(1)) // 1024
    virtual = " (virtual machine)" if "hypervisor" in open("/proc/cpuinfo").read() else ""
    return [("machine", f"{os.cpu_count()} CPUs {model.group(1) if model else os.uname().machine}{virtual}, "
                        f"{memory} MiB"),
            ("kernel", f"{os.uname().sysname} {os.uname().release}"),
            ("commit", first_line(["git", "describe", "--always", "--dirty", "--abbrev=12"])),
            ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()))]


def peers():
    """The versions of the other programs, or that they are missing."""
    commands = {"strace": ["strace", "-V"], "perf": ["perf", "version"], "bpftrace": ["bpftrace", "--version"],
                "trace-cmd": ["trace-cmd", "--version"], "babeltrace2": ["babeltrace2", "--version"],
                "sqlite3": ["sqlite3", "--version"], "jq": ["jq", "--version"], "wrk": ["wrk", "-v"],
                "nginx": ["sh", "-c", "nginx -v 2>&1"], "gcc": ["gcc", "--version"], "zstd": ["zstd", "--version"]}
    found = []
    for name, command in commands.items():
        if not shutil.which(name):
            found.append(f"{name}: not installed")
            continue
        version = re.search(r"\d+(\.\d+)+", first_line(command))
        found.append(f"{name} {version.group(0) if version else ''}".strip())
    return found


def busy_cpus(seconds=1.0):
    """How many CPUs' worth of work went on meanwhile, ours left out: we sleep."""
    def spent():
        with open("/proc/stat") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
        return sum(fields) - fields[3] - fields[4]
    before = spent()
    time.sleep(seconds)
    return (spent() - before) / os.sysconf("SC_CLK_TCK") / seconds


def who_traces():
    """Programs on tracepoints, and events switched on, that are not ours."""
    listed = subprocess.run(["bpftool", "prog", "show"], capture_output=True, text=True).stdout \
        if shutil.which("bpftool") else ""
    found = re.findall(r"^\d+: (?:tracing|raw_tracepoint|tracepoint|kprobe|perf_event)\s+name (\S+)", listed, re.M)
    try:
        with open("/sys/kernel/tracing/set_event") as file:
            found += file.read().split()
    except OSError:
        pass
    return sorted(set(found))
