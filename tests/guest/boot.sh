#!/bin/bash
# boot.sh IMAGE SCRIPT OUT FILE... - runs a shell script under another kernel, in a guest
#
# The guest is qemu's TCG, two CPUs, 1 GiB, no disk and no network but loopback. Its root is an
# initramfs of busybox, the FILEs in /t (programs with their shared libraries) and the script, which
# runs there as root with /tmp on tmpfs. What it prints is printed; what it leaves in /out is
# afterwards in the folder OUT. Exit status: the script's; 125 = the guest gave none, then OUT/console
# is what its kernel said. SECONDS_MAX (default 130) bounds it all.

set -u
image=$1 script=$2 out=$3
shift 3

work=$(mktemp -d "${TMPDIR:-/tmp}/iotap-guest.XXXXXX") || exit 125
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$out"

root=$work/root
mkdir -p "$root"/{bin,dev,out,proc,sys,t,tmp}
busybox=$(command -v busybox) && cp "$busybox" "$root/bin/busybox" && cp "$script" "$root/t/script" &&
	cp "$@" "$root/t/" || exit 125

# The shared libraries of what was copied, the loader among them.
for file in "$@"; do
	ldd "$file" 2>/dev/null
done | grep -o '/[^ ]*' | sort -u | while read -r library; do
	mkdir -p "$root${library%/*}"
	cp -L "$library" "$root$library"
done

# Results go by the second serial line, unmixed with what the kernel says on the first. The files
# follow the output as one base64 text.
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
ip link set lo up
exec </dev/null >/dev/ttyS1 2>&1
stty raw </dev/ttyS1
cd /t
sh ./script
echo "iotap-guest-status $?"
tar -c -C /out . | gzip -1 | base64
echo iotap-guest-end
sync
poweroff -f
INIT
chmod 755 "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initramfs" || exit 125

timeout -k 5 "${SECONDS_MAX:-400}" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 \
	-nodefaults -display none -no-reboot -serial "file:$out/console" -serial "file:$work/results" \
	-kernel "$image" -initrd "$work/initramfs" \
	-append "console=ttyS0 quiet panic=1 nokaslr mitigations=off" </dev/null ||
	echo "boot.sh: the guest came to no end: exit status $?"

tr -d '\r' <"$work/results" >"$work/text" || exit 125
sed '/^iotap-guest-status [0-9]*$/,$d' "$work/text"
status=$(sed -n 's/^iotap-guest-status \([0-9]*\)$/\1/p' "$work/text")
[ -n "$status" ] && tail -n 1 "$work/text" | grep -qx iotap-guest-end || exit 125
sed '1,/^iotap-guest-status [0-9]*$/d; $d' "$work/text" | base64 -d | tar -xz -C "$out" || exit 125
exit "$status"
