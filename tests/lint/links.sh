# links.sh - which shared libraries each program needs: no more than its row in docs/DESIGN.md

. tests/lib/check.sh

libc='linux-vdso|linux-gate|ld-linux[a-z0-9-]*|libc|libm|libpthread|libdl|librt|libgcc_s'
[ -z "${SAN:-}" ] || libc="$libc|libasan|libubsan|libtsan|liblsan|libstdc\\+\\+"

# links PROGRAM LIBRARY-ERE
links() {
	local program=$1 allowed=$2 bad
	if [ ! -e "$B/$program" ]; then
		skip "$program needs only what it may" "not built"
		return
	fi
	bad=$(ldd "$B/$program" | awk '{ print $1 }' | sed 's|.*/||' |
		grep -vE "^($libc${allowed:+|$allowed})(\.so.*|-[0-9.]+\.so)?\$")
	if [ -z "$bad" ]; then
		ok "$program needs only what it may"
	else
		not_ok "$program needs only what it may" "allowed: ${allowed:-nothing} and libc" "$bad"
	fi
}

links iotap ''
links iotap-capture 'libbpf|libelf|libz|libzstd'
links iotap-decode 'libz|libzstd|libelf'
links iotap-analyze 'libz|libzstd|libelf|libsqlite3'
links iotap-report 'libz|libzstd|libelf|libncursesw|libtinfo'
links libiotap.so 'libz|libzstd|libelf'
