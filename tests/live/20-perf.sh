# 20-perf.sh - perf's counter of sys_exit as the witness of ours

. tests/lib/trace.sh
need_trace
perf stat -e raw_syscalls:sys_exit -x, -o "$tmp/perf" true 2>"$tmp/err" ||
	skip_all "perf stat -e raw_syscalls:sys_exit: $(head -n 1 "$tmp/err" 2>/dev/null)"

mkfifo "$tmp/go" "$tmp/ask" "$tmp/answer"
exec 3<>"$tmp/go" 4<>"$tmp/ask" 5<>"$tmp/answer"
background "$w/blocks" "$tmp/s" "$tmp/dir/file" 30000 10 0 "$tmp/go"
pid=$!
wait_said "$tmp/s" ready
wait_for 30 reads "$pid" "$tmp/go"
# Both count before the one call that is under way comes back.
background perf stat -D -1 --control "fifo:$tmp/ask,$tmp/answer" -e raw_syscalls:sys_exit -x, -o "$tmp/perf" -p "$pid" 2>"$tmp/err"
perf=$!
echo enable >&4
read -r -t 30 answer <&5 || skip_all "perf stat --control: no answer"
check_eq "perf counts" ack "$answer"
follow counted "$pid"
echo g >&3
wait "$pid"
eval "wait \$capture_counted"
wait "$perf"
laws counted
ours=$("$B/iotap-decode" --check "$tmp/counted.iotap" | awk '$2 == "exits" { print $NF; exit }')
check_eq "exits" "$(awk -F, '$3 ~ /sys_exit/ || $2 ~ /sys_exit/ { print $1 }' "$tmp/perf" | tail -n 1)" "$ours"
