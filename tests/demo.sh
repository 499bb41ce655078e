#!/bin/bash
# demo.sh - records a small workload and shows what can be asked of the recording
#
# As root (or with sudo) the workload is recorded here and now. Elsewhere a recording that comes with
# the tests is used. The recording is left in $O/demo.iotap for further questions.

set -eu
cd "$(dirname "$0")/.."
O=${O:-build}
recording=$O/demo.iotap

title() {
	printf '\n\033[1m$ %s\033[0m\n' "$*"
}

show() {
	title "$*"
	"$@"
}

# Files, a pipe and a connection over the loopback, some of them failing.
workload() {
	cat <<'SH'
d=$(mktemp -d)
seq 1 20000 >"$d/numbers"
sort -rn "$d/numbers" | gzip >"$d/numbers.gz"
cp "$d/numbers" "$d/copy"
cat "$d/none" /etc/hosts >/dev/null 2>&1
exec 3<>/dev/tcp/127.0.0.1/1
rm -r "$d"
SH
}

as_root=()
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
		as_root=(sudo -n)
	else
		recording=$(find tests/golden -name '*.iotap' 2>/dev/null | sort | head -n 1)
		[ -n "$recording" ] || {
			echo "demo: recording needs root, and no recording came with the tests" >&2
			exit 1
		}
		echo "demo: recording needs root; this is $recording instead"
	fi
fi
if [ "$recording" = "$O/demo.iotap" ]; then
	script=$(mktemp "${TMPDIR:-/tmp}/iotap-demo.XXXXXX")
	trap 'rm -f "$script"' EXIT
	workload >"$script"
	chmod 644 "$script"
	title "sudo $O/iotap-capture -f -o $recording -- bash workload"
	"${as_root[@]}" "$O/iotap-capture" -f --force -o "$recording" -- bash "$script" 2>/dev/null || true
	[ -s "$recording" ] || {
		echo "demo: nothing was recorded; say why by running the command above" >&2
		exit 1
	}
	ls -l "$recording"
fi

title "$O/iotap-decode $recording | head -n 12"
"$O/iotap-decode" "$recording" | head -n 12
title "$O/iotap-decode -F json $recording | head -n 2"
"$O/iotap-decode" -F json "$recording" | head -n 2
show "$O/iotap-decode" --check "$recording"
show "$O/iotap-report" --top 6 "$recording"
show "$O/iotap-analyze" report files "$recording"
show "$O/iotap-analyze" report errors "$recording"
printf '\nAsk more: %s/iotap-analyze list; %s/iotap-analyze sql %s\n' "$O" "$O" "$recording"
