# 07-flood.sh - three seconds of yes at full speed into a file: nothing lost, every call timed
# live check: 8
#
# The laws hold whatever happens. That nothing is lost is a promise for a machine that has a CPU for
# capture: it goes before what else runs here, and has three tries.

. tests/lib/trace.sh
need_trace

flood() {
	local status=0
	$ahead "$B/iotap-capture" --force -f -o "$tmp/flood.iotap" -- $back timeout 3 yes >/dev/null 2>"$tmp/err" || status=$?
	check_eq "capture ends with the command's status" 124 "$status"
	status=0
	said=$("$B/iotap-decode" --check "$tmp/flood.iotap" 2>&1) || status=$?
	case $status in
	0 | 4) ok "the laws hold" ;;
	*) not_ok "the laws hold" "$said" ;;
	esac
	"$B/iotap-decode" -F json "$tmp/flood.iotap" |
		awk '/^{"type":"event"/ { n++; if (/"latency_ns":null/) timeless++ }
		     /^{"type":"lost_events"/ { lost++ }
		     END { printf "%d %d %d\n", n, timeless, lost }' >"$tmp/counts"
	read -r n timeless lost <"$tmp/counts"
	[ "$lost" = 0 ]
}

flood || flood || flood || :
# situation: 150
check_that "more than 100,000 events ($n)" [ "$n" -gt 100000 ]
check_eq "each with its latency" 0 "$timeless"
check_eq "none lost" 0 "$lost"
