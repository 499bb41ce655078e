# bench_table.sh - make bench: what bench-check calls worse, and that no section ends a run

. tests/lib/check.sh
need_tool python3
export PYTHONDONTWRITEBYTECODE=1
cd tests/bench || exit 1
exec python3 - <<'END'
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time

import bench
import measure
import table

failed = 0


def check(name, good, detail=""):
    global failed
    failed += not good
    print(("ok - " if good else "not ok - ") + name + (f": {detail}" if detail and not good else ""))


def made(rows):
    made_up = table.Table()
    with contextlib.redirect_stdout(io.StringIO()):
        for section, name, values, options in rows:
            made_up.begin(section)
            if values:
                made_up.row(name, values, "x", **options)
            else:
                made_up.skip(name, "is not\tinstalled\nhere")
    return made_up


RATIO = {"ratio": True}
kept = made([("Cost", "call", [1.6, 1.7, 1.8], RATIO), ("Cost", "within", [2.0, 2.2, 2.4], RATIO),
             ("Cost", "time", [100], {}), ("Cost", "speed", [9, 10, 11], {"ratio": True, "budget": (">=", 3)}),
             ("Cost", "gone", [1.5], RATIO), ("Cost", "never", None, {}), ("Other", "not run", [1.0], RATIO)])
path = os.path.join(tempfile.mkdtemp(), "kept.tsv")
kept.save(path)
again = table.Table.load(path)
os.unlink(path)
os.rmdir(os.path.dirname(path))
check("a table is read as it was written", [row.fields() for row in again.rows] == [row.fields() for row in kept.rows])
check("a reason stays in its field", again.rows[5].note == "is not installed here", again.rows[5].note)
now = made([("Cost", "call", [1.95], RATIO), ("Cost", "within", [2.5], RATIO), ("Cost", "time", [1000], {}),
            ("Cost", "speed", [7], {"ratio": True, "budget": (">=", 3)}), ("Cost", "gone", None, {}),
            ("Cost", "new", [9], RATIO)])
worse = now.worse_than(again)
check("a ratio beyond the kept spread is worse, up or down as its budget says",
      [text.split(": ")[1] for text in worse] == ["call", "speed"], str(worse))
check("the same figures are not worse", again.worse_than(again) == [])
check("a ratio without a figure is named, of sections that ran", now.missing(again) == ["Cost: gone"],
      str(now.missing(again)))
text = now.markdown([("kernel", "x")], ["strace 1"])
check("what is shown has every row", all(f"| {row.name} |" in text for row in now.rows))
figures = measure.turns({"base": lambda: 1.0, "peer": lambda: (_ for _ in ()).throw(measure.Skip("none"))}, 2)
check("a peer that is not there is left out", figures == {"base": [1.0, 1.0], ("skipped", "peer"): "none"}, str(figures))


def fails(_, rows):
    """Fails."""
    rows.row("before", [1])
    left.append(subprocess.Popen(["sleep", "600"]))
    return 1 / 0


def hangs(*_):
    """Hangs."""
    time.sleep(600)


def works(_, rows):
    """Works."""
    rows.row("after", [1])


left = []
bench.SECTION_SECONDS = 1
made_up = table.Table()
with contextlib.redirect_stdout(io.StringIO()):
    bench.run(None, made_up, [fails, hangs, works])
check("a section that fails or hangs is a row, and the next one runs",
      [row.name for row in made_up.rows] == ["before", "fails", "hangs", "after"], str([r.name for r in made_up.rows]))
check("a section leaves no process behind", not os.path.exists(f"/proc/{left[0].pid}"))
left[0].returncode = 0
sys.exit(failed > 0)
END
