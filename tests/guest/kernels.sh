# kernels.sh - which other kernels the guest tests boot, and where they come from; sourced
#
#	. tests/guest/kernels.sh
#	kernels amd64			the names of the rows of that architecture; those marked "guests"
#					with GUESTS=all only: each boot takes a minute and more;
#					those marked "old" are not among them
#	kernel=$(kernel_get 6.12) || skip "..." "$kernel"
#					the path of its image, or why it cannot be had
#
# Debian's packages for cloud machines, 21 to 34 MB each, fetched and unpacked as lib/archive.sh does:
# nothing is installed. What is in the cache is used as it is.

. tests/lib/archive.sh

# Name, architecture, release of Debian, what the package is called (ERE; the highest version counts),
# and for which use only.
kernel_rows() {
	cat <<-'ROWS'
	5.10	amd64	bullseye	linux-image-5\.10\.0-[0-9]+-cloud-amd64	old
	6.1	amd64	bookworm	linux-image-6\.1\.[0-9]+-[0-9]+-cloud-amd64
	6.12	amd64	bookworm	linux-image-6\.12\.[0-9]+\+deb1[0-9]-cloud-amd64
	6.1-arm64	arm64	bookworm	linux-image-6\.1\.[0-9]+-[0-9]+-cloud-arm64	guests
	6.12-arm64	arm64	bookworm	linux-image-6\.12\.[0-9]+\+deb1[0-9]-cloud-arm64
	ROWS
}

kernels() {
	kernel_rows | awk -v arch="$1" -v all="${GUESTS:-}" \
		'$2 == arch && ($5 == "" || ($5 == "guests" && all == "all")) { print $1 }'
}

# The newest image of a row that was unpacked before.
kernel_cached() {
	find "$1" -mindepth 2 -maxdepth 2 -name image -path "$1/linux-image-*" 2>/dev/null |
		grep -E "^$1/$2/image\$" | sort -V | tail -n 1
}

# kernel_fetch CACHE ARCH SUITE ERE: the path of the image, or the reason and false.
kernel_fetch() {
	local package folder
	archive_open "$2" "$3" || { echo "$archive_said"; return 1; }
	package=$(archive_newest "$4")
	[ -n "$package" ] || { echo "the archive has no such package"; return 1; }
	folder=$1/$package
	archive_members="--wildcards ./boot/vmlinuz-*" archive_unpack "$folder.new" "$package:$2" || {
		echo "${archive_said:-not to be had}"
		return 1
	}
	mkdir -p "$folder" && mv "$folder.new"/boot/vmlinuz-* "$folder/image"
	rm -rf "$folder.new"
	echo "$folder/image"
}

kernel_get() {
	local cache arch suite pattern image
	read -r _ arch suite pattern _ < <(kernel_rows | awk -v name="$1" '$1 == name')
	cache=$(archive_cache)
	image=$(kernel_cached "$cache" "$pattern")
	if [ -n "$image" ]; then
		echo "$image"
	else
		kernel_fetch "$cache" "$arch" "$suite" "$pattern"
	fi
}
