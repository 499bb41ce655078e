# 45-io_uring.sh - operations of io_uring rings are recorded with owner, target, bytes and result

. tests/lib/trace.sh
need_trace
"$w/uring" "$tmp/try" "$tmp/dir"
[ "$(said "$tmp/try" without)" != io_uring ] || skip_all "this kernel refuses io_uring"
rm -rf "$tmp/dir"
mkdir "$tmp/dir"

# One ring, one thread: every data movement is stated, in order, and nothing else is there.
trace ring --with io_uring -- "$w/uring" "$tmp/s" "$tmp/dir"
stated ring "$tmp/s" --min 36 --only-pids
check_eq "ring: bytes of the file, by system call or not, are summed" "1000 50 60 123" \
	"$(pick ring "path.endswith('/by-ring') and e['type'] == 'event' and e['dir'] == 'write'" "e['bytes']" | tr '\n' ' ' | sed 's/ $//')"
check_eq "ring: the failed open has its path" "$tmp/dir/no-such" "$(pick ring "call == 'uring_openat' and e['errno'] == 2" path)"
check_eq "ring: no completion was found to have another owner" "" "$(pick ring "kind == 'event' and pid != $(pick ring "call == 'uring_fsync'" pid)")"

"$B/iotap-decode" --dump "$tmp/ring.iotap" | grep '^call .*call=uring_write .* requested=11 ' >"$tmp/silent"
check_match "ring: of one that ends in silence what came of it, or that it is not known" \
	'flags=[a-z|]*(untimed.* result=11|unfinished)' "$(cat "$tmp/silent")"

# The thread that polls submits for the process.
trace polled --with io_uring -- "$w/uring" "$tmp/p" "$tmp/dir" poll
if [ -n "$(said "$tmp/p" without)" ]; then
	skip "polled: what the workload states" "no SQPOLL here"
else
	stated polled "$tmp/p" --min 10 --only-pids
fi

# Ends with three reads in flight; that they are cancelled is the kernel's to say, or they stay unfinished.
trace dying --with io_uring -- "$w/uring" "$tmp/d" "$tmp/dir" die
check_eq "dying: three reads, none of which read" "3 0" \
	"$(pick dying "call == 'uring_read'" | wc -l) $(pick dying "call == 'uring_read' and e.get('bytes')" | wc -l)"

# Some of many find no room, or none does: every one is there once.
timeout 60 "$B/iotap-capture" --force --with io_uring --buffer 1024 -o "$tmp/loop.iotap" -- \
	"$w/uring" "$tmp/l" "$tmp/dir" loop 32000
check_eq "loop: the laws hold" 0 "$("$B/iotap-decode" --check "$tmp/loop.iotap" | grep -c BROKEN)"
"$B/iotap-decode" -F json "$tmp/loop.iotap" >"$tmp/loop.jsonl" 2>"$tmp/loop.err"
check_eq "loop: each write once, one by one or in a sum" "32000 224000" \
	"$(pick loop "kind == 'summary'" "'%d %d' % next((r['write_calls'], r['write_bytes']) for r in e['files'] if r['target'].endswith('/loop'))")"

# --calls selects among them, too.
trace some --with io_uring --calls write -- "$w/uring" "$tmp/c" "$tmp/dir"
check_eq "--calls: only these" "uring_write uring_write_fixed write" "$(pick some "kind in ('event', 'op')" call | sort -u | tr '\n' ' ' | sed 's/ $//')"

# Without the set the calls are there, and that there was more.
rm -rf "$tmp/dir"
mkdir "$tmp/dir"
trace without -- "$w/uring" "$tmp/o" "$tmp/dir"
check_match "without the set: the summary says so" "[0-9]+ calls of io_uring, whose operations are not seen" \
	"$("$B/iotap-decode" -q "$tmp/without.iotap" 2>/dev/null)"
check_eq "without the set: those that made a ring or submitted, in JSON and in the database" \
	"$(pick without "call in ('io_uring_setup', 'io_uring_enter') and e['result'] >= (call == 'io_uring_enter')" | wc -l)" \
	"$("$B/iotap-analyze" sql -F tsv "$tmp/without.iotap" "select value from blind_spots where name = 'io_uring_calls'" | tail -n 1)"
check_eq "with the set there are none" 0 "$(pick ring "kind == 'summary'" "e['blind_spots']['io_uring_calls']")"
