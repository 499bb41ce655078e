"""names_live.py list | check TMP DIRECTORY - hostile names for tests/hostile/work/bearer.c, and what was recorded of them

list writes the names; check compares $TMP/out (what the workload could make) with $TMP/json (JSON Lines),
$TMP/text (lines) and $TMP/sql (hexadecimal paths of the writes).
"""
import json
import os
import sys

from corpus import corpus, unclean

# The kernel's own limit: 256 directories deep or 4,096 bytes; here files of one folder.
NAMES = [name for name in corpus() if b"/" not in name and name not in (b".", b"..")]


def case(name, problem):
    print("%s - %s" % ("not ok" if problem else "ok", name))
    if problem:
        print("    " + ascii(problem)[:2000])


def path_of(target):
    return bytes.fromhex(target["path_hex"]) if "path_hex" in target else (target["path"] or "").encode()


def compare(what, got, expected):
    case("%s: %d names byte for byte" % (what, len(expected)),
         got != expected and (len(got), [(a, b) for a, b in zip(got, expected) if a != b][:3]))


def check(tmp, folder):
    read = lambda name: open(os.path.join(tmp, name), "rb").read()
    made = {}
    for line in read("out").decode().split("\n")[:-1]:
        kind, number = line.split(" ")
        made.setdefault(kind, []).append(NAMES[int(number)])
    lines = [json.loads(line) for line in read("json").decode().split("\n")[:-1]]
    events = [e for e in lines if e["type"] == "event"]
    inside = os.fsencode(folder) + b"/"
    plain = lambda call: [path_of(e["target"]) for e in events if e["syscall"] == call and path_of(e["target"]).startswith(inside)]
    compare("files", plain("write"), [inside + name for name in made["file"]])
    compare("files, unlinked", plain("pwrite64"), [inside + name for name in made["file"]])
    memory = [path_of(e["target"]) for e in events if e["syscall"] == "write" and path_of(e["target"]).startswith(b"/memfd:")]
    compare("memfds", memory, [b"/memfd:" + name for name in made["memfd"]])
    case("at least 300 of each", {k: len(v) for k, v in made.items() if len(v) < 300})
    bare = [bytes.fromhex(line) for line in read("sql").decode().split("\n")[1:-1]]
    compare("SQL", bare, [inside + name for name in made["file"]])
    case("text: nothing that a terminal obeys", unclean(read("text")) or unclean(read("text.err")))
    calls = sum(e["type"] in ("event", "op") for e in lines)
    case("text: a line a call", read("text").count(b"\n") - 1 != calls and (read("text").count(b"\n"), calls))
    case("JSON: nothing that a terminal obeys", unclean(read("json")))
    case("dump: nothing that a terminal obeys", unclean(read("dump")))
    renamed = sum(e["type"] == "renamed" for e in lines)
    case("every new name of the thread is there", renamed < len(NAMES) * 0.95 and renamed)


if sys.argv[1] == "list":
    sys.stdout.buffer.write(b"".join(name + b"\0" for name in NAMES))
else:
    check(*sys.argv[2:])
