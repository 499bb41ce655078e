"""readers.py - what recordings cost to read: decode, load, query, report; how that grows; beside others

The recordings are made up, the same every time (synth.c), so that a reader's figure does not hang on
what was recorded; the open-heavy one has a target for every ten calls.
"""
import os
import statistics
import struct
import subprocess

from measure import Measured, Skip, need, ratios, turns
from table import spark

ROUNDS = 5
MILLION = 1_000_000
HEAVY = 10  # calls per target, where it is open-heavy


def wall(command, rounds=ROUNDS, **kwargs):
    runs = [Measured(command, **kwargs) for _ in range(rounds)]
    if any(run.status < 0 for run in runs):
        raise Skip(f"{command[0]} was killed")
    return [run.wall for run in runs]


def decoding(bench, table):
    """Decode: one core"""
    n = 3 * MILLION
    path = bench.synth(n)
    for name, budget, options in (("the event stream", 3.0, ["-F", "events"]), ("JSON Lines", 2.0, ["-F", "json"]),
                                  ("text", 2.0, ["-F", "text"]), ("CSV", None, ["-F", "csv"]),
                                  ("the proof that nothing is missing", None, ["--check"])):
        times = wall([bench.program("decode"), *options, path])
        table.row(f"to {name}", [n / t / 1e6 for t in times], "M calls/s", (">=", budget) if budget else None,
                  command="iotap-decode " + " ".join(options))
    table.row("the same, open-heavy: to the event stream",
              [n / t / 1e6 for t in wall([bench.program("decode"), "-F", "events", bench.synth(n, HEAVY)])], "M calls/s")
    for calls in (MILLION, 20 * MILLION):
        run = Measured([bench.program("decode"), "-F", "json", bench.synth(calls)])
        table.row(f"memory, {calls:,} calls", [run.rss], "MiB", ("<=", 64))
    window(bench, table)


def window(bench, table):
    """A hundredth of a recording, at its end, against all of it."""
    path = bench.synth(20 * MILLION)
    decode = [bench.program("decode"), "-F", "events", "--no-summary"]
    figures = turns({"all": lambda: Measured([*decode, path]).wall,
                     "last": lambda: Measured([*decode, "--from", "19.8s", path]).wall,
                     "first": lambda: Measured([*decode, "--to", "0.2s", path]).wall}, ROUNDS)
    for part in ("last", "first"):
        table.row(f"the {part} hundredth of 20 M calls / all of them", ratios(figures, part, "all"), "x", ("<=", 0.05),
                  ratio=True, command="iotap-decode --from 19.8s" if part == "last" else "iotap-decode --to 0.2s",
                  note=f"{statistics.median(figures[part]) * 1e3:.0f} ms")


def load(bench, path, name):
    """A database, and the seconds it took."""
    database = bench.path(name)
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(database + suffix):
            os.unlink(database + suffix)
    run = Measured([bench.program("analyze"), "load", "-o", database, path], timeout=300)
    if run.status != 0:
        raise Skip(f"iotap-analyze load ended with status {run.status}")
    return run.wall


def database(bench, table):
    """Load and query: SQLite"""
    n = 5 * MILLION
    path, heavy = bench.synth(n), bench.synth(n, HEAVY)
    times = [load(bench, path, "l.db") for _ in range(3)]
    table.row("load, end to end", [n / t / 1e6 for t in times], "M calls/s", (">=", 1.5), command="iotap-analyze load -o DB F")
    table.row("database", [os.path.getsize(bench.path("l.db")) / n], "B/call", ("<=", 45), ratio=True)
    times = [load(bench, heavy, "heavy.db") for _ in range(3)]
    table.row("load, a target for every ten calls", [n / t / 1e6 for t in times], "M calls/s")
    table.row("  its database", [os.path.getsize(bench.path("heavy.db")) / n], "B/call", ratio=True)
    reports(bench, table)
    queries(bench, table)


def report_names(bench):
    listed = subprocess.run([bench.program("analyze"), "list"], capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()[1:] if line.strip()]


def reports(bench, table):
    """Every report of a database of 5 M calls: the slowest one counts."""
    for name, database in (("5 M calls", "l.db"), ("5 M calls, 500,000 targets", "heavy.db")):
        slowest = ("", [0.0])
        for report in report_names(bench):
            times = wall([bench.program("analyze"), "report", report, bench.path(database)], 3)
            if statistics.median(times) > statistics.median(slowest[1]):
                slowest = (report, times)
        table.row(f"the slowest report, {name}", [t * 1e3 for t in slowest[1]], "ms",
                  ("<=", 100) if database == "l.db" else None, command=f"iotap-analyze report {slowest[0]} DB")


