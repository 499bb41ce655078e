# decode.sh - iotap-decode as a program: inputs, exit statuses, signals, --check, --dump, -F events
#
# What it says of recordings is tests/golden's; damaged ones are tests/cli/report_bad_inputs.sh's.

. tests/lib/check.sh
need_program iotap-decode iotap-report tests/golden/assemble
tmpdir
decode="$B/iotap-decode"

assemble() {
	"$B/tests/golden/assemble"
}
for name in curl loss abrupt epochs; do
	assemble <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
done

# Inputs.
expected=$("$decode" -q "$tmp/curl.iotap" 2>/dev/null)
check_eq "a file" "$expected" "$("$decode" -q "$tmp/curl.iotap" 2>/dev/null)"
check_eq "standard input" "$expected" "$("$decode" -q <"$tmp/curl.iotap" 2>/dev/null)"
check_eq "-" "$expected" "$("$decode" -q - <"$tmp/curl.iotap" 2>/dev/null)"
check_eq "a file behind --" "$expected" "$("$decode" -q -- "$tmp/curl.iotap" 2>/dev/null)"
check_eq "a fifo" "$expected" "$(cat "$tmp/curl.iotap" | "$decode" -q /dev/fd/0 2>/dev/null)"
check_eq "two are merged by time" "1700000000100000000 1790259200004541000" \
	"$("$decode" -F json "$tmp/curl.iotap" "$tmp/loss.iotap" | grep '"event"' | sed -n '1p;4p' |
		sed 's/.*"time_ns":\([0-9]*\).*/\1/' | tr '\n' ' ' | sed 's/ $//')"
check_match "a pipe is tracing" "iotap: tracing 4242 \(curl\); press Ctrl-C to stop" \
	"$(cat "$tmp/curl.iotap" | "$decode" -q 2>&1 >/dev/null)"
check_match "--replaying names the recording" "iotap: replaying x\\?y \(made by iotap-capture 0.1.0\): 4242" \
	"$(cat "$tmp/curl.iotap" | "$decode" -q --replaying "$(printf 'x\ny')" 2>&1 >/dev/null)"

# Exit statuses.
check_status "a whole recording" 0 "$decode" "$tmp/curl.iotap"
check_status "calls lost" 4 "$decode" "$tmp/loss.iotap"
check_status "no end" 4 "$decode" "$tmp/abrupt.iotap"
check_status "no end, no summary" 4 "$decode" --no-summary "$tmp/abrupt.iotap"
# situation: 128
check_eq "-i of no interface: a warning behind the start, one that has it none" \
	'iotap: no interface is called "LO" at the start; did you mean "lo"?' \
	"$("$decode" -q -i LO -i lo tests/golden/captured/demo.iotap 2>&1 >/dev/null | sed -n 2p)"
for session in 1 2; do
	sed "s/session=1/session=$session/; s/release=/boot_id=\"b\" release=/" tests/golden/rec/curl.rec |
		assemble >"$tmp/part.$session"
done
check_eq "-i of no interface: once for the files of one machine" "1 1" "$("$decode" -q -i no0 "$tmp/part.1" 2>&1 |
	grep -c 'called "no0"') $("$decode" -q -i no0 "$tmp/part.1" "$tmp/part.2" 2>&1 | grep -c 'called "no0"')"
check_status "-i of no interface: no failure" 0 "$decode" -q -i nosuch tests/golden/captured/demo.iotap
check_status "no such file" 1 "$decode" "$tmp/none.iotap"
check_status "a folder" 1 "$decode" "$tmp"
check_status "text" 1 "$decode" tests/golden/rec/curl.rec
check_match "text is named, with the remedy" "iotap-decode: .*curl.rec is text" \
	"$("$decode" tests/golden/rec/curl.rec 2>&1)"
check_match "JSON Lines are named, with the remedy" "JSON Lines.*-F events" \
	"$("$decode" -F json "$tmp/curl.iotap" | "$decode" 2>&1)"
for wrong in "-F xml" "-F xml" "--files-only --net-only" "--files-only -i lo" "--check --dump" "--pid 0" \
	"--pid x" "--from noon" "--top -1" "-F events - -"; do
	# shellcheck disable=SC2086
	check_status "usage: $wrong" 2 "$decode" $wrong "$tmp/curl.iotap"
done
status=0
"$decode" "$tmp/curl.iotap" >/dev/full 2>"$tmp/err" || status=$?
check_eq "a full device: status" 1 "$status"
check_match "a full device: says so" "iotap-decode: standard output: No space left on device" "$(cat "$tmp/err")"

# A reader that has enough ends it in silence.
python3 - >"$tmp/long.rec" <<'END'
print(open('tests/golden/rec/abrupt.rec').read().split('block calls')[0])
for block in range(40):
    print('block calls')
    for i in range(500):
        print(f'call key={5100000000 + block * 1000000 + i * 1000} duration=200 tid=10 tgid=10 call=read flags=fd fd=3 id=1 result={i}')
