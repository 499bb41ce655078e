# analyze_sql.sh - iotap-analyze sql, report, list: what is answered, how it is written, what is refused

. tests/lib/check.sh
need_program iotap-analyze iotap-decode tests/golden/assemble
need_tool python3 sqlite3
tmpdir
analyze=$B/iotap-analyze

for name in curl life names sockets sendfile argv; do
	"$B/tests/golden/assemble" <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
	"$analyze" load -o "$tmp/$name.db" "$tmp/$name.iotap"
done
ask() {
	"$analyze" sql "$@"
}

# Whose calls were not seen in full.
"$B/iotap-decode" -F json --all-ops "$tmp/sockets.iotap" >"$tmp/sockets.jsonl"
for what in sockets.db sockets.iotap sockets.jsonl; do
	check_eq "blind spots by process, $what" \
		"$(printf '%s\n' a server:unknown_interface_calls:5 client:unresolved_calls:2 client:unknown_interface_calls:1)" \
		"$(ask "$tmp/$what" "SELECT p.name || ':' || b.name || ':' || b.value AS a FROM blind_spots_by_process AS b
		JOIN process AS p ON p.id = b.process AND p.pid = b.pid ORDER BY b.value DESC")"
done

# What --argv kept: of the latest program of each process.
for what in argv.db argv.iotap; do
	check_eq "arguments, $what" "$(printf '%s\n' a 9:sleep/5 10:sh/-c 20:grep/-e)" "$(ask "$tmp/$what" "SELECT
		p.pid || ':' || a.value || '/' || b.value AS a FROM process AS p
		JOIN argument AS a ON a.process = p.id AND a.position = 0
		JOIN argument AS b ON b.process = p.id AND b.position = 1 ORDER BY p.pid")"
	check_eq "arguments that are no UTF-8 stay bytes, $what" "$(printf 'a\n5,4,FFFE')" "$(ask "$tmp/$what" "SELECT
		count(*) || ',' || max(position) || ',' || max(CASE typeof(value) WHEN 'blob' THEN hex(value) END) AS a
		FROM argument WHERE process = (SELECT id FROM process WHERE pid = 20)")"
done

# The command line.
for wrong in "" "frob" "sql" "sql -" "sql a b c" "report" "report files" "report files a b" "load" "-F xml sql x y" \
	"-o x list" "list files" "load -F json x" "sql x -- y"; do
	# shellcheck disable=SC2086
	check_status "usage: '$wrong'" 2 "$analyze" $wrong
done
check_match "an unknown report: those there are" "no report 'nothing'; there are calls, errors, files, network" \
	"$("$analyze" report nothing "$tmp/curl.db" 2>&1)"
check_status "an unknown report: status" 2 "$analyze" report nothing "$tmp/curl.db"
check_eq "a statement from standard input" "$(printf 'a\n1')" "$(echo 'SELECT 1 AS a' | "$analyze" sql "$tmp/curl.db")"
for nothing in "" ";" " -- a comment" "/**/;;"; do
	check_eq "no statement: '$nothing'" \
		"iotap-analyze: sql: no statement was given; name one, or write it to standard input" \
		"$(printf '%s' "$nothing" | "$analyze" sql "$tmp/curl.db" 2>&1)"
done
check_status "an empty statement" 2 "$analyze" sql "$tmp/curl.iotap" ""
check_eq "a recording from standard input" "$(printf 'n\n5')" \
	"$(cat "$tmp/curl.iotap" | "$analyze" sql - 'SELECT count(*) AS n FROM event')"
check_eq "a database from standard input" "$(printf 'n\n5')" \
	"$("$analyze" sql - 'SELECT count(*) AS n FROM event' <"$tmp/curl.db")"
check_eq "several statements" "$(printf 'a\n1\n\nb\n2')" "$(ask "$tmp/curl.db" 'SELECT 1 AS a; SELECT 2 AS b;')"
check_eq "no row: the names" "a" "$(ask "$tmp/curl.db" 'SELECT 1 AS a WHERE 0')"
check_eq "no statement: nothing" "" "$(ask "$tmp/curl.db" '  -- nothing')"

# Formats.
values="SELECT 1 AS i, -9223372036854775808 AS big, 0.1 AS r, NULL AS n, 'a,\"b' AS t, x'41ff' AS b, '' AS e"
check_eq "table" "$(printf '%s\n' 'i                   big    r  n  t     b   e' "1  -9223372036854775808  0.1     a,\"b  A�")" \
	"$(ask "$tmp/curl.db" "$values")"
