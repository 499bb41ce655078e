"""sql.py B TMP - statements and databases that somebody hostile wrote, given to iotap-analyze

Nothing but what was asked for may be read, no file may change, memory and time stay bounded. Prints
"ok - ..." and "not ok - ..." lines. B is the build folder, TMP a folder to work in.
"""
import hashlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time

B, TMP = sys.argv[1], sys.argv[2]
ANALYZE = os.path.join(B, "iotap-analyze")
SANITIZED = bool(os.environ.get("SAN"))
KIB_MAX = 1200 * 1024 * (3 if SANITIZED else 1)


def case(name, problem):
    if problem:
        print("not ok - %s" % name)
        print("    " + ascii(problem)[:3000])
    else:
        print("ok - %s" % name)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(*command, stdin=b""):
    """Status, output, messages, KiB, seconds of a CPU."""
    before = os.times()
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             cwd=HERE, preexec_fn=limits)
    out, err = child.communicate(stdin, timeout=200)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return child.returncode, out, err, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, used


def tree():
    """What is in all the folders that a statement can reach, by name, size, time and content."""
    seen = {}
    for folder, _, names in os.walk(TMP):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                seen[path] = (os.stat(path).st_mtime_ns, os.stat(path).st_mode, hashlib.sha256(f.read()).hexdigest())
    return seen


HERE = os.path.join(TMP, "here")
os.mkdir(HERE)
RECORDING, DATABASE, VICTIM = (os.path.join(HERE, name) for name in ("r.iotap", "d.db", "victim.txt"))
with open("tests/golden/rec/names.rec", "rb") as f:
    made = subprocess.run([os.path.join(B, "tests/golden/assemble")], stdin=f, capture_output=True, check=True).stdout
with open(RECORDING, "wb") as f:
    f.write(made)
with open(VICTIM, "w") as f:
    f.write("precious\n")
subprocess.run([ANALYZE, "load", "-o", DATABASE, RECORDING], check=True)
shutil.copy(DATABASE, os.path.join(TMP, "original.db"))
ORIGINAL = os.path.join(TMP, "original.db")

# -- statements -------------------------------------------------------------------------------------

