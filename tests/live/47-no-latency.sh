# 47-no-latency.sh - --no-latency: calls are seen when they end only, and everything but their time is right

. tests/lib/trace.sh
need_trace

trace restarts --no-latency -- "$w/restarts" "$tmp/restarts.said"
stated restarts "$tmp/restarts.said" --min 9 --untimed
trace kinds --no-latency -- "$w/kinds" "$tmp/kinds.said" "$tmp/dir"
stated kinds "$tmp/kinds.said" --min 80 --only-pids --untimed
trace tables --no-latency -- "$w/tables" "$tmp/tables.said" "$tmp/dir"
stated tables "$tmp/tables.said" --min 40 --only-pids --untimed

# The file's position is where the call began, not where it ended.
trace offsets --no-latency -- sh -c 'dd if=/dev/zero of="$1" bs=100 count=3; dd if="$1" of=/dev/null bs=150' sh \
	"$tmp/dir/offsets"
check_eq "offsets are those before the call" "write 0 write 100 write 200 read 0 read 150 read 300" \
	"$("$B/iotap-analyze" sql -F tsv "$tmp/offsets.iotap" "select c.name, e.offset from event e
		join call c on c.id = e.call join target t on t.id = e.target
		where t.path = '$tmp/dir/offsets' and c.name in ('read', 'write') order by e.number" |
		tail -n +2 | tr '\t\n' '  ' | sed 's/ $//')"

# One that sleeps when tracing stops is found by its registers.
mkfifo "$tmp/never"
background sh -c 'exec 3<>"$1"; read -r x <&3; read -r x <&3' sh "$tmp/never"
sleeper=$!
follow asleep --no-latency "$sleeper"
echo >"$tmp/never"
wait_for 30 reads "$sleeper" "$tmp/never"
finish asleep
check_eq "the read that it sleeps in is there, unfinished" 1 "$(pick asleep "kind == 'summary'" "e['unfinished_calls']")"

# No reader makes zeros of it.
"$B/iotap-decode" -F text "$tmp/kinds.iotap" >"$tmp/kinds.text" 2>/dev/null
check_eq "no sum of latencies in JSON" "None" \
	"$(pick kinds "kind == 'summary'" "[r['latency_ns'] for r in e['files'] + e['other'] + e['network'] + e['ops']]" |
		tr -d '[],' | tr ' ' '\n' | sort -u)"
check_that "the summary says so" grep -q "latency not recorded" "$tmp/kinds.text"
check_eq "the report of calls has no time" "" \
	"$("$B/iotap-analyze" report calls -F tsv "$tmp/kinds.iotap" | tail -n +2 | cut -f 6-8 | tr -d '\\N\t\n')"
"$B/iotap-report" --html "$tmp/kinds.html" "$tmp/kinds.iotap"
check_that "the page says so" grep -q "Latency not recorded" "$tmp/kinds.html"
