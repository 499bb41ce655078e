# analyze_diff.sh - iotap-analyze events and diff: every call again; what changed between two runs

. tests/lib/check.sh
need_program iotap-analyze iotap-decode tests/golden/assemble
tmpdir
analyze=$B/iotap-analyze

# Every call, as iotap-decode has them, from a recording and from a database.
for name in curl seconds names loss; do
	"$B/tests/golden/assemble" <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
	"$analyze" load -o "$tmp/$name.db" "$tmp/$name.iotap" 2>/dev/null
	"$B/iotap-decode" -F tsv "$tmp/$name.iotap" 2>/dev/null >"$tmp/decoded"
	for what in "$name.iotap" "$name.db"; do
		"$analyze" events -F tsv "$tmp/$what" >"$tmp/events" 2>/dev/null
		# Names that are shown escaped there are exact here.
		cut -f 1-4,6- "$tmp/events" >"$tmp/a"
		cut -f 1-4,6- "$tmp/decoded" >"$tmp/b"
		[ "$name" != names ] || cut -f 1-14 "$tmp/events" | cut -f 1-4,6-14 >"$tmp/a"
		[ "$name" != names ] || cut -f 1-14 "$tmp/decoded" | cut -f 1-4,6-14 >"$tmp/b"
		check_that "events of $what: as iotap-decode has them" cmp "$tmp/a" "$tmp/b"
	done
done
check_match "events: JSON" '^\{"number":0,"time":"20' "$("$analyze" events -F json "$tmp/curl.db")"
check_status "events needs an input" 2 "$analyze" events

# What changed: one file more, one read longer, one gone.
cat >"$tmp/head.rec" <<'END'
block header session=1
host format_major=1 os=1 arch=x86_64 cpus=2 tool="iotap-capture 0.1.0" hostname="here" release="6.1.0"
clock boot_ns=5000000000 real_ns=1700000000000000000 tai_ns=1700000037000000000
block state
clock boot_ns=5000000000 real_ns=1700000000000000000 tai_ns=1700000037000000000
block records
process time_ns=5000000000 pid=10 start_ns=100 how=1 comm="mix" exe="/usr/bin/mix" arg0="mix"
target id=1 origin=call kind=file flags=16 dev=0x800001 ino=3 mode=0x81a4 text="/same"
target id=2 origin=call kind=file flags=16 dev=0x800001 ino=4 mode=0x81a4 text="/longer"
target id=3 origin=call kind=file flags=16 dev=0x800001 ino=5 mode=0x81a4 text="/slower"
target id=4 origin=call kind=file flags=16 dev=0x800001 ino=6 mode=0x81a4 text="/only"
block calls
END
call() {
	key=$((key + 1000))
	echo "call key=$((5000000000 + key)) duration=$2 tid=10 tgid=10 call=$4 flags=fd fd=3 id=$1 requested=100 result=$3"
}
key=0
{ cat "$tmp/head.rec"; call 1 1000 100 read; call 2 1000 100 read; call 3 1000 100 read; call 4 1000 7 write; echo "block end"; echo "end time_ns=5001000000 reason=3"; } >"$tmp/a.rec"
key=0
{ cat "$tmp/head.rec"; call 1 1500 100 read; call 2 1000 60 read; call 3 2000 100 read; echo "block end"; echo "end time_ns=5001000000 reason=3"; } >"$tmp/b.rec"
for side in a b; do
	"$B/tests/golden/assemble" <"$tmp/$side.rec" >"$tmp/$side.iotap"
	"$analyze" load -o "$tmp/$side.db" "$tmp/$side.iotap" 2>/dev/null
	"$B/iotap-decode" -F json --all-ops "$tmp/$side.iotap" 2>/dev/null >"$tmp/$side.jsonl"
done
expected='target,1,1,100,60,0,0,1,1,/longer
target,1,0,7,0,0,0,1,,/only
target,1,1,100,100,0,0,1,2,/slower
call,3,3,300,260,0,0,1,1.5,read
call,1,0,7,0,0,0,1,,write'
for pair in "a.iotap b.iotap" "a.db b.iotap" "a.iotap b.db" "a.db b.db" "a.jsonl b.jsonl" "a.jsonl b.db"; do
	# shellcheck disable=SC2086
	got=$(cd "$tmp" && "$analyze" diff -F csv $pair | tr -d '\r')
	check_eq "diff $pair" "$expected" "$(printf '%s\n' "$got" | tail -n +2)"
done
check_eq "diff: columns" "what,calls_a,calls_b,bytes_a,bytes_b,failed_a,failed_b,mean_us_a,mean_us_b,name" \
	"$(printf '%s\n' "$got" | head -n 1)"
check_eq "diff with itself: nothing" "" "$("$analyze" diff -F tsv "$tmp/a.db" "$tmp/a.iotap" | tail -n +2)"
check_eq "diff from standard input" "$expected" \
	"$("$analyze" diff -F csv - "$tmp/b.db" <"$tmp/a.iotap" | tr -d '\r' | tail -n +2)"
check_match "diff: JSON" '"what":"target","calls_a":1' "$("$analyze" diff -F json "$tmp/a.db" "$tmp/b.db")"
check_status "diff needs two" 2 "$analyze" diff "$tmp/a.db"
check_status "diff: the second is no standard input" 2 "$analyze" diff "$tmp/a.db" -
check_match "diff: what is not there is named" "none.db: No such file" "$("$analyze" diff "$tmp/a.db" "$tmp/none.db" 2>&1)"
