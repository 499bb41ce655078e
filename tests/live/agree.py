#!/usr/bin/env python3
"""agree.py STRACE JSONL [--inodes FILE] [--rows FILE] - do strace and iotap tell the same calls of one run?

STRACE is what strace -f -yy -xx -s 0 -v wrote, JSONL iotap's -F json --all-ops of the same processes at
the same time, FILE "major:minor inode" of each call's target, a line a call. Thread by thread, the
calls of formats/calls.def that strace saw are walked against iotap's: name, result or errno,
descriptor, size, offset, what the descriptor or path was, and the parts behind it (messages, ranges). A difference is an entry of RULES, whose
predicate must hold, or it is printed. --rows appends "NAME ok" or "NAME fail" for each call compared.

Read nothing here as iotap's own knowledge: which argument is what comes from the rows, the values from
strace.
"""
import argparse
import errno
import json
import re
import sys

ROW = re.compile(r"^CALL\((.*?)\)\s*$", re.M)
PART = re.compile(r"^PART\( *\d+, (\w+),", re.M)
PARTS_MAX = 32  # of one call
ALIAS = re.compile(r"^ALIAS\(\w+, +\d+, (\w+)\)\s*/\* (\w+) \*/", re.M)
COLUMNS = "id name x86 arm i386 op dir on fd fd2 size offset ret take taken effect keep0 keep1".split()
CLONES = {"FICLONE", "FICLONERANGE", "FIDEDUPERANGE"}
AT_ONCE = 0x7FFFF000  # bytes that the kernel moves at once: a copy of more is one of all there is
TMP = re.compile(rb"^/(?:[^/]*/)*#\d+$")
SHOWN = 20

# Why the two may differ, by the name that the code below gives. Each is counted and shown.
RULES = {
    "before its program": "strace's child makes calls before the execve that strace shows first",
    "restarted": "strace shows both halves of a call that a signal interrupted and the kernel restarted; iotap joins them",
    "interrupted": "a call that was not restarted is one EINTR of iotap, known only at the thread's next call",
    "killed": "strace shows '= ?' for a call that its thread did not survive; iotap has EINTR, or nothing if it never began",
    "moved descriptor": "another thread put another file at that number during the call (iotap says so: not confirmed)",
    "unreadable": "strace could not read the path or the descriptor's link",
    "size of an array": "strace prints the first elements of an array only",
}


def call_table(path="formats/calls.def"):
    """{name: row}, {name of a variant on i386: name}, and the names of parts of calls."""
    rows, text = {}, open(path, encoding="utf-8").read()
    for match in ROW.finditer(text):
        values = [value.strip() for value in match[1].split(",")]
        if len(values) == len(COLUMNS) and values[0].isdigit():
            rows[values[1]] = dict(zip(COLUMNS, values))
    return rows, {match[2]: match[1] for match in ALIAS.finditer(text)}, set(PART.findall(text))


def unhex(text):
    """Bytes of a string that strace wrote with -xx."""
    return bytes(int(pair, 16) for pair in re.findall(r"\\x([0-9a-f]{2})", text))


def unhex_all(text):
    """Bytes of a text parts of which strace wrote with -xx."""
    return re.sub(rb"(?:\\x[0-9a-f]{2})+", lambda match: unhex(match[0].decode()), text.encode("latin1"))


def split_arguments(text):
    """Arguments at the top level; with -xx no string holds a bracket, comma or quote of its own."""
    depth, start, out = 0, 0, []
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            out.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return out + [last] if last or out else out


LINK = r"<((?:->|[^<>]|<(?:char|block) [0-9:]+>)*)>(\(deleted\))?"
DESCRIPTOR = re.compile(r"^(-?\d+|AT_FDCWD)(?:" + LINK + ")?")
NUMBER = re.compile(r"^-?(0x[0-9a-f]+|\d+)$")
INODE = re.compile(rb"^(?:socket|pipe|[A-Z0-9-]+):\[(\d+)(?:->\d+)?(?:,.*)?\]$")
ENDS = re.compile(rb"^(?:TCP|UDP)(?:v6)?:\[([0-9a-f.:\[\]]+:\d+)(?:->([0-9a-f.:\[\]]+:\d+))?\]$")


