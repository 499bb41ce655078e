# run.sh - recordings that are stories, and what iotap-decode says of each: TESTLIST
#
# rec/NAME.rec is a recording as text; out/TEST is what is expected: standard output, then "-- stderr",
# standard error, then "-- status N". Each test is run three times: on a file, and on a pipe that gives
# the recording byte by byte and in pieces of odd sizes; and once more by way of the event stream, unless
# a line of the recording says "# no stream" and why. All must say the same. To see what a test says now: UPDATE=TEST bash tests/golden/run.sh writes it (read it!).

. tests/lib/check.sh
need_program iotap-decode tests/golden/assemble
tmpdir
export TZ=UTC

# decode NAME [OPTION...] FILE: what is compared, in $tmp/NAME.
decode() {
	local to=$tmp/$1 status=0
	shift
	"$B/iotap-decode" --replaying the-recording "$@" >"$to" 2>"$to.err" || status=$?
	{
		echo "-- stderr"
		cat "$to.err"
		echo "-- status $status"
	} >>"$to"
}

assemble() {
	"$B/tests/golden/assemble" "$@" <"tests/golden/rec/$recording.rec"
}

while read -r name recording options; do
	case "$name" in
	'' | '#'*) continue ;;
	esac
	assemble >"$tmp/$recording.iotap" || {
		not_ok "$name: assembles"
		continue
	}
	# shellcheck disable=SC2086
	decode "$name" $options "$tmp/$recording.iotap"
	[ "${UPDATE:-}" != "$name" ] && [ "${UPDATE:-}" != ALL ] || cp "$tmp/$name" "tests/golden/out/$name"
	check_files "$name" "tests/golden/out/$name" "$tmp/$name"
	# shellcheck disable=SC2086
	assemble 1 | decode "$name.bytes" $options -
	check_files "$name, byte by byte" "$tmp/$name" "$tmp/$name.bytes"
	# shellcheck disable=SC2086
	assemble 63 1 200 17 5 1000 | decode "$name.pieces" $options -
	check_files "$name, in pieces" "$tmp/$name" "$tmp/$name.pieces"
	grep -q '^# no stream' "tests/golden/rec/$recording.rec" && continue
	"$B/iotap-decode" -F events "$tmp/$recording.iotap" >"$tmp/$recording.stream"
	# shellcheck disable=SC2086
	decode "$name.events" $options "$tmp/$recording.stream"
	check_files "$name, by way of the event stream" "$tmp/$name" "$tmp/$name.events"
done <tests/golden/TESTLIST