check_eq "json" '{"i":1,"big":-9223372036854775808,"r":0.1,"n":null,"t":"a,\"b","b":"A�","b_hex":"41ff","e":""}' \
	"$(ask -F json "$tmp/curl.db" "$values")"
check_eq "csv" "$(printf 'i,big,r,n,t,b,e\r\n1,-9223372036854775808,0.1,,"a,""b",X'"'41ff'"',""\r')" \
	"$(ask -F csv "$tmp/curl.db" "$values")"
check_eq "tsv" "$(printf 'a\tb\tc\nx\\ty\\nz\\\\\t\\N\tX'"'00'")" \
	"$(ask -F tsv "$tmp/curl.db" "SELECT 'x' || char(9) || 'y' || char(10) || 'z\\' AS a, NULL AS b, x'00' AS c")"
check_eq "csv: a text that looks like a formula" "$(printf 'a,b\r\n"'"'=1+1"'",-5\r')" \
	"$(ask -F csv "$tmp/curl.db" "SELECT '=1+1' AS a, -5 AS b")"
check_eq "table: nothing reaches the terminal as it is" "$(printf 'a\nx?[2Jy?z?')" \
	"$(ask "$tmp/curl.db" "SELECT 'x' || char(27) || '[2Jy' || char(10) || 'z' || char(8238) AS a")"
check_eq "table: wide characters" "$(printf 'a     b\n文件  1\nab    2')" \
	"$(ask "$tmp/curl.db" "SELECT '文件' AS a, 1 AS b UNION ALL SELECT 'ab', 2 ORDER BY b")"
check_eq "json: exact integers" 9007199254740993 \
	"$(ask -F json "$tmp/curl.db" 'SELECT 9007199254740993 AS a' | python3 -c 'import json,sys; print(json.load(sys.stdin)["a"])')"
check_eq "names that differ in bytes that are no UTF-8 stay two" 2 \
	"$(ask -F json "$tmp/names.db" "SELECT DISTINCT hex(path) FROM target WHERE typeof(path) = 'blob'" | wc -l)"
check_status "a reader that has enough" 0 sh -c "'$analyze' sql '$tmp/curl.db' 'WITH RECURSIVE r(x) AS
	(SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r' | head -n 1 >/dev/null"
status=0
"$analyze" sql "$tmp/curl.db" 'SELECT 1' >/dev/full 2>"$tmp/err" || status=$?
check_eq "a full device" "1 iotap-analyze: output: No space left on device" "$status $(cat "$tmp/err")"

# Only SELECT, of a database and of a recording; nothing is touched.
cp "$tmp/curl.db" "$tmp/before.db"
cp "$tmp/curl.iotap" "$tmp/before.iotap"
while IFS= read -r statement; do
	[ -n "$statement" ] || continue
	for what in curl.db curl.iotap; do
		check_status "refused, $what: $statement" 1 sh -c "cd '$tmp' && exec '$analyze' sql '$what' \"\$1\"" sh "$statement"
	done
done <<'END'
INSERT INTO meta VALUES ('x', 1)
UPDATE process SET name = 'x'
DELETE FROM event_row
DELETE FROM event
DROP TABLE process
DROP VIEW event_v
CREATE TABLE x(a)
CREATE TEMP TABLE x(a)
CREATE VIEW x AS SELECT 1
CREATE VIRTUAL TABLE temp.x USING fts5(a)
CREATE TRIGGER x AFTER INSERT ON meta BEGIN SELECT 1; END
ALTER TABLE process RENAME TO x
ATTACH 'other.db' AS other
DETACH main
VACUUM
VACUUM INTO 'copy.db'
REINDEX
ANALYZE
BEGIN
SAVEPOINT x
PRAGMA writable_schema = 1
PRAGMA journal_mode = WAL
PRAGMA user_version = 9
PRAGMA query_only = 0
PRAGMA temp_store_directory = '/'
SELECT * FROM pragma_database_list
SELECT load_extension('./x.so')
SELECT fts3_tokenizer('simple', x'0011223344556677')
SELECT writefile('x', 'y')
SELECT readfile('/etc/passwd')
SELECT edit('x')
SELECT hex(zeroblob(1000000000))
SELECT replace(hex(zeroblob(10000000)), '0', '0000000000')
SELECT 1; DROP TABLE process
SELECT * FROM nothing
SELECT "nothing" FROM process
SELEC 1
SELECT * FROM sqlite_dbpage
SELECT * FROM batch
SELECT count(*) FROM process; SELECT * FROM batch
SELECT count(*) FROM total_by_call; SELECT * FROM sums_of_total_by_call
SELECT iotap_open('curl.iotap')
END
check_that "the database is as it was" cmp "$tmp/curl.db" "$tmp/before.db"
check_that "the recording is as it was" cmp "$tmp/curl.iotap" "$tmp/before.iotap"
check_eq "no file appeared" "" "$(cd "$tmp" && ls other.db copy.db x -- *-journal *-wal 2>/dev/null)"
check_eq "json functions are there" "$(printf 'value\n    1\n    2')" \
	"$(ask "$tmp/curl.iotap" "SELECT value FROM json_each('[1,2]')")"

# Databases that somebody else made.
evil() {
	cp "$tmp/before.db" "$tmp/evil.db"
	sqlite3 "$tmp/evil.db" "$2" || not_ok "evil: $1" "cannot be made"
	check_match "evil: $1" "$3" "$(timeout 60 "$analyze" sql "$tmp/evil.db" 'SELECT count(*) AS n FROM event' 2>&1)"
}
evil "a view in place of ours is not used" "DROP VIEW event; CREATE VIEW event AS
	WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS number FROM r" '^5$'
evil "a table that is an endless view" "DROP TABLE event_row; CREATE VIEW event_row AS
	WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS number FROM r" \
	"table event_row is not as iotap makes it; load the recording into a new database"
evil "a virtual table" "CREATE VIRTUAL TABLE x USING fts5(a)" "holds virtual tables, which iotap never makes"
evil "a generated column" "DROP TABLE thread; CREATE TABLE thread (id INTEGER PRIMARY KEY, process INTEGER, pid INTEGER,
	tid INTEGER AS (abs(-9223372036854775807)))" "table thread is not as iotap makes it"
