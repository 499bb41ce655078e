# analyze_load.sh - iotap-analyze load: what goes in, all or nothing, and the same by every road
#
# The numbers are checked by tests/cli/analyze_sums.sh, questions by tests/cli/analyze_sql.sh.

. tests/lib/check.sh
need_program iotap-analyze iotap-decode tests/golden/assemble
need_tool python3 sqlite3
tmpdir
analyze=$B/iotap-analyze
decode=$B/iotap-decode

for name in curl life sendfile sockets names seconds abrupt loss epochs; do
	"$B/tests/golden/assemble" <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
done

# content DB-OR-RECORDING: every table and the views, the line about the stream aside.
tables='counter clock process target call errno loss notice unfinished event total_by_target total_by_process
total_by_process_target total_by_call total_by_second total_by_error slowest event_v'
content() {
	local table
	for table in $tables; do
		echo "-- $table"
		"$analyze" sql -F json "$1" "SELECT * FROM $table" 2>&1 | grep -v '^iotap-analyze: '
	done
	"$analyze" sql -F json "$1" "SELECT id, session, host, kernel, arch, os, cpus, tool, options, format, lossy,
		start_boot_ns, start_ns, first_ns, last_ns, duration_ns, first_number, calls, complete, end_reason,
		command_pid, command_status FROM recording" 2>&1 | grep -v '^iotap-analyze: '
}

# The same tables from the recording, loaded or not, its event stream, and pipes of both.
for name in curl life sendfile sockets names seconds; do
	check_that "$name: loads" "$analyze" load -o "$tmp/$name.db" "$tmp/$name.iotap"
	content "$tmp/$name.db" >"$tmp/$name.loaded"
	content "$tmp/$name.iotap" >"$tmp/$name.asked"
	check_files "$name: the recording itself answers the same" "$tmp/$name.loaded" "$tmp/$name.asked"
	"$decode" -F events "$tmp/$name.iotap" >"$tmp/$name.events"
	check_that "$name: its event stream loads" "$analyze" load -o "$tmp/$name.ev.db" "$tmp/$name.events"
	content "$tmp/$name.ev.db" >"$tmp/$name.streamed"
	check_files "$name: the event stream gives the same" "$tmp/$name.loaded" "$tmp/$name.streamed"
	"$decode" -F events "$tmp/$name.iotap" | "$analyze" load -o "$tmp/$name.pipe.db" -
	content "$tmp/$name.pipe.db" >"$tmp/$name.piped"
	check_files "$name: so does a pipe" "$tmp/$name.loaded" "$tmp/$name.piped"
done
check_match "an event stream is marked as one" '^{"stream":1}$' \
	"$("$analyze" sql -F json "$tmp/curl.ev.db" 'SELECT stream FROM recording')"
check_match "whole, and an integrity check agrees" '^ok$' "$(sqlite3 "$tmp/life.db" 'PRAGMA integrity_check')"

# JSON Lines: less, but what there is is the same.
for name in curl life sendfile sockets names seconds; do
	"$decode" -F json --all-ops "$tmp/$name.iotap" >"$tmp/$name.jsonl" 2>/dev/null
	check_that "$name: JSON Lines load" "$analyze" load -o "$tmp/$name.json.db" "$tmp/$name.jsonl"
	for what in "SELECT number, time, pid, tid, call, dir, fd, requested, bytes, error, duration_ms, target FROM event_v" \
		"SELECT t.text, s.reads, s.read_bytes, s.writes, s.written_bytes, s.errors, s.messages, s.unsized
			FROM total_by_target s JOIN target t ON t.id = s.target WHERE t.kind <> 'socket' ORDER BY 1"; do
		# What the kernel only summed has no line: of that JSON Lines have the summary's rows alone.
		[ "$name" != seconds ] || [ "${what#SELECT t.text}" = "$what" ] || continue
		"$analyze" sql "$tmp/$name.db" "$what" >"$tmp/a"
		"$analyze" sql "$tmp/$name.json.db" "$what" >"$tmp/b"
		check_files "$name: JSON Lines say the same of ${what%%,*}" "$tmp/a" "$tmp/b"
	done
done
cp "$tmp/names.json.db" "$tmp/again.db"
check_match "JSON Lines, loaded again: nothing is added, which is said" "was loaded before, nothing added" \
	"$("$analyze" load -o "$tmp/again.db" "$tmp/names.jsonl" 2>&1)"
