# 10-core.sh - other kernels: each boots in a guest, runs the workloads under capture; judged out here
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
for kernel in $(kernels amd64); do
	core "$kernel"
done
