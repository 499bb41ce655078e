# analyze_extension.sh - iotap_vtab.so: a recording in the sqlite3 shell

. tests/lib/check.sh
need_program iotap-analyze iotap_vtab.so tests/golden/assemble
need_tool sqlite3
tmpdir

for name in curl life; do
	"$B/tests/golden/assemble" <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
done
shell() {
	sqlite3 -cmd ".load $B/iotap_vtab" "${db:-:memory:}" "$@" 2>&1
}
for name in curl life; do
	"$B/iotap-analyze" sql -F tsv "$tmp/$name.iotap" 'SELECT * FROM event_v; SELECT * FROM process; SELECT * FROM total_by_target' |
		grep -v '^number\|^id\|^target' | sed 's/\\N//g' | tr '\t' '|' >"$tmp/expected"
	shell "SELECT iotap_open('$tmp/$name.iotap')" 'SELECT * FROM event_v' 'SELECT * FROM process' \
		'SELECT * FROM total_by_target' | sed 1d >"$tmp/got"
	check_files "$name: the same as by iotap-analyze" "$tmp/expected" "$tmp/got"
done
check_eq "it gives the number of calls" 5 "$(shell "SELECT iotap_open('$tmp/curl.iotap')")"
check_match "no such file" "nothing: No such file" "$(shell "SELECT iotap_open('$tmp/nothing')")"
check_match "not a recording" "check.sh: not a recording" "$(shell "SELECT iotap_open('tests/lib/check.sh')")"
check_match "one a connection" "a recording is open in this connection" \
	"$(shell "SELECT iotap_open('$tmp/curl.iotap')" "SELECT iotap_open('$tmp/life.iotap')")"
check_match "after a failure another try is possible" '^5$' \
	"$(shell "SELECT iotap_open('$tmp/nothing')" 2>/dev/null; shell "SELECT iotap_open('$tmp/curl.iotap')")"
db=$tmp/own.db
sqlite3 "$db" 'CREATE TABLE process (mine); INSERT INTO process VALUES (7); CREATE VIEW trap AS SELECT iotap_open('"'$tmp/curl.iotap'"') AS n'
check_match "a view of a database cannot open files" "unsafe use of iotap_open" "$(shell 'SELECT * FROM trap')"
shell "SELECT iotap_open('$tmp/curl.iotap')" >/dev/null
check_eq "nothing is left in the database" "process trap" \
	"$(sqlite3 "$db" 'SELECT group_concat(name, " ") FROM sqlite_schema')"
