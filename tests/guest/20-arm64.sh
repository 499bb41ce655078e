# 20-arm64.sh - the core live test on arm64: cross-built, in a guest of that machine
# timeout: 900

. tests/lib/trace.sh
. tests/guest/core.sh
. tests/lib/machine.sh
need_program iotap-capture iotap-decode
need_tool qemu-system-aarch64 cpio python3 readelf
[ -z "$SAN" ] || skip_all "the guests run programs without sanitizers"
tmpdir
machine_open arm64 || skip_all "$archive_said"
machine_make OPTIMISE=-O1 "$machine_out"/iotap-{capture,decode} \
	$(for name in $core_work; do echo "$machine_out/tests/live/work/$name"; done) >"$tmp/make" 2>&1 || {
	not_ok "arm64: builds" "$(tail -n 20 "$tmp/make")"
	exit 1
}
python3 tests/guest/arm32.py "$tmp/arm32"
export GUEST=arm64 GUEST_ROOT=$machine_root
for kernel in $(kernels arm64); do
	core "$kernel" "$machine_out"
done
