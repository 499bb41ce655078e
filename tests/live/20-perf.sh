# 20-perf.sh - perf's counter of sys_exit as the witness of ours

. tests/lib/trace.sh
need_trace
perf stat -e raw_syscalls:sys_exit -x, -o "$tmp/perf" true 2>"$tmp/err" ||
	skip_all "perf stat -e raw_syscalls:sys_exit: $(head -n 1 "$tmp/err" 2>/dev/null)"

mkfifo "$tmp/go"
exec 3<>"$tmp/go"
background "$w/blocks" "$tmp/s" "$tmp/dir/file" 30000 10 0 "$tmp/go"
pid=$!
wait_said "$tmp/s" ready
wait_for 5 grep -q '^0 ' "/proc/$pid/syscall"
background perf stat -e raw_syscalls:sys_exit -x, -o "$tmp/perf" -p "$pid"
perf=$!
wait_for 5 sh -c "ls -l /proc/$perf/fd | grep -q perf_event"
follow counted "$pid"
sleep 0.2
echo g >&3
wait "$pid"
eval "wait \$capture_counted"
wait "$perf"
laws counted
ours=$("$B/iotap-decode" --check "$tmp/counted.iotap" | awk '$2 == "exits" { print $NF; exit }')
check_eq "exits" "$(awk -F, '/sys_exit/ { print $1 }' "$tmp/perf")" "$ours"
