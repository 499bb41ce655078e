# 55-power-loss.sh - the power goes: what --sync had on the disk is there and sound
#
# An ext4 file system in an image is shut down without its journal being written (EXT4_IOC_SHUTDOWN), as when
# the machine had stopped at that moment; then it is mounted again. How long a disk takes is its own affair:
# what was written before the last fdatasync(2) that came back must be there, to the byte. That they come in
# time: tests/unit/capture/sync_test.c.

. tests/lib/trace.sh
need_trace
[ -z "${SAN:-}" ] || skip_all "strace and sanitizers do not go together"
need_tool mkfs.ext4 strace

mkdir "$tmp/disk"
truncate -s 32M "$tmp/image"
mkfs.ext4 -q "$tmp/image"
mount -o loop "$tmp/image" "$tmp/disk" 2>"$tmp/err" || skip_all "no loop devices here: $(head -n 1 "$tmp/err")"
trap 's=$?; kill -KILL $check_pids 2>/dev/null; umount -l "$tmp/disk" 2>/dev/null; (exit $s); check_end' EXIT

background "$w/rate" "$tmp/said" "$tmp/dir/steady" 20000 60000
target=$!
wait_for 30 test -s "$tmp/said"
background strace -f -qq -y -s 0 -ttt -e trace=write,fdatasync -o "$tmp/strace" \
	"$B/iotap-capture" --sync 1s -o "$tmp/disk/t.iotap" "$target" 2>/dev/null
tracer=$!
enough() {
	[ "$(grep -c 'fdatasync(.*t\.iotap' "$tmp/strace")" -gt 3 ] &&
		[ "$(stat -c %s "$tmp/disk/t.iotap")" -gt 100000 ]
}
check_that "the disk is seen to again and again" wait_for 60 enough
capture=$(pgrep -P $tracer -x iotap-capture)
# The time of the last call that can be there, then the end of the world: 2 = without the journal.
python3 - "$tmp/disk" >"$tmp/shut" 2>&1 <<'PYTHON'
import fcntl, os, struct, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
now = time.clock_gettime_ns(time.CLOCK_REALTIME)
fcntl.ioctl(fd, 0x8004587d, struct.pack("I", 2))
print(now)
PYTHON
check_match "the file system is shut down" '^[0-9]+$' "$(cat "$tmp/shut")"
kill -KILL "$capture" 2>/dev/null
wait $tracer 2>/dev/null
kill $target
wait_for 30 umount "$tmp/disk"
check_that "mounted again" mount -o loop "$tmp/image" "$tmp/disk"
status=0
"$B/iotap-decode" -F json "$tmp/disk/t.iotap" >"$tmp/json" 2>/dev/null || status=$?
check_eq "it says that it is cut off" 4 $status
"$B/iotap-decode" --check "$tmp/disk/t.iotap" >"$tmp/check" 2>&1
check_eq "nothing else is wrong" "" "$(grep -E '^(bad|BROKEN)' "$tmp/check" | grep -v 'ends abruptly')"
# Bytes written when the last fdatasync that came back, before the end, was asked for.
safe=$(python3 - "$tmp/strace" "$(cat "$tmp/shut")" <<'PYTHON'
import re, sys
written, asked, safe, begun = 0, {}, 0, {}
for line in open(sys.argv[1]):
    m = re.match(r"(\d+) +(\d+\.\d+) (<\.\.\. )?(write|fdatasync)(.*)", line)
    if not m or int(m[2].replace(".", "")) * 1000 > int(sys.argv[2]):
        continue
    thread, resumed, call, rest = m[1], m[3], m[4], m[5]
    ours = begun.pop(thread, False) if resumed else "/t.iotap>" in rest
    if ours and call == "fdatasync" and not resumed:
        asked[thread] = written
    if ours and "<unfinished" in rest:
        begun[thread] = True
    result = re.search(r"\) += (-?\d+)", rest)
    if ours and result:
        written += max(0, int(result[1])) if call == "write" else 0
        safe = asked[thread] if call == "fdatasync" and result[1] == "0" else safe
print(safe)
PYTHON
)
check_that "some of it was safe" [ "$safe" -gt 0 ]
check_that "all that was safe is there: $safe bytes" [ "$(stat -c %s "$tmp/disk/t.iotap")" -ge "$safe" ]
head -c "$safe" "$tmp/disk/t.iotap" >"$tmp/safe.iotap"
"$B/iotap-decode" --check "$tmp/safe.iotap" >"$tmp/check" 2>&1
check_eq "and sound" "" "$(grep -E '^(bad|BROKEN)' "$tmp/check" | grep -v 'ends abruptly')"
last=$(grep '^{"type":"event"' "$tmp/json" | tail -n 1 | grep -oE '"time_ns":[0-9]+' | cut -d: -f2)
echo "# missing: the last $((($(cat "$tmp/shut") - ${last:-0}) / 1000000)) ms"