class Descriptor:
    """A descriptor as strace prints it: number, and what /proc and sock_diag say it is."""

    def __init__(self, text):
        match = DESCRIPTOR.match(text)
        self.number = int(match[1]) if match and match[1] != "AT_FDCWD" else None
        if text.startswith("0x"):       # of a call that strace does not know
            match, self.number = None, int(text, 16) - (int(text, 16) >> 31 << 32)
        link = match[2] if match else None
        self.link = None if link is None else unhex_all(re.sub(r"<(?:char|block) [0-9:]+>$", "", link))
        self.deleted = bool(match and match[3])
        if self.link is not None and self.link.endswith(b" (deleted)"):
            self.link, self.deleted = self.link[:-10], True

    def inode(self):
        match = INODE.match(self.link or b"")
        return match[1].decode() if match else None

    def ends(self):
        """(local, remote or None) of an internet socket."""
        match = ENDS.match(self.link or b"")
        return (match[1].decode(), match[2].decode() if match[2] else None) if match else None


def said_messages(call):
    """(bytes, internet address it is from or to) of each message that sendmmsg or recvmmsg moved."""
    array = call.argument(1) or ""
    for one in split_arguments(array[1:-1])[:call.result] if array.startswith("[") else ():
        peer = re.search(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]*)"\)', one)
        yield int(re.findall(r"msg_len=(\d+)", one)[-1]), f"{unhex(peer[2]).decode()}:{peer[1]}" if peer else None


def said_ranges(call):
    """(what came of it, descriptor) of each range of FIDEDUPERANGE."""
    asked, _, became = (call.argument(2) or "").partition(" => ")
    ends = re.findall(r"bytes_deduped=(\d+), status=(-?\w+)", became)
    for text, (moved, status) in zip(re.findall(r"dest_fd=(.*?), dest_offset", asked), ends):
        yield int(status) if status.startswith("-") else int(moved), Descriptor(text)


class Call:
    """One line of strace."""

    def __init__(self, name, arguments, result, word):
        self.name, self.arguments, self.word = name, arguments, word
        self.unknown = result.startswith("?")
        self.restart = self.unknown and "ERESTART" in word
        self.errno = getattr(errno, word, 0) if result.startswith("-1") and word.startswith("E") else 0
        value = DESCRIPTOR.match(result)
        self.result = None if self.unknown or self.errno else int(result.split("<")[0].split()[0], 0)
        self.made = Descriptor(result) if value and not self.errno else None

    def argument(self, index):
        return self.arguments[index] if 0 <= index < len(self.arguments) else None

    def number(self, index):
        text = self.argument(index)
        return int(text, 0) if text is not None and NUMBER.match(text) else None

    def path(self, index):
        text = self.argument(index)
        return unhex(text) if text is not None and re.match(r'^"(\\x[0-9a-f]{2})*"$', text) else None

    def __str__(self):
        end = self.word if self.errno or self.unknown else self.result
        return f"{self.name}({', '.join(plain(a) for a in self.arguments)}) = {end}"


def plain(text):
    return re.sub(r"(?:\\x[0-9a-f]{2})+", lambda m: unhex(m[0]).decode("utf-8", "backslashreplace"), text)


LINE = re.compile(r"^(\w+)\((.*)\)\s+= (\?|-?(?:0x[0-9a-f]+|\d+)(?:" + LINK + r")?)(?: (\w+))?")


def strace_threads(path, rows, variants):
    """Calls of the table by thread, in order."""
    begun, threads, first = {}, {}, None
    numbers = {int(row["x86"]): name for name, row in rows.items()}
    for line in open(path, encoding="latin1"):
        tid, text = line.rstrip("\n").split(None, 1)
        tid = int(tid)
        first = tid if first is None else first
        calls = threads.setdefault(tid, [])
        if text.endswith("<unfinished ...>"):
            begun[tid] = text[: -len("<unfinished ...>")]
            continue
        resumed = re.match(r"<\.\.\. (\w+) resumed>", text)
        if resumed:
            text = begun.pop(tid, resumed[1] + "(") + text[resumed.end():]
        match = LINE.match(text)
        if not match:
            if not text.startswith(("+++", "---", "strace:")):
                sys.exit(f"agree.py: cannot read this line of strace: {line}")
            if text.startswith("+++") and tid in begun:
                match = LINE.match(begun.pop(tid).rstrip(", ") + ") = ?")
            if not match:
                continue
        name = match[1]
        if name.startswith("syscall_0x"):       # newer than this strace: its arguments are plain numbers
            name = numbers.get(int(name[len("syscall_"):], 16), name)
        name = name if name in rows else variants.get(name, name)
        if name in rows or name == "restart_syscall":
            calls.append(Call(name, split_arguments(match[2]), match[3], match[6] or ""))
    return threads, first