def queries(bench, table):
    """SQL, on a loaded table and straight on the recording."""
    recording, database = bench.synth(5 * MILLION), bench.path("l.db")

    def ask(where, text):
        run = Measured([bench.program("analyze"), "sql", where, text])
        if run.status != 0:
            raise Skip("iotap-analyze sql failed: " + text)
        return run.wall
    group = "SELECT target, count(*), sum(bytes) FROM event GROUP BY target ORDER BY 3 DESC LIMIT 10"
    figures = turns({"table": lambda: ask(database, group), "recording": lambda: ask(recording, group)}, 3)
    table.row("GROUP BY target, recording / loaded table", ratios(figures, "recording", "table"), "x", ("<=", 1.0),
              ratio=True, note=f"{statistics.median(figures['recording']):.2f} s on 5 M calls, nothing loaded")
    nothing = turns({"nothing": lambda: ask(database, "SELECT 1")}, ROUNDS)["nothing"]
    base = "(SELECT min(second) FROM second)"
    inside = f"""SELECT count(*), sum(bytes) FROM event_row WHERE
        number >= (SELECT min(number) FROM second WHERE second >= {base} + 2) AND
        number < (SELECT min(number) FROM second WHERE second >= {base} + 3)"""
    short = inside.replace("+ 3)", "+ 2)").replace("number <", "number <=")
    first = 1_700_000_000_000_000_000  # synth.c: it begins there
    span = f"SELECT count(*), sum(bytes) FROM event WHERE time_ns BETWEEN {first + 2 * 10**9} AND {first + 2 * 10**9 + 10**6}"
    for name, where, text in (("loaded table, to a second", database, short), ("recording, by time", recording, span)):
        times = [(ask(where, text) - statistics.median(nothing)) * 1e3 for _ in range(ROUNDS)]
        table.row(f"to a window, {name}", times, "ms", ("<=", 10), note="less a statement that reads nothing; "
                  "the rows inside cost what a GROUP BY of them costs")
    times = [ask(database, inside) * 1e3 for _ in range(ROUNDS)]
    table.row("a second of 1 M calls, summed, loaded table", times, "ms", command="two look-ups in the table second")


def reporting(bench, table):
    """Reports: from the recording itself"""
    path = bench.synth(5 * MILLION)
    table.row("5 M calls to a summary", wall([bench.program("report"), path]), "s", ("<=", 2), command="iotap-report F")
    options = subprocess.run([bench.program("report"), "--help"], capture_output=True, text=True).stdout
    if "--html" in options:
        page = bench.path("page.html")
        table.row("5 M calls to HTML", wall([bench.program("report"), "--html", page, path], 3), "s", ("<=", 5),
                  command="iotap-report --html OUT F", note=f"{os.path.getsize(page):,} bytes" if os.path.exists(page) else "")
    else:
        table.skip("5 M calls to HTML", "iotap-report has no --html")
    redraw = os.path.join(bench.programs, "tests/bench/redraw")
    run = subprocess.run([redraw], capture_output=True, text=True)
    if run.returncode:
        raise Skip(f"tests/bench/redraw ended with status {run.returncode}")
    table.row("terminal UI, one redraw with 65,536 rows, all it holds", [float(t) for t in run.stdout.split()], "ms",
              ("<=", 50), command="tests/bench/redraw", note="CPU time; order and picture, without the terminal")


# -- how it grows

