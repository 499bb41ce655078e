# 30-old.sh - Linux 5.10, the oldest that iotap is for: the core live test, by the object made for it
# timeout: 900

. tests/lib/trace.sh
. tests/guest/core.sh
need_program iotap-capture iotap-decode
need_tool qemu-system-x86_64 busybox cpio python3
[ "$(uname -m)" = x86_64 ] || skip_all "the guests are of x86-64, this is $(uname -m)"
[ -z "$SAN" ] || skip_all "the guests run programs without sanitizers"
tmpdir
for name in $core_work; do
	[ -x "$B/tests/live/work/$name" ] || skip_all "$name is not built: make check-build"
done
SECONDS_MAX=700 core 5.10
