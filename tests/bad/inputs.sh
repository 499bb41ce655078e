# inputs.sh - what iotap-decode says of inputs that are no recording, or no longer a whole one
#
# tests/unit/formats/damage_test.c and mutate_test.c try every length and every bit against the reader;
# here a few go through the whole program: the message, the exit status, the events before and after.

. tests/lib/check.sh
need_program iotap-decode tests/golden/assemble
tmpdir

good=$tmp/good.iotap
grep -vE '^(loss|aggregate|counters) ' tests/fuzz/seeds/recording/small.txt | "$B/tests/golden/assemble" >"$good"

# refused NAME STATUS WORDS: what $tmp/in gives, as a file and through a pipe.
refused() {
	local status how
	for how in file pipe; do
		status=0
		if [ "$how" = file ]; then
			"$B/iotap-decode" "$tmp/in" >"$tmp/out" 2>"$tmp/err" || status=$?
		else
			cat "$tmp/in" | "$B/iotap-decode" - >"$tmp/out" 2>"$tmp/err" || status=$?
		fi
		check_eq "$1, $how: exit status" "$2" "$status"
		check_match "$1, $how: message" "$3" "$(cat "$tmp/err")"
		[ "$2" = 4 ] || check_eq "$1, $how: nothing on stdout" "" "$(cat "$tmp/out")"
	done
}

: >"$tmp/in"
refused "empty" 1 'is empty'
printf 'SQLite format 3\0rest' >"$tmp/in"
refused "a database" 1 'is a SQLite database.*iotap-analyze'
printf '{"type":"event"}\n' >"$tmp/in"
refused "JSON Lines" 1 'is JSON Lines.*-F events'
printf '10:00:00 curl read 5 bytes\n' >"$tmp/in"
refused "text" 1 'is text.*-F events'
head -c 5000 /bin/sh >"$tmp/in"
refused "a program" 1 'is an ELF file'
gzip -c "$good" >"$tmp/in"
refused "compressed" 1 'is compressed by gzip.*zcat'
printf 'block header\nhost format_major=2 format_minor=5 tool="iotap-capture 9.9"\n' |
	"$B/tests/golden/assemble" >"$tmp/in"
refused "a newer version" 1 'version 2.5.*iotap-capture 9.9.*newer iotap'
status=0
"$B/iotap-decode" /tmp >/dev/null 2>"$tmp/err" || status=$?
check_eq "a directory: exit status" 1 "$status"
check_match "a directory: message" 'is a directory' "$(cat "$tmp/err")"

# Cut: the events of what is left, and that it ends abruptly.
events() {
	status=0
	"$B/iotap-decode" -F json --all-ops --no-summary "$1" 2>"$tmp/err" | grep -E '"type":"(event|op)"' || true
	"$B/iotap-decode" --no-summary "$1" >/dev/null 2>"$tmp/err" || status=$?
}

events "$good" >"$tmp/all"
events "$good" >/dev/null
check_eq "whole: exit status" 0 "$status"
size=$(wc -c <"$good")
wrong=
for cut in 1 63 64 100 200 300 400 500 600 700 800 900 950 $((size - 1)); do
	head -c "$cut" "$good" >"$tmp/in"
	events "$tmp/in" >"$tmp/some"
	events "$tmp/in" >/dev/null
	[ "$status" = 4 ] || wrong+=" $cut:status-$status"
	grep -q 'ends abruptly' "$tmp/err" || wrong+=" $cut:message"
	head -n "$(wc -l <"$tmp/some")" "$tmp/all" | cmp -s - "$tmp/some" || wrong+=" $cut:events"
done
check_eq "cut anywhere: status 4, says so, and gives the events before" "" "$wrong"

# One byte changed anywhere: said, and nothing worse than status 4.
wrong=
for ((at = 0; at < size; at += 37)); do
	cp "$good" "$tmp/in"
	printf '\xa5' | dd of="$tmp/in" bs=1 seek="$at" conv=notrunc status=none
	cmp -s "$good" "$tmp/in" && continue
	status=0
	"$B/iotap-decode" "$tmp/in" >/dev/null 2>"$tmp/err" || status=$?
	[ "$status" = 4 ] || wrong+=" $at:status-$status"
	grep -qiE 'damage|could not be used|abruptly' "$tmp/err" || wrong+=" $at:message"
done
check_eq "a byte changed anywhere: status 4 and a message" "" "$wrong"

# Two recordings in one file: the second is named, not mixed in.
printf 'block header session=5\nhost os=1\nblock state\nclock boot_ns=5\nblock end\nend reason=1\n' |
	"$B/tests/golden/assemble" >"$tmp/other"
cat "$good" "$tmp/other" >"$tmp/in"
refused "two recordings in one file" 4 'another recording'
