# core.sh - the core live test in guests: boots one kernel, judges what was recorded there; sourced
#
#	. tests/guest/core.sh
#	core 6.12		one kernel of kernels.sh, a case each for what was stated; needs $tmp
#
# What runs in the guest is inside/core.sh; it only leaves recordings and statements.

. tests/guest/kernels.sh

core_work="blocks births calls_more churn connections entries family kinds names restarts underway"

# recorded NAME: there is a recording of it and its laws hold; else what capture said.
recorded() {
	if [ -s "$tmp/$1.iotap" ]; then
		laws "$1" "${2:-0}"
	else
		not_ok "$1: is recorded" "$(cat "$tmp/$1.err" 2>/dev/null)"
		return 1
	fi
}

# agrees NAME MINIMUM [OPTION...]: the recording says what its workload stated.
agrees() {
	recorded "$1" && stated "$1" "$tmp/$1.s" --min "$2" "${@:3}"
}

# covered NAME: each call of the table as its workload made it.
covered() {
	local said status=0
	recorded "$1" || return
	"$B/iotap-decode" --dump "$tmp/$1.iotap" >"$tmp/$1.dump"
	statements "$tmp/$1.s" >"$tmp/$1.said"
	said=$(python3 tests/live/coverage.py "$tmp/$1.said" "$tmp/$1.dump" 2>&1) || status=$?
	if [ $status = 0 ]; then
		ok "$1: $(printf '%s' "$said" | tail -n 1)"
	else
		not_ok "$1: each call as it was made" "$said"
	fi
}

judge_dd() {
	recorded "$1" || return
	check_eq "$1: ten writes of 4096 bytes, one behind the other" "$(seq 0 4096 36864 | sed 's/$/ 4096 True/')" \
		"$(pick "$1" "call == 'write' and path == '/tmp/dir/blocks'" "e['offset'], e['bytes'], e['confirmed']" | tr -d '(),')"
	check_eq "$1: ten reads of /dev/zero" 10 "$(pick "$1" "call == 'read' and path == '/dev/zero' and e['bytes'] == 4096" | wc -l)"
}

judge_names() {
	recorded "$1" || return
	check_eq "$1: each is traced from its first call under the name" "$(printf '%s\n' 'name-a 33' 'name-b 22' 'name-c 22')" \
		"$(pick "$1" "call == 'write' and path.startswith('/tmp/dir/')" "path.rsplit('/', 1)[1] + ' %d' % e['bytes']" | sort)"
	check_eq "$1: the running one too" 1 "$(pick "$1" "call == 'read' and path == '/tmp/go' and e['bytes'] == 1" | wc -l)"
}

judge_loss() {
	recorded "$1" 4 || return
	check_eq "$1: calls were lost one by one" True "$(pick "$1" "kind == 'lost_events'" "e['count'] > 0" | sort -u)"
	check_eq "$1: calls and bytes are exact all the same" "30000 2310000" \
		"$(pick "$1" "kind == 'summary'" "'%d %d' % next((r['write_calls'], r['write_bytes']) for r in e['files'] if r['target'] == '/tmp/dir/lost')")"
}

judge_clock() {
	recorded "$1" || return
	check_eq "$1: a CPU went and came back" "0 0-1" "$(xargs <"$tmp/$1.cpus")"
	# Otherwise it was the time limit of inside/core.sh: the last writes are missing then.
	check_eq "$1: recorded until its target had ended" exited "$(pick "$1" "kind == 'end'" "e['reason']")"
	check_eq "$1: every write is there all the same" "3000 165000" \
		"$(pick "$1" "kind == 'summary'" "'%d %d' % next((r['write_calls'], r['write_bytes']) for r in e['files'] if r['target'] == '/tmp/dir/clock')")"
	check_eq "$1: the clock was set a year on, and back" "True True" \
		"$(pick "$1" "kind == 'clock_step'" "e['step_ns'] // 10**9" | awk '$1 > 31000000 { on = "True" }
			$1 < -31000000 { back = "True" } END { print on, back }')"
	check_eq "$1: no call took longer for it" "" \
		"$(pick "$1" "kind == 'event' and call == 'write' and e['latency_ns'] > 10**12" "e['latency_ns']")"
}

# 32-bit ARM on arm64: its write is number 4, its exit 1, neither of which is what it is on arm64.
judge_arm32() {
	recorded "$1" || return
	check_eq "$1: calls of 32-bit programs are counted as unknown, none is taken for another" "20 0" \
		"$(pick "$1" "kind == 'summary'" "e['blind_spots']['unknown_numbers']") $(pick "$1" \
			"kind in ('event', 'op') and call != 'execve'" "call" | wc -l)"
	check_eq "$1: the program has run" 60 "$(wc -c <"$tmp/$1.out" | tr -d ' ')"
}

judge() {
	local k=$1 file
	for file in "$tmp/out"/*; do
		mv "$file" "$tmp/$k-${file##*/}"
	done
	judge_dd "$k-dd"
	judge_dd "$k-untimed"
	agrees "$k-kinds" 80 --only-pids
	covered "$k-more"
	agrees "$k-births" 1
	agrees "$k-entries" 1
	agrees "$k-restarts" 1
	agrees "$k-files" 100 --only-pids
	agrees "$k-renames" 100 --only-pids
	agrees "$k-connections" 100 --only-pids
	agrees "$k-family" 24 --only-pids
	judge_names "$k-names"
	judge_loss "$k-loss"
	judge_clock "$k-clock"
	[ ! -e "$tmp/$k-arm32.err" ] || judge_arm32 "$k-arm32"
}

# core_run KERNEL IMAGE FOLDER: boots it with the programs of a build folder.
core_run() {
	local before=$SECONDS name files=
	for name in $core_work; do
		files="$files $3/tests/live/work/$name"
	done
	[ ! -e "$tmp/arm32" ] || files="$files $tmp/arm32"
	rm -rf "$tmp/out"
	# shellcheck disable=SC2086 # one word a workload
	if tests/guest/boot.sh "$2" tests/guest/inside/core.sh "$tmp/out" "$3/iotap-capture" \
		"$3/iotap-decode" $files >"$tmp/said" 2>&1; then
		ok "$1: boots, works, powers off in $((SECONDS - before)) s"
		judge "$1"
	else
		not_ok "$1: boots" "$(cat "$tmp/said")" "$(tail -n 20 "$tmp/out/console" 2>/dev/null)"
	fi
}

# core KERNEL [FOLDER]
core() {
	local image
	if image=$(kernel_get "$1"); then
		core_run "$1" "$image" "${2:-$B}"
	else
		skip "$1" "$image"
	fi
}