print('block end\nend time_ns=6000000000 reason=1')
END
assemble <"$tmp/long.rec" >"$tmp/long.iotap"
for format in text json events; do
	status=$({ "$decode" -F $format "$tmp/long.iotap" 2>"$tmp/err"; echo $? >"$tmp/status"; } | head -c 1000 >/dev/null
		cat "$tmp/status")
	# situation: 121
	check_eq "-F $format | head: status" 0 "$status"
	check_no_match "-F $format | head: nothing said of it" "iotap-decode:" "$(cat "$tmp/err")"
done

# The first SIGINT is not for who reads a pipe; the second ends it at once.
mkfifo "$tmp/fifo"
(trap - INT; exec "$decode" - <"$tmp/fifo" >"$tmp/out" 2>&1) &
pid=$!
exec 9>"$tmp/fifo"
head -c 700 "$tmp/long.iotap" >&9
wait_for 30 grep -q tracing "$tmp/out"
if wait_for 30 catches $pid INT && grep -q 'SigCgt:.*[2367abef]$' /proc/$pid/status; then
	kill -INT $pid
	wait_for 30 has_taken $pid
	tail -c +701 "$tmp/long.iotap" >&9
	exec 9>&-
	status=0
	wait $pid || status=$?
	check_eq "one SIGINT: it reads to the end" 0 "$status"
	check_match "and prints the summary" "20000 calls, 0 failed" "$(cat "$tmp/out")"
	(trap - INT; exec "$decode" - <"$tmp/fifo" >"$tmp/out" 2>&1) &
	pid=$!
	exec 9>"$tmp/fifo"
	head -c 700 "$tmp/long.iotap" >&9
	wait_for 30 grep -q tracing "$tmp/out"
	kill -INT $pid
	wait_for 30 has_taken $pid
	kill -INT $pid
	status=0
	wait $pid || status=$?
	check_eq "two: it ends at once" 130 "$status"
	exec 9>&-
else
	exec 9>&-
	wait $pid
	skip "SIGINT" "it is ignored here"
fi

# What is there comes out at once, though the input goes on.
(exec "$decode" --no-summary - <"$tmp/fifo" >"$tmp/out" 2>/dev/null) &
pid=$!
exec 9>"$tmp/fifo"
cat "$tmp/abrupt.iotap" >&9
wait_for 30 grep -q pread "$tmp/out"
check_match "an event comes out while the pipe stays open" "pread .*/etc/hosts" "$(cat "$tmp/out")"
exec 9>&-
wait $pid || true

# --check.
check_match "--check: no final counters are no proof" "cannot be proved" "$("$decode" --check "$tmp/curl.iotap")"
check_status "--check: then it is incomplete" 4 "$decode" --check "$tmp/curl.iotap"
whole='counters time_ns=6 final=1 written=5 values=[7,7,5,0,0,0,1,0,1,0,0,0,1,0,0,5]'
sed "s/^end /$whole\n&/" tests/golden/rec/curl.rec | assemble >"$tmp/whole.iotap"
check_status "--check: every law holds" 0 "$decode" --check "$tmp/whole.iotap"
check_match "--check: and the recording is whole" "^the recording is whole" "$("$decode" --check "$tmp/whole.iotap")"
sed "s/^end /$whole\n&/; s/values=.7,7/values=[7,8/" tests/golden/rec/curl.rec | assemble >"$tmp/broken.iotap"
check_status "--check: an exit too many" 1 "$decode" --check "$tmp/broken.iotap"
check_match "--check: names the law" "^BROKEN exits = .*: 8 != 7" "$("$decode" --check "$tmp/broken.iotap")"
sed "s/^end /$whole\n&/; /call=recvfrom/d" tests/golden/rec/curl.rec | assemble >"$tmp/fewer.iotap"
check_match "--check: calls that are not there" "^BROKEN calls here = calls of the end block: 3 != 5" \
	"$("$decode" --check "$tmp/fewer.iotap")"
check_match "--check: a cut" "ends abruptly" "$(head -c 800 "$tmp/whole.iotap" | "$decode" --check)"

# --dump is the text that makes the recording again; the event stream says what the recording says.
for name in curl loss epochs; do
	"$decode" --dump "$tmp/$name.iotap" | assemble >"$tmp/again.iotap"
	check_that "--dump of $name makes it again" cmp "$tmp/$name.iotap" "$tmp/again.iotap"
done
"$decode" -F events --net-only "$tmp/curl.iotap" >"$tmp/net.events"
check_eq "-F events with a filter" "3" "$("$decode" -F json "$tmp/net.events" | grep -c '"event"')"
check_status "of which --check does not expect what is left out" 0 "$decode" --check "$tmp/net.events"
"$decode" -F events --pid 7 "$tmp/curl.iotap" >"$tmp/none.events"
check_eq "-F events of nobody" "0" "$("$decode" -F json "$tmp/none.events" | grep -c '"event"')"

