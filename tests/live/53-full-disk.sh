# 53-full-disk.sh - a full or failing disk, at any write: the file is valid, the loss is said, the target goes on

. tests/lib/trace.sh
need_trace
[ -z "${SAN:-}" ] || skip_all "strace and sanitizers do not go together"
need_tool strace

mkdir "$tmp/small"
chmod 755 "$tmp"

# after NAME FILE STATUS: what every such recording must be.
after() {
	local status=0
	check_eq "$1: status" 1 "$3"
	check_eq "$1: one line that says why" 1 "$(wc -l <"$tmp/err")"
	"$B/iotap-decode" --check "$2" >"$tmp/check" 2>&1 || status=$?
	check_eq "$1: sound, but incomplete" "4 " "$status $(grep -E '^(bad|BROKEN)' "$tmp/check" | grep -v 'ends abruptly')"
}

if mount -t tmpfs -o size=64k tmpfs "$tmp/small" 2>/dev/null; then
	status=0
	timeout 60 "$B/iotap-capture" -f -o "$tmp/small/t.iotap" -- \
		sh -c "dd if=/dev/zero of=/dev/null bs=1 count=400000; echo done >'$tmp/dir/done'" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	sed -i '/records\|copied\|bytes/d' "$tmp/err"
	after "ENOSPC" "$tmp/small/t.iotap" "$status"
	check_match "ENOSPC: named" "No space left on device" "$(cat "$tmp/err")"
	check_no_match "ENOSPC: the end is there" "ends abruptly" "$(cat "$tmp/check")"
	check_match "ENOSPC: the loss is counted" "1 loss stated, [1-9][0-9]* calls?" "$(cat "$tmp/check")"
	check_that "ENOSPC: the target goes on to its end" wait_for 30 test -s "$tmp/dir/done"
	rm -f "$tmp/small"/*

	mount -o remount,ro "$tmp/small"
	status=0
	"$B/iotap-capture" -o "$tmp/small/t.iotap" -- touch "$tmp/dir/touched" >"$tmp/out" 2>"$tmp/err" || status=$?
	check_eq "EROFS: refused" 1 "$status"
	check_match "EROFS: named" "Read-only file system" "$(cat "$tmp/err")"
	check_that "EROFS: the command was not run" test ! -e "$tmp/dir/touched"
	umount "$tmp/small"
else
	skip "ENOSPC" "no tmpfs here"
fi

# A limit on the size of files: the last write is a short one.
status=0
(
	ulimit -S -f 40
	exec timeout 60 "$B/iotap-capture" --force -f -o "$tmp/t.iotap" -- \
		sh -c "ulimit -f unlimited; dd if=/dev/zero of=/dev/null bs=1 count=400000 2>/dev/null; echo done >'$tmp/dir/done2'"
) >"$tmp/out" 2>"$tmp/err" || status=$?
after "EFBIG" "$tmp/t.iotap" "$status"
check_match "EFBIG: named" "File too large" "$(cat "$tmp/err")"
check_that "EFBIG: the target goes on to its end" wait_for 30 test -s "$tmp/dir/done2"

# Injected into capture alone, which ends by it or after so many seconds; the target is another process.
inject() {
	local name=$1 what=$2 target
	"$w/rate" "$tmp/said" "$tmp/dir/steady" 20000 60000 &
	target=$!
	check_pids="$check_pids $target"
	status=0
	rm -f "$tmp/t.iotap"
	timeout 60 strace -f -qq -o "$tmp/strace" -e trace=write,fdatasync -e inject="$what" \
		"$B/iotap-capture" -d "${3:-30}" -o "$tmp/t.iotap" --sync 100ms $target >"$tmp/out" 2>"$tmp/err" || status=$?
	check_that "$name: it was there" grep -q INJECTED "$tmp/strace"
	check_that "$name: the target goes on" kill -0 $target
	kill $target 2>/dev/null
	wait $target 2>/dev/null
}
for n in 1 3 9; do
	inject "EIO at write $n" "write:error=EIO:when=$n"
	if [ -e "$tmp/t.iotap" ]; then
		after "EIO at write $n" "$tmp/t.iotap" "$status"
		check_match "EIO at write $n: named" "Input/output error" "$(cat "$tmp/err")"
	else
		check_eq "EIO at write $n: status" 1 "$status"
		check_eq "EIO at write $n: nothing is left of what has not begun" "" "$(ls -A "$tmp" | grep iotap)"
	fi
done
inject "EDQUOT at write 9" "write:error=EDQUOT:when=9"
after "EDQUOT at write 9" "$tmp/t.iotap" "$status"
check_match "EDQUOT at write 9: named" "quota exceeded" "$(cat "$tmp/err")"
inject "ENOSPC from write 8 on" "write:error=ENOSPC:when=8+"
status=0
"$B/iotap-decode" --check "$tmp/t.iotap" >"$tmp/check" 2>&1 || status=$?
check_eq "ENOSPC from write 8 on: what is there is sound, but incomplete" "4 " \
	"$status $(grep -E '^(bad|BROKEN)' "$tmp/check" | grep -v 'ends abruptly')"
inject "EINTR now and then" "write:error=EINTR:when=3+5" 0.6
check_eq "EINTR now and then: status" 0 "$status"
check_that "EINTR now and then: whole" "$B/iotap-decode" --check "$tmp/t.iotap"
inject "EAGAIN now and then" "write:error=EAGAIN:when=2+3" 0.6
check_eq "EAGAIN now and then: status" 0 "$status"
check_that "EAGAIN now and then: whole" "$B/iotap-decode" --check "$tmp/t.iotap"
inject "EIO of fdatasync" "fdatasync:error=EIO:when=2"
check_eq "EIO of fdatasync: status" 1 "$status"
check_match "EIO of fdatasync: named" "writing to the disk: Input/output error" "$(cat "$tmp/err")"
status=0
"$B/iotap-decode" --check "$tmp/t.iotap" >"$tmp/check" 2>&1 || status=$?
check_eq "EIO of fdatasync: sound, but incomplete" 4 "$status"
