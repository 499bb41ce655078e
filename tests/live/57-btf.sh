# 57-btf.sh - a system that does not show the kernel's type information, and a file of it given
#
# /sys/kernel/btf is covered in a mount namespace of the test's own.

. tests/lib/trace.sh
need_trace
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this system does not show it either"
unshare --mount true 2>/dev/null || skip_all "no mount namespace"
types=$tmp/types
cp /sys/kernel/btf/vmlinux "$types"

# hidden COMMAND...: runs it where nothing of the kernel's types is to be seen.
hidden() {
	unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh "$@"
}

said=$(hidden "$B/iotap-capture" -o "$tmp/none.iotap" -- true 2>&1) && status=0 || status=$?
check_eq "without: it fails" 1 "$status"
check_eq "without: one line says what is missing and what to do" \
	"iotap-capture: no type information of this kernel (/sys/kernel/btf/vmlinux): mount sysfs, or give a file of it with --btf: No such file or directory" \
	"$said"
check_that "without: no file is left" test ! -e "$tmp/none.iotap"

# shellcheck disable=SC2016 # the shell below expands it
hidden "$B/iotap-capture" --btf "$types" -f -o "$tmp/given.iotap" -- \
	sh -c 'printf 12345 >"$1"; ls /sys/kernel/btf' sh "$tmp/dir/five" >"$tmp/seen" 2>"$tmp/err" || status=$?
laws given
check_eq "with --btf: the call is there" "5" \
	"$(pick given "call == 'write' and path == '$tmp/dir/five'" "e['bytes']")"
check_eq "the COMMAND does not see the file in the place" "" "$(cat "$tmp/seen" "$tmp/err")"

said=$(hidden "$B/iotap" --btf "$types" -- true 2>&1) && status=0 || status=$?
check_eq "iotap hands it on" 0 "$status"
check_match "iotap hands it on, and summarises" '^iotap summary' "$said"

trace shown --btf "$types" -- "$w/blocks" "$tmp/s" "$tmp/dir/one" 1 77
check_eq "where the kernel's own are shown, the file is taken" 1 \
	"$(pick shown "call == 'write' and path == '$tmp/dir/one' and e['bytes'] == 77" | wc -l)"

for file in /etc/passwd /dev/null "$tmp/nothing" "$tmp"; do
	said=$("$B/iotap-capture" --btf "$file" -o "$tmp/none.iotap" -- true 2>&1) && status=0 || status=$?
	check_eq "$(basename "$file"): refused" 1 "$status"
	check_match "$(basename "$file"): named" "^iotap-capture: --btf: no type information in $file" "$said"
done
head -c 100000 "$types" >"$tmp/cut"
said=$("$B/iotap-capture" --btf "$tmp/cut" -o "$tmp/none.iotap" -- true 2>&1) && status=0 || status=$?
check_eq "cut off: refused" "1 1" "$status $(printf '%s\n' "$said" | wc -l)"
