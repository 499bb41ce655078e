"""damage.py - random damages, every bit of 64 KiB, every length of three files: a unit test, made long"""
import os
import re
import subprocess

from tracing import B, Wrong

TEST = B + "/tests/unit/formats/damage_random_test"


def damage(part, arguments, tmp):
    said = subprocess.run([TEST], env={**os.environ, "IOTAP_DAMAGE": str(arguments.damage)}, capture_output=True, text=True)
    done = re.findall(r"^done: (\d+) (.*)$", said.stdout, re.M)
    if said.returncode != 0 or len(done) != 3:
        raise Wrong(f"{TEST} gave {said.returncode}: {said.stdout}{said.stderr}")
    part.clear()
    part.update(done=[[int(n), what] for n, what in done])
    part.add(sum(int(n) for n, _ in done))


def table(part):
    return ["| damages, each told, costing the blocks it hit at most | |", "|---|---:|"] + [
        f"| {what} | {n} |" for n, what in part.get("done", [])]
