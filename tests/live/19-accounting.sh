# 19-accounting.sh - the kernel's own accounting as the witness: rchar and wchar of /proc/PID/io

. tests/lib/trace.sh
need_trace
[ -r /proc/self/io ] || skip_all "this kernel accounts for no I/O (/proc/self/io)"

trace accounted -- "$w/accounted" "$tmp/s" "$tmp/dir" 2000
pick accounted "kind == 'event' and (call.startswith(('read', 'pread', 'write', 'pwrite', 'sendfile')) or e['requested'] == 0x10a70b01)" \
	"'%s %d %s %s' % (call, e['bytes'] or 0, e['requested'], 'io' if path.endswith('/io') else '-')" >"$tmp/calls"
statements "$tmp/s" | awk -F'[ =]' '/^sum/ { r[++n] = $5; w[n] = $7 }
	END { printf "%d %d\n", r[2] - r[1], w[2] - w[1] }' >"$tmp/expected"
# The second reading of /proc/self/io is not in its own answer.
awk '$3 == 279382785 { on = 1 }
	on && $4 == "io" { last = $2 }
	on && $1 ~ /read|sendfile/ { r += $2 }
	on && $1 ~ /write|sendfile/ { w += $2 }
	END { printf "%d %d\n", r - last, w }' "$tmp/calls" >"$tmp/got"
check_eq "rchar and wchar between two readings" "$(cat "$tmp/expected")" "$(cat "$tmp/got")"
check_that "and it is not nothing" [ "$(cut -d' ' -f1 "$tmp/got")" -gt 1000000 ]
