#!/bin/bash
# boot.sh IMAGE SCRIPT OUT FILE... - runs a shell script under another kernel, in a guest
#
# The guest is qemu's TCG, two CPUs, 1 GiB, no disk and no network but loopback. Its root is an
# initramfs of busybox, the FILEs in /t (programs with their shared libraries) and the script, which
# runs there as root with /tmp on tmpfs. What it prints is printed; what it leaves in /out is
# afterwards in the folder OUT. Exit status: the script's; 125 = the guest gave none, then OUT/console
# is what its kernel said. SECONDS_MAX (default 400) bounds it all.
#
# GUEST=arm64 (default x86_64): the guest is of that machine; GUEST_ROOT is then the folder that its
# shared libraries and bin/busybox are in, as they lie in its packages.

set -u
image=$1 script=$2 out=$3
shift 3

work=$(mktemp -d "${TMPDIR:-/tmp}/iotap-guest.XXXXXX") || exit 125
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$out"

root=$work/root
guest=${GUEST:-x86_64} guest_root=${GUEST_ROOT:-}
mkdir -p "$root"/{bin,dev,out,proc,sys,t,tmp}
if [ -n "$guest_root" ]; then
	busybox=$guest_root/bin/busybox
else
	busybox=$(command -v busybox)
fi
cp "$busybox" "$root/bin/busybox" && cp "$script" "$root/t/script" &&
	cp "$@" "$root/t/" || exit 125

# Paths of the shared libraries of a file, the loader among them.
libraries() {
	local name
	if [ -z "$guest_root" ]; then
		ldd "$1" 2>/dev/null | grep -o '/[^ ]*'
		return
	fi
	readelf -lW "$1" 2>/dev/null | sed -n 's/.*interpreter: \(.*\)]$/\1/p'
	readelf -dW "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)]$/\1/p' | while read -r name; do
		(cd "$guest_root" && find usr/lib -name "$name") | sed 's,^,/,' | head -n 1
	done
}

# take FILE...: their libraries, and the libraries of these.
take() {
	local file library
	for file in "$@"; do
		libraries "$file" | while read -r library; do
			[ ! -e "$root$library" ] || continue
			mkdir -p "$root${library%/*}"
			cp -L "$guest_root$library" "$root$library"
			[ -z "$guest_root" ] || take "$root$library"
		done
	done
}
take "$@"

# Results go by a second serial line, unmixed with what the kernel says on the first. The files
# follow the output as one base64 text.
case $guest in
arm64)
	qemu=(qemu-system-aarch64 -accel tcg,thread=multi -M virt -cpu neoverse-n1 -serial "file:$out/console"
		-chardev "file,id=results,path=$work/results" -device "pci-serial,chardev=results")
	console=ttyAMA0 results=ttyS0
	;;
*)
	# CPUs by turns: with a thread each, both stood still for ever at an instruction that the kernel had just
	# patched on both (the jump of a tracepoint, in syscall_trace_enter; QEMU 7.2, once in some 20 boots).
	qemu=(qemu-system-x86_64 -accel tcg,thread=single -cpu max -serial "file:$out/console" -serial "file:$work/results")
	console=ttyS0 results=ttyS1
	;;
esac
cat >"$root/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
ip link set lo up
exec </dev/null >/dev/$results 2>&1
stty raw </dev/$results
cd /t
sh ./script
echo "iotap-guest-status \$?"
tar -c -C /out . | gzip -1 | base64
echo iotap-guest-end
sync
poweroff -f
INIT
chmod 755 "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initramfs" || exit 125

timeout -k 5 "${SECONDS_MAX:-400}" "${qemu[@]}" -smp 2 -m 1024 -nodefaults \
	-display none -no-reboot -kernel "$image" -initrd "$work/initramfs" \
	-append "console=$console quiet panic=1 nokaslr mitigations=off" </dev/null ||
	echo "boot.sh: the guest came to no end: exit status $?"

tr -d '\r' <"$work/results" >"$work/text" || exit 125
sed '/^iotap-guest-status [0-9]*$/,$d' "$work/text"
status=$(sed -n 's/^iotap-guest-status \([0-9]*\)$/\1/p' "$work/text")
[ -n "$status" ] && tail -n 1 "$work/text" | grep -qx iotap-guest-end || exit 125
sed '1,/^iotap-guest-status [0-9]*$/d; $d' "$work/text" | base64 -d | tar -xz -C "$out" || exit 125
exit "$status"
