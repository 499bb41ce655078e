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

# At its end: what /proc has of a child that nobody has waited for yet, our sums, and the exit record.
cat >"$tmp/end.py" <<'PYTHON'
import os, sys
os.chdir(sys.argv[1])
r, w = os.pipe()
child = os.fork()
if child == 0:
    fd = os.open("end", os.O_RDWR | os.O_CREAT)
    for n in range(1, 200):
        os.write(fd, b"x" * n)
        os.pwrite(fd, b"y" * 7, n)
        os.writev(fd, [b"a" * 3, b"b" * n])
        os.pread(fd, n, 0)
        os.preadv(fd, [bytearray(n), bytearray(5)], 10)
    out = os.open("copy", os.O_WRONLY | os.O_CREAT)
    os.sendfile(out, fd, 0, 5000)
    os.write(w, b"z" * 11)
    os.read(r, 100)
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
io = dict(line.split(": ") for line in open("/proc/%d/io" % child).read().splitlines())
print(child, io["rchar"], io["wchar"])
os.wait()
PYTHON
trace end -- "$(PATH=/usr/bin:/bin command -v python3 || command -v python3)" -S "$tmp/end.py" "$tmp/dir"
read -r child rchar wchar <"$tmp/end.out"
pick end "kind == 'event' and pid == $child" "call + ' %d' % (e['bytes'] or 0)" | awk '
	/read|sendfile/ { r += $2 }
	/write|sendfile/ { w += $2 }
	END { printf "%d %d\n", r, w }' >"$tmp/got"
check_eq "rchar and wchar of an ended process are our sums" "$rchar $wchar" "$(cat "$tmp/got")"
check_eq "and those of its exit record" "$rchar $wchar" "$("$B/iotap-decode" --dump "$tmp/end.iotap" |
	sed -n "s/^exit .* pid=$child .* rchar=\([0-9]*\) wchar=\([0-9]*\).*/\1 \2/p")"
check_that "which are not nothing" [ "$wchar" -gt 40000 ]
