"""loads.py - real programs under iotap and under others; how large the recordings are"""
import math
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import time

from measure import Measured, Skip, need, ratios, turns

ROUNDS = 5
RAW = "raw_syscalls:sys_enter,raw_syscalls:sys_exit"
CALLS = "%desc,%network,%file"


def tracers(bench):
    """What is put before a command, by name; the same calls as far as they can be chosen."""
    out = bench.path("peer.out")
    return {"iotap": [*bench.capture("load.iotap", "-f"), "--"],
            "perf record": ["perf", "record", "-q", "-m", "8M", "-o", out, "-e", RAW, "--"],
            "strace --seccomp-bpf": ["strace", "-f", "--seccomp-bpf", "-qq", "-o", out, "-e", "trace=" + CALLS],
            "perf trace": ["perf", "trace", "-o", out, "--"]}


def command(bench, script, *arguments):
    """{tracer: function that gives the seconds of the script from inside}; "untraced" among them."""
    def one(before):
        def timed():
            need(*before[:1])
            work = bench.path("work")
            shutil.rmtree(work, ignore_errors=True)
            os.mkdir(work)
            return bench.time_load("run", "sh", "-ec", script, "sh", work, *arguments, before=before) / 1e9
        return timed
    return {"untraced": one([]), **{name: one(before) for name, before in tracers(bench).items()}}


def rows(table, bench, name, variants, budget=("<=", 1.03), unit="s", about="", peers_only=()):
    figures = turns(variants, ROUNDS)
    if ("skipped", "untraced") in figures:
        raise Skip(figures["skipped", "untraced"])
    calls = count_calls(bench, "load.iotap")
    rate = f"{calls:,} calls" if calls else ""
    table.row(f"{name}, untraced", figures["untraced"], unit, command=about, note=rate)
    for peer in variants:
        if peer == "untraced":
            continue
        if ("skipped", peer) in figures:
            table.skip(f"{name}, {peer} / untraced", figures["skipped", peer])
            continue
        table.row(f"{name}, {peer} / untraced", ratios(figures, peer, "untraced"), "x",
                  budget if peer == "iotap" else None, ratio=peer == "iotap")


def count_calls(bench, name):
    """The calls in a recording, as its proof counts them."""
    run = subprocess.run([bench.program("decode"), "--check", bench.path(name)], capture_output=True, text=True)
    found = re.search(r"(\d+) calls,", run.stdout)
    return int(found.group(1)) if found else 0


def compiler(bench, table):
    """Real programs: a compiler"""
    need("gcc")
    script = 'cd "$1"; for f in "$2"/formats/base/*.c; do gcc -I"$2" -D_GNU_SOURCE -DIOTAP_VERSION=\"0\" -O1 -c -o x.o "$f"; done'
    rows(table, bench, "gcc of a few files", command(bench, script, os.getcwd()), about="gcc -O1 -c, one after the other")


def archive(bench, table):
    """Real programs: an archive"""
    need("tar")
    script = 'cp -r "$2" "$1/tree"; cd "$1"; for i in 1 2 3; do tar cf t.tar tree; done'
    rows(table, bench, "tar of a tree", command(bench, script, "/usr/include"), about="cp -r /usr/include; tar cf, 3 times")


def walk(bench, table):
    """Real programs: a walk through many names"""
    script = 'find /usr/include /usr/share/doc /usr/lib -printf "%s %p\\n" >"$1/list"'
    rows(table, bench, "find", command(bench, script), budget=None, about="find /usr/include /usr/share/doc /usr/lib")


