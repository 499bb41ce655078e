"""table.py - the rows of a run: shown as they come, kept in docs/performance.tsv, compared with it

A row is a figure with its spread, its budget and the command behind it; or a reason why there is
none. Ratios are compared between runs, times of one machine are not.

The kept table has one row a line, tab-separated: section, name, unit, median, lowest, highest,
relation and limit of the budget, r for a ratio, command, note. docs/PERFORMANCE.md has it between two
marks, made from the same rows; what stands outside the marks is left alone.
"""
import statistics

HEAD = ["section", "name", "unit", "median", "low", "high", "budget", "limit", "ratio", "command", "note"]
BEGIN, END = "<!-- what follows is written by make bench -->", "<!-- what came before is written by make bench -->"


def shown(value, unit=""):
    if value is None:
        return ""
    if abs(value) >= 100 or value == int(value):
        text = f"{value:,.0f}"
    else:
        text = f"{value:.2f}"
    return text + ("" if unit in ("", "x") else " " + unit) + ("x" if unit == "x" else "")


class Row:
    def __init__(self, section, name, unit="", values=(), budget=None, ratio=False, command="", note=""):
        self.section, self.name, self.unit = section, name, unit
        self.command, self.note, self.ratio = command, " ".join(note.split()), ratio
        self.budget, self.limit = budget if budget else ("", None)
        values = [float(value) for value in values]
        self.median = statistics.median(values) if values else None
        self.low, self.high = (min(values), max(values)) if values else (None, None)

    def met(self):
        """True, False, or None where there is nothing to meet."""
        if self.limit is None or self.median is None:
            return None
        return self.median <= self.limit if self.budget == "<=" else self.median >= self.limit

    def verdict(self):
        return {None: "" if self.median is not None else "skipped", True: "met", False: "MISSED"}[self.met()]

    def fields(self):
        def number(value):
            return "" if value is None else f"{value:.6g}"
        return [self.section, self.name, self.unit, number(self.median), number(self.low), number(self.high),
                self.budget, number(self.limit), "r" if self.ratio else "", self.command, self.note]

    @staticmethod
    def read(line):
        fields = dict(zip(HEAD, line.rstrip("\n").split("\t")))
        row = Row(fields["section"], fields["name"], fields["unit"], ratio=fields["ratio"] == "r",
                  budget=(fields["budget"], float(fields["limit"])) if fields["limit"] else None,
                  command=fields["command"], note=fields["note"])
        if fields["median"]:
            row.median, row.low, row.high = (float(fields[key]) for key in ("median", "low", "high"))
        return row


class Table:
    def __init__(self):
        self.rows = []
        self.section = ""

    def begin(self, section):
        self.section = section
        print(f"\n{section}", flush=True)

    def row(self, name, values, unit="", budget=None, ratio=False, command="", note=""):
        row = Row(self.section, name, unit, values, budget, ratio, command, note)
        self.rows.append(row)
        limit = f"{row.budget} {shown(row.limit)}" if row.limit is not None else ""
        spread = f"({shown(row.low)} - {shown(row.high)})" if len(values) > 1 else ""
        print(f"  {name:<58} {shown(row.median, unit):>16} {spread:<22} {limit:<12} {row.verdict():<7} {note}",
              flush=True)
        return row

    def skip(self, name, reason):
        row = Row(self.section, name, note=reason)
        self.rows.append(row)
        print(f"  {name:<58} {'skipped':>16} {reason}", flush=True)

    # -- kept

    def save(self, path):
        with open(path, "w") as file:
            file.write("\t".join(HEAD) + "\n")
            for row in self.rows:
                file.write("\t".join(field.replace("\t", " ") for field in row.fields()) + "\n")

    @staticmethod
    def load(path):
        table = Table()
        with open(path) as file:
            table.rows = [Row.read(line) for line in list(file)[1:]]
        return table

    # -- compared

    def worse_than(self, kept):
        """Ratios that are worse than the kept ones by more than the kept spread: texts."""
        old = {(row.section, row.name): row for row in kept.rows if row.ratio and row.median is not None}
        found = []
        for row in self.rows:
            was = old.get((row.section, row.name))
            if not was or row.median is None:
                continue
            room = was.high - was.low
            lower_is_better = was.budget != ">="
            worse = row.median - was.median if lower_is_better else was.median - row.median
            if worse > room:
                found.append(f"{row.section}: {row.name}: {shown(row.median, row.unit)}, was "
                             f"{shown(was.median, was.unit)} ({shown(was.low)} - {shown(was.high)})")
        return found

    def missing(self, kept):
        """Ratios that the kept table has, of sections that ran, and this one has not: texts."""
        ran = {row.section for row in self.rows}
        have = {(row.section, row.name) for row in self.rows if row.median is not None}
        return [f"{row.section}: {row.name}" for row in kept.rows if row.ratio and row.median is not None and
                row.section in ran and (row.section, row.name) not in have]

    # -- shown

    def markdown(self, facts, peers):
        lines = [BEGIN, "", *(f"- {name}: {value}" for name, value in facts), "- beside it: " + ", ".join(peers), ""]
        missed = [row.name for row in self.rows if row.met() is False]
        with_budget = [row for row in self.rows if row.met() is not None]
        lines += [f"{len(self.rows)} rows; {len(with_budget) - len(missed)} of {len(with_budget)} budgets met"
                  + ("; missed: " + "; ".join(missed) if missed else "") + ".", ""]
        section = None
        for row in self.rows:
            if row.section != section:
                section = row.section
                lines += ["", f"### {section}", "", "| what | figure | spread | budget | | command, note |",
                          "|---|---|---|---|---|---|"]
            limit = f"{row.budget} {shown(row.limit, row.unit)}" if row.limit is not None else ""
            spread = f"{shown(row.low)} - {shown(row.high)}" if row.low != row.high else ""
            about = " ; ".join(part for part in (f"`{row.command}`" if row.command else "", row.note) if part)
            cells = [row.name, shown(row.median, row.unit) or "skipped", spread, limit, row.verdict(), about]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        return "\n".join([*lines, "", END])

    def publish(self, path, facts, peers):
        with open(path) as file:
            text = file.read()
        before, rest = text.split(BEGIN, 1)
        after = rest.split(END, 1)[1]
        with open(path, "w") as file:
            file.write(before + self.markdown(facts, peers) + after)


def spark(values):
    """Values as a line of eight heights, from 0 to the highest."""
    top = max(values) or 1
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * value / top))] for value in values)
