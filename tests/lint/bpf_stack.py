#!/usr/bin/env python3
"""bpf_stack.py OBJECT - how much stack the chains of functions of a BPF object may take

Prints "BYTES FRAMES FUNCTION:BYTES ..." of the deepest chain of each program (a function outside of .text),
deepest first. Read from the machine code, as llvm-objdump disassembles it: a function's stack is the lowest
offset from r10 that one of its instructions names, rounded up to 32 bytes, as older kernels do it; a call
leads on, and so does the address of a function (a callback, which they count as one). What the verifier never
reaches on some kernel is counted, too: the figure is a bound and never too low.
"""
import bisect
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(\d+):\s((?:[0-9a-f]{2}[ \t]){8,16})")
RELOCATION = re.compile(r"^\s+([0-9a-f]+):\s+(R_BPF_\w+)\s+(\S+)")
SECTION = re.compile(r"^Disassembly of section (\S+):")
SYMBOL = re.compile(r"^([0-9a-f]{16}) (?:\S+ +)*?F (\S+)\s+([0-9a-f]{16})(?: \.hidden)? (\S+)$")
LOADS, STORES = {0x61, 0x69, 0x71, 0x79, 0x81, 0x89, 0x91}, {0x62, 0x6A, 0x72, 0x7A, 0x63, 0x6B, 0x73, 0x7B, 0xC3, 0xDB}


def objdump(*arguments):
    return subprocess.run(["llvm-objdump", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


def signed(raw):
    return int.from_bytes(raw, "little", signed=True)


class Functions:
    def __init__(self, path):
        self.starts, self.depth, self.leads = {}, {}, {}
        for line in objdump("-t", path):
            match = SYMBOL.match(line)
            if match:
                self.starts.setdefault(match[2], []).append((int(match[1], 16), match[4]))
        self.by_name = {name: name for rows in self.starts.values() for _, name in rows}
        for rows in self.starts.values():
            rows.sort()
        self.read(objdump("-dr", path))

    def at(self, section, offset):
        rows = self.starts.get(section, [])
        found = bisect.bisect_right(rows, (offset, "\x7f")) - 1
        return rows[found][1] if found >= 0 else None

    def stack(self, name, offset):
        if offset < 0:
            self.depth[name] = max(self.depth.get(name, 0), -offset)

    def read(self, lines):
        section, name, copies, pending = None, None, set(), None
        for line in lines:
            if SECTION.match(line):
                section = SECTION.match(line)[1]
                continue
            relocation = RELOCATION.match(line)
            if relocation and pending:
                self.relocated(name, pending, relocation[3])
                pending = None
                continue
            match = LINE.match(line)
            if not match:
                continue
            if pending and pending[0] == 0x85:      # within the section
                self.leads[name].add(self.at(section, pending[2] + 8 * (pending[1] + 1)))
            raw = bytes.fromhex(match[2])
            offset = 8 * int(match[1])
            if self.at(section, offset) != name:
                name, copies = self.at(section, offset), set()
                self.leads.setdefault(name, set())
            pending = self.instruction(name, raw, offset, copies)

    def instruction(self, name, raw, offset, copies):
        code, to, source, off, imm = raw[0], raw[1] & 15, raw[1] >> 4, signed(raw[2:4]), signed(raw[4:8])
        if code in LOADS and source == 10 or code in STORES and to == 10:
            self.stack(name, off)
        if code == 0xBF and source == 10:
            copies.add(to)
        elif code == 0x07 and to in copies:
            self.stack(name, imm)
            copies.discard(to)
        elif code == 0x85 and source == 1 or code == 0x18:
            return code, imm, offset
        elif code & 7 in (0, 1, 4, 7):
            copies.discard(to)
        return None

    def relocated(self, name, pending, symbol):
        code, imm, _ = pending
        if symbol.startswith(".text"):
            self.leads[name].add(self.at(".text", imm if code == 0x18 else 8 * (imm + 1)))
        elif symbol in self.by_name:
            self.leads[name].add(symbol)

    def programs(self):
        return [name for section, rows in self.starts.items() if section != ".text" for _, name in rows]

    def deepest(self, name, above=()):
        """(bytes, chain) of the deepest chain that begins with a function."""
        if name in above:
            sys.exit(f"bpf_stack.py: {name} calls itself")
        own = (max(self.depth.get(name, 0), 1) + 31) // 32 * 32
        below = [self.deepest(other, (*above, name)) for other in self.leads.get(name, ())]
        rest = max(below, default=(0, ()))
        return own + rest[0], ((name, own), *rest[1])

    def frames(self, name):
        return 1 + max((self.frames(other) for other in self.leads.get(name, ())), default=0)


def main():
    functions = Functions(sys.argv[1])
    rows = sorted(((functions.deepest(name), functions.frames(name)) for name in functions.programs()), reverse=True)
    for (total, chain), frames in rows:
        print(total, frames, " ".join(f"{name}:{own}" for name, own in chain))


main()
