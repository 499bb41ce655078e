# 51-flight.sh - the flight recorder: the latest calls, when asked, when a rule is met, at the end

. tests/lib/trace.sh
need_trace

mkdir "$tmp/r"
whole() {
	check_status "$1: whole" 0 "$B/iotap-decode" --check "$2"
}
calls() {
	"$B/iotap-decode" -F json --all-ops "$1" 2>/dev/null | grep -E '^\{"type":"(event|op)"'
}

# Until the steady one has made some more, and capture has had the time to take them.
more_calls() {
	local more
	more=$(($(stat -c %s "$tmp/dir/steady") + 10000))
	wait_for 30 sh -c "[ \$(stat -c %s '$tmp/dir/steady') -gt $more ]"
	sleep 0.3
}

# Asked by signal, twice: each call is in one file at most, and the memory has a bound.
background "$B/iotap-capture" -f -o "$tmp/r/t.iotap" --flight 1M -- \
	"$w/rate" "$tmp/dir/said" "$tmp/dir/steady" 100000 60000 >"$tmp/out" 2>&1
capture=$!
wait_for 30 test -s "$tmp/dir/said"
sleep 1
more_calls
check_eq "no file before it is asked for one" "" "$(ls "$tmp/r")"
kill -USR1 $capture
check_that "a file when asked" wait_for 30 test -s "$tmp/r/t.iotap.1"
more_calls
kill -USR1 $capture
check_that "another one when asked again" wait_for 30 test -s "$tmp/r/t.iotap.2"
more_calls
kill "$(sed -n 's/^ready //p' "$tmp/dir/said")"
wait $capture
check_eq "and one at the end" "t.iotap.1 t.iotap.2 t.iotap.3" "$(ls "$tmp/r" | tr '\n' ' ' | sed 's/ $//')"
for i in 1 2 3; do
	whole "file $i" "$tmp/r/t.iotap.$i"
	check_that "file $i: no larger than the memory" test "$(stat -c %s "$tmp/r/t.iotap.$i")" -le 1100000
	calls "$tmp/r/t.iotap.$i" | grep '"syscall":"pwrite64"' >"$tmp/calls$i"
	check_that "file $i: has calls" test -s "$tmp/calls$i"
	check_eq "file $i: all with their name" "" "$(grep -v '/steady"' "$tmp/calls$i" | head -n 2)"
done
check_eq "no call is in two files" "" "$(cat "$tmp"/calls? | sort | uniq -d | head -n 2)"
check_that "they follow each other" sort -c -t: -k3 "$tmp/calls2"
check_match "the first says who asked" "flight recorder: copied on request" \
	"$("$B/iotap-decode" -F json "$tmp/r/t.iotap.1" 2>/dev/null | grep '"type":"notice"')"
check_match "the end says what it is" 'reason=dumped' "$("$B/iotap-decode" --dump "$tmp/r/t.iotap.1" | tail -n 2)"

# Rules.
rule() {
	local name=$1 rule=$2
	shift 2
	rm -f "$tmp/r"/*
	timeout 60 "$B/iotap-capture" -f -o "$tmp/r/t.iotap" --flight 4M --trigger "$rule" -- "$@" >"$tmp/out" 2>&1
	check_eq "$name: a file, and one at the end" "t.iotap.1 t.iotap.2" "$(ls "$tmp/r" | tr '\n' ' ' | sed 's/ $//')"
	whole "$name" "$tmp/r/t.iotap.1"
	"$B/iotap-decode" -F json "$tmp/r/t.iotap.1" 2>/dev/null | grep '"type":"notice"' >"$tmp/notices"
	check_that "$name: it says which" grep -qF "copied by --trigger $rule" "$tmp/notices"
}
copied="until [ -e '$tmp/r/t.iotap.1' ]; do sleep 0.05; done"
rule "errno" errno=EISDIR sh -c "cat /etc/passwd; cat / ; $copied; cat /etc/hostname"
check_match "errno: the call is in it" '"error":"EISDIR"' "$(calls "$tmp/r/t.iotap.1" | grep EISDIR | head -n 3)"
check_eq "errno: and not what came after" 0 "$(calls "$tmp/r/t.iotap.1" | grep -c /etc/hostname)"
mkfifo "$tmp/slow"
rule "latency" "latency>400ms" sh -c "sleep 0.5 >'$tmp/slow' & cat '$tmp/slow'; $copied"
echo x >"$tmp/dir/precious"
rule "path" "path=*/precious" sh -c "cat /etc/passwd; cat '$tmp/dir/precious'; $copied; cat /etc/hostname"
check_match "path: the call is in it" '/precious' "$(calls "$tmp/r/t.iotap.1" | grep precious | head -n 3)"

# A rule that is always met writes once a second, and --keep bounds it.
rm -f "$tmp/r"/*
read -r began _ </proc/uptime
timeout 60 "$B/iotap-capture" -f -o "$tmp/r/t.iotap" --flight 1M --trigger "latency>0" --keep 2 -- \
	"$w/rate" "$tmp/dir/said" "$tmp/dir/steady" 10000 2500 >"$tmp/out" 2>&1
read -r ended _ </proc/uptime
took=$((${ended%.*} - ${began%.*} + 1))
last=$(ls -v "$tmp/r" | tail -n 1)
check_that "a rule that is always met: at most once a second" test "${last##*.}" -le $((took + 2))
check_that "a rule that is always met: again and again" test "${last##*.}" -ge 3
check_eq "--keep bounds them" 2 "$(ls "$tmp/r" | wc -l)"

# No room for a copy: it goes on, and says so in the next one.
if mkdir "$tmp/small" && mount -t tmpfs -o size=64k tmpfs "$tmp/small" 2>/dev/null; then
	head -c 65536 /dev/zero >"$tmp/small/fill"
	background "$B/iotap-capture" -f -o "$tmp/small/t.iotap" --flight 1M -- \
		"$w/rate" "$tmp/dir/said3" "$tmp/dir/steady" 2000 60000 >"$tmp/out" 2>&1
	capture=$!
	wait_for 30 test -s "$tmp/dir/said3"
	sleep 0.7
	# It has been tried when the directory has had a file, and has none any more.
	before=$(stat -c %y "$tmp/small")
	tried() {
		[ "$(stat -c %y "$tmp/small")" != "$before" ] && [ "$(ls "$tmp/small")" = fill ]
	}
	kill -USR1 $capture
	check_that "no room: no half file" wait_for 30 tried
	rm "$tmp/small/fill"
	kill "$(sed -n 's/^ready //p' "$tmp/dir/said3")"
	status=0
	wait $capture || status=$?
	check_that "no room: one at the end all the same" sh -c "ls '$tmp/small' | grep -q 't.iotap.[0-9]'"
	said=$("$B/iotap-decode" -F json "$tmp/small"/t.iotap.* 2>/dev/null | grep '"type":"notice"')
	check_match "no room: and the recording says so" "No space left" "$said"
	umount "$tmp/small"
else
	skip "no room for a copy" "no tmpfs here"
fi
