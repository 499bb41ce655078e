#!/usr/bin/env python3
"""adds_up.py JSONL [--lossy] - is the summary the sum of the lines above it?

Totals by class and direction, events, errors, and the rows of each table. A call with a source gives
its bytes to the rows of both sides, and to the totals once. With --lossy calls are missing above (sums
of the kernel stand for them): then the summary may be more.
"""
import json
import sys

CLASSES = {"file": "file", "socket": "net", "other": "other", "unknown": "other"}
TABLES = {"file": "files", "net": "network", "other": "other"}


def main():
    lossy = "--lossy" in sys.argv
    sums, sources, events, errors, summary = {}, {}, 0, 0, None

    def add(to, kind, direction, e):
        got = to.setdefault((CLASSES[kind], direction), [0, 0])
        got[0] += e["bytes"] or 0
        got[1] += 1

    for line in open(sys.argv[1], encoding="utf-8"):
        e = json.loads(line)
        if e["type"] == "summary":
            summary = e
        if e["type"] != "event":
            continue
        events += 1
        errors += e["errno"] != 0
        add(sums, e["target"]["kind"], e["dir"], e)
        if e.get("source"):
            add(sources, e["source"]["kind"], "read", e)
    if summary is None:
        sys.exit("no summary")
    wrong = []

    def same(name, here, there):
        if here != there and not (lossy and there > here):
            wrong.append(f"{name}: {here} by the lines, {there} by the summary")

    same("events", events, summary["totals"]["events"])
    same("errors", errors, summary["totals"]["errors"])
    for kind, table in TABLES.items():
        for direction in ("read", "write"):
            own, extra = sums.get((kind, direction), [0, 0]), sources.get((kind, direction), [0, 0])
            total = summary["totals"][kind + "_" + direction]
            same(f"{kind} {direction}", own, [total["bytes"], total["calls"]])
            same(f"rows of {table}, {direction}", own[0] + extra[0],
                 sum(row[direction + "_bytes"] for row in summary[table]))
    if wrong:
        sys.exit("\n".join(wrong))


main()
