#!/usr/bin/env python3
"""torture.py [--runs N] [--kills N] [--soak MINUTES] [--damage N] [--flow GB] ... - see tests/torture/run

Each part has figures and a verdict. What was made before, by the results' file, counts: N is how many there
shall be in all. Exit 1 if anything is wrong.
"""
import argparse
import os
import sys
import tempfile
import time

import crowd
import damage
import flow
import kills
import laws
import results
import soak
import starved
from tracing import B, Wrong

# Name, what says how much of it there shall be, what makes it, what shows it.
PARTS = (("laws", "runs", laws.laws, laws.table), ("kills", "kills", kills.kills, kills.table),
         ("soak", "soak", soak.soak, soak.table), ("crowd", "crowd", crowd.crowd, crowd.table),
         ("damage", "damage", damage.damage, damage.table), ("flow", "flow", flow.flow, flow.table),
         ("starved", "starved", starved.starved, starved.table))


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, default=0)
    p.add_argument("--kills", type=int, default=0)
    p.add_argument("--soak", type=float, default=0, help="minutes")
    p.add_argument("--crowd", type=int, default=0, help="not 0: once more")
    p.add_argument("--damage", type=int, default=0)
    p.add_argument("--flow", type=float, default=0, help="GB of the largest input")
    p.add_argument("--starved", type=int, default=0, help="places of each form, at most")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=4, help="runs at once")
    p.add_argument("--seconds", type=float, help="begin nothing more after so long")
    p.add_argument("--results", default=B + "/torture.json")
    p.add_argument("--fresh", action="store_true", help="forget earlier results")
    p.add_argument("--write", metavar="FILE", help="the page")
    arguments = p.parse_args()
    end = time.time() + arguments.seconds if arguments.seconds else float("inf")
    arguments.over = lambda: time.time() > end
    if os.geteuid() != 0 and (arguments.runs or arguments.kills or arguments.soak or arguments.crowd):
        p.error("runs, kills, soak and crowd need root")
    return arguments


def page(known):
    return "\n".join("\n".join(table(known.parts[name])) + "\n\n" + results.made(known.parts[name]) + "\n"
                     for name, _, _, table in PARTS if known.parts.get(name, {}).get("pieces"))


def main():
    arguments = options()
    known = results.Results(arguments.results, arguments.fresh)
    with tempfile.TemporaryDirectory(prefix="iotap-torture.") as tmp:
        os.chmod(tmp, 0o755)
        for name, wanted, make, _ in PARTS:
            if getattr(arguments, wanted):
                part = known.part(name)
                try:
                    make(part, arguments, tmp)
                except Wrong as e:
                    part.add(0, f"{name}: {e}")
    print(page(known), end="")
    for line in known.wrong():
        print(line, file=sys.stderr)
    if arguments.write:
        with open("tests/torture/head.md") as f:
            head = f.read()
        with open(arguments.write, "w") as f:
            f.write(head + "\n" + page(known))
    return 1 if known.wrong() else 0


sys.exit(main())