def iotap_threads(path, inodes, first, keep, parts):
    """iotap's calls by thread, each with its parts; those of the first process from its program on."""
    threads, began, n, early = {}, None, 0, 0
    rows = open(inodes, encoding="utf-8").read().splitlines() if inodes else None
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    for e in lines:
        if e["type"] == "exec" and e["pid"] == first and began is None:
            began = e["time_ns"]
    for e in lines:
        if e["type"] not in ("event", "op"):
            continue
        e["inode"] = rows[n].partition(" ")[2] or None if rows is not None else None
        n += 1
        if e["tid"] not in keep:
            continue
        if e["tid"] == first and began is not None and e["time_ns"] < began:
            early += 1
            continue
        if e["syscall"] in parts:
            threads[e["tid"]][-1]["parts"].append(e)
        else:
            threads.setdefault(e["tid"], []).append(dict(e, parts=[]))
    return threads, early


def path_of(target):
    if "path_hex" in target:
        return bytes.fromhex(target["path_hex"])
    return target["path"].encode() if target.get("path") is not None else None


def makes_descriptor(call, row):
    return row["ret"] == "FD" or row["effect"] == "FCNTL" and (call.argument(1) or "").startswith("F_DUPFD")


class Agreement:
    def __init__(self, rows):
        self.rows, self.used, self.differences, self.done = rows, {}, [], []
        self.compared = dict.fromkeys(("ends", "inodes", "offsets", "parts", "paths", "sizes"), 0)

    def rule(self, name, n=1):
        assert name in RULES, name
        self.used[name] = self.used.get(name, 0) + n

    def wanted(self, call):
        """Commands of ioctl are in the table only where they copy, mappings where they are of a file. What a
        call at an address is about strace does not say."""
        effect = self.rows[call.name]["effect"] if call.name in self.rows else "NONE"
        if effect == "MAPPED" or effect == "MAPS" and "MAP_ANONYMOUS" in (call.argument(3) or ""):
            return False
        return call.name != "ioctl" or CLONES & set((call.argument(1) or "").split())

    # What a call was on -----------------------------------------------------------------------

    def compare_link(self, said, target, inode, sure, wrong):
        """A descriptor of strace with a target of iotap. sure: the kernel half saw no other file there."""
        unknown = target is None or target.get("kind") == "unknown"
        if said.link is None:
            if not unknown and said.number is not None and said.number >= 0:
                self.rule("unreadable")
            return
        if unknown:
            wrong.append(f"target: strace {said.link!r}, iotap knows none")
            return
        if said.inode() is not None:
            self.compared["inodes"] += 1
            if inode is not None and target["kind"] in ("socket", "other") and inode != said.inode():
                wrong.append(f"inode: strace {said.inode()}, iotap {inode}")
        elif said.ends() is not None:
            local, remote = said.ends()
            self.compared["ends"] += 1
            if target.get("local") != local or remote and target.get("remote") != remote:
                wrong.append(f"ends: strace {local} {remote}, iotap {target.get('local')} {target.get('remote')}")
        elif said.link.startswith(b"/") and target["kind"] == "file":
            got = path_of(target)
            self.compared["paths"] += 1
            if got == said.link:
                return
            if not sure:
                self.rule("moved descriptor")
            else:
                wrong.append(f"target: strace {said.link!r}, iotap {got!r}")

    def compare_path(self, said, target, e, wrong):
        if said and target.get("kind") == "file" and e["evidence"] == "user":
            self.compared["paths"] += 1
            if path_of(target) != said:
                wrong.append(f"path: strace {said!r}, iotap {path_of(target)!r}")

    def compare_target(self, call, row, e, wrong):
        """What the call was on, both sides of it."""
        makes = makes_descriptor(call, row)
        on = Descriptor(call.argument(int(row["fd"])) or "") if int(row["fd"]) >= 0 else None
        sure = e["confirmed"]
        if call.made is not None and call.made.link is not None:
            self.compare_link(call.made, e["target"], e["inode"], sure, wrong)
        elif on is not None and not makes and row["take"] in ("NONE", "PEER_TO", "PEER_FROM", "PEER_MSG"):
            self.compare_link(on, e["target"], e["inode"], sure, wrong)
        if row["take"] in ("PATH", "PATHS1", "PATHS2"):
            taken = int(row["taken"])
            self.compare_path(call.path(taken), e["target"], e, wrong)
            if row["take"] != "PATH":
                said = call.path(taken + int(row["take"][-1]))
                if said and path_of(e.get("second", {"path": None})) != said:
                    wrong.append(f"second path: strace {said!r}, iotap {e.get('second')}")
            elif on is not None and on.link is not None and e.get("fd2") == on.number and "second" in e:
                self.compare_link(on, e["second"], None, True, wrong)
        if "source" in e and int(row["fd2"]) >= 0:
            said = Descriptor(call.argument(int(row["fd2"])) or "")
            if e["source_fd"] != (said.number if said.number is not None and said.number >= 0 else None):
                wrong.append(f"source: strace {said.number}, iotap {e['source_fd']}")
            self.compare_link(said, e["source"], None, True, wrong)
        if makes and on is not None and not call.errno and row["take"] == "NONE" and e.get("fd2") != on.number:
            wrong.append(f"made from: strace {on.number}, iotap {e.get('fd2')}")

    # Numbers ----------------------------------------------------------------------------------

    def compare_numbers(self, call, row, e, wrong):
        if e["errno"] != call.errno:
            wrong.append(f"errno: strace {call.errno}, iotap {e['errno']}")
            return
        if e["type"] == "op" and not call.errno and e["result"] != call.result:
            wrong.append(f"result: strace {call.result}, iotap {e['result']}")
        if e["type"] == "event" and not call.errno:
            moved = {"BYTES": e["bytes"], "MESSAGES": e["messages"]}.get(row["ret"], call.result)
            if moved != call.result:
                wrong.append(f"bytes or messages: strace {call.result}, iotap {moved}")
        self.compare_descriptor(call, row, e, wrong)
        if "requested" in e:
            said = self.size(call, row["size"])
            self.compared["sizes"] += said is not None
            if said is not None and said > AT_ONCE and int(row["fd2"]) >= 0:
                if e["requested"] is not None:
                    wrong.append(f"requested: all there is, iotap {e['requested']}")
            elif said is not None and said != e["requested"]:
                wrong.append(f"requested: strace {said}, iotap {e['requested']}")
        if e.get("offset") is not None and row["offset"][0] in "AH":
            said = call.number(int(row["offset"][1]))
            self.compared["offsets"] += said is not None
            if said is not None and said != e["offset"] and not (row["offset"][0] == "H" and said == -1):
                wrong.append(f"offset: strace {said}, iotap {e['offset']}")

    def compare_descriptor(self, call, row, e, wrong):
        if makes_descriptor(call, row):
            said = None if call.errno else call.result
            if call.errno and int(row["fd"]) >= 0:
                return
        elif row["effect"] == "PAIR":
            ends = re.findall(r"(?:^\[|, )(\d+)<", call.argument(int(row["taken"])) or "")
            if not call.errno and ends and [e["fd"], e.get("fd2")] != [int(end) for end in ends]:
                wrong.append(f"descriptors: strace {ends}, iotap {e['fd']} {e.get('fd2')}")
            return
        elif int(row["fd"]) >= 0:
            said = Descriptor(call.argument(int(row["fd"])) or "").number
            said = None if said is not None and said < 0 else said
        else:
            said = None
        if e["fd"] != said:
            wrong.append(f"fd: strace {said}, iotap {e['fd']}")

    def size(self, call, column):
        if column[0] == "A":
            return call.number(int(column[1]))
        if column == "IOV1":
            array = call.argument(1) or ""
            if "..." in array.replace('""...', ""):
                self.rule("size of an array")
                return None
            lengths = re.findall(r"iov_len=(\d+)", array)
            return sum(map(int, lengths)) if array.startswith("[") else None
        return None

    def compare_parts(self, call, e, wrong):
        ranges = call.name == "ioctl" and "FIDEDUPERANGE" in (call.argument(1) or "")
        said = []
        if not call.errno and (ranges or self.rows[call.name]["ret"] == "MESSAGES"):
            said = list(said_ranges(call) if ranges else said_messages(call))[:PARTS_MAX]
        if len(said) != len(e["parts"]):
            wrong.append(f"parts: strace {len(said)}, iotap {len(e['parts'])}")
        for (result, other), part in zip(said, e["parts"]):
            self.compared["parts"] += 1
            if part["result"] != result:
                wrong.append(f"result of a part: strace {result}, iotap {part['result']}")
            if ranges:
                if part["fd"] != other.number:
                    wrong.append(f"descriptor of a part: strace {other.number}, iotap {part['fd']}")
                self.compare_link(other, part["target"], None, part["confirmed"], wrong)
            elif other is not None and (part.get("peer") or {}).get("remote") != other:
                wrong.append(f"peer of a part: strace {other}, iotap {part.get('peer')}")

    # A thread ---------------------------------------------------------------------------------

    def problems(self, call, e):
        row, wrong = self.rows[call.name], []
        self.compare_numbers(call, row, e, wrong)
        if not wrong and call.errno != errno.EBADF:
            self.compare_target(call, row, e, wrong)
        self.compare_parts(call, e, wrong)
        return wrong

    def thread(self, tid, calls, events):
        waiting, at = [], 0
        events = [e for e in events if self.rows.get(e["syscall"], {}).get("effect") != "MAPPED"]

        def interrupted(e):
            """An EINTR that a call before accounts for."""
            for call in waiting:
                if e["errno"] == errno.EINTR and e["syscall"] == call.name:
                    waiting.remove(call)
                    self.rule("killed" if not call.restart else "interrupted")
                    self.done.append((call.name, "fail"))
                    return True
            return False

        for call in calls:
            if call.name == "restart_syscall":
                call.name = waiting[-1].name if waiting else None
                call.arguments = waiting[-1].arguments if waiting else []
            if call.name not in self.rows or not self.wanted(call):
                continue
            if call.unknown:
                waiting.append(call)
                continue
            while at < len(events) and events[at]["syscall"] != call.name and interrupted(events[at]):
                at += 1
            if at < len(events) and events[at]["errno"] == errno.EINTR and call.errno != errno.EINTR \
                    and interrupted(events[at]):
                at += 1
            if at == len(events):
                self.differences.append(f"{tid}: not in iotap: {call}")
                return
            e = events[at]
            at += 1
            if e["syscall"] != call.name:
                self.differences.append(f"{tid}: strace has {call}\n      iotap has {brief(e)}")
                return
            wrong = self.problems(call, e)
            if wrong:
                self.differences.append(f"{tid}: {'; '.join(wrong)}\n      in {call}\n      and {brief(e)}")
            if waiting and waiting[-1].restart and waiting[-1].name == call.name:
                waiting.pop()
                self.rule("restarted")
            self.done.append((call.name, "fail" if call.errno else "ok"))
        for e in events[at:]:
            if not interrupted(e):
                self.differences.append(f"{tid}: not in strace: {brief(e)}")
        for call in waiting:
            self.rule("killed")


