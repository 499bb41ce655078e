# 56-slow-reader.sh - 100,000 descriptors and a reader of the pipe that takes little, then nothing: memory stays bounded

. tests/lib/trace.sh
need_trace

cat >"$tmp/crowd.py" <<'PYTHON'
import os, resource, signal, sys, time
processes, each = 20, 5000
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
each = min(each, hard - 100)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, each + 100), hard))
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
for i in range(processes):
    if os.fork() == 0:
        for n in range(each):
            os.open(sys.argv[1] if n % 2 else "/dev/null", os.O_RDONLY)
        open("%s.%d" % (sys.argv[2], i), "w").write("%d %d" % (os.getpid(), each))
        while os.getppid() != 1:        # orphans end
            time.sleep(0.2)
        os._exit(0)
while True:
    time.sleep(1)
PYTHON
# Reads 4 KiB at a time for two seconds, nothing for two, then all; says how much memory capture had at most.
cat >"$tmp/reader.py" <<'PYTHON'
import os, signal, subprocess, sys, time
capture = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
fd, out = capture.stdout.fileno(), open(sys.argv[1], "wb")
began = time.monotonic()
out.write(os.read(fd, 4096))
while time.monotonic() - began < 2:
    out.write(os.read(fd, 4096))
    time.sleep(0.02)
time.sleep(2)
status = open("/proc/%d/status" % capture.pid).read()
most = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
capture.send_signal(signal.SIGINT)
while True:
    got = os.read(fd, 1 << 20)
    if not got:
        break
    out.write(got)
open(sys.argv[2], "w").write("%d %d" % (capture.wait(), most))
PYTHON

background python3 "$tmp/crowd.py" /etc/passwd "$tmp/child"
children() {
	for f in "$tmp"/child.*; do cut -d ' ' -f 1 "$f"; echo; done
}
wait_for 60 sh -c "[ \$(ls '$tmp'/child.* 2>/dev/null | wc -l) = 20 ]"
wait_for 30 sh -c "! find '$tmp' -name 'child.*' -empty | grep -q ."
background "$w/rate" "$tmp/said" "$tmp/dir/steady" 200000 100000
rate=$!
check_that "capture, and what it says is read" timeout 200 python3 "$tmp/reader.py" "$tmp/slow.iotap" "$tmp/most" \
	"$B/iotap-capture" --buffer 4M $(children) "$rate"
kill "$rate"
read -r status most <"$tmp/most"
check_match "it ends well, or with sums instead of calls" '^[04]$' "$status"
# 64 MiB, the rings, and a byte for each process number there can be.
if [ -z "${SAN:-}" ]; then
	check_that "memory is bounded: $most KiB at most" [ "$most" -le $(((64 + 4 + 4) * 1024)) ]
else
	skip "memory is bounded" "a sanitizer has memory of its own"
fi
laws slow "$("$B/iotap-decode" --check "$tmp/slow.iotap" >/dev/null 2>&1; echo $?)"
check_no_match "the laws hold" "^(BROKEN|bad)" "$("$B/iotap-decode" --check "$tmp/slow.iotap" 2>&1)"
expected=$(for f in "$tmp"/child.*; do cut -d ' ' -f 2 "$f"; echo; done | awk '{ n += $1 } END { print n }')
check_that "every descriptor of 20 processes is there ($expected and a few)" [ "$("$B/iotap-decode" --dump "$tmp/slow.iotap" |
	grep -c '^open_fd ')" -ge "$expected" ]
