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
