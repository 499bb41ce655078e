# 07-flood.sh - three seconds of yes at full speed into a file: nothing lost, every call timed

. tests/lib/trace.sh
need_trace

status=0
"$B/iotap-capture" -f -o "$tmp/flood.iotap" -- timeout 3 yes >/dev/null 2>"$tmp/err" || status=$?
check_eq "capture ends with the command's status" 124 "$status"
check_that "the laws hold" "$B/iotap-decode" --check "$tmp/flood.iotap"
"$B/iotap-decode" -F json "$tmp/flood.iotap" |
	awk '/^{"type":"event"/ { n++; if (/"latency_ns":null/) timeless++ }
	     /^{"type":"lost_events"/ { lost++ }
	     END { printf "%d %d %d\n", n, timeless, lost }' >"$tmp/counts"
read -r n timeless lost <"$tmp/counts"
check_that "more than 100,000 events ($n)" [ "$n" -gt 100000 ]
check_eq "each with its latency" 0 "$timeless"
check_eq "none lost" 0 "$lost"
