# 59-starved.sh - capture that gets no memory, or whose maps and rings the kernel refuses, at the n-th time
#
# It ends with status 1 and a line that says why, or does without: then what it wrote is sound.
# MOST=N: at how many places of each kind (10; all the others: minutes).

. tests/lib/trace.sh
need_trace
[ -z "${SAN:-}" ] || skip_all "a sanitizer has an allocator of its own"
need_tool strace
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -fPIC -shared -o "$tmp/starve.so" tests/hostile/starve.c -ldl || exit 1
chmod 755 "$tmp"

background sleep 600
target=$!

# places COUNT: so many of 1..COUNT, evenly spread.
places() {
	seq "${MOST:-10}" | awk -v n="$1" -v most="${MOST:-10}" '{ print int(($1 - 0.5) * n / most) + 1 }' | sort -nu
}

# judge WHAT WORDS: after a run, with its status.
judge() {
	local said
	if [ "$status" = 1 ] && [ "$(grep -cE "$2" "$tmp/err")" -ge 1 ] && [ "$(wc -l <"$tmp/err")" -le 3 ]; then
		[ ! -e "$tmp/t.iotap" ] || "$B/iotap-decode" --check "$tmp/t.iotap" >"$tmp/check" 2>&1 || [ $? = 4 ] ||
			echo "$1: not sound: $(cat "$tmp/check")"
	elif [ "$status" = 0 ] || [ "$status" = 4 ]; then
		said=$("$B/iotap-decode" --check "$tmp/t.iotap" 2>&1) || [ $? = 4 ] || echo "$1: $said"
	else
		echo "$1: status $status, said $(cat "$tmp/err")"
	fi
	rm -f "$tmp/t.iotap"
}

# starved HOW N: a run with the allocator that fails then.
starved() {
	status=0
	timeout 60 env LD_PRELOAD="$tmp/starve.so" STARVE="memory:$2:$1" STARVE_REPORT="$tmp/report" \
		"$B/iotap-capture" -d 0.1 -o "$tmp/t.iotap" "$target" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
}

starved once 0
check_eq "unhindered: status" 0 "$status"
asked=$(cut -d ' ' -f 1 "$tmp/report")
check_that "unhindered: it asks for memory" [ "$asked" -gt 1000 ]
rm -f "$tmp/t.iotap"
check_eq "no memory at some of $asked places, once and for ever: said, or done without" "" \
	"$(for how in once ever; do for n in $(places "$asked"); do starved $how "$n"; judge "$how $n" '[Mm]emory'; done; done)"

# refused ERROR WHEN: the kernel says so of maps, programs and rings.
refused() {
	status=0
	timeout 60 strace -f -qq -o "$tmp/strace" -e trace=bpf -e inject=bpf:error="$1":when="$2" \
		"$B/iotap-capture" -d 0.1 -o "$tmp/t.iotap" "$target" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
}
timeout 60 strace -f -qq -o "$tmp/strace" -e trace=bpf "$B/iotap-capture" -d 0.1 -o "$tmp/t.iotap" "$target" \
	2>"$tmp/err"
rm -f "$tmp/t.iotap"
calls=$(grep -c 'bpf(' "$tmp/strace")
# libbpf asks a second time, without types: all from there on fail.
ring=$(grep 'bpf(' "$tmp/strace" | grep -n 'map_name="calls"' | head -n 1 | cut -d: -f1)
check_eq "ENOMEM at some of $calls calls of bpf(2): said, or done without" "" \
	"$(for n in $(places "$calls"); do refused ENOMEM "$n"; judge "call $n" .; done)"
refused ENOMEM 1+
check_eq "ENOMEM of all of them: status, lines, files" "1 1 0" \
	"$status $(wc -l <"$tmp/err") $(ls "$tmp" | grep -c iotap)"
check_that "the ring of calls was asked for" [ -n "$ring" ]
if [ -n "$ring" ]; then
	refused ENOMEM "$ring+"
	check_eq "no memory for a ring: status, lines, files" "1 1 0" \
		"$status $(wc -l <"$tmp/err") $(ls "$tmp" | grep -c iotap)"
	check_match "no memory for a ring: the line names --buffer" "--buffer" "$(cat "$tmp/err")"
fi
