"""results.py - what was found, kept in a file: a run that is cut goes on, and short ones add up

A part is a dict of its figures; "pieces" says on which commit and machine how many of it were made, "wrong"
what was wrong. The page is made of the whole.
"""
import json
import os
import platform
import subprocess
import time


def here():
    """What a figure hangs on, its load apart."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {"cpus": os.cpu_count(), "machine": platform.machine(), "linux": platform.release(),
            "commit": commit or "unknown", "date": time.strftime("%Y-%m-%d")}


class Part(dict):
    def __init__(self, results, known):
        super().__init__(known)
        self.results, self.began = results, time.time()

    def add(self, n, wrong=None):
        """n more were made; everything is on the disk before this returns."""
        pieces, load = self.setdefault("pieces", []), round(os.getloadavg()[0])
        if not pieces or any(pieces[-1].get(k) != v for k, v in self.results.here.items()):
            pieces.append({**self.results.here, "n": 0, "seconds": 0, "load": [load, load]})
        last, now = pieces[-1], time.time()
        last["n"] += n
        last["seconds"] += now - self.began
        last["load"] = [min(last["load"][0], load), max(last["load"][1], load)]
        self.began = now
        self.setdefault("wrong", [])
        if wrong:
            self["wrong"].append(wrong)
        self.results.save()


class Results:
    def __init__(self, path, fresh):
        self.path, self.here, self.parts = path, here(), {}
        if os.path.exists(path) and not fresh:
            with open(path) as f:
                self.parts = {name: Part(self, known) for name, known in json.load(f).items()}

    def part(self, name):
        part = self.parts.setdefault(name, Part(self, {}))
        part.began = time.time()
        return part

    def save(self):
        with open(self.path + ".new", "w") as f:
            json.dump(self.parts, f)
        os.replace(self.path + ".new", self.path)

    def wrong(self):
        return [w for part in self.parts.values() for w in part.get("wrong", [])]


def piece(p):
    low, high = p["load"]
    return (f"{p['n']} on commit {p['commit']}, {p['date']}, {p['cpus']} CPUs ({p['machine']}), Linux {p['linux']}, "
            f"load {low}{f' to {high}' if high != low else ''}, {max(p['seconds'] / 60, 1):.0f} min")


def made(part):
    """Where a part's figures are from."""
    return "\n".join(["Made: " + ";\n".join(piece(p) for p in part["pieces"]) + f". Wrong: {len(part['wrong'])}."])
