# 58-hung.sh - a file system that does not answer: capture attaches and ends, and readers say what was there
#
# FUSE, mounted by somebody who never reads a request: whoever asks it anything waits for ever.

. tests/lib/trace.sh
need_trace
[ -c /dev/fuse ] || skip_all "no /dev/fuse here"

mkdir "$tmp/hung"
mkfifo "$tmp/go"
cat >"$tmp/hold.py" <<'PYTHON'
import ctypes, os, signal, sys
fuse = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse
if ctypes.CDLL(None, use_errno=True).mount(b"iotap", sys.argv[1].encode(), b"fuse", 0, options) != 0:
    sys.exit("mount: " + os.strerror(ctypes.get_errno()))
inside = os.open(sys.argv[1], os.O_PATH)
print("holds", inside, flush=True)
signal.pause()
PYTHON
background python3 "$tmp/hold.py" "$tmp/hung" >"$tmp/holds" 2>"$tmp/err"
holder=$!
trap 's=$?; kill -KILL $check_pids 2>/dev/null; umount -l "$tmp/hung" 2>/dev/null; (exit $s); check_end' EXIT
wait_for 20 sh -c "[ -s '$tmp/holds' ] || ! kill -0 $holder"
[ -s "$tmp/holds" ] || skip_all "FUSE: $(tail -n 1 "$tmp/err")"

# One that has a descriptor of it open, and one that will wait for it in an open.
background sh -c "read x <'$tmp/go'; echo x >'$tmp/dir/before'; exec cat '$tmp/hung/file'"
waits=$!
follow hung "$holder" "$waits"
echo >"$tmp/go"
waits_in_open() {
	[ "$(cat /proc/$waits/comm)" = cat ] && grep -q '^257 ' /proc/$waits/syscall &&
		! timeout 1 tail --pid=$waits -f /dev/null && grep -q '^257 ' /proc/$waits/syscall
}
check_that "the one waits in its open" wait_for 20 waits_in_open
finish hung
check_eq "what it wrote before is there, and the open that has not come back" "1 1" \
	"$(pick hung "call == 'write' and path == '$tmp/dir/before'" | wc -l) $(pick hung "kind == 'summary'" "e['unfinished_calls']")"
kill -0 $waits && kill -0 $holder && ok "both are still as they were" || not_ok "both are still as they were"

# Begun while it hangs.
background "$B/iotap-capture" --force -d 0.5 -o "$tmp/late.iotap" "$holder" "$waits" 2>"$tmp/late.err"
late=$!
check_that "a capture that begins now ends" wait_for 40 sh -c "! kill -0 $late"
laws late

# From there: readers touch no path that a recording names.
check_that "decode answers" timeout 40 "$B/iotap-decode" "$tmp/late.iotap"
if [ -x "$B/iotap-report" ] && [ -x "$B/iotap-analyze" ]; then
	check_that "report answers" timeout 40 "$B/iotap-report" "$tmp/hung.iotap"
	check_that "analyze answers" timeout 40 "$B/iotap-analyze" report files "$tmp/hung.iotap"
fi
