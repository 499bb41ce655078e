# kernels.sh - which other kernels the guest tests boot, and where they come from; sourced
#
#	. tests/guest/kernels.sh
#	kernels				the names of the rows below
#	kernel=$(kernel_get 6.12) || skip "..." "$kernel"
#					the path of its image, or why it cannot be had
#
# Debian's packages for cloud machines, by apt-get download from the archive that the system uses:
# 27 to 34 MB each, unpacked beside it under the version, nothing is installed. They stay in
# $XDG_CACHE_HOME/iotap-tests (root's: /var/cache/iotap-tests); what is there is used as it is.

. tests/lib/archive.sh

# Name, and what the package is called (ERE). The highest version counts.
kernel_rows() {
	cat <<-'ROWS'
	6.1	linux-image-6\.1\.[0-9]+-[0-9]+-cloud-amd64
	6.12	linux-image-6\.12\.[0-9]+\+deb1[0-9]-cloud-amd64
	ROWS
	# 5.10	linux-image-5\.10\.0-[0-9]+-cloud-amd64
	# is of Debian 11, which a Debian 12 has no source of. Without task storage for tracepoints it
	# needs a kernel half of its own besides.
}

kernels() {
	kernel_rows | cut -f 1
}

# The newest image of a row that was unpacked before.
kernel_cached() {
	find "$1" -mindepth 2 -maxdepth 2 -name image -path "$1/linux-image-*" 2>/dev/null |
		grep -E "^$1/$2/image\$" | sort -V | tail -n 1
}

kernel_package() {
	apt-cache pkgnames linux-image- 2>/dev/null | grep -E -x -e "$1" | sort -V | tail -n 1
}

# kernel_fetch CACHE PACKAGE: false, with what apt or dpkg said, when it cannot be had.
kernel_fetch() {
	local work
	work=$(mktemp -d "$1/new.XXXXXX") || return 1
	(
		cd "$work" &&
			timeout 120 apt-get -qq -o APT::Sandbox::User=root download "$2" &&
			dpkg-deb -x "$2"_*.deb unpacked &&
			mkdir "$2" &&
			mv unpacked/boot/vmlinuz-* "$2/image" &&
			{ [ -e "$1/$2" ] || mv "$2" "$1/"; }
	) 2>&1 | tail -n 1
	rm -rf "$work"
	[ -s "$1/$2/image" ]
}

kernel_get() {
	local cache pattern package image said=
	pattern=$(kernel_rows | awk -v name="$1" '$1 == name { print $2 }')
	cache=$(archive_cache)
	image=$(kernel_cached "$cache" "$pattern")
	if [ -z "$image" ]; then
		command -v apt-get >/dev/null || { echo "no apt-get to fetch it with"; return 1; }
		mkdir -p "$cache" 2>/dev/null || { echo "cannot make $cache"; return 1; }
		package=$(kernel_package "$pattern")
		if [ -z "$package" ] || ! said=$(kernel_fetch "$cache" "$package"); then
			# Lists of packages may be missing or name a version that has gone.
			[ "$(id -u)" != 0 ] || timeout 120 apt-get -qq update >/dev/null 2>&1
			package=$(kernel_package "$pattern")
			[ -n "$package" ] || { echo "the archive has no such package"; return 1; }
			said=$(kernel_fetch "$cache" "$package") || { echo "${said:-not to be had}"; return 1; }
		fi
		image=$cache/$package/image
	fi
	echo "$image"
}
