# iotap_pipelines.sh - programs joined by the shell: one Ctrl-C loads everything, a killed stage ends all
#
# The target is idle when stages are killed: nothing flows that could tell them of each other's end.

. tests/lib/live.sh
need_bpf
need_program iotap iotap-decode iotap-analyze
need_tool python3 ps
tmpdir

# A program that waits for a line, writes 7 bytes 1000 times, and then does nothing.
cat >"$tmp/writer.py" <<'END'
import os, sys, time
sys.stdin.readline()
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
for i in range(1000):
    os.write(fd, b"seven b")
open(sys.argv[1] + ".done", "w").close()
time.sleep(600)
END
mkfifo "$tmp/go"
exec 7<>"$tmp/go"
python3 "$tmp/writer.py" "$tmp/written" <"$tmp/go" &
target=$!
check_pids=$target

# On a terminal of its own: runs the shell command, types Ctrl-C once the file is there.
timeout 280 python3 - "$tmp" "$B" "$target" >"$tmp/said" 2>&1 <<'END'
import os, pty, signal, subprocess, sys, time
tmp, programs, target = sys.argv[1:4]
command = f"""
"$1/iotap-capture" -o - {target} | tee -i "$2/copy" | "$1/iotap-decode" -F events | "$1/iotap-analyze" load -o "$2/t.db" -
echo "status ${{PIPESTATUS[*]}}"
"""
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp("bash", ["bash", "-c", command, "bash", programs, tmp])


def until(done):
    end = time.monotonic() + 100
    while not done() and time.monotonic() < end:
        time.sleep(0.05)


def tracing():
    decode = subprocess.run([programs + "/iotap-decode", "-F", "json", tmp + "/copy"], capture_output=True)
    return b'{"type":"start"' in decode.stdout


until(tracing)
with open(tmp + "/go", "w") as go:
    go.write("go\n")
until(lambda: os.path.exists(tmp + "/written.done"))
os.write(fd, b"\x03")
while True:
    try:
        more = os.read(fd, 65536)
    except OSError:
        break
    if not more:
        break
    sys.stdout.write(more.decode("utf-8", "replace").replace("\r", ""))
END
check_match "capture | decode | load: one Ctrl-C, all of them end well" 'status 0 0 0 0$' "$(cat "$tmp/said")"
check_eq "capture | decode | load: every call is in the database" "1000,7000" \
	"$("$B/iotap-analyze" sql -F csv "$tmp/t.db" \
		"SELECT count(*), sum(bytes) FROM event_v WHERE call = 'write' AND target = '$tmp/written'" |
		tr -d '\r' | tail -n 1)"

# killed NAME PROGRAM COMMAND: nobody is left within a second. The command is a group of its own.
killed() {
	local name=$1 program=$2 group victim
	setsid env --default-signal=INT bash -c "$3" bash "$B" "$tmp" "$target" >"$tmp/out" 2>"$tmp/err" </dev/null &
	group=$!
	check_pids="$check_pids $group"
	wait_for 30 traced_by $group || not_ok "$name: begins" "$(cat "$tmp/err")"
	sleep 0.5
	victim=$(ps -eo pid=,pgid=,comm= | awk -v g=$group -v p="$program" '$2 == g && $3 == p { print $1; exit }')
	kill -KILL "$victim"
	if wait_for "$(a_second)" nobody_in $group; then
		ok "$name: nobody is left within a second"
	else
		not_ok "$name: nobody is left within a second" "$(ps -eo stat=,pid=,pgid=,args= | awk -v g=$group '$3 == g')"
		kill -KILL -- "-$group" 2>/dev/null
	fi
	wait $group 2>/dev/null
	rm -f "$tmp/seen"
}

nobody_in() {
	! ps -eo stat=,pgid=,comm= | grep -v '^Z' | awk -v g="$1" '$2 == g && $3 ~ /^iotap/' | grep -q .
}

# Its capture holds links to its programs: they are attached.
traced_by() {
	local capture
	capture=$(ps -eo pid=,pgid=,comm= | awk -v g=$1 '$2 == g && $3 == "iotap-capture" { print $1; exit }')
	[ -n "$capture" ] && ls -l "/proc/$capture/fd" | grep -q bpf_link
}

two='"$1/iotap-capture" -o - "$3" | "$1/iotap-decode" -F json - >/dev/null'
three='"$1/iotap-capture" -o - "$3" | "$1/iotap-decode" -F events - | "$1/iotap-analyze" load -o "$2/k.db" -'
killed "capture of two" iotap-capture "$two"
killed "decode of two" iotap-decode "$two"
killed "capture of three" iotap-capture "$three"
killed "decode of three" iotap-decode "$three"
killed "analyze of three" iotap-analyze "$three"
for stage in iotap iotap-capture iotap-decode; do
	killed "$stage under iotap" $stage '"$1/iotap" "$3" >/dev/null'
	killed "$stage under iotap --record" $stage '"$1/iotap" --force --record "$2/k.iotap" "$3" >/dev/null'
done
