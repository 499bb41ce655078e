# 28-reuse.sh - a process under the number of one that was traced is another process

. tests/lib/trace.sh
need_trace

mkfifo "$tmp/go"
exec 3<>"$tmp/go"
background "$w/reuse" "$tmp/s" "$tmp/dir" "$tmp/go"
work=$!
wait_said "$tmp/s" child
wait_for 30 reads "$(said "$tmp/s" child)" "$tmp/go"
sleep 600 &
idle=$!
check_pids="$check_pids $idle"
follow reuse -f "$(said "$tmp/s" child)" "$idle"
echo g >&3
wait "$work"
finish reuse
[ "$(said "$tmp/s" second)" = "$(said "$tmp/s" child)" ] ||
	skip "the number is used again" "clone3 with set_tid: $(said "$tmp/s" second)"
check_eq "the first is traced" 100 "$(pick reuse "call == 'write' and path == '$tmp/dir/first'" "e['bytes']")"
# situation: 102
check_eq "the second is not" 0 "$(pick reuse "path == '$tmp/dir/second'" | wc -l)"
