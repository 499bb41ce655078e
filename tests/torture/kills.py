"""kills.py - what a kill -9 costs: milliseconds of calls that the recording lacks

The missing writes all were made between the last one there and the signal, so that time is a bound; at the
steady rate their number is another one. A writer that got no CPU makes up for it in a burst, or makes none:
the lower one holds.
"""
import os
import subprocess
import sys

from tracing import B, Progress, until


def kills(part, arguments, tmp):
    """Adds to the milliseconds of each kill."""
    steady = tmp + "/steady"
    target = subprocess.Popen([B + "/tests/live/work/rate", tmp + "/said", steady, "200000", "86400000"])
    missing = part.setdefault("missing", [])
    progress = Progress("kills", len(missing), arguments.kills)
    try:
        until(lambda: os.path.exists(steady), "the writer", target)
        while len(missing) < arguments.kills and not arguments.over():
            out, i = tmp + "/k.iotap", len(missing)
            if os.path.exists(out):
                os.unlink(out)
            said = subprocess.run([sys.executable, "tests/live/killed.py", B, out, str(target.pid), str(i), steady],
                                  capture_output=True, text=True)
            f = said.stdout.split(" ", 5)
            wrong = len(f) < 6 or f[:2] != ["4", "4"] or f[5].strip()
            missing.append(None if wrong else max(0, min(int(f[3]) / 200, int(f[4]) / 1000)))
            part.add(1, f"kill {i}: {said.stdout}{said.stderr}" if wrong else None)
            progress.step(len(missing))
    finally:
        target.kill()
        target.wait()
    progress.end()


def table(part):
    missing = sorted(m for m in part["missing"] if m is not None)
    if not missing:
        return []
    at = lambda p: missing[min(int(len(missing) * p), len(missing) - 1)]
    return ["| kill -9 at 200,000 writes a second | missing, in milliseconds |", "|---|---:|",
            f"| kills | {len(part['missing'])} |", f"| median | {at(0.5):.1f} |", f"| 99 of 100 | {at(0.99):.1f} |",
            f"| worst | {missing[-1]:.1f} |", f"| kills that cost more than 50 ms | {sum(m > 50 for m in missing)} |"]
