#!/usr/bin/env python3
"""tests/coverage.py [--write FILE] BUILD FOLDER=GATE... - which branches of the sources the tests took

BUILD is a build with COV=1 whose tests were run. A branch is a way out of a condition as gcov counts them
(gcov --branch-probabilities), without those that gcov itself marks as made by exceptions. It is covered when some
test took it. A branch nobody took is listed as FILE:LINE. What tests/coverage_reasons.tsv says of it is its reason;
else it is put in a class by the text of its line (REASONS); what fits no class is "not yet tested". --write puts
the counts of each source, and the reasons that were said, into FILE, whose lines of other folders stay. The exit
status is 1 when less than GATE per cent of a FOLDER are covered.
"""

import collections
import gzip
import json
import os
import re
import subprocess
import sys

REASONS = [
    ("out of memory", re.compile(r"alloc|ENOMEM|buf_put|buf_reserve|buf_putc|buf_printf|map_put|map_init|_new\(|"
                                 r"_init\(|strdup|->failed|buf_grow|room\(|out of memory")),
    ("cannot happen: asserted", re.compile(r"\bassert\(|abort\(\)|__builtin_unreachable")),
    ("an error of the system", re.compile(r"errno|read\(|write\(|open\(|close\(|fstat|poll\(|dup\(|lseek|mmap|ioctl|"
                                          r"clock_gettime|prctl|seccomp|getrandom")),
    ("handed up from below", re.compile(r"\br (<|==|!=|>) 0|\bgot (<|==) 0|return r\b|err\b|\br && |if \(r\)")),
]


def measure(build, folders):
    """{source: {line: [taken, ...]}}, each branch with the most that any of the objects saw."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for folder in folders:
        objects = [os.path.join(at, name) for at, _, names in os.walk(os.path.join(build, folder))
                   for name in names if name.endswith(".gcda")]
        for path in objects:
            out = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", path],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
            text = gzip.decompress(out) if out[:2] == b"\x1f\x8b" else out
            for one in text.splitlines():
                for source in json.loads(one)["files"]:
                    name = os.path.normpath(source["file"])
                    if not name.startswith(tuple(f + "/" for f in folders)):
                        continue
                    for line in source["lines"]:
                        where = found[name][line["line_number"]]
                        for i, branch in enumerate(b for b in line["branches"] if not b["throw"]):
                            key = (line.get("function_name", ""), i)
                            where[key] = max(where.get(key, 0), branch["count"])
    return found


def said():
    """[(source, beginning of a line, reason)]"""
    with open("tests/coverage_reasons.tsv", encoding="utf-8") as file:
        return [tuple(row.rstrip("\n").split("\t")) for row in file if not row.startswith("#")]


def reason(text):
    return next((name for name, pattern in REASONS if pattern.search(text)), "not yet tested")


HEAD = """# Branches of formats/ and decode/ that no test takes, per source and reason, as "make coverage" counted them.
# What a branch is, and how a reason is found, is said in tests/coverage.py. The list line by line is
# build-cov/uncovered.txt. Goal: 95 % of all. The gates (in the Makefile) are what is reached: they only go up.
# Reasons that are said (tests/coverage_reasons.tsv) follow the counts. A run of some tests counts less than all
# would: the rows of decode/ are of unit/decode, golden, cli/decode, bad, compat, api and two fuzz targets with their
# seeds, those of formats/ of unit/formats.
#
# source                          branches   taken  not: memory  system  from below  asserted  not yet tested  said
"""
SAID = "reason said"
SHORT = ["out of memory", "an error of the system", "handed up from below", "cannot happen: asserted", "not yet tested",
         SAID]


def write(path, per_source, reasons, folders):
    """Lines of sources outside the folders are kept; those that were written before "said" was have none."""
    mine = tuple(f + "/" for f in folders)
    counts, words = {}, set(reasons)
    with open(path, encoding="utf-8") as file:
        for row in file:
            if re.match(r"[a-z_/0-9.]+ +\d", row) and not row.startswith(mine):
                source, *numbers = row.split()
                counts[source] = ([int(n) for n in numbers] + [0])[:8]
            elif ": " in row and not row.startswith(("#",) + mine):
                words.add(row.rstrip("\n"))
    for source, (total, why) in per_source.items():
        missed = [why[name] for name in SHORT]
        counts[source] = [total, total - sum(missed)] + missed
    total, taken = (sum(c[i] for c in counts.values()) for i in (0, 1))
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for source, c in sorted(counts.items()):
            file.write(f"{source:<34}{c[0]:>8}{c[1]:>8}{c[2]:>13}{c[3]:>8}{c[4]:>12}{c[5]:>10}{c[6]:>16}{c[7]:>6}\n")
        file.write(f"# together: {taken} of {total} branches, {100 * taken / max(total, 1):.2f} %; goal 95 %\n#\n")
        file.write("".join(f"{line}\n" for line in sorted(words)))


def main():
    args, path = sys.argv[1:], None
    if args[0] == "--write":
        path, args = args[1], args[2:]
    build, gates = args[0], {name: float(gate) for name, gate in (arg.split("=") for arg in args[1:])}
    folders, reasons, notes = list(gates), said(), []
    per_source = collections.defaultdict(lambda: [0, collections.Counter()])
    found = measure(build, folders)
    classes, listed, per_folder = collections.Counter(), [], {f: [0, 0] for f in folders}
    for source in sorted(found):
        with open(source, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number in sorted(found[source]):
            branches = found[source][number].values()
            missed = sum(1 for taken in branches if taken == 0)
            sums = per_folder[source.split("/", 1)[0]]
            sums[0] += len(branches) - missed
            sums[1] += len(branches)
            per_source[source][0] += len(branches)
            if missed:
                text = lines[number - 1].strip()
                note = next((r for of, begins, r in reasons if of == source and text.startswith(begins)), None)
                why = SAID if note else reason(text)
                if note:
                    notes.append(f"{source}: {text[:60]}: {note}")
                classes[why] += missed
                per_source[source][1][why] += missed
                listed.append(f"{source}:{number}: {missed} of {len(branches)}, {note or why}: {text}")
    with open(os.path.join(build, "uncovered.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(listed) + "\n")
    taken = sum(s[0] for s in per_folder.values())
    total = sum(s[1] for s in per_folder.values())
    for folder, (some, of) in per_folder.items():
        print(f"{folder}: {some} of {of} branches, {100 * some / max(of, 1):.2f} %, gate {gates[folder]:g} %")
    for why, count in classes.most_common():
        print(f"not taken, {why}: {count}")
    print(f"together: {taken} of {total} branches, {100 * taken / max(total, 1):.2f} %; goal 95 %; "
          f"{build}/uncovered.txt has the rest")
    if path:
        write(path, per_source, notes, folders)
    return 0 if all(of and 100 * some >= gates[folder] * of for folder, (some, of) in per_folder.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