evil "a table that is missing" "DROP TABLE clock" "table clock is not as iotap makes it"
evil "an index of the user is welcome" "CREATE INDEX mine ON event_row (target)" '^5$'
evil "so is a table" "CREATE TABLE mine (a)" '^5$'
check_status "a view of the file is not run" 1 sh -c "cp '$tmp/before.db' '$tmp/evil.db' &&
	sqlite3 '$tmp/evil.db' 'CREATE VIEW mine AS SELECT 1' && '$analyze' sql '$tmp/evil.db' 'SELECT * FROM mine'"
damaged=
for at in $(seq 100 977 "$(stat -c %s "$tmp/before.db")"); do
	cp "$tmp/before.db" "$tmp/evil.db"
	printf '\377' | dd of="$tmp/evil.db" bs=1 seek="$at" conv=notrunc 2>/dev/null
	status=0
	for report in files slow processes; do
		timeout 60 "$analyze" report $report "$tmp/evil.db" >/dev/null 2>&1 || status=$?
		[ $status -le 4 ] || damaged="$damaged $at:$status"
	done
done
check_eq "a damaged file: an answer or an error, nothing else" "" "$damaged"
chmod 0400 "$tmp/before.db"
mkdir "$tmp/ro"
cp "$tmp/before.db" "$tmp/ro/x.db"
chmod 0555 "$tmp/ro"
check_eq "a file in a folder that may not be written" "$(printf 'n\n5')" \
	"$(setpriv --reuid=65534 --clear-groups sh -c "exec '$analyze' sql /dev/fd/3 'SELECT count(*) AS n FROM event' 3<'$tmp/ro/x.db'" 2>/dev/null ||
		"$analyze" sql "$tmp/ro/x.db" 'SELECT count(*) AS n FROM event')"
chmod 0755 "$tmp/ro"