def growth(bench, table):
    """How cost grows: time per call at 0.1, 1 and 10 M calls"""
    def decode(*options):
        return lambda path: Measured([bench.program("decode"), *options, path], timeout=300).wall
    sizes = (MILLION // 10, MILLION, 10 * MILLION)
    measures = {
        "decode to the event stream": (decode("-F", "events"), (*sizes, 100 * MILLION)),
        "decode to JSON Lines": (decode("-F", "json"), sizes),
        "proof": (decode("--check"), sizes),
        "load into SQLite": (lambda path: load(bench, path, "grow.db"), sizes),
        "summary": (lambda path: Measured([bench.program("report"), path], timeout=300).wall, sizes),
        "GROUP BY on the recording": (lambda path: Measured(
            [bench.program("analyze"), "sql", path, "SELECT target, count(*) FROM event GROUP BY target LIMIT 1"],
            timeout=300).wall, sizes)}
    for name, (function, counts) in measures.items():
        grow(bench, table, name, function, counts)
    big = bench.path(f"synth-{100 * MILLION}-1000.iotap")
    if os.path.exists(big):
        os.unlink(big)
    each = [os.path.getsize(bench.synth(calls)) / calls for calls in sizes]
    table.row("recording, bytes per call at 10 M / at 1 M", [each[2] / each[1]], "x", ("<=", 1.05), ratio=True,
              note=f"{spark(each)} " + ", ".join(f"{value:.2f}" for value in each) + " B per call")


def grow(bench, table, name, function, counts):
    """The last step of ten: linear is 1. What starting costs weighs on the first step only."""
    each, last = [], []
    for calls in counts:
        path = bench.synth(calls)
        rounds = 1 if calls > 10 * MILLION else 3
        per_call = [function(path) * 1e9 / calls for _ in range(rounds)]
        each.append(statistics.median(per_call))
        last.append(per_call)
    steps = [value / each[-2] for value in last[-1]]
    table.row(f"{name}: per call, last step of ten", steps, "x", ("<=", 1.15), ratio=True,
              note=f"{spark(each)} " + ", ".join(f"{value:.0f}" for value in each) + " ns per call")


# -- beside others

CTF = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
clock { name = boot; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.boot.value; } := stamp_t;
stream { id = 0; packet.context := struct { uint64_t content_size; uint64_t packet_size; };
	event.header := struct { uint32_t id; stamp_t timestamp; }; };
event { name = call; id = 0; stream_id = 0; fields := struct { uint64_t duration; uint32_t tid; uint32_t call;
	uint32_t fd; uint32_t target; uint64_t requested; int64_t result; }; };
"""


def write_ctf(folder, calls):
    """The same calls as a trace in the common trace format, in packets of 4,096."""
    os.mkdir(folder)
    with open(os.path.join(folder, "metadata"), "w") as file:
        file.write(CTF)
    event = struct.Struct("<IQQIIIIQq")
    with open(os.path.join(folder, "stream"), "wb") as file:
        for first in range(0, calls, 4096):
            body = b"".join(event.pack(0, 10**9 + i * 1000, 250, 4242, 1, 3, i // 1000, 512, 512)
                            for i in range(first, min(calls, first + 4096)))
            bits = (len(body) + 24) * 8
            file.write(struct.pack("<IIQQ", 0xC1FC1FC1, 0, bits, bits) + body)


def offline(bench, table):
    """Beside other readers: an equal number of events"""
    calls = 200_000
    path, csv, lines = bench.synth(calls), bench.path("peer.csv"), bench.path("peer.json")
    decode = bench.program("decode")
    for form, name in (("csv", csv), ("json", lines)):
        with open(name, "wb") as file:
            Measured([decode, "-F", form, "--no-summary", path], stdout=file)
    folder = bench.path("ctf")
    write_ctf(folder, calls)

    def peer(*command):
        def one():
            need(command[0])
            run = Measured(command)
            if run.status not in (0, 4):  # 4: a made-up recording proves less than a real one
                raise Skip(f"{command[0]} ended with status {run.status}")
            return run.wall
        return one

    def imported():
        need("sqlite3")
        database = bench.path("peer.db")
        if os.path.exists(database):
            os.unlink(database)
        return Measured(["sqlite3", database, ".mode csv", f".import {csv} event"]).wall
    compare(table, "text of every call", {"iotap-decode": peer(decode, "-F", "text", path),
                                          "babeltrace2": peer("babeltrace2", folder)}, calls)
    compare(table, "every call read, nothing printed", {
        "iotap-decode --check": peer(decode, "--check", path),
        "babeltrace2 -o dummy": peer("babeltrace2", "-o", "dummy", folder)}, calls)
    compare(table, "into a database", {"iotap-analyze load": lambda: load(bench, path, "peer.iotap.db"),
                                       "sqlite3 .import of CSV": imported}, calls)
    compare(table, "bytes summed", {
        "iotap-analyze sql": peer(bench.program("analyze"), "sql", path, "SELECT sum(bytes) FROM event"),
        "jq over JSON Lines": peer("jq", "-n", 'reduce (inputs | select(.type == "event") | .bytes) as $b (0; . + $b)',
                                   lines)}, calls)


def compare(table, what, variants, calls):
    ours, other = variants
    figures = turns(variants, 3)
    if ("skipped", other) in figures:
        table.skip(f"{what}: {other} / {ours}", figures["skipped", other])
        return
    if ("skipped", ours) in figures:
        raise Skip(figures["skipped", ours])
    table.row(f"{what}: {other} / {ours}", ratios(figures, other, ours), "x",
              note=f"{calls:,} events; {statistics.median(figures[other]):.2f} s against {statistics.median(figures[ours]):.3f} s")


SECTIONS = [decoding, database, reporting, growth, offline]
