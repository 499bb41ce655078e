"""report_page.py NAME PAGE JSONL - the page's tables against the summary and the events of JSON Lines"""
import json
import sys

from markup import markup, tables

name, page, lines = sys.argv[1], open(sys.argv[2], "rb").read(), [json.loads(line) for line in open(sys.argv[3])]
shown = tables(page)
COLUMNS = "read_bytes", "read_calls", "write_bytes", "write_calls"


def case(what, expected, got):
    print("%s - %s: %s" % ("ok" if expected == got else "not ok", name, what))
    if expected != got:
        print("    expected: %s\n    got:      %s" % (ascii(expected)[:1000], ascii(got)[:1000]))


def total(table, column):
    return sum(row[column][1] for row in shown.get(table, []))


summary = next(line for line in lines if line["type"] == "summary")
events = [line for line in lines if line["type"] in ("event", "op")]
case("no markup but its own", None, markup(page))
for table, rows in ("Files", summary["files"]), ("Network", summary["network"]), ("Other descriptors", summary["other"]):
    case("%s: bytes and calls of the summary" % table, [sum(row[c] for row in rows) for c in COLUMNS],
         [total(table, column) for column in range(4)])
case("failed calls: each kind as often as in the events",
     sorted((e["syscall"], e["error"]) for e in events
            if e["error"] and (e["op"], e["error"]) != ("connect", "EINPROGRESS")),
     sorted((row[1][0], row[2][0]) for row in shown.get("Failed calls", []) for _ in range(row[0][1])))
case("processes: all calls", len(events) + summary.get("aggregated_calls", 0), total("Processes", 6))
case("slowest calls: their latencies",
     sorted((e["latency_ns"] for e in events if e["latency_ns"] is not None), reverse=True)[:50],
     [row[0][1] for row in shown.get("Slowest calls", [])])
