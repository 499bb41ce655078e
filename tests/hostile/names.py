"""names.py B TMP - hostile names through every program, from recordings made as text

Prints "ok - ..." and "not ok - ..." lines. B is the build folder, TMP a folder to work in.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from corpus import corpus, unclean
from markup import markup, tables

B, TMP = sys.argv[1], sys.argv[2]
NAMES = corpus()
BOOT, UNIX = 5000000000, 1700000000000000000


def program(name):
    return os.path.join(B, name)


def run(*command, stdin=b"", cwd=TMP):
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def case(name, problem):
    if problem:
        print("not ok - %s" % name)
        print("    " + ascii(problem)[:2000])
    else:
        print("ok - %s" % name)


def quote(name):
    return '"' + "".join("\\x%02x" % c for c in name) + '"'


def at(i):
    return BOOT + 1000 * i


def header(extra=""):
    return ("block header session=7\nhost format_major=1 os=1 arch=x86_64 cpus=2 " + extra + "\n"
            "clock boot_ns=%d real_ns=%d\n" % (BOOT, UNIX))


def state():
    return "block state\nclock boot_ns=%d real_ns=%d\nblock records\n" % (BOOT, UNIX)


def call(i, target, pid=10):
    return ("call key=%d duration=10 tid=%d tgid=%d call=read flags=fd|requested fd=3 id=%d requested=%d result=%d\n"
            % (at(i + 1), pid, pid, target, i + 1, i + 1))


def assemble(name, text):
    status, out, err = run(program("tests/golden/assemble"), stdin=text.encode())
    assert status == 0, err
    path = os.path.join(TMP, name)
    with open(path, "wb") as f:
        f.write(out)
    return path


def finish(n):
    return "block end\nend time_ns=%d reason=1 calls=%d\n" % (at(n + 10), n)


# -- recordings: one in which files have the names, one in which everything else has ------------------

def files():
    text = header('tool="t" hostname="h" release="r"') + "request kind=1 pid=10 text=\"10\"\n" + state()
    text += 'process time_ns=%d pid=10 start_ns=100 how=1 comm="prog"\n' % BOOT
    for i, name in enumerate(NAMES):
        text += "target id=%d origin=call kind=file flags=16 dev=0x800001 ino=%d text=%s\n" % (i + 1, i + 1, quote(name))
    text += "block calls\n" + "".join(call(i, i + 1) for i in range(len(NAMES)))
    return assemble("files.iotap", text + finish(len(NAMES)))


def others(name, i):
    """Everything but a file path bears the name."""
    q, comm = quote(name), quote(name[:15])
    text = header("tool=%s hostname=%s release=%s boot_id=%s options=%s" % (q, q, q, q, q))
    text += "request kind=2 text=%s\nrequest kind=1 pid=10 text=%s\n" % (q, q) + state()
    text += ("process time_ns=%d pid=10 start_ns=100 how=%d comm=%s exe=%s arg0=%s cwd=%s name_from=%d\n"
             % (BOOT, 1 + i % 6, comm, q, q, q, i % 3))
    text += "interface netns=1 ifindex=1 flags=73 name=%s address=127.0.0.1\n" % comm
    text += 'target id=1 origin=call kind=socket flags=16 family=unix sock_type=1 text=%s claimed=%s peer=%s\n' % ((quote(name[:108]),) * 3)
    text += 'target id=2 origin=call kind=socket flags=16 family=unix sock_type=1 text=%s\n' % quote(b"\0" + name[:107])
    text += ("target id=3 origin=call kind=socket flags=16 family=inet sock_type=1 protocol=6 local=10.0.0.1 remote=10.0.0.2 "
             "local_port=1 remote_port=2 netns=1 ifindex=1 device=%s\n" % comm)
    text += "target id=4 origin=call kind=anon flags=16 text=%s\n" % q
    text += "target id=5 origin=call kind=memfd flags=17 dev=1 ino=9 text=%s\n" % q
    text += "target id=6 origin=claim kind=file flags=%d claimed=%s\n" % (4 if i % 2 else 0, q)
    text += "target id=7 origin=use kind=file flags=%d dev=1 ino=3 text=%s claimed=%s\n" % (17 if i % 2 else 18, q, q)
    text += "target id=8 origin=call kind=%d flags=16 text=%s\n" % (3 + i % 5, q)
    text += "exec time_ns=%d pid=10 start_ns=100 comm=%s path=%s arg0=%s\n" % (at(0), comm, q, q)
    text += "rename time_ns=%d pid=10 tid=10 comm=%s\nrename time_ns=%d pid=10 tid=11 comm=%s\n" % (at(0), comm, at(0), comm)
    text += "process time_ns=%d pid=12 start_ns=200 how=5 parent=10 comm=%s exe=%s\n" % (at(0), comm, q)
    text += "notice time_ns=%d level=%d text=%s\n" % (at(0), 1 + i % 2, q)
    text += 'record type=99 body=%s\n' % q
    text += "loss from_ns=%d until_ns=%d count=1 cause=%d pids=%s\n" % (at(0), at(1), 1 + i % 5, "[10]" if i % 2 else quote(name))
    text += "block calls\n" + "".join(call(j, j + 1) for j in range(8))
    text += "block records\nexit time_ns=%d pid=12 start_ns=200 status=%d\n" % (at(9), i)
    return assemble("others-%d.iotap" % i, text + finish(8))


# -- what is said of them ------------------------------------------------------------------------

def text_of(path, *options):
    status, out, err = run(program("iotap-decode"), "--replaying", path, *options, path)
    problem = unclean(out, b"\n") or unclean(err, b"\n")
    if status not in ((0, 1, 4) if "--check" in options else (0, 4)):
        problem = "status %d: %r" % (status, err)
    return out, err, problem


def bytes_of(value, name="path"):
    """The bytes that an object of JSON Lines says."""
    if name + "_hex" in value:
        return bytes.fromhex(value[name + "_hex"])
    return value[name].encode("utf-8", "surrogatepass")


def check_text(path):
    out, _, problem = text_of(path, "--all-ops", "--no-summary")
    if not problem and out.count(b"\n") != len(NAMES) + 1:
        problem = "%d lines for %d calls" % (out.count(b"\n") - 1, len(NAMES))
    case("text: a line for each of %d names, nothing that a terminal obeys" % len(NAMES), problem)
    out, _, problem = text_of(path, "--top", "0", "-q")
    rows = len(out.split(b"\nFiles (")[1].split(b"\n\n")[0].split(b"\n")) - 2 if b"\nFiles (" in out else -1
    if not problem and rows != len(NAMES):
        problem = "%d rows in the summary" % rows
    case("summary: a row for each name", problem)


def check_json(path):
    status, out, err = run(program("iotap-decode"), "-F", "json", path)
    problem = unclean(out) or unclean(err)
    lines = [json.loads(line) for line in out.decode().split("\n")[:-1]]
    got = [bytes_of(e["target"]) for e in lines if e["type"] == "event"]
    wrong = [(a, b) for a, b in zip(got, NAMES) if a != b]
    case("json: one line each, pure, and valid", problem or (status and err))
    case("json: every name byte for byte", wrong[:3] or (len(got) != len(NAMES) and "%d of them" % len(got)))
    valid = subprocess.run([sys.executable, "-c", """