# Conditions that are pushed down leave out what they should and nothing else.
python3 - "$analyze" "$tmp/life.iotap" "$tmp/life.db" <<'END' >"$tmp/pushed" 2>&1
import itertools, json, subprocess, sys
analyze, recording, database = sys.argv[1:]
def ask(where, sql):
    p = subprocess.run([analyze, 'sql', '-F', 'json', where, sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return p.stdout
rows = [json.loads(l) for l in ask(database, 'SELECT * FROM event').splitlines()]
tried = bad = 0
for column in ('number', 'time_ns', 'boot_ns', 'pid', 'target', 'process', 'tid', 'call', 'err'):
    values = sorted({r[column] for r in rows if r[column] is not None})
    picks = [values[0] - 1, values[0], values[len(values) // 2], values[-1], values[-1] + 1, values[0] + 0.5, "'x'", 'NULL', -1, 2**63 - 1, -2**63]
    statements = []
    for op, v in itertools.product(('=', '<', '<=', '>', '>=', '<>', 'IS'), picks):
        statements.append(f'SELECT {len(statements)} AS q, number FROM event WHERE {column} {op} {v}')
    statements.append(f'SELECT {len(statements)} AS q, number FROM event WHERE {column} BETWEEN {values[0]} AND {values[-1]} AND {column} > {values[0]}')
    statements.append(f'SELECT {len(statements)} AS q, number FROM event WHERE {column} IN ({values[0]}, {values[-1]}) ORDER BY number')
    statements.append(f'SELECT {len(statements)} AS q, max({column}), min({column}) FROM event')
    statements.append(f'SELECT {len(statements)} AS q, number FROM event ORDER BY number DESC')
    statements.append(f'SELECT {len(statements)} AS q, number FROM event ORDER BY {column}, number')
    sql = '; '.join(statements)
    tried += len(statements)
    if ask(database, sql) != ask(recording, sql):
        bad += 1
        print('differs:', column)
print(tried, 'tried,', bad, 'bad')
END
check_match "conditions over a recording give what they give over its database" '^[0-9]{3} tried, 0 bad$' "$(cat "$tmp/pushed")"

# Reports: the same from a database and a recording; list names them all.
check_eq "list" "$(find analyze/sql -name 'report-*.sql' | sed 's/.*report-//; s/\.sql$//' | sort)" \
	"$("$analyze" list -F tsv | sed 1d | cut -f 1)"
for report in $("$analyze" list -F tsv | sed 1d | cut -f 1); do
	for name in curl life names sockets sendfile; do
		"$analyze" report "$report" "$tmp/$name.db" >"$tmp/a"
		"$analyze" report "$report" "$tmp/$name.iotap" >"$tmp/b"
		check_files "report $report of $name" "$tmp/a" "$tmp/b"
	done
	check_eq "report $report: the columns its header promises" \
		"$(sed -n 's/^-- columns: //p' "analyze/sql/report-$report.sql")" \
		"$("$analyze" report "$report" -F tsv "$tmp/curl.db" | head -n 1 | tr '\t' ' ')"
done
check_eq "report files" "$(cat <<'END'
{"read_bytes":0,"reads":0,"written_bytes":4096,"writes":1,"failed":0,"mean_us":41.7,"max_us":41.7,"target":"/Users/me/page.html"}
{"read_bytes":0,"reads":0,"written_bytes":20,"writes":1,"failed":0,"mean_us":41.7,"max_us":41.7,"target":"/dev/ttys004"}
END
)" "$("$analyze" report files -F json "$tmp/curl.db")"
check_eq "report network" '{"received_bytes":4096,"receives":2,"sent_bytes":517,"sends":1,"failed":1,"connections":1,"mean_us":41.7,"device":"en0","target":"tcp 93.184.216.34:443"}' \
	"$("$analyze" report network -F json "$tmp/curl.db")"

check_match "report network: an endpoint whose connect failed" '"receives":0,"sent_bytes":0,"sends":0,"failed":1,' \
	"$("$analyze" report network -F json "$tmp/sockets.db")"

# One Ctrl-C is for the writer of the pipe; two are for us.
mkfifo "$tmp/fifo" "$tmp/hold"
exec 6<>"$tmp/hold"
(
	cat "$tmp/curl.iotap"
	read -r line <"$tmp/hold"
) >"$tmp/fifo" &
writer=$!
env --default-signal=INT "$analyze" load -o "$tmp/int.db" "$tmp/fifo" 2>"$tmp/int.err" &
loader=$!
wait_for 30 catches $loader INT
sleep 0.5
kill -INT $loader
wait_for 30 has_taken $loader
echo >&6
wait $loader
check_eq "one SIGINT while a pipe is read: it is read to its end" 0 $?
check_eq "and all of it is there" 5 "$(ask -F csv "$tmp/int.db" 'SELECT count(*) FROM event' | tail -n 1 | tr -d '\r')"
wait $writer
(
	cat "$tmp/curl.iotap"
	read -r line <"$tmp/hold"
) >"$tmp/fifo" &
writer=$!
env --default-signal=INT "$analyze" load -o "$tmp/int2.db" "$tmp/fifo" 2>"$tmp/int.err" &
loader=$!
wait_for 30 catches $loader INT
sleep 0.5
kill -INT $loader
wait_for 30 has_taken $loader
kill -INT $loader
wait $loader
check_eq "two: 130" 130 $?
check_eq "and no database" "" "$(ls "$tmp" | grep '^int2')"
kill $writer 2>/dev/null
wait $writer 2>/dev/null
exit $check_failed
