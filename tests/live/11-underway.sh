# 11-underway.sh - one call under way at attach, one unfinished at the end: each counted exactly once
# live check: 11

. tests/lib/trace.sh
need_trace

reading() {
	statements "$tmp/s" | grep -q "^note reading=$1\$"
}

mkfifo "$tmp/fifo"
exec 3<>"$tmp/fifo"
background "$w/underway" "$tmp/s" "$tmp/fifo"
pid=$!
wait_said "$tmp/s" reading
wait_for 30 reads "$pid" "$tmp/fifo"
follow underway "$pid"
for turn in 1 2 3; do
	printf x >&3
	wait_for 30 reading "$turn"
	wait_for 30 reads "$pid" "$tmp/fifo"
done
finish underway
# situation: 152
check_eq "one began before, one is unfinished" "1 1" \
	"$(pick underway "kind == 'summary'" "'%d %d' % (e['calls_started_before_trace'], e['unfinished_calls'])")"
check_eq "the one from before has no latency, the others have" "$(printf '%s\n' 'None 1' 'int 1' 'int 1')" \
	"$(pick underway "call == 'read' and path == '$tmp/fifo'" "('None' if e['latency_ns'] is None else 'int') + ' %d' % e['bytes']")"
printf q >&3
wait "$pid"
