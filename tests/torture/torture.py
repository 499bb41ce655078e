#!/usr/bin/env python3
"""torture.py [--runs N] [--kills N] [--soak MINUTES] [--seed N] [--write FILE] - see tests/torture/run

Three parts, each with figures and a verdict: both laws and the kernel's own bytes over many shapes of
loss; what a kill -9 costs; a long run with rotation. Exit 1 if anything is wrong.
"""
import argparse, json, os, platform, random, shutil, signal, subprocess, sys, tempfile, time

B = os.environ["B"]
WORK = B + "/tests/torture/work/"
RINGS = ["64K", "128K", "256K", "1M", "4M", "32M"]
THREADS = [1, 2, 4, 8, 16, 32, 64]
CALLS = 60000
DEADLINE = 40


class Wrong(Exception):
    pass


class Progress:
    def __init__(self, what, total):
        self.what, self.total, self.began = what, total, time.time()

    def step(self, done):
        if not sys.stderr.isatty():
            return
        left = (time.time() - self.began) / max(done, 1) * (self.total - done)
        sys.stderr.write(f"\r\033[K{self.what}: {done} of {self.total}, {left / 60:.1f} min left")
        sys.stderr.flush()

    def end(self):
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")


def until(condition, what, process):
    deadline = time.time() + DEADLINE
    while not condition():
        if time.time() > deadline or process.poll() is not None:
            raise Wrong("waited in vain for " + what)
        time.sleep(0.005)


def io_of(pid):
    with open(f"/proc/{pid}/io") as f:
        lines = dict(line.split(": ") for line in f)
    return int(lines["rchar"]), int(lines["wchar"])


def decoded(path, *options):
    return subprocess.run([B + "/iotap-decode", *options, path], capture_output=True, text=True)


def traces(path):
    return os.path.exists(path) and os.path.getsize(path) > 0 and '"type":"start"' in decoded(path, "-F", "json").stdout


def check(path):
    """What --check says against the laws, and how many calls are sums."""
    said = decoded(path, "--check")
    broken = [line for line in said.stdout.splitlines() if line.startswith(("BROKEN", "bad"))]
    if broken or said.returncode not in (0, 4) or said.stdout.count("ok ") < 2:
        raise Wrong(f"--check gave {said.returncode}: " + said.stdout + said.stderr)
    return said.stdout


def summary(path):
    said = decoded(path, "-F", "json")
    last = said.stdout.rstrip("\n").rsplit("\n", 1)[-1]
    s = json.loads(last)
    if s["type"] != "summary":
        raise Wrong("no summary: " + last[:200])
    return s, said.stdout.count('{"type":"event"')


def bytes_of(s):
    totals = s["totals"]
    return tuple(sum(v["bytes"] for k, v in totals.items() if k.endswith(end)) for end in ("_read", "_write"))


def calls_of(s):
    return sum(v["calls"] for k, v in s["totals"].items() if k.endswith(("_read", "_write")))


