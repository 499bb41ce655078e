# 49-uring-rows.sh - each operation of a ring that 45-io_uring.sh does not make: result, targets, size, offset

. tests/lib/trace.sh
need_trace
"$w/uring_files" "$tmp/try" "$tmp/dir"
[ "$(said "$tmp/try" without)" != io_uring ] || skip_all "this kernel refuses io_uring"

for name in files waits; do
	rm -rf "$tmp/dir"
	mkdir "$tmp/dir"
	trace "$name" --with io_uring -- "$w/uring_$name" "$tmp/$name.s" "$tmp/dir"
	statements "$tmp/$name.s" >"$tmp/$name.said"
	# The calls of the ring are not what is asked about, its operations are.
	"$B/iotap-decode" --dump "$tmp/$name.iotap" | grep -v ' call=io_uring_' >"$tmp/$name.dump"
	said=$(python3 tests/live/coverage.py "$tmp/$name.said" "$tmp/$name.dump" 2>&1) && status=0 || status=$?
	check_eq "$name: each operation as it was made: $(printf '%s\n' "$said" | tail -n 1)" 0 "$status"
	[ "$status" = 0 ] || printf '%s\n' "$said" | sed 's/^/# /'
	for without in $(sed -n 's/^note .*without=\([^ ]*\).*/\1/p' "$tmp/$name.said"); do
		skip "$without" "this kernel has no such operation"
	done
done
check_eq "several results of one request are told one by one" "3 2" \
	"$(pick waits "call == 'uring_recv' and e['errno'] == 0" | wc -l) $(pick waits "call == 'uring_read_multishot' and e['errno'] == 0" | wc -l)"
check_eq "bytes of a splice are counted on both files" "300 250" \
	"$(pick files "call == 'uring_splice' and e['errno'] == 0" "e['bytes']" | paste -sd' ')"
