# 34-told.sh - what is told of processes: their arguments with --argv

. tests/lib/trace.sh
need_trace

# The second program waits until capture has looked at its arguments, some milliseconds after the exec.
mkfifo "$tmp/go" "$tmp/end"
exec 3<>"$tmp/go" 4<>"$tmp/end"
odd=$(printf 'b c\033\377')
# shellcheck disable=SC2016
background sh -c 'read -r x <"$1"; exec sh -c "read -r x <\"\$1\"" sh "$2" "two words" ""' sh "$tmp/go" "$tmp/end" "$odd"
pid=$!
wait_for 5 grep -aq 'b c' "/proc/$pid/cmdline"
follow words --argv -p "$pid"
echo >&3
said_argv() {
	"$B/iotap-decode" -F json "$tmp/words.iotap" 2>/dev/null | grep -q '"exec".*"argv"'
}
wait_for 10 said_argv
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
wait_for 5 grep -aq 'secret' "/proc/$pid/cmdline"
follow plain -p "$pid"
echo >&3
wait "$pid"
finish plain
check_eq "without --argv there are none" no "$(grep -aqE '"argv"|secret' "$tmp/plain.jsonl" "$tmp/plain.iotap" || echo no)"
