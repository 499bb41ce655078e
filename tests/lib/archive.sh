# archive.sh - packages for other machines and of other releases, beside this system; sourced
#
#	. tests/lib/archive.sh
#	archive_open arm64 bookworm || skip_all "$archive_said"
#	archive_unpack FOLDER PACKAGE:ARCH...
#					packages without what they depend on, unpacked into a folder;
#					of archive_members only if that is set (./usr/bin/x ./usr/bin/y)
#	archive_cache			where tests keep what they fetched
#
# By apt with settings and lists of its own, from the mirror that this system's libc6 comes from:
# nothing is installed, and what the system knows of other machines stays as it is. What was fetched
# stays in $XDG_CACHE_HOME/iotap-tests (root's: /var/cache/iotap-tests); lists are as new as a day.
# Of a failure, archive_said says why in one line.

archive_said=
archive_settings=

archive_cache() {
	if [ -n "${XDG_CACHE_HOME:-}" ]; then
		echo "$XDG_CACHE_HOME/iotap-tests"
	elif [ "$(id -u)" = 0 ]; then
		echo /var/cache/iotap-tests
	else
		echo "${HOME:-/tmp}/.cache/iotap-tests"
	fi
}

# archive_failed WORD...: for "|| archive_failed ..."; it is false.
archive_failed() {
	archive_said=$*
	return 1
}

# The mirror and its keys: http://deb.debian.org/debian
archive_mirror() {
	apt-get --print-uris download libc6 2>/dev/null |
		sed -n "s,^'\(.*\)/pool/.*,\1,p" | sed 's,-security$,,' | head -n 1
}

# archive_settle FOLDER ARCH SUITE MIRROR: settings and sources.
archive_settle() {
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	{
		echo "deb [arch=$(dpkg --print-architecture),$2 signed-by=$keys] $4 $3 main"
		echo "deb [arch=$(dpkg --print-architecture),$2 signed-by=$keys] $4-security $3-security main"
	} >"$1/sources"
	cat >"$1/settings" <<-SETTINGS
	Dir::State::lists "$1/lists";
	Dir::State::status "$1/status";
	Dir::Cache "$1/cache";
	Dir::Etc::sourcelist "$1/sources";
	Dir::Etc::sourceparts "-";
	APT::Architectures { "$(dpkg --print-architecture)"; "$2"; };
	APT::Sandbox::User "";
	SETTINGS
}

# archive_open ARCH SUITE: lists of the packages; later calls are about them.
archive_open() {
	local folder mirror
	folder=$(archive_cache)/apt-$1-$2
	command -v apt-get >/dev/null || archive_failed "no apt-get to fetch packages with" || return
	archive_settings=$folder/settings
	[ -z "$(find "$folder/fresh" -mmin -1440 2>/dev/null)" ] || return 0
	mirror=$(archive_mirror)
	[ -n "$mirror" ] || archive_failed "no archive known that packages come from" || return
	archive_settle "$folder" "$1" "$2" "$mirror" 2>/dev/null ||
		archive_failed "cannot make $folder" || return
	APT_CONFIG=$archive_settings timeout 120 apt-get -qq update >/dev/null 2>&1 || :
	[ -n "$(APT_CONFIG=$archive_settings apt-cache pkgnames libc 2>/dev/null)" ] ||
		archive_failed "the archive cannot be reached" || return
	touch "$folder/fresh"
}

# archive_newest ERE: the highest version of the packages of such names.
archive_newest() {
	APT_CONFIG=$archive_settings apt-cache pkgnames 2>/dev/null | grep -E -x -e "$1" | sort -V |
		tail -n 1
}

# archive_unpack FOLDER PACKAGE...: a folder appears complete or not at all.
archive_unpack() {
	local folder=$1 work package
	shift
	mkdir -p "${folder%/*}" || archive_failed "cannot make ${folder%/*}" || return
	work=$(mktemp -d "$folder.XXXXXX") || archive_failed "cannot make $folder" || return
	# Libraries of merged /usr: links that say /lib must be found.
	mkdir -p "$work/new/usr/lib" "$work/debs" && ln -s usr/lib "$work/new/lib"
	archive_said=$(cd "$work/debs" && APT_CONFIG=$archive_settings timeout 240 \
		apt-get -qq download "$@" 2>&1 | tail -n 1)
	if [ "$(find "$work/debs" -name '*.deb' | wc -l)" != $# ]; then
		rm -rf "$work"
		archive_failed "${archive_said:-packages cannot be had}"
		return
	fi
	# shellcheck disable=SC2086 # one word a member
	for package in "$work"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -x --keep-directory-symlink --exclude='./usr/share/*' -C "$work/new" \
				${archive_members:-} || break
	done 2>/dev/null
	mv -T "$work/new" "$folder" 2>/dev/null || [ -d "$folder" ] || archive_failed "cannot make $folder"
	rm -rf "$work"
	[ -d "$folder" ]
}
