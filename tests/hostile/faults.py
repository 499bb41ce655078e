"""faults.py B TMP SHIM MOST [FORM...] - the offline programs without memory, reads or writes: at the n-th time, once
and for ever

Every run must end with status 1 and a line that says why, or say exactly what it says unhindered; nothing
half made is left; no more memory is held at the end than unhindered. MOST different n of each, a fifth of
them for the forms that are tried without memory alone, and the first 12 of all. With FORMs (forms.py) only these,
without memory.
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import forms

B, TMP, SHIM, MOST = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
DECODE, ANALYZE, REPORT = (os.path.join(B, "iotap-" + name) for name in ("decode", "analyze", "report"))


def case(name, problem):
    print("%s - %s" % ("not ok" if problem else "ok", name))
    if problem:
        print("    " + ascii(problem)[:2500])


def assemble(*stories):
    path = os.path.join(TMP, "r.iotap")
    text = b"".join(open("tests/golden/rec/%s.rec" % story, "rb").read() for story in stories)
    with open(path, "wb") as f:
        f.write(subprocess.run([os.path.join(B, "tests/golden/assemble")], input=text, capture_output=True, check=True).stdout)
    return path


RECORDING = assemble("life")
SECOND = os.path.join(TMP, "second.iotap")
with open(SECOND, "wb") as f:
    f.write(subprocess.run([os.path.join(B, "tests/golden/assemble")], input=open("tests/golden/rec/sockets.rec", "rb").read().replace(b"session=1", b"session=2"),
                           capture_output=True, check=True).stdout)
DATABASE = os.path.join(TMP, "d.db")
subprocess.run([ANALYZE, "load", "-o", DATABASE, RECORDING], check=True)



def made(name, data):
    with open(os.path.join(TMP, name), "wb") as made_file:
        made_file.write(data)
    return os.path.join(TMP, name)


WHOLE = open(SECOND, "rb").read()
WORDS = {
    "decode": DECODE, "analyze": ANALYZE, "report": REPORT, "r": RECORDING, "second": SECOND, "db": DATABASE,
    "key": made("key", b"k" * 32),
    "damaged": made("damaged.iotap", WHOLE[:200] + bytes([WHOLE[200] ^ 1]) + WHOLE[201:-5]),
    "events": made("r.events", subprocess.run([DECODE, "-F", "events", SECOND], capture_output=True).stdout),
}
MAIN, MORE = forms.commands(forms.MAIN, WORDS), forms.commands(forms.MORE, WORDS)
COMMANDS = {**MAIN, **MORE}


def told(data):
    """What a recording that was written says; others as they are. One without memory for it is not compressed, has no
    index: that is no difference. The session is drawn anew each time."""
    if not data.startswith(WHOLE[:4]):
        return data
    done = subprocess.run([DECODE, "-F", "json", "--all-ops", "-"], input=data, capture_output=True)
    return re.sub(rb'"session":"?[0-9a-f]+"?', b"", done.stdout) + done.stderr + b"%d" % done.returncode


class Run:
    def __init__(self, command, what, n, how, number):
        self.folder = os.path.join(TMP, "run-%s-%d-%s-%d" % (what, n, how, id(self)))
        os.mkdir(self.folder)
        if "old.db" in command:
            shutil.copy(DATABASE, os.path.join(self.folder, "old.db"))
        report = os.path.join(self.folder, "report")
        environment = dict(os.environ, LD_PRELOAD=SHIM, STARVE="%s:%d:%s" % (what, n, how), STARVE_REPORT=report, STARVE_ERRNO=str(number))
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, cwd=self.folder, env=environment)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.asked, self.alive = map(int, open(report).read().split()) if os.path.exists(report) and os.path.getsize(report) else (0, -1)
        self.left = sorted(set(os.listdir(self.folder)) - {"report"})
        self.rows = self.ask(command)
        if "--redact" in command or "--salvage" in command:
            self.out = told(self.out)
        self.files = [self.file(name) for name in self.left if not name.startswith(("new.db", "old.db"))]
        shutil.rmtree(self.folder)

    def file(self, name):
        with open(os.path.join(self.folder, name), "rb") as left:
            return told(left.read()) if name == "new.iotap" else left.read()

    def ask(self, command):
        """What a database that was written says of itself, to those who find it."""
        name = "new.db" if "new.db" in command else "old.db"
        path = os.path.join(self.folder, name)
        if name not in command or not os.path.exists(path):
            return None
        done = subprocess.run([ANALYZE, "sql", path, "SELECT id, session, calls, (SELECT count(*) FROM event) FROM recording"], capture_output=True)
        return done.stdout if done.returncode in (0, 4) else b"unreadable: " + done.stderr

    def said(self):
        return self.status, self.out, self.err, self.left, self.rows, self.files


def judge(run, good, before, words):
    if run.said() == good.said():
        return ""
    if run.status == 1 and any(word in run.err for word in words) and run.err.count(b"\n") < 20:
        if run.alive > good.alive:
            return "%d pieces of memory held at the end, unhindered %d" % (run.alive, good.alive)
        if [name for name in run.left if not name.endswith("-journal")] != before or (run.rows is not None and run.rows not in (good.rows, BEFORE_ROWS)):
            return "left behind: %r %r" % (run.left, run.rows)
        return ""
    return "status %d, said %r, left %r %r" % (run.status, run.err[:300], run.left, run.rows)


def numbers(count, most):
    """So many of 1..count: all, or half of them the first (12 at least: a program's own beginning) and others evenly
    spread."""
    first, others = max(most // 2, 12), most - most // 2
    if count <= max(most, first):
        return range(1, count + 1)
    return sorted(set(range(1, first + 1)) | {first + 1 + i * (count - first) // others for i in range(others)})


def sweep(name, what, number, words, hows=("once", "ever"), most=MOST):
    command = COMMANDS[name]
    good = Run(command, what, 0, "once", number)
    before = ["old.db"] if "old.db" in command else []
    todo = [(n, how) for how in hows for n in numbers(good.asked, most)]
    bad = []
    with ThreadPoolExecutor(2) as pool:
        for (n, how), run in zip(todo, pool.map(lambda t: Run(command, what, t[0], t[1], number), todo)):
            problem = judge(run, good, before, words)
            if problem:
                bad.append((n, how, problem))
    case("%s: %s fails at %d of %d places, once and for ever" % (name, what, len(todo) // len(hows), good.asked), bad and (len(bad), bad[:6]))


def brief(name, what):
    command = COMMANDS[name]
    good, run = Run(command, "memory", 0, "once", 0), Run(command, what, 1, "short", 0)
    case("%s: every %s moves 1 to 7 bytes" % (name, what), run.said() != good.said() and (run.said(), good.said()))


MEMORY = (12, [b"memory", b"no transaction is active"])


def sweep_all():
    for name in MAIN:
        sweep(name, "memory", *MEMORY)
    for name in MORE:
        sweep(name, "memory", *MEMORY, most=max(MOST // 5, 2))
    for name in MAIN:
        sweep(name, "write", 28, [b"No space left", b"full"])
        sweep(name, "write", 5, [b"put/output error", b"I/O error"], ("ever",))
        sweep(name, "read", 5, [b"put/output error", b"I/O error", b"malformed"])		# SQLite says so of EIO
        brief(name, "read")
        brief(name, "write")
    for name in "load", "load more":
        sweep(name, "sync", 5, [b"put/output error", b"I/O error"])
        sweep(name, "rename", 5, [b"put/output error", b"I/O error"])


BEFORE_ROWS = Run(COMMANDS["load more"][:3] + ["old.db", RECORDING], "memory", 0, "once", 0).rows
if sys.argv[5:]:
    for form in sys.argv[5:]:
        sweep(form, "memory", *MEMORY)
else:
    sweep_all()