check_match "JSON Lines, twice in one load: refused" "is the same recording as another input" \
	"$("$analyze" load -o "$tmp/again2.db" "$tmp/names.jsonl" "$tmp/names.jsonl" 2>&1)"
head -n -1 "$tmp/names.jsonl" >"$tmp/unsummed.jsonl"
check_that "JSON Lines with a line less are others" "$analyze" load -o "$tmp/again.db" "$tmp/unsummed.jsonl"
ledger="SELECT (SELECT count(*) FROM blind_spots WHERE recording = r.id), (SELECT count(*) FROM counter WHERE recording = r.id) > 0
FROM recording AS r ORDER BY id"
spots=$(($(grep -c '^BLIND(' decode/blind_spots.def) + 1))	# and the time that tracing was paused
check_eq "JSON Lines: what was not seen is there if the summary is, else nothing" "$spots 1 0 0 " \
	"$("$analyze" sql -F tsv "$tmp/again.db" "$ledger" | tail -n +2 | tr '\t\n' '  ')"
check_eq "a process: who, and where it runs" "$("$analyze" sql -F csv "$tmp/names.iotap" \
	'SELECT uid, gid, hex(cgroup), container, pid_ns, mnt_ns, net_ns, pid_in_ns FROM process')" \
	"$("$analyze" sql -F csv "$tmp/names.jsonl" \
	'SELECT uid, gid, hex(cgroup), container, pid_ns, mnt_ns, net_ns, pid_in_ns FROM process')"
check_match "a process: a cgroup that is no UTF-8" "^1001,1002,2F737973FF74656D2E736C696365,0123456789ab,4026531836," \
	"$("$analyze" sql -F csv "$tmp/names.jsonl" 'SELECT uid, gid, hex(cgroup), container, pid_ns, 0 FROM process')"
check_eq "JSON Lines: the database says that they leave things out" '{"lossy":1}' \
	"$("$analyze" sql -F json "$tmp/curl.json.db" 'SELECT lossy FROM recording')"
check_eq "64-bit numbers stay exact" '{"time_ns":1790259200104708333}' \
	"$("$analyze" sql -F json "$tmp/curl.jsonl" 'SELECT time_ns FROM event WHERE number = 2')"

# Bad lines have a number, and nothing is loaded.
bad() {
	printf '%s\n' "$2" | cat "$tmp/curl.jsonl" - >"$tmp/bad.jsonl"
	check_status "JSON, $1: status" 1 "$analyze" load -o "$tmp/bad.db" "$tmp/bad.jsonl"
	check_match "JSON, $1: the line is named" "bad.jsonl: line $(wc -l <"$tmp/bad.jsonl"): $3" \
		"$("$analyze" load -o "$tmp/bad.db" "$tmp/bad.jsonl" 2>&1)"
	check_eq "JSON, $1: no database" "" "$(ls "$tmp" | grep '^bad.db')"
}
bad "no JSON" '{"type":"event",' "not a JSON object"
bad "a list" '[1]' "not a JSON object"
bad "no time" '{"type":"event","pid":1,"syscall":"read"}' "an event without time_ns, pid or syscall"
bad "a call nobody knows" '{"type":"event","time_ns":1,"pid":1,"syscall":"frob"}' "a call that this version does not know"
bad "too long" "$(head -c 1100000 /dev/zero | tr '\0' ' ' | sed 's/^/{/')" "longer than"
printf '{"type":"later","x":1}\n' | cat "$tmp/curl.jsonl" - >"$tmp/later.jsonl"
check_that "JSON: a type of a later version is passed over" "$analyze" load -o "$tmp/later.db" "$tmp/later.jsonl"

# Twice, and two.
check_that "loading again: succeeds" "$analyze" load -o "$tmp/curl.db" "$tmp/curl.iotap"
check_match "loading again: says that nothing was added" "curl.iotap: was loaded before, nothing added" \
	"$("$analyze" load -o "$tmp/curl.db" "$tmp/curl.events" 2>&1; "$analyze" load -o "$tmp/curl.db" "$tmp/curl.iotap" 2>&1)"
