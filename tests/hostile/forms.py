"""forms.py - the offline programs in each of their main forms, as commands: for those who make them fail (faults.py)

{decode}, {analyze}, {report} are the programs, other words in braces files that faults.py makes. "new..." and
"old.db" are what a command makes or adds to, in a folder of its own.
"""

# Those that every sort of failure is tried with.
MAIN = {
    "decode": "{decode} {r}",
    "decode -F json": "{decode} -F json {r}",
    "decode -F events": "{decode} -F events {r}",
    "decode --dump": "{decode} --dump {r}",
    "decode --check": "{decode} --check {r}",
    "decode, two inputs": "{decode} {r} {second}",
    "report": "{report} {r}",
    "sql over a recording": "{analyze} sql {r} SELECT~count(*),~max(t.path)~FROM~event~e~JOIN~target~t~ON~t.id~=~e.target",
    "sql over a database": "{analyze} sql -F json {db} SELECT~*~FROM~process",
    "report files": "{analyze} report files {db}",
    "load": "{analyze} load -o new.db {r}",
    "load more": "{analyze} load -o old.db {second}",
}

# Those that are tried without memory. Not --tui: ncurses without memory ends the program itself, or crashes.
MORE = {
    "decode, sockets": "{decode} --all-ops {second}",
    "decode -F json, sockets": "{decode} -F json {second}",
    "decode -F csv": "{decode} -F csv {second}",
    "decode -F tsv": "{decode} -F tsv {r}",
    "decode -F events -o": "{decode} -F events -o new.events --pid 10 {second}",
    "decode, an event stream": "{decode} -F json {events}",
    "decode --explain": "{decode} --explain 1 {r}",
    "decode --check, sockets": "{decode} --check {second}",
    "decode --redact": "{decode} --redact {key} -o new.iotap {second}",
    "decode --redact, standard output": "{decode} --redact {key} {r}",
    "decode --salvage": "{decode} --salvage -o new.iotap {damaged}",
    "decode, damage": "{decode} {damaged}",
    "decode, filters": "{decode} --from 0.1s --pid 10 -i eth0 --net-only {second}",
    "report, two inputs": "{report} --top 0 {r} {second}",
    "report --html": "{report} --html new.html {second}",
    "report --html -": "{report} --html - {r}",
    "analyze list": "{analyze} list",
    "analyze events": "{analyze} events {db}",
    "analyze events -F csv": "{analyze} events -F csv {second}",
    "analyze report, a recording": "{analyze} report network -F json {second}",
    "analyze diff": "{analyze} diff {r} {second}",
    "load, two inputs": "{analyze} load -o new.db {r} {second}",
}


def commands(forms, words):
    """{name: [program, argument, ...]}: a ~ is a blank within an argument."""
    return {name: [word.replace("~", " ").format(**words) for word in form.split(" ")] for name, form in forms.items()}