import sqlite3, sys
db = sqlite3.connect(":memory:")
print(sum(not db.execute("select json_valid(?)", (line,)).fetchone()[0] for line in sys.stdin.read().split("\\n")[:-1]))
"""], input=out, capture_output=True)
    case("json: SQLite takes every line", valid.stdout != b"0\n" and (valid.stdout, valid.stderr))
    return out


def check_dump(path):
    status, out, err = run(program("iotap-decode"), "--dump", path)
    case("dump: nothing that a terminal obeys", status and err or unclean(out))
    status, again, err = run(program("tests/golden/assemble"), stdin=out)
    with open(path, "rb") as f:
        same = f.read() == again
    case("dump: makes the same recording again", not same and (status, err, len(again)))


def names_in(database, form="json"):
    """(number, bytes) of every event as SQL has it."""
    status, out, err = run(program("iotap-analyze"), "sql", "-F", form, database,
                           "SELECT e.number AS n, hex(CAST(t.path AS BLOB)) AS h, t.path AS p FROM event e JOIN target t ON t.id = e.target ORDER BY 1")
    return status, out, err


def on_terminal(database, form):
    """What a terminal is sent; its driver writes CR LF for LF."""
    master, slave = os.openpty()
    child = subprocess.Popen([program("iotap-analyze"), "sql", "-F", form, database, "SELECT path AS p, claimed, text FROM target"],
                             stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    out = b""
    try:
        while more := os.read(master, 65536):
            out += more
    except OSError:
        pass
    os.close(master)
    return out if child.wait() == 0 and len(out) > 10000 else b"\xff no success: " + out[:200]


def check_sql(what, database):
    status, out, err = names_in(database)
    got = [bytes.fromhex(json.loads(line)["h"]) for line in out.decode().split("\n")[:-1]]
    shown = [bytes_of(json.loads(line), "p") for line in out.decode().split("\n")[:-1]]
    case("sql, %s: every name byte for byte" % what,
         status and err or [(a, b) for a, b in zip(got, NAMES) if a != b][:3] or (len(got) != len(NAMES) and "%d rows" % len(got)))
    case("sql, %s: and so in JSON" % what, [(a, b) for a, b in zip(shown, NAMES) if a != b][:3])
    for form in "table", "tsv", "json":			# TSV is for machines: no more than a line each
        status, out, err = names_in(database, form)
        problem = status and err or (form != "tsv" and unclean(out))
        rows = out.count(b"\n") - (form != "json")
        if not problem and rows != len(NAMES):
            problem = "%d lines" % rows
        case("sql, %s, %s: a line each" % (what, form), problem)
    for form in "table", "csv", "tsv", "json":
        case("sql, %s, %s on a terminal: nothing that it obeys" % (what, form), unclean(on_terminal(database, form), b"\n\r\t"))
    status, out, err = run(program("iotap-analyze"), "sql", "-F", "tsv", database, "SELECT count(DISTINCT path) FROM target WHERE path IS NOT NULL")
    case("sql, %s: as many rows as names" % what, out.split(b"\n")[1] != b"%d" % len(NAMES) and out)
    for report in "files", "slow", "processes":
        status, out, err = run(program("iotap-analyze"), "report", report, database)
        case("sql, %s: report %s is pure" % (what, report), status and err or unclean(out))


def check_csv(database):
    import csv
    import io
    status, out, err = names_in(database, "csv")
    rows = list(csv.reader(io.StringIO(out.decode("utf-8", "surrogateescape"), newline="")))[1:]
    case("csv: as many records as names", len(rows) != len(NAMES) and len(rows))
    case("csv: no field is a formula", [r for r in rows if r[2][:1] in ("=", "+", "-", "@", "\t", "\r")][:3])


def check_other(pair):
    i, name = pair
    path, problems = others(name, i), []
    for options in ["--all-ops"], ["-q", "--top", "0"], ["--dump"], ["--check"]:
        _, _, problem = text_of(path, *options)
        problems.append(problem and "%s: %s" % (" ".join(options), problem))
    out, _, _ = text_of(path, "--all-ops", "--no-summary")
    if out.count(b"\n") != 9:
        problems.append("%d lines of text" % out.count(b"\n"))
    status, out, err = run(program("iotap-decode"), "-F", "json", path)
    problems.append(unclean(out) or unclean(err))
    lines = [json.loads(line) for line in out.decode().split("\n")[:-1]]
    targets = [e["target"] for e in lines if e["type"] == "event"]
    if len(targets) != 8:
        problems.append("%d events in JSON" % len(targets))
    else:
        problems += ["target %d: %r" % (k + 1, targets[k]) for k, n in ((0, name[:108]), (6, name)) if bytes_of(targets[k]) != n]
    if i % 9 == 0:
        database = path + ".db"
        status, out, err = run(program("iotap-analyze"), "load", "-o", database, path)
        problems.append(status not in (0, 4) and "load: %r" % err or unclean(err))
        for table in "recording", "process", "target", "notice", "loss":
            status, out, err = run(program("iotap-analyze"), "sql", database, "SELECT * FROM " + table)
            problems.append(status not in (0, 4) and "sql: %r" % err or unclean(out) or unclean(err))
        status, out, err = run(program("iotap-report"), path)
        problems.append(status not in (0, 4) and "report: %r" % err or unclean(out) or unclean(err))
        status, out, err = run(program("iotap-report"), "--html", "-", path)
        problems.append(status not in (0, 4) and "page: %r" % err or unclean(out) or unclean(err) or markup(out))
        status, out, err = run(program("iotap-decode"), "-F", "events", path)
        direct, streamed = run(program("iotap-decode"), "-F", "json", path)[1], run(program("iotap-decode"), "-F", "json", "-", stdin=out)[1]
        problems.append(direct != streamed and "the event stream says something else")
        if os.path.exists(database):
            os.unlink(database)
    os.unlink(path)
    return name, [p for p in problems if p]


# -- messages about names on the command line ------------------------------------------------------

def check_message(pair):
    i, name = pair
    problems = []
    for command in (
            [program("iotap-decode"), b"./" + name], [program("iotap-decode"), b"--" + name], [program("iotap-decode"), b"--from", name, b"x"],
            [program("iotap-decode"), b"-F", name, b"x"], [program("iotap-decode"), b"--pid=" + name, b"x"],
            [program("iotap-analyze"), b"load", b"-o", b"d", b"./" + name], [program("iotap-analyze"), b"sql", b"./" + name, b"SELECT 1"],
            [program("iotap-analyze"), b"report", name, b"x"], [program("iotap-analyze"), b"sql", os.path.join(TMP, "files.db"), b"SELECT " + name],
            [program("iotap-analyze"), name], [program("iotap-report"), b"./" + name], [program("iotap-report"), b"--top", name],
            [program("iotap-capture"), b"--buffer", name, b"x"], [program("iotap"), b"--replay", b"./" + name],
            [program("iotap"), b"--duration", name, b"x"])[i % 2::2]:
        status, out, err = run(*command)
        if status < 0 or status > 2:
            problems.append("%r: status %d" % (command, status))
        problems.append(unclean(err) and "%r: %s" % (command, unclean(err)))
    return name, [p for p in problems if p]


def check_file_name(name):
    """A recording under such a name."""
    path, problems = os.path.join(os.fsencode(TMP), b"named", name), []
    with open(path, "wb") as f, open(os.path.join(TMP, "files.iotap"), "rb") as source:
        f.write(source.read()[:4096])			# cut: it is named in a message, too
    try:
        for command in ([program("iotap-decode"), "-q", "--replaying", path, path], [program("iotap-report"), path],
                        [program("iotap-analyze"), "sql", path, "SELECT count(*) FROM event"],
                        [program("iotap-analyze"), "load", "-o", os.path.join(TMP, "named.db"), path],
                        [program("iotap-analyze"), "load", "-o", os.path.join(TMP, "named.db"), path]):
            status, out, err = run(*command)
            problems.append(unclean(out) or unclean(err))
            if status not in (0, 1, 4):
                problems.append("%r: status %d" % (command, status))
    finally:
        os.unlink(path)
    return name, [p for p in problems if p]


def check_all(what, check, items):
    with ThreadPoolExecutor(2) as pool:
        bad = [result for result in pool.map(check, items) if result[1]]
    case("%s (%d)" % (what, len(items)), bad and (len(bad), bad[:4]))


path = files()
check_text(path)
check_json(path)
check_dump(path)
check_sql("recording", path)
database = os.path.join(TMP, "files.db")
status, out, err = run(program("iotap-analyze"), "load", "-o", database, path)
case("load", status and err)
check_sql("database", database)
check_csv(database)
status, out, err = run(program("iotap-report"), "--top", "0", path)
case("report is pure", status and err or unclean(out))
status, out, err = run(program("iotap-report"), "--html", "-", "--top", "0", path)
case("page: pure, and no markup but its own", status and err or unclean(out) or markup(out))
summary = run(program("iotap-decode"), "--top", "0", "-q", path)[1].decode().split("\nFiles (")[1].split("\n\n")[0].split("\n")[2:]
shown = [row[7][0] for row in tables(out)["Files"]]
case("page: every name, as the text summary shows it",
     [(a, b) for a, b in zip(summary, shown) if not a.endswith(b)][:3] or (len(shown) != len(NAMES) and "%d rows" % len(shown)))
os.mkdir(os.path.join(TMP, "named"))
long_or_odd = [name for name in NAMES if len(name) < 200 and b"/" not in name and name not in (b".", b"..")]
check_all("as comm, argv[0], interface, socket, host, tool, options, notice", check_other, list(enumerate(NAMES))[::5])
check_all("in messages about the command line", check_message, list(enumerate(n for n in NAMES if len(n) < 2000))[::6])
check_all("as the name of a recording", check_file_name, long_or_odd[::11])
