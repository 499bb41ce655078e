#!/usr/bin/env python3
"""compare.py STATEMENTS JSONL - does iotap say what the workload stated?

STATEMENTS is what a workload of tests/live/work wrote (work/say.h says how), JSONL the output of
iotap-decode -F json --all-ops. Each thread's calls are walked in order against its statements:
between begin and end every data movement must be stated and every statement met, outside of them a
statement may be anywhere further on. Prints the first differences and a count, ends with 1 if any.

Options: --names equal|known|none (known: a target may be unknown, but never another), --min N (so many statements at least),
--only-pids (no other process may appear than those the statements name), --inodes FILE ("major:minor
inode" of each call's target, a line a call).
"""
import argparse
import json
import sys
import urllib.parse

BEGIN, END = 0x10A70B01, 0x10A70E02
SHOWN = 12
SLACK_NS = 2_000_000


def statements(path):
    with open(path, "rb") as file:
        used = int.from_bytes(file.read(8), "little")
        file.seek(64)
        text = file.read(used).decode()
    for line in text.splitlines():
        word, *fields = line.split(" ")
        said = {"word": word}
        for field in fields:
            key, _, value = field.partition("=")
            said[key] = value
        yield said


def events(path, inodes):
    """Every call; with inodes, each has "inode" by the line of the same number there."""
    rows = open(inodes, encoding="utf-8").read().splitlines() if inodes else None
    n = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(('{"type":"event"', '{"type":"op"')):
                event = json.loads(line)
                if rows is not None:
                    event["inode"] = rows[n] if n < len(rows) else ""
                n += 1
                yield event
    if rows is not None and len(rows) != n:
        sys.exit(f"{n} calls here, {len(rows)} in {inodes}")


def unquote(value):
    return urllib.parse.unquote_to_bytes(value)


def path_of(target, key="path"):
    if key + "_hex" in target:
        return bytes.fromhex(target[key + "_hex"])
    return target[key].encode() if target.get(key) is not None else b""


def is_mark(event, size):
    return event["syscall"] == "write" and event["errno"] == 9 and event["requested"] == size


def moves_data(event):
    return event["type"] == "event"


class Difference(Exception):
    pass


class Thread:
    """One thread's calls, walked once against its statements."""

    def __init__(self, calls):
        self.calls, self.at, self.strict, self.phantoms = calls, 0, False, []

    def is_phantom(self, event):
        for said in self.phantoms:
            if event["syscall"] == said["call"] and event["requested"] in (None, int(said["requested"])):
                return not event.get("bytes") and event["errno"] != 0
        return False

    def advance(self, wanted, moving=True):
        """The next call that is wanted; what may not be passed over is a difference."""
        while self.at < len(self.calls):
            event = self.calls[self.at]
            self.at += 1
            if wanted(event):
                return event
            if self.is_phantom(event):
                continue
            if self.strict and moves_data(event) and moving:
                raise Difference("not stated: " + brief(event))
        return None


def brief(event):
    keys = ("type", "pid", "tid", "syscall", "fd", "requested", "bytes", "messages", "errno", "target")
    return json.dumps({key: event.get(key) for key in keys})


def check(name, said, got, problems):
    if str(said) != str(got):
        problems.append(f"{name}: stated {said}, got {got}")


def compare_target(said, event, problems):
    target = event.get("target") or {}
    if "kind" in said:
        check("kind", said["kind"], target.get("kind"), problems)
    if said.get("fd_type"):
        check("fd_type", said["fd_type"], target.get("fd_type"), problems)
    if said.get("proto"):
        check("proto", said["proto"], target.get("proto"), problems)
    for key in ("local", "remote"):
        if key in said:
            check(key, said[key], target.get(key) or "", problems)
    if "path" in said:
        check("path", unquote(said["path"]), path_of(target), problems)
    if "claimed" in said:
        check("claimed path", unquote(said["claimed"]), path_of(target), problems)
    if "memfd" in said:
        check("memfd in the name", True, unquote(said["memfd"]) in path_of(target), problems)
    if "ino" in said and "inode" in event:
        check("dev and ino", said["dev"] + " " + said["ino"], event["inode"], problems)


def compare_times(began, ended, event, problems):
    """The call lies within the workload's own two looks at the clock; the host's clocks may drift apart."""
    start, end = event["time_ns"] - event["latency_ns"], event["time_ns"]
    if start < began - SLACK_NS or end > ended + SLACK_NS:
        problems.append(f"time: stated from {began} to {ended}, got from {start} to {end}")
    if event["latency_ns"] > ended - began:
        problems.append(f"latency: at most {ended - began} ns, got {event['latency_ns']}")


