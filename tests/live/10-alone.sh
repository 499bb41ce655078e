# 10-alone.sh - no conclusion depends on another call: blocks decoded alone and in reverse order

. tests/lib/trace.sh
need_trace

alone() {
	local said status=0
	said=$(python3 tests/live/alone.py "$B/iotap-decode" "$tmp/$1.iotap" "$tmp" 2>&1) || status=$?
	if [ $status = 0 ]; then ok "$1: alone and in reverse, $said"; else not_ok "$1: alone and in reverse" "$said"; fi
}

trace kinds -- sh -c '"$1" "$2" "$3"; sleep 0.6; rm -rf "$3"/*; "$1" "$2" "$3"' sh "$w/kinds" "$tmp/s" "$tmp/dir"
alone kinds
trace connections -- "$w/connections" "$tmp/c" 3000
alone connections
