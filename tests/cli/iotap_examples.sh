# iotap_examples.sh - the examples of the manual pages of iotap and iotap-report do what they say
#
# Every line that stands between EXAMPLES and the next section and begins with one of our programs is
# run by the shell, in a folder of its own.

. tests/lib/live.sh
need_program iotap iotap-decode iotap-report tests/golden/assemble
tmpdir
top=$PWD

# examples PAGE: one command a line.
examples() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$1" | sed -n -E 's/^(\.Dl )?(iotap)/\2/p' | sed 's/\\-/-/g'
}

try() {
	local page=$1 status
	examples "$page" >"$tmp/commands"
	check_that "$page has examples" test -s "$tmp/commands"
	while IFS= read -r command; do
		status=0
		(cd "$tmp" && PATH="$B:$PATH" timeout 30 bash -c "$command") >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
		if [ $status = 0 ]; then
			ok "$command"
		else
			not_ok "$command" "status $status" "$(cat "$tmp/out" "$tmp/err" | tail -n 10)"
		fi
	done <"$tmp/commands"
}

sed 's/\<tgid=10\>/tgid=1234/; s/\<pid=10\>/pid=1234/' "$top/tests/golden/rec/epochs.rec" |
	"$B/tests/golden/assemble" >"$tmp/trace.iotap"
cp "$tmp/trace.iotap" "$tmp/trace.iotap.1"
try docs/iotap-report.1
need_bpf
try docs/iotap.1
