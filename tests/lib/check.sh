# check.sh - what a shell test says and how; sourced from the top of the tree
#
#	. tests/lib/check.sh
#	tmpdir				$tmp: a folder of its own, removed at the end
#	need_program iotap-decode	skips the whole file when it is not built
#	check_eq "name of the case" "expected" "$("$B/iotap-decode" ...)"
#
# At exit, processes started by background are ended, $tmp goes away with what is mounted there, and the status is 1 when any
# case failed. B is the build folder as an absolute path.

: "${O:=build}"
case "$O" in
/*) B=$O ;;
*) B=$PWD/$O ;;
esac
export O B

check_failed=0
check_pids=
tmp=

ok() {
	echo "ok - $1"
}

# not_ok NAME [LINE...]: the lines explain.
not_ok() {
	check_failed=1
	echo "not ok - $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/    /'
}

# skip NAME REASON: one case; skip_all REASON: this file, from here on.
skip() {
	echo "skip - $1 # $2"
}

skip_all() {
	echo "$1"
	exit 77
}

# check_eq NAME EXPECTED ACTUAL
check_eq() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "expected: $2" "got:      $3"
	fi
}

# check_match NAME ERE TEXT: some line of the text matches. check_no_match: none does.
check_match() {
	if grep -Eq -e "$2" <<<"$3"; then
		ok "$1"
	else
		not_ok "$1" "expected a line like: $2" "got: $3"
	fi
}

check_no_match() {
	if grep -Eq -e "$2" <<<"$3"; then
		not_ok "$1" "expected no line like: $2" "got: $3"
	else
		ok "$1"
	fi
}

# check_files NAME EXPECTED-FILE ACTUAL-FILE
check_files() {
	local difference
	if difference=$(diff -u "$2" "$3" 2>&1); then
		ok "$1"
	else
		not_ok "$1" "$(printf '%s\n' "$difference" | head -n 40)"
	fi
}

# check_status NAME EXPECTED-STATUS COMMAND...: output is shown when the status is another.
check_status() {
	local name=$1 expected=$2 got=0 said
	shift 2
	said=$("$@" 2>&1 </dev/null) || got=$?
	if [ "$got" = "$expected" ]; then
		ok "$name"
	else
		not_ok "$name" "expected exit status $expected, got $got from: $*" "$said"
	fi
}

# check_that NAME COMMAND...: the command succeeds.
check_that() {
	local name=$1
	shift
	check_status "$name" 0 "$@"
}

tmpdir() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/iotap-test.XXXXXX") || exit 1
}

# background COMMAND...: $! is its pid; it is ended with the test.
background() {
	"$@" &
	check_pids="$check_pids $!"
}

need_program() {
	local name
	for name in "$@"; do
		[ -x "$B/$name" ] || skip_all "$name is not built"
	done
}

need_tool() {
	local name
	for name in "$@"; do
		command -v "$name" >/dev/null || skip_all "$name is not installed"
	done
}

need_root() {
	[ "$(id -u)" = 0 ] || skip_all "needs root"
}

# catches PID SIGNAL...: it has a handler for each, or ignores it.
catches() {
	local pid=$1 signal word bits=0
	shift
	while read -r word signal; do
		case $word in SigCgt: | SigIgn:) bits=$((bits | 0x$signal)) ;; esac
	done <"/proc/$pid/status"
	for signal; do
		[ $((bits >> ($(kill -l "$signal") - 1) & 1)) = 1 ] || return 1
	done
}

# has_taken PID: no signal that it was sent is still to be taken: another of the same number is a second one.
has_taken() {
	! grep -Eq '^(SigPnd|ShdPnd):[[:blank:]]*0*[1-9a-f]' "/proc/$1/status"
}

# wait_for SECONDS COMMAND...: until the command succeeds; false after that time.
wait_for() {
	local left=$(($1 * 20))
	shift
	while ! "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.05
	done
}

# What a test that ends early has left mounted in its folder is not to be emptied with it.
unmount_below() {
	local place
	awk -v folder="$1/" 'index($2, folder) == 1 { print $2 }' /proc/self/mounts 2>/dev/null | sort -r |
		while read -r place; do umount -l "$place"; done
}

# a_second: what "within a second" is here: 1 s where there is a CPU for whoever needs one, more where several
# wait for each.
a_second() {
	local load
	read -r load _ </proc/loadavg
	echo $((1 + 2 * ${load%.*} / $(nproc)))
}

check_end() {
	local status=$? pid
	trap - EXIT
	for pid in $check_pids; do
		kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	[ -z "$tmp" ] || unmount_below "$tmp"
	[ -z "$tmp" ] || rm -rf "$tmp"
	[ $status -ne 0 ] || status=$check_failed
	exit $status
}
trap check_end EXIT
trap 'exit 130' INT TERM