content "$tmp/curl.db" >"$tmp/again"
check_files "loading again: nothing changed" "$tmp/curl.loaded" "$tmp/again"
check_status "the same one twice in one command" 1 "$analyze" load -o "$tmp/twice.db" "$tmp/curl.iotap" "$tmp/curl.iotap"
check_eq "the same one twice: no database" "" "$(ls "$tmp" | grep '^twice.db')"

sed 's/session=1/session=2/' tests/golden/rec/life.rec | "$B/tests/golden/assemble" >"$tmp/life2.iotap"
sed 's/session=1/session=3/' tests/golden/rec/strange.rec | "$B/tests/golden/assemble" >"$tmp/strange3.iotap"
sed 's/session=1/session=4/' tests/golden/rec/strange.rec | "$B/tests/golden/assemble" >"$tmp/strange4.iotap"
"$analyze" load -o "$tmp/two.db" "$tmp/life.iotap" "$tmp/life2.iotap"
"$analyze" load -o "$tmp/two.db" "$tmp/strange3.iotap" 2>/dev/null
"$analyze" load -o "$tmp/two.db" "$tmp/strange4.iotap" 2>/dev/null
one=$("$analyze" sql "$tmp/life.db" "SELECT count(*), sum(result) FROM event" | tail -n 1)
both=$("$analyze" sql "$tmp/two.db" "SELECT count(*), sum(result) FROM event WHERE number >= r.first_number" 2>&1 | tail -n 1)
per() {
	"$analyze" sql -F csv "$tmp/two.db" "SELECT group_concat(n || ' ' || coalesce(s, 0) || ' ' || d, '; ') FROM (
		SELECT count(*) n, sum(e.bytes) s, count(DISTINCT e.process) d FROM event e JOIN recording r
		ON e.number >= r.first_number AND e.number < r.first_number + (SELECT count(*) FROM event e2
			WHERE e2.number >= r.first_number AND e2.number < coalesce((SELECT min(r2.first_number) FROM recording r2
			WHERE r2.first_number > r.first_number), 1 << 40)) WHERE r.id IN ($1) GROUP BY r.id)" 2>/dev/null |
		tail -n 1 | tr -d '\r'
}
check_eq "two recordings with equal pids stay two" "$(per 1)" "$(per 2)"
check_eq "and two with undefined targets" "$(per 3)" "$(per 4)"
check_eq "every target and process of an event is there" 0 \
	"$("$analyze" sql -F csv "$tmp/two.db" "SELECT count(*) FROM event e LEFT JOIN target_row t ON t.id = e.target
		LEFT JOIN process p ON p.id = e.process WHERE t.id IS NULL OR p.id IS NULL" 2>/dev/null | tail -n 1 | tr -d '\r')"
check_eq "targets are told apart, names share their totals" "4" \
	"$("$analyze" sql -F csv "$tmp/two.db" "SELECT count(DISTINCT recording) FROM target WHERE recording IS NOT NULL" 2>/dev/null | tail -n 1 | tr -d '\r')"
check_eq "integrity of four in one" "ok" "$(sqlite3 "$tmp/two.db" 'PRAGMA integrity_check')"
: "$one" "$both"

# Incomplete ones load as far as they go, and that is said.
check_status "no end: 4" 4 "$analyze" load -o "$tmp/abrupt.db" "$tmp/abrupt.iotap"
check_match "no end: said" "iotap-analyze: .*abrupt.iotap: incomplete: " \
	"$("$analyze" load -o "$tmp/abrupt2.db" "$tmp/abrupt.iotap" 2>&1)"
check_eq "no end: what is intact is there" '{"calls":1,"complete":0}' \
	"$("$analyze" sql -F json "$tmp/abrupt.db" 'SELECT calls, complete FROM recording' 2>/dev/null)"
check_status "lost calls: 4" 4 "$analyze" load -o "$tmp/loss.db" "$tmp/loss.iotap"
check_eq "lost calls: where and why" 'ring 100 10;ring 60 ;queue 4 10 11' \
	"$("$analyze" sql -F csv "$tmp/loss.db" \
		"SELECT group_concat(cause || ' ' || calls || ' ' || coalesce(pids, ''), ';') FROM loss" 2>/dev/null |
		tail -n 1 | tr -d '\r')"
