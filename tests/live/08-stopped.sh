# 08-stopped.sh - capture stopped for two seconds or more with a tiny buffer: totals stay exact to the byte
# live check: 5

. tests/lib/trace.sh
need_trace

mkfifo "$tmp/go"
exec 3<>"$tmp/go"
n=0
for size in 1 77 4000; do
	n=$((n + 1))
	background "$w/blocks" "$tmp/s$n" "$tmp/dir/file-$n" 200000 $size 0 "$tmp/go"
	wait_said "$tmp/s$n" ready
done
follow stopped --buffer 1024 "$(said "$tmp/s1" ready)" "$(said "$tmp/s2" ready)" "$(said "$tmp/s3" ready)"
pid=$(capture_pid stopped)
kill -STOP "$pid"
printf ggg >&3
sleep 2
for i in 1 2 3; do wait "$(said "$tmp/s$i" ready)"; done	# however slow they are
kill -CONT "$pid"
status=0
eval "wait \$capture_stopped" || status=$?
# situation: 147
check_eq "status: incomplete, calls are there as sums" 4 $status
laws stopped 4
check_eq "calls were lost one by one" True "$(pick stopped "kind == 'lost_events'" "e['count'] > 0" | sort -u)"
n=0
for size in 1 77 4000; do
	n=$((n + 1))
	check_eq "file $n: calls and bytes of the summary are exact" "200000 $((200000 * size))" \
		"$(pick stopped "kind == 'summary'" "'%d %d' % next((r['write_calls'], r['write_bytes']) for r in e['files'] if r['target'] == '$tmp/dir/file-$n')")"
done
events=$(pick stopped "call == 'write' and path.startswith('$tmp/dir/file-')" | wc -l)
check_that "and most of them are sums ($events of 600000 are events)" [ "$events" -lt 500000 ]
