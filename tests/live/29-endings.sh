# 29-endings.sh - a full disk, a second signal, output that is none, a reader that stops early

. tests/lib/trace.sh
need_trace

if mkdir "$tmp/small" && mount -t tmpfs -o size=128k none "$tmp/small" 2>/dev/null; then
	status=0
	"$B/iotap-capture" -o "$tmp/small/f.iotap" -- "$w/churn" "$tmp/s" "$tmp/dir" files 20000 \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	check_eq "a full disk: the command ran to its end" 2001 "$(statements "$tmp/s" | grep -c '^end tid=')"
	check_that "a full disk: capture says so by its status ($status)" [ "$status" != 0 ]
	check_match "a full disk: and by a message" 'No space left' "$(cat "$tmp/err")"
	status=0
	"$B/iotap-decode" -F json "$tmp/small/f.iotap" >"$tmp/full.jsonl" 2>/dev/null || status=$?
	check_eq "a full disk: what is there decodes, and is said to be incomplete" 4 "$status"
	check_that "a full disk: and is some" [ "$(wc -l <"$tmp/full.jsonl")" -gt 10 ]
	umount "$tmp/small"
else
	skip "a full disk" "mounting a tmpfs is refused"
fi

# A pipe that nobody empties: the first signal ends the tracing, but what is left cannot be written.
mkfifo "$tmp/pipe" "$tmp/go"
exec 4<>"$tmp/go"
background "$w/blocks" "$tmp/b" /dev/null 200000 1 0 "$tmp/go"
target=$!
wait_said "$tmp/b" ready
exec 5<>"$tmp/pipe"
env --default-signal "$B/iotap-capture" -o "$tmp/pipe" "$target" 2>"$tmp/err" </dev/null &
pid=$!
# It is emptied until tracing has begun.
taken() {
	dd bs=64k count=1 iflag=nonblock <&5 >>"$tmp/taken.iotap"
	tracing "$tmp/taken.iotap"
}
check_that "a pipe that nobody empties: tracing has begun" wait_for 30 taken
printf g >&4
wait "$target"
kill -INT $pid
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
check_eq "a second signal forces the end" 130 "$status"
exec 5<&-

# The command goes on when nobody wants to know any more, and capture waits for it, but untraced.
env --default-signal "$B/iotap-capture" -o - -- timeout 3 sh -c 'while :; do echo x; done' 2>/dev/null </dev/null | {
	"$B/iotap-decode" -F json - 2>"$tmp/err2"
	echo $? >"$tmp/status"
} | head -n 50 >/dev/null
check_eq "a reader that stops early: decode ends quietly" "0 0" "$(cat "$tmp/status") $(wc -l <"$tmp/err2")"
check_status "127: no such command" 127 "$B/iotap-capture" --force -o "$tmp/n.iotap" -- no-such-command
check_status "126: not executable" 126 "$B/iotap-capture" --force -o "$tmp/n.iotap" -- /etc/passwd
check_status "the command's own status" 7 "$B/iotap-capture" --force -o "$tmp/n.iotap" -- sh -c 'exit 7'
check_status "128 and its signal" 137 "$B/iotap-capture" --force -o "$tmp/n.iotap" -- sh -c 'kill -KILL $$'

# A recording that somebody takes away: said at the end.
for how in "rm" "mv $tmp/dir/letter"; do
	echo a letter >"$tmp/dir/letter"
	status=0
	"$B/iotap-capture" --force -o "$tmp/away.iotap" -- sh -c "$how '$tmp/away.iotap'" >"$tmp/out" 2>&1 || status=$?
	check_eq "taken away by ${how%% *}: status and message" \
		"1 iotap-capture: $tmp/away.iotap was removed or replaced while it was written: the recording is lost" \
		"$status $(cat "$tmp/out")"
done
"$B/iotap-capture" --force -o "$tmp/away.iotap" -- mv "$tmp/away.iotap" "$tmp/moved.iotap" >"$tmp/out" 2>&1
check_that "one that was given another name is whole" "$B/iotap-decode" --check "$tmp/moved.iotap"
exec 7<>"$tmp/nameless"
rm "$tmp/nameless"
check_status "one that never had a name is not missed" 0 "$B/iotap-capture" -o /dev/fd/7 -- true
exec 7>&-
if [ -x "$B/iotap" ]; then
	status=0
	"$B/iotap" -q --record "$tmp/away.iotap" --force -- sh -c 'while ! rm "$1" 2>/dev/null; do :; done' sh "$tmp/away.iotap" \
		>"$tmp/out" 2>&1 || status=$?
	check_eq "--record: status" 1 "$status"
	check_match "--record: message" "^iotap: $tmp/away.iotap was removed or replaced while it was written" "$(cat "$tmp/out")"
fi