def one_run(tmp, lot, shape):
    ring, threads, stopped, files, calls = shape
    place, out = tmp + "/dir", tmp + "/t.iotap"
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    if os.path.exists(out):
        os.unlink(out)
    target = subprocess.Popen([WORK + "flood", place, str(threads), str(max(calls // threads, 1)), str(files)])
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
    check(out)
    s, events = summary(out)
    expected = tuple(b - a for a, b in zip(before, after))
    if bytes_of(s) != expected:
        raise Wrong(f"bytes read and written: {bytes_of(s)}, by the kernel's own accounting {expected}")
    return calls_of(s), calls_of(s) - events


def laws(arguments, tmp):
    """Rows by ring: runs, calls, of these as sums, wrong."""
    lot = random.Random(arguments.seed)
    rows = {ring: [0, 0, 0, 0] for ring in RINGS}
    wrong = []
    progress = Progress("laws", arguments.runs)
    for i in range(arguments.runs):
        # By turns, so that a short row of runs has every ring; the first ones are the hardest.
        shape = (RINGS[i % len(RINGS)], lot.choice(THREADS), lot.choice([0, lot.uniform(0, 2)]), lot.choice([0, 1]),
                 lot.randrange(CALLS // 3, CALLS * 2))
        if i == 0:      # the ring of definitions, and the sums, are full: 40,000 files
            shape = (RINGS[0], 4, 2, 1, 200000)
        row = rows[shape[0]]
        row[0] += 1
        try:
            calls, summed = one_run(tmp, lot, shape)
            row[1] += calls
            row[2] += summed
        except (Wrong, subprocess.TimeoutExpired) as e:
            row[3] += 1
            wrong.append(f"run {i}, ring {shape[0]}, {shape[1]} threads, stopped {shape[2]:.1f} s, "
                         f"{'files' if shape[3] else 'no files'}, {shape[4]} calls: {e}")
        progress.step(i + 1)
    progress.end()
    return rows, wrong


def kills(arguments, tmp):
    """Milliseconds that are missing, sorted; what is wrong.

    The missing writes all were made between the last one there and the signal, so that time is a bound; at the
    steady rate their number is another one. A writer that got no CPU makes up for it in a burst, or makes none:
    the lower one holds.
    """
    steady = tmp + "/steady"
    target = subprocess.Popen([B + "/tests/live/work/rate", tmp + "/said", steady, "200000", "86400000"])
    until(lambda: os.path.exists(steady), "the writer", target)
    missing, wrong = [], []
    progress = Progress("kills", arguments.kills)
    try:
        for i in range(arguments.kills):
            out = tmp + "/k.iotap"
            if os.path.exists(out):
                os.unlink(out)
            said = subprocess.run([sys.executable, "tests/live/killed.py", B, out, str(target.pid), str(i), steady],
                                  capture_output=True, text=True)
            f = said.stdout.split(" ", 5)
            if len(f) < 6 or f[:2] != ["4", "4"] or f[5].strip():
                wrong.append(f"kill {i}: {said.stdout}{said.stderr}")
            else:
                missing.append(max(0, min(int(f[3]) / 200, int(f[4]) / 1000)))
            progress.step(i + 1)
    finally:
        target.kill()
        target.wait()
    progress.end()
    return sorted(missing), wrong


def rss(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def soak(arguments, tmp):
    """Minutes with rotation at 20,000 writes a second: memory, and the laws at the end."""
    seconds = arguments.soak * 60
    base = tmp + "/soak.iotap"
    target = subprocess.Popen([B + "/tests/live/work/rate", tmp + "/said2", tmp + "/soaked", "20000", "86400000"])
    capture = subprocess.Popen([B + "/iotap-capture", "-o", base, "--rotate-size", "256k", "--keep", "4", str(target.pid)],
                               stdin=subprocess.DEVNULL)
    samples, wrong = [], []
    progress = Progress("soak, seconds", round(seconds))
    began = time.time()
    try:
        until(lambda: traces(base + ".1"), "capture to begin", capture)
        while time.time() - began < seconds:
            time.sleep(min(1, seconds / 20))
            samples.append(rss(capture.pid))
            progress.step(round(time.time() - began))
        capture.send_signal(signal.SIGINT)
        status = capture.wait(DEADLINE)
        if status not in (0, 4):
            wrong.append(f"soak: capture gave {status}")
    finally:
        target.kill()
        capture.kill()
        target.wait()
        capture.wait()
    progress.end()
    files = sorted((f for f in os.listdir(tmp) if f.startswith("soak.iotap.")), key=lambda f: int(f.rsplit(".", 1)[1]))
    try:
        for f in files:
            check(tmp + "/" + f)
    except Wrong as e:
        wrong.append(f"soak: {e}")
    early, late = max(samples[len(samples) // 4:len(samples) // 2]), max(samples[-(len(samples) // 4 or 1):])
    if late > early * 1.1 + 2048:
        wrong.append(f"soak: memory grows: {early} KiB, then {late} KiB")
    if len(files) > 4:
        wrong.append(f"soak: {len(files)} files are left")
    return {"files": files[-1].rsplit(".", 1)[1] if files else "0", "early": early, "late": late,
            "most": max(samples)}, wrong


def report(arguments, rows, missing, soaked, wrong, took):
    out = []
    if rows:
        out += ["| ring | runs | reads and writes | of these as sums | runs with a difference |", "|---|---:|---:|---:|---:|"]
        out += [f"| {ring} | {r[0]} | {r[1]} | {r[2]} | {r[3]} |" for ring, r in rows.items()]
        total = [sum(r[i] for r in rows.values()) for i in range(4)]
        out += [f"| all | {total[0]} | {total[1]} | {total[2]} | {total[3]} |", ""]
    if missing:
        at = lambda p: missing[min(int(len(missing) * p), len(missing) - 1)]
        out += ["| kill -9 at 200,000 writes a second | missing, in milliseconds |", "|---|---:|",
                f"| kills | {len(missing)} |", f"| median | {at(0.5):.1f} |", f"| 99 of 100 | {at(0.99):.1f} |",
                f"| worst | {missing[-1]:.1f} |", ""]
    if soaked:
        out += ["| soak: 20,000 writes a second, a new file each 256 KiB, 4 kept | |", "|---|---:|",
                f"| minutes | {arguments.soak:g} |", f"| files | {soaked['files']} |",
                f"| memory in the second quarter, at most | {soaked['early']} KiB |",
                f"| memory in the last quarter, at most | {soaked['late']} KiB |", ""]
    out += [f"Wrong: {len(wrong)}. Took {took / 60:.0f} minutes."]
    return "\n".join(out) + "\n"


def machine():
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return (f"{os.cpu_count()} CPUs ({platform.machine()}), load {os.getloadavg()[1]:.0f}, Linux {platform.release()}, "
            f"commit {commit or 'unknown'}, {time.strftime('%Y-%m-%d')}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, default=1000)
    p.add_argument("--kills", type=int)
    p.add_argument("--soak", type=float, default=5)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--write")
    arguments = p.parse_args()
    if arguments.kills is None:
        arguments.kills = arguments.runs
    began, rows, missing, soaked, wrong = time.time(), None, None, None, []
    on = machine()
    with tempfile.TemporaryDirectory(prefix="iotap-torture.") as tmp:
        os.chmod(tmp, 0o755)
        if arguments.runs:
            rows, w = laws(arguments, tmp)
            wrong += w
        if arguments.kills:
            missing, w = kills(arguments, tmp)
            wrong += w
        if arguments.soak:
            soaked, w = soak(arguments, tmp)
            wrong += w
    text = report(arguments, rows, missing, soaked, wrong, time.time() - began)
    print(text, end="")
    for line in wrong:
        print(line, file=sys.stderr)
    if arguments.write:
        with open("tests/torture/head.md") as f:
            head = f.read()
        with open(arguments.write, "w") as f:
            f.write(head + "\n" + on + ".\n\n" + text)
    return 1 if wrong else 0


sys.exit(main())
