#!/usr/bin/env python3
"""coverage.py STATEMENTS DUMP - are the records what tests/live/work/calls_more.c states?

DUMP is the output of iotap-decode --dump. Between the marks of the workload (writes to -1 of two odd
sizes) every call must be stated, in order, and nothing else. Prints the differences and a count.
"""
import re
import sys
import urllib.parse

BEGIN, END = "requested=279382785", "requested=279383554"  # of work/say.h
WORD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\[[^]]*\]|\S*)')
ESCAPE = re.compile(rb'\\x([0-9a-f]{2})|\\(.)')


def text_of(value):
    """A value of the dump as bytes."""
    if not value.startswith('"'):
        return value.encode()
    return ESCAPE.sub(lambda m: bytes([int(m[1], 16)]) if m[1] else m[2], value[1:-1].encode())


def words(line):
    return {key: value for key, value in WORD.findall(line)}


def name_of(target):
    """What a definition calls its target."""
    if target is None:
        return b""
    if target.get("kind") == "pipe":
        return b"pipe"
    for key in ("local", "remote"):
        if target.get(key):
            return f"{key}:{target[key]}:{target.get(key + '_port', '0')}".encode()
    return text_of(target.get("text") or target.get("claimed") or "")


def peer_name(target):
    if target and target.get("remote"):
        return f"remote:{target['remote']}:{target.get('remote_port', '0')}".encode()
    return name_of(target)


def recorded(path):
    """The calls between the marks, with their targets."""
    targets, inside = {}, False
    for line in open(path, encoding="utf-8"):
        word = line.split(" ", 1)[0]
        if word == "target":
            definition = words(line)
            targets[definition["id"]] = definition
        elif word == "call":
            call = words(line)
            if "result=-9" in line and (BEGIN in line or END in line):
                inside = BEGIN in line
            elif inside:
                yield call, targets


def differences(said, call, targets):
    own, second = targets.get(call.get("id")), targets.get(call.get("id2"))
    flags = call.get("flags", "").split("|")
    if said["call"] != call["call"]:
        yield f"stated {said['call']}, recorded {call['call']}"
        return
    for key in ("result", "offset", "requested"):
        if key in said and int(said[key]) != int(call.get(key, 0)):
            yield f"{key}: stated {said[key]}, recorded {call.get(key)}"
    if "offset" in said and "offset" not in flags:
        yield "the offset is not known"
    if "fd" in said and (said["fd"] != call.get("fd", "0") or "fd" not in flags):
        yield f"fd: stated {said['fd']}, recorded {call.get('fd')}"
    if said.get("path", "?") != "?" and urllib.parse.unquote_to_bytes(said["path"]) != name_of(own):
        yield f"path: stated {said['path']}, recorded {name_of(own)}"
    if "second" in said and urllib.parse.unquote_to_bytes(said["second"]) != peer_name(second):
        yield f"second: stated {said['second']}, recorded {peer_name(second)}"
    confirmed = own is not None and int(own.get("flags", 0)) & 16
    if own is not None and own.get("origin") == "claim" and confirmed:
        yield "a claim is called confirmed"


def main():
    stated = []
    for line in open(sys.argv[1], encoding="utf-8"):
        if line.startswith("call "):
            _, name, rest = line.rstrip("\n").split(" ", 2)
            stated.append(dict(words(rest), call=name))
    n, bad = 0, 0
    for call, targets in recorded(sys.argv[2]):
        said = stated[n] if n < len(stated) else {"call": "nothing"}
        n += 1
        for difference in differences(said, call, targets):
            bad += 1
            print(f"{said['call']} (number {n}): {difference}")
    if n != len(stated):
        bad += 1
        print(f"{len(stated)} calls stated, {n} recorded")
    print(f"{n} calls, {len({said['call'] for said in stated})} of them different")
    sys.exit(1 if bad else 0)


main()
