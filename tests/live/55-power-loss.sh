# 55-power-loss.sh - the power goes: with --sync 1s at most the last second is missing, and the rest is sound
# timeout: 120
#
# An ext4 file system in an image is shut down without its journal being written (EXT4_IOC_SHUTDOWN), as when
# the machine had stopped at that moment; then it is mounted again.

. tests/lib/trace.sh
need_trace
need_tool mkfs.ext4

mkdir "$tmp/disk"
truncate -s 32M "$tmp/image"
mkfs.ext4 -q "$tmp/image"
mount -o loop "$tmp/image" "$tmp/disk" 2>"$tmp/err" || skip_all "no loop devices here: $(head -n 1 "$tmp/err")"
trap 's=$?; kill -KILL $check_pids 2>/dev/null; umount -l "$tmp/disk" 2>/dev/null; (exit $s); check_end' EXIT

background "$w/rate" "$tmp/said" "$tmp/dir/steady" 20000 60000
target=$!
wait_for 10 test -s "$tmp/said"
background "$B/iotap-capture" --sync 1s -o "$tmp/disk/t.iotap" "$target" 2>/dev/null
capture=$!
wait_for 20 sh -c "[ \$(stat -c %s '$tmp/disk/t.iotap' 2>/dev/null || echo 0) -gt 100000 ]"
sleep 2
# The time of the last call that can be there, then the end of the world: 2 = without the journal.
python3 - "$tmp/disk" >"$tmp/shut" 2>&1 <<'PYTHON'
import fcntl, os, struct, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
now = time.clock_gettime_ns(time.CLOCK_REALTIME)
fcntl.ioctl(fd, 0x8004587d, struct.pack("I", 2))
print(now)
PYTHON
check_match "the file system is shut down" '^[0-9]+$' "$(cat "$tmp/shut")"
kill -KILL $capture 2>/dev/null
wait $capture 2>/dev/null
kill $target
umount "$tmp/disk"
check_that "mounted again" mount -o loop "$tmp/image" "$tmp/disk"
status=0
"$B/iotap-decode" -F json "$tmp/disk/t.iotap" >"$tmp/json" 2>/dev/null || status=$?
check_eq "it says that it is cut off" 4 $status
"$B/iotap-decode" --check "$tmp/disk/t.iotap" >"$tmp/check" 2>&1
check_eq "nothing else is wrong" "" "$(grep -E '^(bad|BROKEN)' "$tmp/check" | grep -v 'ends abruptly')"
last=$(grep '^{"type":"event"' "$tmp/json" | tail -n 1 | grep -oE '"time_ns":[0-9]+' | cut -d: -f2)
missing=$((($(cat "$tmp/shut") - ${last:-0}) / 1000000))
# A busy machine is given another second to write to its disk.
if [ "$missing" -le 2000 ]; then
	ok "missing: the last $missing ms"
else
	not_ok "at most a second is missing, and one that the disk takes" "the last $missing ms"
fi