REFUSED = """
ATTACH '%(h)s/new.db' AS x
ATTACH ':memory:' AS x
ATTACH '%(h)s/victim.txt' AS x
ATTACH 'file:%(h)s/new.db?mode=rwc' AS x
DETACH main
VACUUM
VACUUM INTO '%(h)s/new.db'
VACUUM main INTO 'new.db'
REINDEX
ANALYZE
SELECT load_extension('%(h)s/x.so')
SELECT load_extension('x', 'y')
SELECT readfile('%(h)s/victim.txt')
SELECT writefile('%(h)s/new', 'x')
SELECT edit('x')
SELECT fts3_tokenizer('x', x'4141414141414141')
SELECT * FROM fsdir('.')
SELECT * FROM csv
PRAGMA writable_schema = ON
PRAGMA writable_schema = RESET
PRAGMA query_only = OFF
PRAGMA trusted_schema = ON
PRAGMA journal_mode = WAL
PRAGMA journal_mode = DELETE
PRAGMA temp_store_directory = '%(h)s'
PRAGMA data_store_directory = '%(h)s'
PRAGMA mmap_size = 1000000000
PRAGMA hard_heap_limit = 0
PRAGMA soft_heap_limit = 0
PRAGMA cache_size = 100000000
PRAGMA cache_spill = OFF
PRAGMA wal_checkpoint
PRAGMA incremental_vacuum
PRAGMA user_version = 99
PRAGMA application_id = 0
PRAGMA schema_version = 1
PRAGMA key = 'x'
PRAGMA locking_mode = EXCLUSIVE
PRAGMA optimize
PRAGMA integrity_check
PRAGMA table_info(process)
PRAGMA database_list
PRAGMA lock_proxy_file = '%(h)s/new'
INSERT INTO meta VALUES ('a', 1)
INSERT INTO event VALUES (1)
INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'CREATE TABLE x(a)')
INSERT INTO process SELECT * FROM process
REPLACE INTO meta VALUES ('a', 1)
UPDATE sqlite_schema SET sql = ''
UPDATE meta SET value = 1
UPDATE event SET bytes = 0
DELETE FROM event
DELETE FROM meta
DELETE FROM sqlite_schema
DELETE FROM temp.sqlite_schema
DROP TABLE process
DROP TABLE event
DROP VIEW event
DROP VIEW target
DROP VIEW temp.event_v
DROP INDEX x
CREATE TABLE x(a)
CREATE TABLE temp.x(a)
CREATE TEMP TABLE x AS SELECT * FROM event
CREATE VIEW x AS SELECT 1
CREATE TEMP VIEW x AS SELECT 1
CREATE INDEX x ON process(pid)
CREATE TRIGGER x AFTER INSERT ON meta BEGIN SELECT 1; END
CREATE TEMP TRIGGER x AFTER INSERT ON meta BEGIN SELECT 1; END
CREATE VIRTUAL TABLE x USING fts3(a)
CREATE VIRTUAL TABLE x USING fts5(a)
CREATE VIRTUAL TABLE x USING rtree(a, b, c)
CREATE VIRTUAL TABLE temp.x USING fts4(a)
CREATE VIRTUAL TABLE x USING event('%(h)s/victim.txt')
CREATE VIRTUAL TABLE x USING dbstat
ALTER TABLE process RENAME TO x
ALTER TABLE process ADD COLUMN x
ALTER TABLE process DROP COLUMN name
BEGIN
BEGIN EXCLUSIVE
BEGIN; SELECT 1
COMMIT
ROLLBACK
SAVEPOINT x
RELEASE x
EXPLAIN SELECT 1; DELETE FROM meta
SELECT 1; DROP TABLE process
SELECT 1; ATTACH 'new.db' AS x; CREATE TABLE x.y(a)
WITH x AS (SELECT 1) DELETE FROM meta
WITH x AS (SELECT 1) INSERT INTO meta SELECT * FROM x
SELECT * FROM sqlite_dbpage
SELECT hex(zeroblob(1000000000))
SELECT length(zeroblob(1000000000))
SELECT randomblob(1000000000)
SELECT replace(hex(zeroblob(10000000)), '0', hex(zeroblob(10000000)))
SELECT group_concat(hex(zeroblob(1000000))) FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40]')
WITH RECURSIVE r(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM r) SELECT max(length(x)) FROM r
SELECT json_group_array(hex(zeroblob(30000000))) FROM json_each('[1,2,3,4]')
SELECT .
SELECT "
SELECT '
SELECT (
SELECT X'4
SELECT /* */ FROM
SELECT * FROM nowhere
SELECT nothing FROM event
SELECT frob(1)
SELECT * FROM main.nothing
SELECT * FROM x.y
""" % {"h": HERE}
ALLOWED = """
SELECT fts3_tokenizer('simple')
SELECT printf('%%1000000000d', 1)
SELECT printf('%%.*c', 100000000, 'x')
SELECT ?1
SELECT 1
SELECT * FROM event LIMIT 1
SELECT * FROM sqlite_schema
SELECT count(*) FROM event a, event b
SELECT abs(-9223372036854775807)
SELECT 9223372036854775807 + 1
SELECT -9223372036854775808 / -1
SELECT -9223372036854775808 %% -1
SELECT 1 / 0
SELECT 1e308 * 10
SELECT -1e308 * 10
SELECT char(0, 27, 155, 8238, 1114111, 1114112, -1)
SELECT x'00', x'ff', '', NULL
SELECT 1 AS "a\"\"b", 2 AS ';', 3 AS ''
SELECT substr(path, -9223372036854775807, 9223372036854775807) FROM target
SELECT * FROM event WHERE number = 9223372036854775807
SELECT * FROM event WHERE number < -9223372036854775807
SELECT * FROM event WHERE time_ns BETWEEN -9223372036854775808 AND 9223372036854775807
SELECT * FROM event WHERE time_ns = 1e400
SELECT * FROM event WHERE number = 'x'
SELECT * FROM event WHERE number IS NULL
SELECT * FROM event WHERE number = x'00'
SELECT * FROM event WHERE pid = '10 '
SELECT * FROM event ORDER BY random() LIMIT -1 OFFSET 9223372036854775807
SELECT * FROM event LIMIT 9223372036854775807
SELECT a.number FROM event a LEFT JOIN event b ON a.number = b.number + 1
SELECT json_extract('{}', '$.' || char(0))
SELECT json('[1,[[[[')
SELECT * FROM json_each('x')
SELECT * FROM json_tree('[[[]]]')
SELECT date('now', '99999 years')
SELECT strftime('%%%%', 1e300)
SELECT printf('%%s%%n%%p', 1)
SELECT 'a' LIKE '%%' ESCAPE 'xx'
SELECT 'a' GLOB '[[[[[['
EXPLAIN SELECT * FROM event
EXPLAIN QUERY PLAN SELECT * FROM event, target
VALUES (1), (2)
SELECT sqlite_version(), sqlite_source_id(), last_insert_rowid(), changes()
SELECT rowid, * FROM event
SELECT max(number) OVER (ORDER BY number ROWS BETWEEN 9223372036854775807 PRECEDING AND CURRENT ROW) FROM event
SELECT path COLLATE nothing FROM target
SELECT likely(1), unlikely(2), likelihood(1, 0.5)
""".replace("%%", "%")


