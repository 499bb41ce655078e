# 18-strace.sh - strace as the witness: a second run of the same calls, thread by thread

. tests/lib/trace.sh
need_trace
need_tool strace

# witness NAME COMMAND...: the command makes the same calls whenever it runs in an empty directory.
witness() {
	local name=$1 said status=0
	shift
	rm -rf "$tmp/dir"; mkdir "$tmp/dir"
	trace "$name" -- "$@"
	rm -rf "$tmp/dir"; mkdir "$tmp/dir"
	strace -f -y -s 0 -o "$tmp/$name.strace" "$@" >/dev/null 2>"$tmp/$name.strace.err" </dev/null || {
		skip "$name" "strace: $(head -n 1 "$tmp/$name.strace.err")"
		return
	}
	said=$(python3 tests/live/strace.py "$tmp/$name.strace" "$tmp/$name.jsonl" 2>&1) || status=$?
	if [ $status = 0 ]; then ok "$name: $said"; else not_ok "$name: as strace has it" "$said"; fi
}

witness tables "$w/tables" "$tmp/s" "$tmp/dir"
witness churn "$w/churn" "$tmp/s" "$tmp/dir" files 100
witness tools sh -c 'cd "$1" && cp /etc/passwd a && sort a >b && tar cf c.tar a b && tar xf c.tar &&
	sed -i s/root/toor/ a && cmp a b >d; cat a b c.tar >e; head -c 1000 e >f; wc -c <e >g; find . -name "?" >h; rm a b' \
	sh "$tmp/dir"
