# 26-scale.sh - many threads in calls, many processes, many files, captures at once
# timeout: 600

. tests/lib/trace.sh
need_trace

# 300 reads under way at attach, 300 more and the one of the main thread unfinished at the end.
mkfifo "$tmp/go"
exec 3<>"$tmp/go"
background "$w/crowd" "$tmp/s" 300 "$tmp/go"
pid=$!
wait_said "$tmp/s" ready
all_in_read() {
	[ "$(cat /proc/"$pid"/task/*/syscall 2>/dev/null | grep -c '^0 ')" = "$1" ]
}
wait_for 30 all_in_read 301
follow crowd "$pid"
printf x >&3
wait_said "$tmp/s" more
wait_for 30 all_in_read 601
finish crowd
check_eq "reads under way at attach and at the end" "1 601" \
	"$(pick crowd "kind == 'summary'" "'%d %d' % (e['calls_started_before_trace'], e['unfinished_calls'])")"
printf x >&3
wait "$pid"

trace storm -- sh -c 'i=0; while [ $i -lt 400 ]; do /bin/true >/dev/null; i=$((i + 1)); done'
# situation: 103
check_eq "each of 400 brief programs is told, its exec and its end" "400 401 401" \
	"$(for kind in attached exec exited; do pick storm "kind == '$kind'" | wc -l; done | xargs)"

trace evict --buffer 128M -- "$w/evict" "$tmp/e" "$tmp/dir" 30000
stated evict "$tmp/e" --min 900

background "$w/blocks" "$tmp/b" "$tmp/dir/file" 5000 64 0 "$tmp/go"
pid=$!
wait_said "$tmp/b" ready
for i in 1 2 3 4 5 6; do follow "n$i" --buffer 65536 "$pid"; done
printf x >&3
wait "$pid"
for i in 1 2 3 4 5 6; do
	eval "wait \$capture_n$i"
	laws "n$i"
	check_eq "capture $i of six has every write" "5000 320000" \
		"$(pick "n$i" "call == 'write' and path == '$tmp/dir/file'" "e['bytes']" | awk '{ n++; b += $1 } END { print n, b }')"
done

# A bomb that ends: every process of it is followed from its first call, all of them alive at once.
trace bomb -- "$w/bomb" "$tmp/bomb" "$tmp/dir/bomb" 9
check_eq "bomb: so many were there" 1023 "$(said "$tmp/bomb" processes)"
check_eq "bomb: each wrote its 7 bytes, each came and ended, none was refused" "1023 7161 1022 1023 0" \
	"$(pick bomb "call == 'write' and path == '$tmp/dir/bomb'" "'%d %d' % (pid, e['bytes'])" | sort -u |
		awk '{ n++; b += $2 } END { printf "%d %d", n, b }') $(pick bomb "kind == 'attached'" | wc -l) $(pick bomb \
		"kind == 'exited'" | wc -l) $(pick bomb "kind == 'summary'" "sum(e['untraced_children'].values())")"
