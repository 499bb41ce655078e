# 44-filters.sh - --path, --min-latency, --failed: what is asked for and nothing else; the rest is counted

. tests/lib/trace.sh
need_trace

d=$tmp/dir
# counted NAME FIELD: of the selection, in the summary.
counted() {
	pick "$1" "kind == 'summary'" "e['selection']['$2']"
}
every() {
	pick "$1" "kind in ('event', 'op') and e['syscall'] != 'execve'" "$2" | sort | uniq -c | sed 's/^ *//' | paste -sd,
}

trace whole -- "$w/filtered" "$d"
all=$(pick whole "kind in ('event', 'op')" | wc -l)
check_eq "without a filter there is no selection" "" "$(pick whole "kind == 'summary' and 'selection' in e")"

trace path --path "$d/want/*" -- "$w/filtered" "$d"
check_eq "--path: calls on that file only, the copy from it, none after it was renamed" \
	"2 openat,1 sendfile,24 write" "$(every path "e['syscall'] if path.startswith('$d/want/') or e.get('source', {}).get('path', '').startswith('$d/want/') else 'another: ' + str(target)")"
check_eq "--path: all the others are counted" "$all" \
	"$(($(pick path "kind in ('event', 'op')" | wc -l) + $(counted path filtered_calls)))"
check_that "--path: those with a claimed path apart" [ "$(counted path filtered_claimed)" -ge 6 ]
check_match "--path: the summary says so" "of a selection only: --path $d/want/\*; [0-9]+ calls left out, [0-9]+ of them for a path that is only claimed" \
	"$("$B/iotap-decode" -q "$tmp/path.iotap" 2>/dev/null)"
check_match "--path: the rest of the names are known all the same" "other.txt" "$("$B/iotap-decode" --dump "$tmp/path.iotap")"

rm -rf "$d"/*
trace failed --failed -- "$w/filtered" "$d"
check_eq "--failed: failures only" "" "$(pick failed "kind in ('event', 'op') and e['errno'] == 0")"
check_eq "--failed: all of them" "$(pick whole "kind in ('event', 'op') and e['errno'] != 0" call | sort | uniq -c)" \
	"$(pick failed "kind in ('event', 'op')" call | sort | uniq -c)"

# A listener that is there, a port that nobody has: both connects go on, and the second one fails then.
trace going --failed --calls connect -- python3 -c '
import socket
a = socket.create_server(("127.0.0.1", 0))
b = socket.socket()
b.setblocking(False)
b.connect_ex(a.getsockname())
c = socket.socket()
c.connect_ex(("127.0.0.1", 1))'
check_eq "--failed: a connect that goes on has not failed" connect:ECONNREFUSED \
	"$(pick going "kind == 'op'" "call + ':' + e['error']" | paste -sd,)"

trace both --failed --path "$d/want/a.log" --path "*/nothing" -- "$w/filtered" "$d"
check_eq "--failed --path: both have to agree" "4 write" "$(every both "e['syscall']")"
check_match "and the recording says both" "--path $d/want/a.log --path \*/nothing --failed" \
	"$(counted both options)"

trace slow --min-latency 250ms --calls read -- "$w/filtered" "$d"
check_eq "--min-latency: a restarted read counts from its beginning" 1 \
	"$(pick slow "call == 'read' and e['bytes'] == 1 and e['latency_ns'] >= 300000000" | wc -l)"
check_eq "--min-latency: nothing faster" "" "$(pick slow "kind in ('event', 'op') and e['latency_ns'] < 250000000")"
check_match "it is in the largest unit" "--calls read --min-latency 250ms" "$(counted slow options)"

"$B/iotap-decode" -F events "$tmp/both.iotap" >"$tmp/both.stream"
check_eq "an event stream is a selection, too" "$(counted both options)" \
	"$("$B/iotap-decode" -F json "$tmp/both.stream" | tail -n 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["selection"]["options"])')"
check_eq "the database has the counters" "$(counted path filtered_calls) $(counted path filtered_claimed)" \
	"$("$B/iotap-analyze" sql -F tsv "$tmp/path.iotap" "select value from counter where name like 'filtered%' order by name" | tail -n +2 | paste -sd' ')"

# Sums of calls that found no room are sums of those that passed.
mkfifo "$tmp/go"
exec 3<>"$tmp/go"
for i in 1 2; do
	background "$w/blocks" "$tmp/s$i" "$d/file-$i" 100000 77 0 "$tmp/go"
	wait_said "$tmp/s$i" ready
done
follow loss --path "*/file-1" --buffer 1024 "$(said "$tmp/s1" ready)" "$(said "$tmp/s2" ready)"
pid=$(capture_pid loss)
kill -STOP "$pid"
printf gg >&3
for i in 1 2; do wait "$(said "$tmp/s$i" ready)"; done
kill -CONT "$pid"
status=0
eval "wait \$capture_loss" || status=$?
check_eq "with a full ring: incomplete" 4 $status
laws loss 4
check_eq "with a full ring: the sums of the file are exact, and the other's are not there" \
	"$d/file-1 100000 7700000" \
	"$(pick loss "kind == 'summary'" "'\\n'.join('%s %d %d' % (r['target'], r['write_calls'], r['write_bytes']) for r in e['files'])")"
check_that "with a full ring: the other's are counted" [ "$(counted loss filtered_calls)" -ge 100000 ]
