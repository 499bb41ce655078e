# witness.sh - for the live tests that have strace beside iotap on the same processes, at the same time
#
#	. tests/lib/witness.sh			(brings trace.sh; skips without strace or BPF)
#	witness NAME COMMAND...			runs it in an empty $tmp/dir; both must tell the same calls
#
# iotap-capture -f traces strace and with it what strace traces; tests/live/agree.py compares these.
# $tmp/NAME.strace, $tmp/NAME.jsonl, $tmp/NAME.inodes remain; $tmp/rows names each row that was compared.

. tests/lib/trace.sh

need_witness() {
	need_trace
	need_program iotap-analyze
	need_tool strace
	strace -o "$tmp/try" true 2>"$tmp/err" || skip_all "strace: $(head -n 1 "$tmp/err")"
}

agree() {
	python3 tests/live/agree.py --rows "$tmp/rows" --inodes "$tmp/$1.inodes" "$tmp/$1.strace" "$tmp/$1.jsonl" 2>&1
}

witness() {
	local name=$1 said status=0
	shift
	rm -rf "$tmp/dir"; mkdir "$tmp/dir"
	timeout 120 "$B/iotap-capture" --force -f -o "$tmp/$name.iotap" -- \
		strace -f -yy -xx -v -s 0 -o "$tmp/$name.strace" "$@" \
		>"$tmp/$name.out" 2>"$tmp/$name.err" </dev/null || status=$?
	[ $status = 0 ] || not_ok "$name: ran" "status $status, said:" "$(head -n 20 "$tmp/$name.err")"
	laws "$name"
	"$B/iotap-analyze" sql -F tsv "$tmp/$name.iotap" "select (t.dev >> 20) || ':' || (t.dev & 1048575) ||
		' ' || t.ino from event e left join target t on t.id = e.target order by e.number" |
		tail -n +2 >"$tmp/$name.inodes"
	status=0
	said=$(agree "$name") || status=$?
	if [ $status = 0 ]; then
		ok "$name: $(printf '%s\n' "$said" | tail -n 1)"
		printf '%s\n' "$said" | sed -n 's/^explained: /    /p'
	else
		not_ok "$name: as strace has it" "$said"
	fi
}
