#!/usr/bin/env python3
"""alone.py DECODE RECORDING FOLDER - does a block of calls mean the same without its neighbours?

Writes, from the blocks of RECORDING, one recording for each block of calls (with the definitions and
the state of its epoch and no other calls), and one with each epoch's blocks of calls in reverse.
Decodes them all: the calls must be those of the whole recording, line for line.
"""
import os
import struct
import subprocess
import sys
import zlib

HEADER, STATE, RECORDS, CALLS, END = 1, 2, 3, 4, 6


def blocks(data):
    at = 0
    while at < len(data):
        head = bytearray(data[at:at + 64])
        stored = struct.unpack_from("<I", head, 24)[0]
        yield head[4], struct.unpack_from("<I", head, 52)[0], head, data[at + 64:at + 64 + stored]
        at += 64 + stored


def write(path, chosen):
    with open(path, "wb") as file:
        for sequence, (_, _, head, payload) in enumerate(chosen):
            head = bytearray(head)
            struct.pack_into("<Q", head, 8, sequence)
            struct.pack_into("<I", head, 60, zlib.crc32(head[:60]))
            file.write(head + payload)


def lines(decode, path):
    run = subprocess.run([decode, "-F", "json", "--all-ops", "--no-summary", path], capture_output=True, text=True)
    if run.returncode not in (0, 4):
        sys.exit(f"{path}: status {run.returncode}: {run.stderr}")
    return sorted(line for line in run.stdout.splitlines() if line.startswith(('{"type":"event"', '{"type":"op"')))


def differ(what, expected, got):
    missing, extra = set(expected) - set(got), set(got) - set(expected)
    if expected != got:
        sys.exit(f"{what}: {len(expected)} calls expected, {len(got)} decoded\n"
                 + "".join(f"- {line}\n" for line in sorted(missing)[:2])
                 + "".join(f"+ {line}\n" for line in sorted(extra)[:2]))


def main():
    decode, recording, folder = sys.argv[1:]
    with open(recording, "rb") as file:
        every = list(blocks(file.read()))
    whole = lines(decode, recording)
    calls = [block for block in every if block[0] == CALLS]
    start = [block for block in every if block[0] == HEADER]
    end = [block for block in every if block[0] == END]
    epochs = sorted({block[1] for block in calls})
    path = os.path.join(folder, "variant.iotap")

    def context(epoch):
        return [block for block in every if block[1] == epoch and block[0] in (STATE, RECORDS)]

    got = []
    for block in calls:
        write(path, start + context(block[1]) + [block])
        got += lines(decode, path)
    differ("each block alone", whole, sorted(got))
    backwards = list(start)
    for epoch in epochs:
        backwards += context(epoch) + [block for block in reversed(calls) if block[1] == epoch]
    write(path, backwards + end)
    differ("the blocks of calls in reverse", whole, lines(decode, path))
    print(f"{len(whole)} calls of {len(calls)} blocks in {len(epochs)} epochs")


main()