check_status "asking it: 4 again" 4 "$analyze" sql "$tmp/loss.db" 'SELECT 1'
size=$(stat -c %s "$tmp/life.iotap")
failed=
for cut in $(seq 1 37 "$size"); do
	head -c "$cut" "$tmp/life.iotap" >"$tmp/cut.iotap"
	rm -f "$tmp/cut.db"
	status=0
	"$analyze" load -o "$tmp/cut.db" "$tmp/cut.iotap" 2>/dev/null || status=$?
	case $status in
	4) [ "$(sqlite3 "$tmp/cut.db" 'PRAGMA integrity_check')" = ok ] || failed="$failed $cut:integrity" ;;
	1) [ ! -e "$tmp/cut.db" ] || failed="$failed $cut:left" ;;
	*) failed="$failed $cut:$status" ;;
	esac
done
check_eq "cut anywhere: what is intact and 4, or an error and nothing" "" "$failed"

# What is none.
none() {
	check_status "$1: status" 1 "$analyze" load -o "$tmp/none.db" "$2"
	check_match "$1: said" "$3" "$("$analyze" load -o "$tmp/none.db" "$2" 2>&1)"
	check_eq "$1: no database" "" "$(ls "$tmp" | grep '^none.db')"
}
none "no such file" "$tmp/nothing" "nothing: No such file"
none "a folder" "$tmp" "is a directory"
: >"$tmp/empty"
none "an empty file" "$tmp/empty" "is empty"
printf '\211PNG\r\n' >"$tmp/png"
none "a picture" "$tmp/png" "png: not a recording"
none "text" tests/golden/rec/curl.rec "not a recording.*-F events"
none "/dev/zero" /dev/zero "neither a file nor a pipe"
check_status "a database: status" 2 "$analyze" load -o "$tmp/none.db" "$tmp/curl.db"
check_match "a database: what to do with it" "curl.db: is a database already; give it to report or sql" \
	"$("$analyze" load -o "$tmp/none.db" "$tmp/curl.db" 2>&1)"
check_eq "a database: no other" "" "$(ls "$tmp" | grep '^none.db')"

# Into what is not ours, or of a later version.
sqlite3 "$tmp/foreign.db" 'CREATE TABLE t(a); INSERT INTO t VALUES (1)'
cp "$tmp/foreign.db" "$tmp/foreign.before"
check_status "a foreign database: status" 1 "$analyze" load -o "$tmp/foreign.db" "$tmp/curl.iotap"
check_that "a foreign database: untouched" cmp "$tmp/foreign.db" "$tmp/foreign.before"
printf 'notes\n' >"$tmp/notes"
head -c 8192 /dev/urandom >"$tmp/noise"
cp "$tmp/life.iotap" "$tmp/life.too"
"$decode" -F json "$tmp/life.iotap" >"$tmp/life.lines"
for name in foreign.db notes noise life.too life.lines; do
	cp "$tmp/$name" "$tmp/before"
	check_status "into $name: status" 1 "$analyze" load -o "$tmp/$name" "$tmp/curl.iotap"
	check_match "into $name: what it is, and the remedy" \
		"/$name: exists and is no database of iotap: name another place with -o, or remove it first" \
		"$("$analyze" load -o "$tmp/$name" "$tmp/curl.iotap" 2>&1)"
	check_files "into $name: it is as it was" "$tmp/before" "$tmp/$name"
done
cp "$tmp/curl.db" "$tmp/later.db"
sqlite3 "$tmp/later.db" 'PRAGMA user_version = 4'
check_match "a later version: both are named, with the remedy" \
	"later.db: database version 4, this program reads 3; use a newer iotap-analyze" \
	"$("$analyze" load -o "$tmp/later.db" "$tmp/life.iotap" 2>&1)"
check_match "a later version, asked" "database version 4" "$("$analyze" sql "$tmp/later.db" 'SELECT 1' 2>&1)"
cp "$tmp/curl.db" "$tmp/cut.db"
dd if=/dev/zero of="$tmp/cut.db" bs=1 seek=100 count=8 conv=notrunc status=none
check_match "a damaged one: with the remedy" "load the recording into a new database" \
	"$("$analyze" load -o "$tmp/cut.db" "$tmp/life.iotap" 2>&1)"

