# 30-coverage.sh - every call of the table: its record names what the call was on, both sides of it

. tests/lib/trace.sh
need_trace

trace more -- "$w/calls_more" "$tmp/s" "$tmp/dir"
"$B/iotap-decode" --dump "$tmp/more.iotap" >"$tmp/more.dump"
statements "$tmp/s" >"$tmp/said"
said=$(python3 tests/live/coverage.py "$tmp/said" "$tmp/more.dump" 2>&1) && status=0 || status=$?
check_eq "each call as it was made: $(printf '%s\n' "$said" | tail -n 1)" "0" "$status"
[ "$status" = 0 ] || printf '%s\n' "$said" | sed 's/^/# /'

# A call that was under way before attach and still is at the end is told once, and counted nowhere.
mkfifo "$tmp/fifo"
exec 3<>"$tmp/fifo"
background cat "$tmp/fifo"
pid=$!
wait_for 30 reads "$pid" "$tmp/fifo"
follow blocked "$pid"
finish blocked
"$B/iotap-decode" --dump "$tmp/blocked.iotap" | sed -n 's/^call .* call=\([a-z]*\) flags=\([a-z|]*\) .*/\1 \2/p' >"$tmp/got"
echo "read before|identity|requested|unfinished|fd" >"$tmp/expected"
check_files "blocked: the read that it has been in all the time" "$tmp/expected" "$tmp/got"
kill "$pid"

# A file that is renamed while it is open was opened under trace all the same; exec renames nobody.
trace renamed -- python3 -c 'import os, sys
os.chdir(sys.argv[1])
fd = os.open("one", os.O_RDWR | os.O_CREAT)
os.write(fd, b"123")
os.rename("one", "two")
os.write(fd, b"12345")
os.execv("/bin/true", ["true"])' "$tmp/dir"
check_eq "renamed: learned at its open, before and after" "$(printf '%s\n' "$tmp/dir/one traced" "$tmp/dir/two traced")" \
	"$(pick renamed "call == 'write' and path.startswith('$tmp/dir/')" "path + ' ' + e['resolved']")"
check_eq "renamed: exec is told as exec only" "true 0" \
	"$(pick renamed "kind == 'exec'" "e['path'].rsplit('/', 1)[1]" | tail -n 1) $(pick renamed "kind == 'renamed'" | wc -l)"

# Sums of calls that found no room in the ring keep both sides.
head -c 1000 /dev/zero >"$tmp/dir/input"
background python3 -c 'import os, sys
a, b = os.open(sys.argv[1] + "/input", os.O_RDONLY), os.open(sys.argv[1] + "/output", os.O_WRONLY | os.O_CREAT)
os.read(os.open(sys.argv[2], os.O_RDONLY), 1)
for i in range(40000):
    os.sendfile(b, a, 0, 700)
os.read(os.open(sys.argv[2], os.O_RDONLY), 1)' "$tmp/dir" "$tmp/fifo"
pid=$!
wait_for 30 reads "$pid" "$tmp/fifo"
follow sums --buffer 1024 "$pid"
kill -STOP "$(capture_pid sums)"
printf x >&3
wait_for 30 reads "$pid" "$tmp/fifo"
kill -CONT "$(capture_pid sums)"
printf x >&3
wait "$pid"
eval "wait \$capture_sums"
laws sums 4
"$B/iotap-decode" --dump "$tmp/sums.iotap" >"$tmp/sums.dump"
check_eq "sums: each side has the calls that are not there one by one, and their bytes" yes "$(python3 - "$tmp/sums.dump" <<'E2'
import re, sys
one, sums = 0, {}
for line in open(sys.argv[1]):
    one += line.startswith("call ") and " call=sendfile " in line
    kind = line.split(" ", 1)[0]
    if kind in ("aggregate", "aggregate_source") and " call=sendfile " in line:
        sums[kind] = [int(re.search(f" {key}=([0-9]+)", line)[1]) for key in ("calls", "bytes")]
left = 40000 - one
print("yes" if left > 0 and sums == {"aggregate": [left, left * 700], "aggregate_source": [left, left * 700]} else f"{left} {sums}")
E2
)"

# What is named over and over is defined once; another process, directory or peer is another target.
trace again -- python3 -c 'import os, socket, sys
os.chdir(sys.argv[1])
for i in range(500):
    for path in ("again-1", "again-2", "x" * 200):
        try:
            os.stat(path)
        except OSError:
            pass
a, b, c = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(3))
b.bind(("127.0.0.1", 0))
c.bind(("127.0.0.1", 0))
a.bind(("127.0.0.1", 0))
for i in range(500):
    a.sendto(b"1", b.getsockname())
    a.sendto(b"2", c.getsockname())
    c.recvfrom(9)
if os.fork() == 0:
    os.access("again-1", os.R_OK)' "$tmp/dir"
"$B/iotap-decode" --dump "$tmp/again.iotap" >"$tmp/again.dump"
check_eq "again: one definition a path and process" "2 1 500" \
	"$(for path in again-1 again-2 xxxx; do grep -c "^target .*origin=claim .*claimed=\"*$path" "$tmp/again.dump"; done | tr '\n' ' ' | sed 's/ $//')"
check_eq "again: one a peer: 2 sent to, 1 received from" 3 "$(grep -c '^target .*origin=claim kind=socket' "$tmp/again.dump")"
check_eq "again: each datagram has its peer" 1500 \
	"$(grep -c '^call .* call=\(sendto\|recvfrom\) .*second.* id2=' "$tmp/again.dump")"
