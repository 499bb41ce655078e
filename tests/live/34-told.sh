# 34-told.sh - what is told of processes: arguments, children that are not followed, one that is hidden

. tests/lib/trace.sh
need_trace

# The second program waits until capture has looked at its arguments, some milliseconds after the exec.
mkfifo "$tmp/go" "$tmp/end"
exec 3<>"$tmp/go" 4<>"$tmp/end"
odd=$(printf 'b c\033\377')
# shellcheck disable=SC2016
background sh -c 'read -r x <"$1"; exec sh -c "read -r x <\"\$1\"" sh "$2" "two words" ""' sh "$tmp/go" "$tmp/end" "$odd"
pid=$!
wait_for 30 grep -aq 'b c' "/proc/$pid/cmdline"
follow words --argv -p "$pid"
echo >&3
said_argv() {
	"$B/iotap-decode" -F json "$tmp/words.iotap" 2>/dev/null | grep -q '"exec".*"argv"'
}
wait_for 30 said_argv
echo >&4
wait "$pid"
finish words
check_eq "--argv: of a process that was there, byte by byte" "sh 6220631bff" \
	"$(pick words "kind == 'start'" "e['processes'][0]['argv'][0] + ' ' + e['processes'][0]['argv_hex'][-1]")"
check_eq "--argv: of an exec" "['sh', '-c', 'read -r x <\"\$1\"', 'sh', '$tmp/end', 'two words', '']" \
	"$(pick words "kind == 'exec'" "e['argv']")"
check_match "--argv: the notices show them" "is now running .*\\[sh -c 'read -r x <\"\\\$1\"' sh [^ ]* 'two words' ''\\]" \
	"$("$B/iotap-decode" -q "$tmp/words.iotap" 2>&1 >/dev/null | grep 'now running')"
# shellcheck disable=SC2016
background sh -c 'read -r x <"$1"' sh "$tmp/go" secret
pid=$!
wait_for 30 grep -aq 'secret' "/proc/$pid/cmdline"
follow plain -p "$pid"
echo >&3
wait "$pid"
finish plain
check_eq "without --argv there are none" no "$(grep -aqE '"argv"|secret' "$tmp/plain.jsonl" "$tmp/plain.iotap" || echo no)"
# Without -f: children are counted, those that are traced for their name apart.
trace_alone() {
	timeout 60 "$B/iotap-capture" --force -o "$tmp/$1.iotap" -- "${@:2}" >"$tmp/$1.out" 2>&1 </dev/null
	laws "$1"
}
trace_alone single sh -c 'cat /dev/null; cat /dev/null; true'
check_eq "children not followed are counted" 2 "$(pick single "kind == 'summary'" "e['untraced_children']['not_followed']")"
check_match "the summary says how to have them" '^  2 child processes not traced \(-f traces them, too\)$' \
	"$("$B/iotap-decode" -q "$tmp/single.iotap" 2>/dev/null)"
trace family -- sh -c 'cat /dev/null; true'
check_eq "with -f none is" 0 "$(pick family "kind == 'summary'" "e['untraced_children']['not_followed']")"
cp "$(command -v cat)" "$tmp/iotap-cat"
background sh -c 'read -r x <"$1/go"; "$1/iotap-cat" /dev/null; cat /dev/null; true' sh "$tmp"
pid=$!
follow named --wait -p "$pid" --name iotap-cat
echo >&3
wait "$pid"
finish named
check_eq "nor is one that is traced for its name" 1 "$(pick named "kind == 'summary'" "e['untraced_children']['not_followed']")"

# A process that this kernel does not show: that, and no more.
status=0
said=$("$B/iotap-capture" --force -o "$tmp/first.iotap" -d 0 -p 1 2>&1) || status=$?
if [ "$status" = 0 ]; then
	check_match "the first process is traced" '"pid":1,' "$("$B/iotap-decode" -F json "$tmp/first.iotap" | head -n 1)"
else
	check_eq "the first process is hidden" \
		"1 iotap-capture: process 1 is there, but the kernel leaves it out of its list of tasks here: it cannot be traced" \
		"$status $said"
	"$B/iotap-capture" --force -o "$tmp/first.iotap" -d 0 -p 1 -p $$
	check_match "beside others, too" 'iotap: process 1 is there, but' "$("$B/iotap-decode" -q "$tmp/first.iotap" 2>&1)"
fi