def database(bench, table):
    """Real programs: a database that commits"""
    need("sqlite3")
    script = 'cd "$1"; sqlite3 t.db "PRAGMA journal_mode=wal; CREATE TABLE t(a, b)" >/dev/null; seq 2000 | ' \
             'sed "s/.*/INSERT INTO t VALUES(&, hex(randomblob(100)));/" >s.sql; sqlite3 t.db <s.sql'
    rows(table, bench, "sqlite, 2,000 commits", command(bench, script), about="sqlite3, WAL, one commit a row")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve(bench, before, port):
    """Requests a second of nginx, one worker, keep-alive, with its log on; from the client's side."""
    root = bench.path("web")
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(root, "page.html"), "w") as file:
        file.write("x" * 4096)
    config = os.path.join(root, "nginx.conf")
    with open(config, "w") as file:
        file.write(f"daemon off; master_process off; user root; pid {root}/pid; error_log {root}/error.log;\n"
                   f"events {{}}\nhttp {{ access_log {root}/access.log; client_body_temp_path {root}/a; "
                   f"proxy_temp_path {root}/b; fastcgi_temp_path {root}/c; uwsgi_temp_path {root}/d; "
                   f"scgi_temp_path {root}/e; keepalive_requests 1000000000;\n"
                   f"server {{ listen 127.0.0.1:{port}; root {root}; }} }}\n")
    server = subprocess.Popen([*before, "nginx", "-c", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(server, port)
        out = subprocess.run(["wrk", "-t1", "-c8", "-d2s", f"http://127.0.0.1:{port}/page.html"],
                             capture_output=True, text=True).stdout
        rate = re.search(r"Requests/sec:\s*([\d.]+)", out)
        if not rate:
            raise Skip("wrk gave no rate")
        return float(rate.group(1))
    finally:
        stop_server(root, server)


def wait_for_port(server, port):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise Skip("the server did not come up")


def stop_server(root, server):
    """The server by its own pid file: what stands before it ends by itself then."""
    try:
        with open(os.path.join(root, "pid")) as file:
            os.kill(int(file.read()), signal.SIGTERM)
        server.wait(20)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        server.kill()
        server.wait()


def web(bench, table):
    """Real programs: a web server"""
    need("nginx", "wrk")

    def one(before):
        def seconds():
            need(*before[:1])
            return 1e6 / serve(bench, before, free_port())
        return seconds
    variants = {"untraced": one([]), **{name: one(before) for name, before in tracers(bench).items()}}
    rows(table, bench, "nginx, time per request", variants, unit="us",
         about="nginx, 1 worker, log on; wrk -t1 -c8 -d2s")


# -- sizes

MIXED = r'''
cd "$1"; src=$2
for i in 1 2 3; do for f in "$src"/formats/base/*.c; do gcc -I"$src" -D_GNU_SOURCE -O1 -c -o x.o "$f" 2>/dev/null; done; done
for i in 1 2; do find /usr/include /usr/share/doc -type f | head -n 12000 | xargs cat | wc -c >/dev/null; done
for i in 1 2 3; do tar cf t.tar /usr/include 2>/dev/null; tar xf t.tar; rm -rf usr; done
sqlite3 t.db 'create table t(a, b)'
for i in $(seq 300); do echo "insert into t values($i, hex(randomblob(100)));"; done | sqlite3 t.db
'''


def size(bench, table):
    """Recordings: bytes"""
    need("gcc", "sqlite3")
    name = "mixed.iotap"
    run = mixed(bench, [*bench.capture(name, "-f"), "--"])
    calls, definitions = count_calls(bench, name), count_lines(bench, name, "^target ")
    if not calls:
        raise Skip("the recording could not be counted")
    size = os.path.getsize(bench.path(name))
    rate = calls / run.wall
    share = min(1.0, max(0.0, math.log(rate / 4000) / math.log(10)))  # 8 at 4,000 a second, 4.5 from 40,000 on
    table.row("mixed real load, without 25 bytes a definition", [(size - 25 * definitions) / calls], "B/call",
              ("<=", round(8 - 3.5 * share, 2)), ratio=True,
              command="gcc, find, cat, tar, sqlite3 in a row",
              note=f"{calls:,} calls, {rate:,.0f} a second, {definitions:,} definitions")
    ours = size / calls
    table.row("  the whole", [ours], "B/call", note=f"{size:,} bytes")
    size_peers(bench, table, calls, ours)
    idle(bench, table)


def mixed(bench, before):
    work = bench.path("mixed")
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    return Measured([*before, "sh", "-c", MIXED, "sh", work, os.getcwd()], timeout=180)


def count_lines(bench, name, pattern):
    with subprocess.Popen([bench.program("decode"), "--dump", bench.path(name)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as decode:
        count = subprocess.run(["grep", "-c", pattern], stdin=decode.stdout, capture_output=True, text=True).stdout
    return int(count or 0)


def size_peers(bench, table, calls, ours):
    """The same load in the files of others."""
    data, text = bench.path("perf.data"), bench.path("strace.txt")

    def perf(*options):
        need("perf")
        if mixed(bench, ["perf", "record", "-q", "-m", "16M", *options, "-o", data, "-e", RAW, "--"]).status:
            raise Skip("perf record " + " ".join(options) + " failed")
        return os.path.getsize(data)

    def strace(*options):
        need("strace", "zstd")
        mixed(bench, ["strace", "-f", "--seccomp-bpf", "-qq", "-ttt", "-T", "-yy", "-s", "0", "-e", "trace=" + CALLS,
                      "-o", text])
        packed = subprocess.run(["zstd", "-q", "-3", "-c", text], capture_output=True).stdout
        return os.path.getsize(text), len(packed)

    def row(name, function):
        try:
            table.row(name, [function() / calls / ours], "x", note="bytes of the same load against ours")
        except Skip as reason:
            table.skip(name, str(reason))
    row("perf.data, iotap = 1", perf)
    row("perf.data -z, iotap = 1", lambda: perf("-z"))
    try:
        plain, packed = strace()
        table.row("strace text, iotap = 1", [plain / calls / ours], "x", note="-f -ttt -T -yy")
        table.row("strace text, zstd -3, iotap = 1", [packed / calls / ours], "x")
    except Skip as reason:
        table.skip("strace text, iotap = 1", str(reason))


def idle(bench, table):
    tracer = subprocess.Popen(bench.capture("idle.iotap", "--", "sleep", "6"), stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    first = os.path.getsize(bench.path("idle.iotap"))
    time.sleep(4)
    table.row("idle", [(os.path.getsize(bench.path("idle.iotap")) - first) / 4], "B/s", ("<=", 150))
    tracer.wait()


SECTIONS = [compiler, archive, walk, database, web, size]
