# 22-killed.sh - any stage killed: within a second no process and no BPF program is left
# live check: 6

. tests/lib/trace.sh
need_trace

sleep 600 &
idle=$!
check_pids="$check_pids $idle"

# Processes of the group that are more than an exit status.
living() {
	ps -eo pgid=,stat=,pid=,args= | awk -v group="$1" '$1 == group && $2 !~ /^Z/'
}

# gone NAME GROUP: nothing of the pipeline is left within a second.
gone() {
	local i=0 most
	most=$(($(a_second) * 20))
	while [ -n "$(living "$2")" ] && [ $i -lt $most ]; do
		i=$((i + 1))
		sleep 0.05
	done
	if [ -z "$(living "$2")" ]; then
		ok "$1: all gone within a second"
	else
		not_ok "$1: all gone within a second" "$(living "$2")"
		kill -KILL -- "-$2" 2>/dev/null
	fi
}

# kill_stage NAME PROGRAM COMMAND: starts a shell command as a group of its own, kills the program.
kill_stage() {
	local group capture= programs= i=0
	rm -f "$tmp/k.iotap"
	env --default-signal=INT setsid sh -c "$3" sh "$B" "$tmp" "$idle" >"$tmp/k.out" 2>"$tmp/k.err" </dev/null &
	group=$!
	while [ "$(printf '%s' "$programs" | wc -w)" -lt 9 ] && [ $i -lt 600 ]; do
		i=$((i + 1))
		sleep 0.05
		capture=$(pgrep -x -g "$group" iotap-capture)
		programs=$(programs_of "$capture")
	done
	wait_for 30 pgrep -g "$group" -x "$2"
	case $3 in
	*k.iotap*) wait_for 30 tracing "$tmp/k.iotap" ;;
	esac
	sleep 0.3
	kill -KILL "$(pgrep -g "$group" -x "$2" | head -n 1)"
	gone "$1" "$group"
	programs_gone "$1: no BPF program either" "$programs"
}

# situation: 148
kill_stage "capture into a file" iotap-capture '"$1/iotap-capture" -o "$2/k.iotap" "$3"'
status=0
said=$("$B/iotap-decode" -F json "$tmp/k.iotap" 2>&1) || status=$?
# situation: 108
check_eq "what a killed capture left is a readable prefix, and said to be one" 4 "$status"
check_match "it begins like any other" '"type":"start"' "$said"
kill_stage "capture of a pipeline" iotap-capture '"$1/iotap-capture" -o - "$3" | "$1/iotap-decode" -F json - | cat'
kill_stage "decode of a pipeline" iotap-decode '"$1/iotap-capture" -o - "$3" | "$1/iotap-decode" -F json - | cat'
kill_stage "the reader of a pipeline" cat '"$1/iotap-capture" -o - "$3" | "$1/iotap-decode" -F json - | cat'
if [ -x "$B/iotap-analyze" ]; then
	kill_stage "the loader of a pipeline" iotap-analyze \
		'"$1/iotap-capture" -o - "$3" | "$1/iotap-decode" -F events - | "$1/iotap-analyze" load -o "$2/k.db" -'
fi
if [ -x "$B/iotap" ]; then
	kill_stage "the driver" iotap '"$1/iotap" "$3"'
	kill_stage "capture below the driver" iotap-capture '"$1/iotap" "$3"'
	kill_stage "decode below the driver" iotap-decode '"$1/iotap" "$3"'
fi

for signal in INT TERM HUP QUIT ALRM XCPU PWR RTMIN; do
	rm -f "$tmp/q.iotap"
	env --default-signal "$B/iotap-capture" --force -o "$tmp/q.iotap" "$idle" 2>"$tmp/q.err" </dev/null &
	pid=$!
	wait_for 30 tracing "$tmp/q.iotap"
	kill -$signal $pid
	status=0
	wait $pid || status=$?
	check_eq "SIG$signal ends capture with a whole recording" "0 0" \
		"$status $("$B/iotap-decode" --check "$tmp/q.iotap" >/dev/null 2>&1; echo $?)"
done
