# 09-replay.sh - replaying a recording prints what the live run printed, byte for byte
# live check: 12

. tests/lib/trace.sh
need_trace
need_program iotap

live() {
	local format=$1 name=$2
	shift 2
	"$B/iotap" $format --record "$tmp/$name.iotap" --output "$tmp/$name.live" -f -- "$@" >/dev/null 2>"$tmp/$name.live.err"
	check_eq "$name: live status" 0 $?
	"$B/iotap" $format --replay "$tmp/$name.iotap" >"$tmp/$name.again" 2>"$tmp/$name.again.err"
	check_eq "$name: replay status" 0 $?
	# situation: 77
	check_files "$name: the replay is the live output" "$tmp/$name.live" "$tmp/$name.again"
	check_that "$name: and it is some" [ "$(wc -l <"$tmp/$name.live")" -gt 50 ]
}

live --json json "$w/kinds" "$tmp/s1" "$tmp/dir"
rm -rf "$tmp/dir"; mkdir "$tmp/dir"
live "" text "$w/kinds" "$tmp/s2" "$tmp/dir"
live "--json --all-ops" ops sh -c 'ls -l / | grep . | sort; true'
