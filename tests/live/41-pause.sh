# 41-pause.sh - SIGUSR2 pauses and goes on; SIGUSR1 alone changes nothing; -d 0 stops at once

. tests/lib/trace.sh
need_trace

# One line a step into a file per phase; a child in each phase writes too.
cat >"$tmp/steps.sh" <<'SHELL'
for phase in before paused after; do
	read -r step <&3
	for i in 1 2 3 4 5; do
		echo $i >>"$1/$phase"
		sh -c 'echo child >>"$1"' sh "$1/$phase-child"
	done
	echo $phase >&4
done
read -r step <&3
SHELL
mkfifo "$tmp/go" "$tmp/done"
exec 3<>"$tmp/go" 4<>"$tmp/done"
step() {
	echo >&3
	read -r -t 30 phase <&4
}
background sh "$tmp/steps.sh" "$tmp/dir"
shell=$!
follow steps -f "$shell"
pid=$(capture_pid steps)
step
kill -USR1 "$pid"
kill -USR2 "$pid"
check_that "it pauses" wait_for 30 noticed steps 'paused: '
step
sleep 0.3
kill -USR2 "$pid"
check_that "it goes on" wait_for 30 noticed steps 'recording again'
step
finish steps
for phase in before after; do
	check_eq "$phase: every write" 5 "$(pick steps "call == 'write' and path == '$tmp/dir/$phase'" | wc -l)"
	check_eq "$phase: children too" 5 "$(pick steps "call == 'write' and path == '$tmp/dir/$phase-child'" | wc -l)"
done
check_eq "paused: nothing" "" "$(pick steps "path.startswith('$tmp/dir/paused')" path)"
check_eq "the pause is said" "2" "$(pick steps "kind == 'notice'" "e['text']" | grep -c -E 'paused: |after a pause of 0\.[3-9]|after a pause of [1-9]')"

status=0
timeout 60 "$B/iotap-capture" -d 0 -o "$tmp/once.iotap" "$shell" || status=$?
# situation: 129
check_eq "-d 0: status" 0 $status
laws once
check_eq "-d 0: the process is in the recording" True "$(pick once "kind == 'start'" "'$shell' in str(e)")"
