# readers.sh - on another machine the readers say what they say here, byte by byte
# timeout: 900
#
# Built for arm64 and for s390x, whose numbers have their most significant byte first, and run under
# qemu-user on every recording that the tests have.

. tests/lib/check.sh
. tests/lib/machine.sh
need_program iotap-decode iotap-analyze iotap-report tests/golden/assemble
[ -z "$SAN" ] || skip_all "other machines have no sanitizers"
tmpdir
export TZ=UTC

# said COMMAND...: everything that a program says.
said() {
	local status=0
	"$@" 2>&1 </dev/null || status=$?
	echo "-- status $status"
}

# same NAME PROGRAM ARGUMENT...: counts in $differ.
same() {
	local name=$1 program=$2
	shift 2
	said "$B/$program" "$@" >"$tmp/here"
	said machine_run "$machine_out/$program" "$@" >"$tmp/there"
	cmp -s "$tmp/here" "$tmp/there" && compared=$((compared + 1)) && return
	check_files "$machine: $name" "$tmp/here" "$tmp/there"
}

recordings() {
	local file
	# situation: 111
	for file in tests/golden/rec/*.rec; do
		"$B/tests/golden/assemble" <"$file" >"$tmp/$(basename "$file" .rec).iotap"
	done
	cp tests/golden/captured/*.iotap "$tmp/"
	for file in tests/compat/v1/*.iotap; do
		cp "$file" "$tmp/v1-${file##*/}"
	done
}

compare_decode() {
	local name recording options
	while read -r name recording options; do
		case "$name" in
		'' | '#'*) continue ;;
		esac
		# shellcheck disable=SC2086 # one word an option
		same "$name" iotap-decode --replaying it $options "$tmp/$recording.iotap"
	done <tests/golden/TESTLIST
}

compare_all() {
	local file name
	for file in "$tmp"/*.iotap; do
		name=$(basename "$file" .iotap)
		for options in --check --dump "-F text --all-ops" "-F json" "-F csv" "-F events"; do
			# shellcheck disable=SC2086
			same "$name $options" iotap-decode --replaying it $options "$file"
		done
		same "$name, iotap-report" iotap-report "$file"
		same "$name, its page" iotap-report --html - "$file"
	done
}

# Questions, and a database that one machine makes and the other asks.
compare_analyze() {
	local file=$tmp/$1.iotap report
	for report in $("$B/iotap-analyze" list | awk 'NR > 1 { print $1 }'); do
		same "$1, report $report" iotap-analyze report "$report" -F json "$file"
	done
	same "$1, sql" iotap-analyze sql -F csv "$file" "select * from events"
	said machine_run "$machine_out/iotap-analyze" load -o "$tmp/$machine.db" "$file" >"$tmp/loaded"
	check_match "$machine: $1 is loaded" '^-- status 0$' "$(cat "$tmp/loaded")"
	said "$B/iotap-analyze" sql -F csv "$file" "select * from events" >"$tmp/here"
	said "$B/iotap-analyze" sql -F csv "$tmp/$machine.db" "select * from events" >"$tmp/there"
	check_files "$machine: $1, its database asked here" "$tmp/here" "$tmp/there"
}

recordings
for machine in arm64 s390x; do
	if ! machine_open "$machine"; then
		skip "$machine" "$archive_said"
		continue
	fi
	if ! machine_make OPTIMISE=-O1 "$machine_out"/iotap-{decode,analyze,report} >"$tmp/make" 2>&1; then
		not_ok "$machine: builds" "$(tail -n 20 "$tmp/make")"
		continue
	fi
	compared=0
	compare_decode
	compare_all
	check_that "$machine: $compared outputs are the same" test "$compared" -gt 100
	compared=0
	compare_analyze demo
	compare_analyze names
	check_that "$machine: $compared answers are the same" test "$compared" -gt 15
done
