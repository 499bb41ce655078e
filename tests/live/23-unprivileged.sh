# 23-unprivileged.sh - without rights: one line that says so, status 1, and no file made
# live check: 1

. tests/lib/trace.sh
need_trace
need_tool setpriv

chmod 755 "$tmp"
mkdir -m 777 "$tmp/open"
cp "$B/iotap-capture" "$tmp/"
[ ! -x "$B/iotap" ] || cp "$B/iotap" "$B/iotap-decode" "$tmp/"

refused() {
	local name=$1 status=0
	shift
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	check_eq "$name: status" 1 "$status"
	check_eq "$name: one line" 1 "$(cat "$tmp/out" "$tmp/err" | wc -l)"
	check_match "$name: which names root or the capabilities" '(root|sudo|CAP_BPF)' "$(cat "$tmp/err")"
	check_eq "$name: no file" "" "$(ls "$tmp/open")"
}

# situation: 64
refused "capture of a command" "$tmp/iotap-capture" -o "$tmp/open/f.iotap" -- touch "$tmp/open/ran"
refused "capture of a process" "$tmp/iotap-capture" -o "$tmp/open/f.iotap" 1
[ ! -x "$B/iotap" ] || refused "the driver" "$tmp/iotap" --record "$tmp/open/f.iotap" 1

# Each of the 15 ways to lack some of them, with CAP_SYS_ADMIN gone, which stands for the first two.
for lack in $(seq 15); do
	names='' without=-sys_admin bit=1
	for name in BPF PERFMON SYS_PTRACE DAC_READ_SEARCH; do
		[ $((lack & bit)) = 0 ] || names="$names${names:+, }CAP_$name"
		[ $((lack & bit)) = 0 ] || without="$without,-$(echo $name | tr A-Z a-z)"
		bit=$((bit * 2))
	done
	status=0
	setpriv --bounding-set="$without" "$B/iotap-capture" -o "$tmp/open/f.iotap" -- touch "$tmp/open/ran" \
		>"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	echo "$status, $(ls "$tmp/open" | wc -l) files: $(grep -o 'lacks: [A-Z_, ]*' "$tmp/err")"
	echo "1, 0 files: lacks: $names" >&3
done 3>"$tmp/expected" >"$tmp/got"
check_files "root without some of the capabilities: just these are named, nothing begins" "$tmp/expected" "$tmp/got"

# Numbers of a namespace of its own would be taken for those of others.
if unshare -pf true 2>"$tmp/err"; then
	for mine in "" --mount-proc; do
		status=0
		# shellcheck disable=SC2086 # no word, or one
		timeout 30 unshare -pf $mine "$B/iotap-capture" -d 1 -o "$tmp/open/f.iotap" -p 1 >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
		check_eq "in a pid namespace ${mine:---no-proc}: refused, in one line, without a file" "1 1 0" \
			"$status $(wc -l <"$tmp/err") $(ls "$tmp/open" | wc -l)"
		check_match "in a pid namespace ${mine:---no-proc}: which says where to run it" "outside the container" "$(cat "$tmp/err")"
	done
else
	skip "in a pid namespace: refused" "$(head -n 1 "$tmp/err")"
fi