def brief(e):
    keys = ("syscall", "fd", "result", "requested", "bytes", "messages", "offset", "errno", "target", "inode",
            "evidence", "confirmed")
    return json.dumps({key: e[key] for key in keys if key in e})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("strace")
    parser.add_argument("jsonl")
    parser.add_argument("--inodes")
    parser.add_argument("--rows")
    options = parser.parse_args()

    rows, variants, parts = call_table()
    agreement = Agreement(rows)
    expected, first = strace_threads(options.strace, rows, variants)
    got, early = iotap_threads(options.jsonl, options.inodes, first, set(expected), parts)
    if early:
        agreement.rule("before its program", early)
    for tid in sorted(expected):
        agreement.thread(tid, expected[tid], got.get(tid, []))
    if options.rows:
        with open(options.rows, "a", encoding="utf-8") as file:
            file.writelines(f"{name} {end}\n" for name, end in sorted(set(agreement.done)))
    for difference in agreement.differences[:SHOWN]:
        print(difference)
    if len(agreement.differences) > SHOWN:
        print(f"and {len(agreement.differences) - SHOWN} more")
    for name, n in sorted(agreement.used.items()):
        print(f"explained: {n} x {name}: {RULES[name]}")
    print("compared:", ", ".join(f"{n} {name}" for name, n in agreement.compared.items()))
    print(f"{len(agreement.done)} calls of {len(expected)} threads, {len({name for name, _ in agreement.done})} different")
    sys.exit(1 if agreement.differences or not agreement.done else 0)


main()
