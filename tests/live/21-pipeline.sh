# 21-pipeline.sh - capture | decode | load: one Ctrl-C ends all of it, and everything has arrived

. tests/lib/trace.sh
need_trace
need_program iotap-analyze
need_tool sqlite3

cp "$w/blocks" "$tmp/iotap-pi$$"
mkfifo "$tmp/go" "$tmp/hold"
exec 3<>"$tmp/go"
background "$tmp/iotap-pi$$" "$tmp/s" "$tmp/dir/file" 50000 100 200 "$tmp/go"
wait_said "$tmp/s" ready
pid=$(said "$tmp/s" ready)
env --default-signal=INT setsid sh -c 'trap : INT; "$1/iotap-capture" -f -o - "$3" |
	tee -i "$2/copy.iotap" | "$1/iotap-decode" -F events | "$1/iotap-analyze" load -o "$2/t.db" - >"$2/loaded" 2>&1
	echo $? >"$2/status"' sh "$B" "$tmp" "iotap-pi$$" </dev/null 2>"$tmp/err" &
group=$!
wait_for 30 tracing "$tmp/copy.iotap"
programs=$(programs_of "$(pgrep -x -g "$group" iotap-capture)")
echo g >&3
wait_for 30 sh -c "[ \$(stat -c %s $tmp/dir/file) -gt 500000 ]"
kill -INT -- "-$group"
check_that "all stages end" wait_for 30 [ -s "$tmp/status" ]
wait "$group"
check_eq "the loader's status" 0 "$(cat "$tmp/status")"
check_eq "nothing but the workload goes on" "" "$(pgrep -g "$group" 2>/dev/null)"
kill "$pid"
"$B/iotap-decode" -F json --all-ops "$tmp/copy.iotap" >"$tmp/copy.jsonl"
check_eq "every call of the recording is in the database" \
	"$(pick copy "call == 'write' and path == '$tmp/dir/file'" "e['bytes']" | awk '{ n++; b += $1 } END { print n "|" b }')" \
	"$(sqlite3 "$tmp/t.db" "select count(*), sum(bytes) from event_v where target = '$tmp/dir/file' and call = 'write'" 2>&1)"
check_that "which are thousands" [ "$(pick copy "call == 'write'" | wc -l)" -gt 5000 ]
programs_gone "no BPF program is left" "$programs"