# JSON read back by somebody else: exact numbers, nothing unescaped.
if command -v sqlite3 >/dev/null; then
	assemble <tests/golden/rec/names.rec >"$tmp/names.iotap"
	"$decode" -F json "$tmp/names.iotap" "$tmp/curl.iotap" >"$tmp/lines"
	sed '1s/^/[/; $!s/$/,/; $s/$/]/' "$tmp/lines" >"$tmp/array"
	ask() {
		sqlite3 :memory: "SELECT $1 FROM json_each(CAST(readfile('$tmp/array') AS TEXT))"
	}
	check_eq "every line is JSON" "$(wc -l <"$tmp/lines")" "$(ask 'count(*)')"
	check_eq "numbers are exact" "1790259200104708333" \
		"$(ask "max(json_extract(value, '\$.time_ns')) FILTER (WHERE json_extract(value, '\$.error') = 'EAGAIN')")"
	check_eq "names come back byte for byte" "2F746D702F610A6209631B5B324A5C227F" \
		"$(ask "max(hex(json_extract(value, '\$.target.path'))) FILTER (WHERE json_extract(value, '\$.fd') = 4 AND json_extract(value, '\$.requested') = 4)")"
else
	skip "every line is JSON" "sqlite3 is not installed"
fi

# What cannot be meant.
"$B/tests/golden/assemble" <tests/golden/rec/curl.rec >"$tmp/twin.iotap"
ln "$tmp/twin.iotap" "$tmp/twin2.iotap"
check_match "one file twice: refused" "twin2.iotap: is the same file as .*twin.iotap" \
	"$("$B/iotap-decode" "$tmp/twin.iotap" "$tmp/twin2.iotap" 2>&1)"
check_status "one file twice: 1" 1 "$B/iotap-decode" "$tmp/twin.iotap" "$tmp/twin.iotap"
check_status "one file twice in a report: 1" 1 "$B/iotap-report" "$tmp/twin.iotap" "$tmp/twin.iotap"
cp "$tmp/twin.iotap" "$tmp/copy.iotap"
head -c 700 "$tmp/twin.iotap" >"$tmp/begun.iotap"
for name in copy begun; do
	for program in "iotap-decode" "iotap-report"; do
		check_match "$program: $name, refused" "$name.iotap: is a copy of .*twin.iotap, or a part of it" \
			"$("$B/$program" "$tmp/twin.iotap" "$tmp/$name.iotap" 2>&1)"
	done
done
"$B/iotap-decode" -F events --to 1ms "$tmp/twin.iotap" >"$tmp/part1"
"$B/iotap-decode" -F events --from 1ms "$tmp/twin.iotap" >"$tmp/part2"
check_eq "parts of one session, of other times: read as one" \
	"$("$B/iotap-decode" -F json "$tmp/twin.iotap" | grep -c '"type":"event"')" \
	"$("$B/iotap-decode" -F json "$tmp/part1" "$tmp/part2" | grep -c '"type":"event"')"
"$B/iotap-decode" -F events "$tmp/twin.iotap" >"$tmp/stream"
"$B/iotap-decode" --salvage -o "$tmp/salvaged" "$tmp/twin.iotap"
for name in stream salvaged part2; do
	for program in "iotap-decode" "iotap-report"; do
		check_match "$program: a recording and its $name, refused" "$name: has calls of .*twin.iotap, too, of whose recording it is" \
			"$("$B/$program" "$tmp/twin.iotap" "$tmp/$name" 2>&1)"
		check_match "$program: its $name and the recording, refused" "twin.iotap: has calls of .*$name, too, of whose recording it is" \
			"$("$B/$program" "$tmp/$name" "$tmp/twin.iotap" 2>&1)"
	done
done
# What was salvaged behind a damaged beginning has another first call.
"$B/tests/golden/assemble" <tests/golden/rec/epochs.rec >"$tmp/epochs.whole"
"$B/iotap-decode" -F events --from 30s "$tmp/epochs.whole" >"$tmp/epochs.end"
for order in "epochs.whole epochs.end" "epochs.end epochs.whole"; do
	check_match "the end of a recording beside it, refused: $order" "has calls of .*, too" \
		"$(cd "$tmp" && "$B/iotap-decode" $order 2>&1)"
done
check_status "--to before --from: 2" 2 "$B/iotap-decode" --from 2s --to 1s "$tmp/twin.iotap"
check_match "an interface that nothing went over is named" "note: --interface: nothing went over 'bogus'" \
	"$("$B/iotap-decode" -i bogus "$tmp/twin.iotap" 2>&1 >/dev/null)"
check_no_match "one that something went over is not" "nothing went over" \
	"$("$B/iotap-decode" -i en0 "$tmp/twin.iotap" 2>&1 >/dev/null)"
