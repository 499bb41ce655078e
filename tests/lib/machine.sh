# machine.sh - programs built for other machines, and run here; sourced
#
#	. tests/lib/machine.sh
#	machine_open arm64 || skip_all "$archive_said"
#	machine_make TARGET...		make, for that machine; $machine_out is its build folder
#	machine_run PROGRAM ARGUMENT...	under qemu-user
#
# The compiler is the one that the kernel half is built with; its linker, the libraries (sysroot) and
# qemu are Debian's packages, unpacked into the cache (lib/archive.sh): 12 MB a machine and 63 MB for
# qemu, none of which is installed. (gcc for arm64 cannot be installed beside gcc-multilib.)

. tests/lib/archive.sh

# Debian's architecture, GNU's, qemu's.
machine_rows() {
	cat <<-'ROWS'
	arm64 aarch64-linux-gnu aarch64
	s390x s390x-linux-gnu s390x
	ROWS
}

machine_libraries="libc6 libc6-dev linux-libc-dev libgcc-12-dev libgcc-s1 zlib1g zlib1g-dev libzstd1
	libzstd-dev libelf1 libelf-dev libsqlite3-0 libsqlite3-dev libbpf1 libbpf-dev busybox-static"

# machine_open ARCH: gets what is not there yet.
machine_open() {
	local own cache name suite=bookworm
	cache=$(archive_cache)
	own=$(dpkg --print-architecture 2>/dev/null) || own=
	[ -n "$own" ] || archive_failed "not a Debian" || return
	read -r _ machine_gnu machine_qemu < <(machine_rows | grep "^$1 ")
	machine_root=$cache/sysroot-$1
	machine_tools=$cache/tools-$1
	machine_emulator=$cache/qemu-user
	if [ ! -d "$machine_root" ] || [ ! -d "$machine_tools" ] || [ ! -d "$machine_emulator" ]; then
		archive_open "$1" $suite || return
	fi
	# shellcheck disable=SC2046 # one word a package
	[ -d "$machine_root" ] ||
		archive_unpack "$machine_root" $(for name in $machine_libraries; do echo "$name:$1"; done) ||
		return
	[ -d "$machine_tools" ] ||
		archive_unpack "$machine_tools" "binutils-${machine_gnu/_/-}:$own" || return
	[ -d "$machine_emulator" ] ||
		archive_members="./usr/bin/qemu-aarch64-static ./usr/bin/qemu-s390x-static" \
			archive_unpack "$machine_emulator" "qemu-user-static:$own" || return
	machine_out=$B/cross/$1
}

machine_make() {
	local path="$machine_tools/usr/bin:$PATH"
	PATH=$path LD_LIBRARY_PATH=$machine_tools/usr/lib/$(uname -m)-linux-gnu make -s -j2 \
		O="$machine_out" BPF_INCLUDE="$machine_root/usr/include/$machine_gnu" AR="$machine_gnu-ar" \
		CC="clang --target=$machine_gnu --sysroot=$machine_root" "$@"
}

machine_run() {
	"$machine_emulator/usr/bin/qemu-$machine_qemu-static" -L "$machine_root" "$@"
}
