# objects.sh - both objects of the kernel half have their settings in the same places, under the same names
#
# User space sets and steers either by the skeleton of the first (capture/kernel_object.c).

. tests/lib/check.sh

# settings OBJECT: the structs of its skeleton's .rodata, .data and .bss.
settings() {
	sed -n "/struct $1_bpf__\(rodata\|data\|bss\) {/,/}/p" "$B/bpf/$1.skel.h" | sed "s/$1_bpf/bpf/"
}

# named OBJECT WHAT: its maps or progs; those of .rodata and the like are named after the object.
named() {
	sed -n "s/.*->$2\[[0-9]*\]\.name = \"\(.*\)\";/\1/p" "$B/bpf/$1.skel.h" | grep -v '^iotap_' | sort
}

[ -e "$B/bpf/iotap.skel.h" ] && [ -e "$B/bpf/iotap_old.skel.h" ] || skip_all "the kernel half is not built"
check_that "there are settings" test "$(settings iotap | wc -l)" -ge 40
check_eq "the settings are the same" "$(settings iotap)" "$(settings iotap_old)"
check_eq "the programs are the same" "$(sed -n 's/.*->progs\[[0-9]*\]\.name = //p' "$B/bpf/iotap.skel.h" | sort)" \
	"$(sed -n 's/.*->progs\[[0-9]*\]\.name = //p' "$B/bpf/iotap_old.skel.h" | sort)"
check_that "there are maps" test "$(named iotap maps | wc -l)" -ge 10
check_eq "no map is missing in the old one" "" "$(named iotap maps | comm -23 - <(named iotap_old maps))"
for object in iotap iotap_old; do
	bss=$(readelf -SW "$B/bpf/$object.bpf.o" 2>/dev/null | awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == ".bss" { print $5 }')
	check_that "$object: .bss ($bss bytes, hexadecimal) is a map that Linux 5.10 takes" test "$((16#${bss:-ffffffff}))" -le $((4 << 20))
done