def big_statements():
    yield "deep expression", "SELECT " + "(" * 100000 + "1" + ")" * 100000
    yield "deep subqueries", "SELECT * FROM (" * 5000 + "SELECT 1" + ")" * 5000
    yield "deep negation", "SELECT " + "NOT " * 100000 + "1"
    yield "many terms", "SELECT " + " UNION ALL SELECT ".join(["1"] * 100000)
    yield "many columns", "SELECT " + ",".join(["1"] * 100000)
    yield "many joins", "SELECT 1 FROM " + ",".join("event e%d" % i for i in range(200))
    yield "long word", "SELECT " + "x" * 100000
    yield "long text", "SELECT '" + "x" * 100000 + "'"
    yield "many parameters", "SELECT " + ",".join("?%d" % i for i in range(1, 30000))
    yield "likes", "SELECT hex(zeroblob(20000)) LIKE '" + "%0" * 30000 + "x'"
    yield "deep JSON", "SELECT json('" + "[" * 60000 + "]" * 60000 + "')"
    yield "nested CTEs", "WITH " + ",".join("c%d AS (SELECT * FROM c%d, c%d)" % (i, i - 1, i - 1) if i else "c0 AS (SELECT 1)"
                                            for i in range(30)) + " SELECT count(*) FROM c29"
    yield "many statements", "SELECT 1;" * 10000
    yield "a NUL's neighbours", "SELECT 1 -- \x01\x02"


def statements():
    before = tree()
    bad = {"refused": [], "answered": [], "big": []}
    most = slowest = n = 0
    for what in "d.db", "r.iotap":
        for key, lines in ("refused", REFUSED), ("answered", ALLOWED):
            for line in lines.strip().split("\n")[::1 if what == "d.db" else 4]:
                status, _, err, kib, seconds = run(ANALYZE, "sql", "-F", "json", what, line)
                most, slowest, n = max(most, kib), max(slowest, seconds), n + 1
                if status not in ((1,) if key == "refused" else (0, 1)) or seconds > 15 or b"Sanitizer" in err:
                    bad[key].append((what, line, status, err[:200], seconds))
        for name, sql in big_statements():
            status, _, err, kib, seconds = run(ANALYZE, "sql", what, stdin=sql.encode())
            most, slowest, n = max(most, kib), max(slowest, seconds), n + 1
            if status not in (0, 1) or seconds > 15 or b"Sanitizer" in err:
                bad["big"].append((what, name, status, err[:200], seconds))
    case("statements that are not questions are refused (%d)" % len(REFUSED.strip().split("\n")), bad["refused"])
    case("odd questions end in an answer or an error (%d)" % len(ALLOWED.strip().split("\n")), bad["answered"])
    case("so do huge ones", bad["big"])
    case("%d statements: no file touched" % n, {k: v for k, v in tree().items() if before.get(k) != v} or set(before) - set(tree()))
    case("%d statements: within the limit of memory" % n, most > KIB_MAX and "%d KiB" % most)
    print("# most memory %d MiB, slowest %.1f s" % (most >> 10, slowest))