def compare_call(said, event, names):
    problems = []
    check("call", said["call"], event["syscall"], problems)
    check("errno", said["err"], event["errno"], problems)
    check("pid", said["pid"], event["pid"], problems)
    if "fd" in said and said["fd"] != "-1":
        check("fd", said["fd"], event["fd"], problems)
    if "interface" in said:
        check("interface", said["interface"], event["interface"] or "null", problems)
    for key in ("requested", "messages", "offset"):
        if key in said and (key in event or key != "offset"):
            check(key, said[key], event.get(key), problems)
    if moves_data(event) and "messages" not in said:
        check("bytes", said["result"] if said["err"] == "0" else None, event["bytes"], problems)
    if event.get("latency_ns") is None:
        problems.append("no latency")
    elif "began" in said:
        compare_times(int(said["began"]), int(said["ended"]), event, problems)
    unknown = (event.get("target") or {}).get("kind") == "unknown"
    if event.get("unseen"):
        return problems
    if names == "equal" or names == "known" and not unknown:
        compare_target(said, event, problems)
    elif names == "known" and "inode" in event and "ino" in said:
        check("dev and ino", said["dev"] + " " + said["ino"], event["inode"], problems)
    return problems


def walk(said, thread, names):
    """Takes one statement; the differences it makes."""
    word = said["word"]
    if word == "phantom":
        thread.phantoms.append(said)
    elif word == "begin":
        thread.strict = False
        if thread.advance(lambda event: is_mark(event, BEGIN)) is None:
            raise Difference(f"no begin mark of thread {said['tid']}")
        thread.strict = True
    elif word == "end":
        thread.advance(lambda event: is_mark(event, END))
        thread.strict = False
    elif thread.strict:
        # Other calls than data movements need not all be stated.
        event = thread.advance(lambda event: not thread.is_phantom(event) if moves_data(event) else
                               event["syscall"] == said["call"] and said.get("fd", "-1") in ("-1", str(event["fd"])))
        if event is None:
            raise Difference("not in the trace: " + str(said))
        return [f"{problem}\n      in {brief(event)}" for problem in compare_call(said, event, names)]
    elif thread.advance(lambda event: not compare_call(said, event, names)) is None:
        raise Difference("not in the trace: " + str(said))
    return []


def untimed(event):
    """As --no-latency records it: its time is the return, a closed descriptor's target is not known."""
    if event["latency_ns"] is not None:
        return ["a latency in " + brief(event)]
    event["latency_ns"] = 0
    event["unseen"] = event["syscall"] == "close" and event["target"]["kind"] == "unknown"
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("statements")
    parser.add_argument("jsonl")
    parser.add_argument("--inodes")
    parser.add_argument("--names", default="equal", choices=["equal", "known", "none"])
    parser.add_argument("--min", type=int, default=1)
    parser.add_argument("--only-pids", action="store_true")
    parser.add_argument("--untimed", action="store_true")
    options = parser.parse_args()

    calls, pids, timed = {}, set(), []
    for event in events(options.jsonl, options.inodes):
        if options.untimed:
            timed += untimed(event)
        calls.setdefault(event["tid"], []).append(event)
        pids.add(event["pid"])

    differences, n, threads, named, closed = timed, 0, {}, set(), set()
    for said in statements(options.statements):
        named |= {int(said[key]) for key in ("pid", "parent", "first") if key in said}
        if said["word"] == "absent" and int(said["pid"]) in pids:
            differences.append(f"process {said['pid']} was traced")
        if said["word"] not in ("begin", "expect", "end", "phantom"):
            continue
        tid = int(said["tid"])
        if tid in closed:
            continue
        thread = threads.setdefault(tid, Thread(calls.get(tid, [])))
        try:
            differences += walk(said, thread, options.names)
            n += said["word"] == "expect"
        except Difference as difference:
            differences.append(str(difference))
            closed.add(tid)
    if options.only_pids:
        differences += [f"process {pid} was traced, and no statement names it" for pid in pids - named]
    if n < options.min:
        differences.append(f"{n} statements compared, {options.min} wanted")

    for difference in differences[:SHOWN]:
        print(difference)
    if len(differences) > SHOWN:
        print(f"and {len(differences) - SHOWN} more differences")
    print(f"{n} calls of {len(threads)} threads compared")
    sys.exit(1 if differences else 0)


main()
