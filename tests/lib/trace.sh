# trace.sh - for the live tests: trace a workload, prove the laws, compare with its statements
#
#	. tests/lib/trace.sh			(brings live.sh and check.sh; skips where BPF is refused)
#	trace NAME [OPTION...] -- COMMAND...	$tmp/NAME.iotap, $tmp/NAME.jsonl, --check passed
#	follow NAME [OPTION...] TARGET...	the same in the background; returns once it traces
#	finish NAME				ends it by SIGINT, then as trace
#	stated NAME STATEMENTS [OPTION...]	tests/live/compare.py of the two, device and inode by SQL
#	pick NAME CONDITION [WHAT]		Python over every line e of NAME.jsonl, one answer a line
#
# The laws are checked after every single trace: that is one "ok" line of each.

. tests/lib/live.sh

need_trace() {
	need_bpf
	need_program iotap-decode
	need_tool python3
	tmpdir
	w=$B/tests/live/work
	mkdir "$tmp/dir"
}

# laws NAME [STATUS]: the recording decodes, its laws hold; STATUS 4 where loss is the point.
laws() {
	local said status=0
	said=$("$B/iotap-decode" --check "$tmp/$1.iotap" 2>&1) || status=$?
	if [ "$status" = "${2:-0}" ]; then
		ok "$1: the laws hold"
	else
		not_ok "$1: the laws hold" "iotap-decode --check gave $status:" "$said"
	fi
	status=0
	"$B/iotap-decode" -F json --all-ops "$tmp/$1.iotap" >"$tmp/$1.jsonl" 2>"$tmp/$1.err" || status=$?
	[ "$status" = "${2:-0}" ] || not_ok "$1: decodes" "status $status, said:" "$(cat "$tmp/$1.err")"
	said=$(python3 tests/live/adds_up.py "$tmp/$1.jsonl" $([ "${2:-0}" = 0 ] || echo --lossy) 2>&1) ||
		not_ok "$1: the summary is the sum of its lines" "$said"
}

trace() {
	local name=$1 status=0
	shift
	timeout 120 "$B/iotap-capture" --force -f -o "$tmp/$name.iotap" "$@" \
		>"$tmp/$name.out" 2>"$tmp/$name.stderr" </dev/null || status=$?
	[ $status = 0 ] || not_ok "$name: captured" "status $status, said:" "$(cat "$tmp/$name.stderr")"
	laws "$name"
}

# $ahead COMMAND...: before what else runs here, for what is promised of a machine that has a CPU for it;
# $back COMMAND...: again as everybody else. (Nice values mean little to those of other sessions.)
ahead="chrt -r 1" back="chrt -o 0"
$ahead true 2>/dev/null || ahead="nice -n -15" back="nice -n 15"

# The start block is in the file once the targets are marked.
tracing() {
	[ -s "$1" ] && "$B/iotap-decode" -F json "$1" 2>/dev/null | grep -q '^{"type":"start"'
}

follow() {
	local name=$1
	shift
	# A shell without job control starts what it does not wait for with SIGINT ignored.
	env --default-signal=INT,QUIT timeout 120 \
		"$B/iotap-capture" --force -o "$tmp/$name.iotap" "$@" 2>"$tmp/$name.stderr" </dev/null &
	eval "capture_$name=$!"
	check_pids="$check_pids $!"
	wait_for 30 tracing "$tmp/$name.iotap" ||
		not_ok "$name: begins to trace" "$(cat "$tmp/$name.stderr")"
}

# The capture itself, below its timeout.
capture_pid() {
	eval "pgrep -P \$capture_$1 -x iotap-capture"
}

finish() {
	local name=$1 status=0
	kill -INT "$(capture_pid "$name")" 2>/dev/null
	eval "wait \$capture_$name" || status=$?
	[ $status = "${2:-0}" ] || not_ok "$name: ends" "status $status, said:" "$(cat "$tmp/$name.stderr")"
	laws "$name" "${2:-0}"
}

# reads PID FILE [TID]: it sleeps in a read of that file. Not in one of its program or libraries while it
# starts: a page that comes from the disk lets it sleep there, too.
reads() {
	local call fd
	read -r call fd _ <"/proc/$1/task/${3:-$1}/syscall" && [ "$call" = 0 ] && [ "/proc/$1/fd/$((fd))" -ef "$2" ]
}

# noticed NAME ERE: a notice of that recording, which may be under way, says so.
noticed() {
	"$B/iotap-decode" -F json "$tmp/$1.iotap" 2>/dev/null | grep -Eq '^\{"type":"notice".*'"$2"
}

# Ids of the BPF programs that a process holds; others may trace at the same time.
programs_of() {
	sed -n 's/^prog_id:[[:blank:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -un | tr '\n' ' '
}

# Any of these ids still there?
programs_left() {
	local id
	for id in $1; do
		! bpftool prog show id "$id" 2>/dev/null || return 0
	done
	return 1
}

# programs_gone NAME IDS: a program of a faultable tracepoint goes when all tasks have passed a quiet
# point, a third of a second to some on a busy machine; it is long detached by then.
programs_gone() {
	local i=0
	while programs_left "$2" >/dev/null && [ $i -lt 600 ]; do
		i=$((i + 1))
		sleep 0.05
	done
	if [ -z "$2" ]; then
		not_ok "$1" "it had none"
	elif programs_left "$2" >"$tmp/left"; then
		not_ok "$1" "$(cat "$tmp/left")"
	else
		ok "$1"
	fi
}

stated() {
	local name=$1 said status=0
	shift
	if [ -x "$B/iotap-analyze" ]; then
		"$B/iotap-analyze" sql -F tsv "$tmp/$name.iotap" "select (t.dev >> 20) || ':' || (t.dev & 1048575) ||
			' ' || t.ino from event e left join target t on t.id = e.target order by e.number" \
			2>"$tmp/$name.sql.err" | tail -n +2 >"$tmp/$name.inodes"
		set -- --inodes "$tmp/$name.inodes" "$@"
	fi
	said=$(python3 tests/live/compare.py "$@" "$tmp/$name.jsonl" 2>&1) || status=$?
	if [ $status = 0 ]; then
		ok "$name: $(printf '%s' "$said" | tail -n 1)"
	else
		not_ok "$name: what the workload states" "$said"
	fi
}

pick() {
	python3 - "$tmp/$1.jsonl" "$2" "${3:-1}" <<'PYTHON'
import json, sys
condition, what = (compile(text, "test", "eval") for text in sys.argv[2:4])
for line in open(sys.argv[1], encoding="utf-8"):
    e = json.loads(line)
    kind, call, target = e["type"], e.get("syscall"), e.get("target") or {}
    pid, tid, path = e.get("pid"), e.get("tid"), (e.get("target") or {}).get("path", "") if isinstance(e.get("target"), dict) else ""
    if eval(condition):
        print(eval(what))
PYTHON
}

# statements FILE: the lines, without the head and what is empty behind them.
statements() {
	tail -c +65 "$1" | head -c "$(od -A n -t u8 -N 8 "$1" | tr -d ' ')"
}

# said STATEMENTS KEY: the value of key=value in a note, once it is there.
said() {
	statements "$1" | sed -n "s/^note .*\b$2=\([^ ]*\).*/\1/p" | tail -n 1
}

has_said() {
	[ -s "$1" ] && [ -n "$(said "$1" "$2")" ]
}

wait_said() {
	wait_for 30 has_said "$1" "$2"
}
