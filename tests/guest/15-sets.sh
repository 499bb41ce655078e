# 15-sets.sh - the optional sets and the filters on other kernels, in guests; judged out here
# timeout: 600

. tests/lib/trace.sh
. tests/guest/kernels.sh
work="uring uring_files uring_waits parts aio mapped filtered"
need_program iotap-capture iotap-decode
need_tool qemu-system-x86_64 busybox cpio python3
[ "$(uname -m)" = x86_64 ] || skip_all "the guests are of x86-64, this is $(uname -m)"
[ -z "$SAN" ] || skip_all "the guests run programs without sanitizers"
tmpdir

# recorded NAME: there is a recording of it and its laws hold; else what capture said.
recorded() {
	if [ -s "$tmp/$1.iotap" ]; then
		laws "$1"
	else
		not_ok "$1: is recorded" "$(cat "$tmp/$1.err" 2>/dev/null)"
		return 1
	fi
}

# called NAME: each call, operation and part as its workload states it.
called() {
	local said status=0
	statements "$tmp/$1.s" >"$tmp/$1.said"
	"$B/iotap-decode" --dump "$tmp/$1.iotap" | grep -v ' call=io_uring_' >"$tmp/$1.dump"
	said=$(python3 tests/live/coverage.py "$tmp/$1.said" "$tmp/$1.dump" 2>&1) || status=$?
	check_eq "$1: $(printf '%s\n' "$said" | tail -n 1)" 0 "$status"
	[ "$status" = 0 ] || printf '%s\n' "$said" | sed 's/^/# /'
}

judge() {
	local k=$1 file
	for file in "$tmp/out"/*; do
		mv "$file" "$tmp/$k-${file##*/}"
	done
	recorded "$k-uring" && stated "$k-uring" "$tmp/$k-uring.s" --min 36 --only-pids
	for file in files waits parts; do
		recorded "$k-$file" && called "$k-$file"
	done
	recorded "$k-aio" && stated "$k-aio" "$tmp/$k-aio.s" --min 14 --only-pids
	recorded "$k-mmap" && check_eq "$k-mmap: mappings with their file, and no word of what was not seen" "2 0" \
		"$(pick "$k-mmap" "call == 'mmap' and path in ('/tmp/pages/shared', '/tmp/pages/private')" | wc -l) $(
		pick "$k-mmap" "kind == 'summary'" "e['blind_spots']['mmap_calls']")"
	recorded "$k-path" && check_eq "$k-path: the calls on files of that path, and no others" "2 openat,1 sendfile,24 write" \
		"$(pick "$k-path" "kind in ('event', 'op')" call | sort | uniq -c | sed 's/^ *//' | paste -sd,)"
	recorded "$k-failed" && check_eq "$k-failed: reads that failed: seven, and one that was interrupted" "8" \
		"$(pick "$k-failed" "kind in ('event', 'op') and call == 'read' and e['errno'] != 0" | wc -l)"
}

files=
for name in $work; do
	[ -x "$B/tests/live/work/$name" ] || skip_all "$name is not built: make check-build"
	files="$files $B/tests/live/work/$name"
done
for kernel in $(kernels amd64); do
	image=$(kernel_get "$kernel") || {
		skip "$kernel" "$image"
		continue
	}
	rm -rf "$tmp/out"
	# shellcheck disable=SC2086 # one word a workload
	if tests/guest/boot.sh "$image" tests/guest/inside/sets.sh "$tmp/out" "$B/iotap-capture" $files >"$tmp/said" 2>&1; then
		judge "$kernel"
	else
		not_ok "$kernel: boots" "$(cat "$tmp/said")" "$(tail -n 20 "$tmp/out/console" 2>/dev/null)"
	fi
done
