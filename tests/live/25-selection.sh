# 25-selection.sh - what is left out: capture, its shell and its group; excluded targets; other calls
# live check: 13

. tests/lib/trace.sh
need_trace

# The shell that starts capture is itself the target: its other children are traced, capture is not.
cat >"$tmp/shell.sh" <<'SHELL'
"$1/iotap-capture" -f -d 20 -o "$2/own.iotap" $$ 2>"$2/own.err" &
capture=$!
i=0
until "$1/iotap-decode" -F json "$2/own.iotap" 2>/dev/null | grep -q '^{"type":"start"' || [ $i -gt 200 ]; do
	i=$((i + 1)); sleep 0.05
done
sh -c 'echo 12345 >"$1"' sh "$2/dir/later"
kill -INT $capture
wait $capture
echo $capture >"$2/capture"
SHELL
env --default-signal=INT bash "$tmp/shell.sh" "$B" "$tmp" </dev/null
laws own
# situation: 100, 154
check_eq "a later child of the shell is traced" 6 "$(pick own "call == 'write' and path == '$tmp/dir/later'" "e['bytes']")"
check_eq "capture is not" 0 "$(pick own "pid == $(cat "$tmp/capture")" | wc -l)"

if "$B/iotap-capture" --help | grep -q -e --calls; then
	trace some --calls write,fsync -- "$w/kinds" "$tmp/s" "$tmp/dir"
	check_eq "--calls: only these" write "$(pick some "kind in ('event', 'op')" call | sort -u)"
else
	skip "--calls: only these" "iotap-capture has no such option yet"
fi

mkfifo "$tmp/go"
exec 3<>"$tmp/go"
cp "$w/blocks" "$tmp/iotap-se$$"
background "$tmp/iotap-se$$" "$tmp/a" "$tmp/dir/a" 100 10 0 "$tmp/go"
background "$tmp/iotap-se$$" "$tmp/b" "$tmp/dir/b" 100 10 0 "$tmp/go"
wait_said "$tmp/a" ready
wait_said "$tmp/b" ready
follow without --exclude "$(said "$tmp/b" ready)" "iotap-se$$"
printf gg >&3
wait "$(said "$tmp/a" ready)" "$(said "$tmp/b" ready)"
finish without
check_eq "--exclude: the other is traced" 100 "$(pick without "path == '$tmp/dir/a' and call == 'write'" | wc -l)"
check_eq "--exclude: the excluded is not" 0 "$(pick without "path == '$tmp/dir/b'" | wc -l)"
