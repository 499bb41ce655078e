# 30-old.sh - a kernel that is too old for our programs: capture says so in one line, and ends
# timeout: 300

. tests/lib/check.sh
. tests/guest/kernels.sh
need_program iotap-capture
need_tool qemu-system-x86_64 busybox cpio
[ "$(uname -m)" = x86_64 ] || skip_all "the guests are of x86-64, this is $(uname -m)"
[ -z "$SAN" ] || skip_all "the guests run programs without sanitizers"
tmpdir
image=$(kernel_get 5.10) || skip_all "$image"

cat >"$tmp/script" <<'SCRIPT'
./iotap-capture -o /out/t.iotap -- /bin/busybox touch /out/ran
echo "status $?"
SCRIPT
said=$(tests/guest/boot.sh "$image" "$tmp/script" "$tmp/out" "$B/iotap-capture" 2>&1)
check_eq "5.10: it is said what is missing" \
	"iotap-capture: this kernel is too old: iotap needs bpf_loop(), which came with Linux 5.17
status 1" "$said"
check_that "5.10: the COMMAND has not run, no file is left" test -d "$tmp/out" -a ! -e "$tmp/out/ran" -a ! -e "$tmp/out/t.iotap"
