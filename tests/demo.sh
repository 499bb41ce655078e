#!/bin/bash
# tests/demo.sh - records a small workload and shows what can be asked of the recording
#
# Run by "make demo" with O set. Traces for real where that is allowed; elsewhere it says why not and
# takes a recording that is shipped with the tests. Everything it makes is in $O/demo.

set -eu
cd "$(dirname "$0")/.."
O=${1:-${O:-build}}
out=$O/demo
shipped=tests/golden/captured/demo.iotap
rm -rf "$out"
mkdir -p "$out"

# A recording of plain programs, without a language's tables.
export LC_ALL=C

# show COMMAND...: the command as one would type it, then its output.
show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

cat >"$out/workload.sh" <<'END'
# Writes and reads files, starts programs, sends a datagram, meets two errors.
cd "$(dirname "$0")"
seq 200000 >numbers
sort -r numbers >sorted
grep -c 7 sorted >count
cat no-such-file 2>/dev/null
{ echo hello >/dev/udp/127.0.0.1/9; } 2>/dev/null
{ echo hello >/dev/tcp/127.0.0.1/9; } 2>/dev/null
rm numbers sorted
exit 0
END

recording=$out/demo.iotap
printf '\n$ %s\n' "$O/iotap-capture -o $recording -f -- bash $out/workload.sh"
if said=$("$O/iotap-capture" -o "$recording" -f -- bash "$out/workload.sh" 2>&1); then
	[ -z "$said" ] || printf '%s\n' "$said"
else
	printf '%s\n\nNo tracing here, so a recording that is shipped is shown instead: %s\n' "$said" "$shipped"
	recording=$shipped
fi

printf '\n$ %s | head -n 12\n' "$O/iotap-decode $recording"
"$O/iotap-decode" "$recording" 2>/dev/null | head -n 12
show "$O/iotap-report" --top 8 "$recording"
show "$O/iotap-decode" --check "$recording"
show "$O/iotap-analyze" load -o "$out/demo.db" "$recording"
show "$O/iotap-analyze" report errors "$out/demo.db"
statement='SELECT call, count(*) AS calls, sum(bytes) AS bytes, round(sum(duration_ms), 2) AS ms
  FROM event_v WHERE dir IS NOT NULL GROUP BY call ORDER BY bytes DESC LIMIT 5'
printf '\n$ %s sql %s "%s"\n' "$O/iotap-analyze" "$out/demo.db" "$statement"
"$O/iotap-analyze" sql "$out/demo.db" "$statement"
printf '\nMore: %s\n' "$O/iotap-analyze list; the recording is $recording, the database $out/demo.db"
