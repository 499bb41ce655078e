# 06-two.sh - two captures of one workload at once: both complete and equal
# live check: 7

. tests/lib/trace.sh
need_trace

mkfifo "$tmp/go"
background "$w/blocks" "$tmp/s" "$tmp/dir/file" 20000 512 0 "$tmp/go"
pid=$!
exec 3<>"$tmp/go"
wait_said "$tmp/s" ready
follow one "$pid"
follow two "$pid"
echo g >&3
wait "$pid"
eval "wait \$capture_one; wait \$capture_two"
laws one
laws two
for name in one two; do
	pick $name "call in ('write', 'read') and e['bytes']" \
		"(tid, call, e['fd'], e['bytes'], e['offset'], path)" >"$tmp/$name.rows"
	check_eq "$name has all writes" 20000 "$(pick $name "call == 'write' and path == '$tmp/dir/file'" | wc -l)"
done
# situation: 149
check_files "both tell the same" "$tmp/one.rows" "$tmp/two.rows"