def wait_for_handler(pid, number):
    """Until it catches that signal: before, it would end by it as any program does."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with open("/proc/%d/status" % pid) as file:
            caught = next((line.split()[1] for line in file if line.startswith("SigCgt:")), "0")
        if int(caught, 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)


def endless():
    """A question without an end can be ended, at once, by either signal."""
    for number, expected in (signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM):
        for sql in ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
                    "WITH RECURSIVE r(x, y) AS (SELECT 1, zeroblob(1000000) UNION ALL SELECT x + 1, y FROM r) SELECT group_concat(hex(y)) FROM r",
                    "SELECT count(*) FROM event a, event b, event c, event d, event e, event f, event g, event h, event i"):
            child = subprocess.Popen([ANALYZE, "sql", DATABASE, sql], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, preexec_fn=limits)
            wait_for_handler(child.pid, number)
            time.sleep(0.3)
            child.send_signal(number)
            try:
                status = child.wait(30)
            except subprocess.TimeoutExpired:
                child.kill()
                status = "did not end"
            case("endless: %s ends %s ..." % (signal.Signals(number).name, sql[:28]), status != expected and status)


def limits_of_a_statement():
    """A question without an end, or without measure, ends where the user said, and says so."""
    endless_ones = ("WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
                    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r",
                    "SELECT count(*) FROM event a, event b, event c, event d, event e, event f, event g, event h, event i",
                    "SELECT count(*) FROM target a, target b, target c, target d, target e, target f, target g, target h, target i",
                    "SELECT (WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r) FROM process",
                    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r ORDER BY x DESC LIMIT 1",
                    "SELECT 1; WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r; SELECT 2")
    bad = []
    for what in "d.db", "r.iotap":
        for sql in endless_ones:
            status, _, err, _, _ = run(ANALYZE, "sql", "-F", "tsv", "--timeout", "300ms", what, sql)
            if status != 1 or b"allow more with --timeout" not in err:
                bad.append((what, sql, status, err[:200]))
    case("%d endless questions end after --timeout" % (2 * len(endless_ones)), bad)
    bad = []
    for sql in ("SELECT length(hex(zeroblob(30000000)))", "SELECT length(group_concat(hex(zeroblob(4000000)))) FROM json_each('[1,2,3,4,5,6,7]')",
                "SELECT length(json_group_array(hex(zeroblob(3000000)))) FROM json_each('[1,2,3,4,5,6,7,8]')"):
        status, _, err, kib, _ = run(ANALYZE, "sql", "--memory", "20M", "d.db", sql)
        if status != 1 or b"allow more with --memory" not in err:
            bad.append((sql, status, err[:200]))
        status, _, err, _, _ = run(ANALYZE, "sql", "d.db", sql)
        if status != 0:
            bad.append((sql, "without a limit", status, err[:200]))
    case("questions without measure end at --memory", bad)


# -- databases --------------------------------------------------------------------------------------

def changed(name, *sql, schema=None):
    path = os.path.join(HERE, name)
    shutil.copy(ORIGINAL, path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA writable_schema = ON")
    for statement in sql:
        db.execute(statement)
    if schema:
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (schema[1], schema[0]))
    db.close()
    return path


ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x"


def databases():
    """(name, path, None or the only statuses)."""
    yield "newer version", changed("newer.db", "PRAGMA user_version = 9999"), (1,)
    yield "version 0", changed("zero.db", "PRAGMA user_version = 0"), (1,)
    yield "negative version", changed("negative.db", "PRAGMA user_version = -1"), (1,)
    yield "another program's", changed("other.db", "PRAGMA application_id = 1"), (1,)
    yield "a table less", changed("less.db", "DROP TABLE process"), (1,)
    yield "a column less", changed("column.db", "ALTER TABLE process DROP COLUMN exe"), (1,)
    yield "process is an endless view", changed("view.db", "DROP TABLE process", "CREATE VIEW process AS " + ENDLESS + " AS id, 1 AS recording FROM r"), (1,)
    yield "event is an endless view", changed("event.db", "DROP VIEW IF EXISTS event", "CREATE VIEW event AS " + ENDLESS + " AS number FROM r"), None
    yield "meta is a view that loads code", changed("meta.db", "DROP TABLE meta", "CREATE VIEW meta AS SELECT load_extension('x') AS key, 1 AS value"), (1,)
    yield "triggers", changed("trigger.db", "CREATE TRIGGER t AFTER INSERT ON notice BEGIN DELETE FROM process; END",
                              "CREATE TRIGGER u AFTER INSERT ON recording BEGIN UPDATE recording SET calls = 0; END"), None
    yield "an index on an expression", changed("index.db", "CREATE INDEX i ON process(abs(pid))"), None
    yield "a foreign virtual table", changed("virtual.db", "CREATE VIRTUAL TABLE x USING fts3(a)"), None
    yield "fts shadow tables", changed("shadow.db", "CREATE VIRTUAL TABLE x USING fts3(a)", "INSERT INTO x VALUES ('a b c')",
                                       "UPDATE x_segdir SET root = x'ffffffffffffffffffff'"), None
    yield "process is fts", changed("fts.db", "DROP TABLE process", "CREATE VIRTUAL TABLE process USING fts3(id, recording)"), (1,)
    yield "a default that is code", changed("default.db", schema=("notice", "CREATE TABLE notice (id INTEGER PRIMARY KEY, recording DEFAULT (load_extension('x')))")), (1,)
    yield "a generated column", changed("generated.db", "ALTER TABLE process ADD COLUMN g AS (hex(zeroblob(1000000000)))"), None
    yield "a check that is endless", changed("check.db", schema=("meta", "CREATE TABLE meta (key TEXT PRIMARY KEY CHECK (key IN (" + ENDLESS + " FROM r)), value ANY) STRICT, WITHOUT ROWID")), (1,)
    yield "schema that is no SQL", changed("nosql.db", schema=("process", "CREATE TABLE process (((")), (1,)
    yield "schema of another name", changed("name.db", schema=("process", "CREATE TABLE event_row (id INTEGER PRIMARY KEY)")), (1,)
    yield "a huge schema", changed("huge.db", "CREATE TABLE x (" + ",".join("c%d" % i for i in range(1900)) + ")"), None
    yield "2,000 tables", changed("many.db", *["CREATE TABLE x%d (a)" % i for i in range(2000)]), None
    yield "a name of control bytes", changed("control.db", "CREATE TABLE \"\x1b[2J\" (a)"), None
    yield "process moved to another root", changed("root.db", "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'event_row') WHERE name = 'process'"), None
    yield "root beyond the file", changed("beyond.db", "UPDATE sqlite_schema SET rootpage = 99999999 WHERE name = 'process'"), (1,)
    yield "root is page 1", changed("page1.db", "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'process'"), None
    yield "a time base that overflows", changed("base.db", "UPDATE meta SET value = 9223372036854775807 WHERE key = 'time_base_ns'"), None
    yield "a time base that is text", changed("text.db", "UPDATE meta SET value = 'x' WHERE key = 'time_base_ns'"), None
    yield "no meta", changed("empty.db", "DELETE FROM meta"), None
    yield "targets that point at themselves", changed("loop.db", "UPDATE target_row SET definition = id", "UPDATE definition SET sums = id + 1"), None
    yield "names of 30 MB", changed("long.db", "UPDATE process SET name = hex(zeroblob(15000000))"), None
    yield "numbers at their ends", changed("ends.db", "UPDATE event_row SET time = 9223372036854775807, duration_ns = -9223372036854775808, bytes = -1, fd = 9223372036854775807, flags = -1, call = 99999"), None
    yield "WAL mode", changed("wal.db", "PRAGMA journal_mode = WAL"), None
    yield "UTF-16", utf16(), None
    yield "no database", bytes_file("text.db2", b"SQLite format 3\0" + b"\xff" * 4000), (1,)
    yield "a head alone", bytes_file("head.db", open(ORIGINAL, "rb").read()[:100]), (1,)
    yield "page size 0", patched("size0.db", 16, b"\0\0"), (1,)
    yield "page size 3", patched("size3.db", 16, b"\0\3"), (1,)
    yield "all space reserved", patched("reserved.db", 20, b"\xff"), (1,)
    yield "a file format to come", patched("format.db", 18, b"\xff\xff"), (1,)
    yield "free list into itself", patched("free.db", 32, struct.pack(">II", 2, 9999999)), None


def bytes_file(name, data):
    path = os.path.join(HERE, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def patched(name, at, data):
    with open(ORIGINAL, "rb") as f:
        was = f.read()
    return bytes_file(name, was[:at] + data + was[at + len(data):])


def utf16():
    path = os.path.join(HERE, "utf16.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA encoding = 'UTF-16le'")
    db.executescript("\n".join(line for line in sqlite3.connect(ORIGINAL).iterdump()))
    for pragma in "application_id", "user_version":
        db.execute("PRAGMA %s = %d" % (pragma, sqlite3.connect(ORIGINAL).execute("PRAGMA " + pragma).fetchone()[0]))
    db.close()
    return path


QUESTIONS = [("sql", "SELECT count(*) FROM event; SELECT * FROM process; SELECT * FROM target"), ("report", "files")]


def ask(path, what, text):
    return run(ANALYZE, what, *((path, text) if what == "sql" else (text, path)))


def problems_of(path, statuses, questions=QUESTIONS):
    for what, text in questions:
        status, _, err, kib, seconds = ask(path, what, text)
        if status not in (statuses or (0, 1, 4)) or seconds > 10 or kib > KIB_MAX or b"Sanitizer" in err or b"\x1b" in err:
            yield (what, text, status, err[:300], seconds, kib >> 10)


def hostile_databases():
    bad, touched, n = [], [], 0
    for name, path, statuses in databases():
        before, n = tree(), n + 1
        bad += [(name, p) for p in problems_of(path, statuses)]
        now = tree()
        touched += [(name, k) for k in set(now) | set(before) if now.get(k) != before.get(k)]
        os.unlink(path)
    case("%d hostile databases: an answer or an error each" % n, bad)
    case("%d hostile databases: no file touched" % n, touched)


def hostile_loads():
    """Loading into a database that is not ours, or no longer."""
    bad = []
    for name, path, statuses in databases():
        status, _, err, kib, seconds = run(ANALYZE, "load", "-o", path, RECORDING)
        if status not in (0, 1, 4) or seconds > 10 or b"Sanitizer" in err or (statuses == (1,) and status != 1):
            bad.append((name, status, err[:300]))
        for extra in ("-journal", "-wal", "-shm"):
            if os.path.exists(path + extra):
                os.unlink(path + extra)
        os.unlink(path)
    case("load into hostile databases: done or refused", bad)


def damaged():
    """Bits and lengths: no crash, no endless reading."""
    with open(ORIGINAL, "rb") as f:
        was = f.read()
    lot, bad = random.Random(1), []
    question = [("sql", "SELECT count(*), sum(length(path)), max(bytes) FROM event e LEFT JOIN target t ON t.id = e.target")]
    for i in range(60):
        data = bytearray(was)
        if i % 3 == 2:
            del data[lot.randrange(len(data)):]
        else:
            for _ in range(1 + i % 8):
                data[lot.choice((lot.randrange(len(data)), lot.randrange(4096)))] ^= 1 << lot.randrange(8)
        path = bytes_file("damaged.db", bytes(data))
        bad += [(i, p) for p in problems_of(path, None, question)]
    os.unlink(path)
    case("60 damaged databases: an answer or an error each", bad)


# -- a journal that names a file ----------------------------------------------------------------------

def journal(page_size, pages, named):
    """A hot journal without pages that claims to belong to a transaction over several files: SQLite
    deletes the file that it names (its super-journal) once it is rolled back."""
    head = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">IIIII", 0, 1, pages, 512, page_size)
    name = named.encode()
    check = sum(c if c < 128 else c - 256 for c in name) & 0xffffffff
    lock_page = 0x40000000 // page_size + 1
    return head.ljust(512, b"\0") + struct.pack(">I", lock_page) + name + struct.pack(">II", len(name), check) + head[:8]


def hostile_journal():
    path = os.path.join(HERE, "hot.db")
    shutil.copy(ORIGINAL, path)
    with open(path, "rb") as f:
        head = f.read(100)
    page_size, pages = struct.unpack(">H", head[16:18])[0], struct.unpack(">I", head[28:32])[0]
    bad = []
    for what, text in QUESTIONS:
        bytes_file("hot.db-journal", journal(page_size, pages, VICTIM))
        ask(path, what, text)
        if not os.path.exists(VICTIM):
            bad.append((what, "the file that the journal named is gone"))
            with open(VICTIM, "w") as f:
                f.write("precious\n")
    bytes_file("hot.db-journal", journal(page_size, pages, VICTIM))
    run(ANALYZE, "load", "-o", path, RECORDING)
    if not os.path.exists(VICTIM):
        bad.append("load: the file that the journal named is gone")
    case("a journal beside the database gets no file deleted", bad)
    for name in "hot.db", "hot.db-journal":
        if os.path.exists(os.path.join(HERE, name)):
            os.unlink(os.path.join(HERE, name))


statements()
endless()
limits_of_a_statement()
hostile_databases()
hostile_loads()
damaged()
hostile_journal()