# Names.
cp "$tmp/curl.iotap" "$tmp/named.iotap"
check_that "without -o" "$analyze" load "$tmp/named.iotap"
check_that "the database is named after the input" test -s "$tmp/named.db"
cp "$tmp/curl.iotap" "$tmp/turned.iotap.12"
check_that "without -o, one of rotated files" "$analyze" load "$tmp/turned.iotap.12"
check_that "its database has no number" test -s "$tmp/turned.db"
check_eq "only its owner may read it" 600 "$(stat -c %a "$tmp/named.db")"
check_status "standard input needs -o" 2 "$analyze" load -
check_eq "no temporary files are left" "" "$(ls "$tmp" | grep 'load-')"

# What is left of another database would be rolled back into ours.
for suffix in journal wal; do
	printf 'x' >"$tmp/new.db-$suffix"
	check_match "a $suffix without a database: refused, with the remedy" "new.db-$suffix: is left of another.*remove it" \
		"$("$analyze" load -o "$tmp/new.db" "$tmp/curl.iotap" 2>&1)"
	check_eq "a $suffix without a database: nothing made or removed" "new.db-$suffix" "$(cd "$tmp" && echo new.db*)"
	rm "$tmp/new.db-$suffix"
done

# Killed, full, locked.
python3 - >"$tmp/long.rec" <<'END'
print(open('tests/golden/rec/abrupt.rec').read().split('block calls')[0])
for block in range(60):
    print('block calls')
    for i in range(1000):
        print(f'call key={5100000000 + block * 1000000 + i * 1000} duration=200 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result={i}')
END
"$B/tests/golden/assemble" <"$tmp/long.rec" >"$tmp/long.iotap"
(ulimit -f 1000; "$analyze" load -o "$tmp/full.db" "$tmp/long.iotap" >/dev/null 2>&1)
check_eq "a file that may not grow: nothing is left" "" "$(ls "$tmp" | grep '^full.db')"
cp "$tmp/curl.db" "$tmp/grow.db"
(ulimit -f 1000; "$analyze" load -o "$tmp/grow.db" "$tmp/long.iotap" >/dev/null 2>&1)
content "$tmp/grow.db" >"$tmp/grow"
check_files "one that may not grow: as it was" "$tmp/curl.loaded" "$tmp/grow"
cp "$tmp/curl.db" "$tmp/killed.db"
for delay in 0.01 0.03 0.06; do
	TMPDIR=$tmp timeout -s KILL "$delay" "$analyze" load -o "$tmp/killed.db" "$tmp/long.iotap" >/dev/null 2>&1
done
calls=$("$analyze" sql -F csv "$tmp/killed.db" "SELECT group_concat(calls) FROM recording" 2>/dev/null | tail -n 1 | tr -d '"\r')
case $calls in
5 | 5,60000) ok "killed: the database is as it was, or whole" ;;
*) not_ok "killed: the database is as it was, or whole" "calls: $calls" ;;
esac
check_eq "killed: integrity" ok "$(sqlite3 "$tmp/killed.db" 'PRAGMA integrity_check')"
# By a signal that can be taken: of a new database nothing is left either.
mkdir "$tmp/ended"
mkfifo "$tmp/slow"
exec 4<>"$tmp/slow"
for signal in TERM USR1 XCPU RTMIN; do
	"$analyze" load -o "$tmp/ended/x.db" "$tmp/slow" 4<&- 2>/dev/null &
	pid=$!
	head -c 4096 "$tmp/long.iotap" >&4
	check_that "a database under way is there" wait_for 20 sh -c "ls -A '$tmp/ended' | grep -q ."
	kill -$signal $pid
	status=0
	wait $pid 2>/dev/null || status=$?
	check_eq "ended by SIG$signal: nothing is left" "$signal " "$(kill -l $status) $(ls -A "$tmp/ended")"
done
exec 4<&-
python3 - "$tmp/curl.db" "$analyze" "$tmp/life.iotap" <<'END' >"$tmp/locked" 2>&1
import sqlite3, subprocess, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute('BEGIN EXCLUSIVE')
p = subprocess.run([sys.argv[2], 'load', '-o', sys.argv[1], sys.argv[3]], stderr=subprocess.PIPE, text=True)
print(p.returncode, p.stderr)
END
check_match "locked by another program: said, with the remedy" "^1 .*locked; another program is using" "$(cat "$tmp/locked")"
