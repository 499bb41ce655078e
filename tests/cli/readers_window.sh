# readers_window.sh - a part of a recording by time or number: found by its index or not, it is the same
#
# SQL on the recording against a loaded table; iotap-decode on a file, which has an index, against a pipe.
# Every recording of tests/golden/rec, which have clocks that were set, damage and more than one epoch,
# and a made-up one of five epochs.

. tests/lib/check.sh
need_program iotap-analyze iotap-decode tests/golden/assemble tests/bench/synth
need_tool python3 strace
tmpdir
analyze=$B/iotap-analyze
decode=$B/iotap-decode

# windows DB: statements that ask for parts of it, at and around the times and numbers of its calls.
windows() {
	local column
	for column in time_ns boot_ns number; do
		"$analyze" sql -F csv "$1" "SELECT $column FROM event WHERE number % (SELECT 1 + count(*) / 5 FROM event) = 0
			ORDER BY 1" | tr -d '\r' | awk -v column=$column 'NR > 1 && $1 != "" { at[n++] = $1 }
			END { for (i = 0; i < n; i++) for (k = 0; k < n; k++) {
				printf "SELECT count(*), sum(number), min(number), total(bytes), total(target), total(process) "
				printf "FROM event WHERE %s %s %s AND %s %s %s;\n", column, i % 2 ? ">" : ">=", at[i],
					column, k % 3 ? "<=" : "<", at[k] } }'
	done
}

# expect_same NAME RECORDING
expect_same() {
	"$analyze" load -o "$tmp/$1.db" "$2" >/dev/null 2>&1
	windows "$tmp/$1.db" >"$tmp/$1.sql"
	check_eq "$1: $(wc -l <"$tmp/$1.sql") windows" "$("$analyze" sql -F csv "$tmp/$1.db" <"$tmp/$1.sql" 2>/dev/null)" \
		"$("$analyze" sql -F csv "$2" <"$tmp/$1.sql" 2>/dev/null)"
}

for rec in tests/golden/rec/*.rec; do
	name=$(basename "$rec" .rec)
	"$B/tests/golden/assemble" <"$rec" >"$tmp/$name.iotap"
	case $("$analyze" sql -F csv "$tmp/$name.iotap" 'SELECT count(*) FROM event' 2>/dev/null | tr -d '\r' |
		tail -n 1) in
	"" | *[!0-9]* | 0) continue ;;
	esac
	expect_same "$name" "$tmp/$name.iotap"
	"$decode" -q -o "$tmp/$name.copy" "$tmp/$name.iotap" 2>/dev/null	# with an index
	expect_same "$name-copy" "$tmp/$name.copy"
done
# The clock is set back by 20 s between two blocks of an epoch, and forward again.
{
	sed -n '/^block header/,/^block calls/p' tests/golden/rec/epochs.rec
	for i in 1 2 3; do
		echo "call key=500000000$i tid=10 tgid=10 call=read flags=fd|requested fd=3 id=1 requested=1 result=1"
	done
	printf 'block records\nclock boot_ns=6000000000 real_ns=1699999981000000000\nblock calls\n'
	for i in 1 2 3; do
		echo "call key=600000000$i tid=10 tgid=10 call=read flags=fd|requested fd=3 id=2 requested=1 result=1"
	done
	printf 'block records\nclock boot_ns=7000000000 real_ns=1700000002000000000\nblock calls\n'
	for i in 1 2 3; do
		echo "call key=700000000$i tid=10 tgid=10 call=read flags=fd|requested fd=3 id=1 requested=1 result=1"
	done
	printf 'block end\nend time_ns=8000000000 reason=1 calls=9 blocks=10\n'
} | "$B/tests/golden/assemble" >"$tmp/back.iotap"
expect_same back "$tmp/back.iotap"
"$B/tests/bench/synth" 50000 10 10000 >"$tmp/five.iotap"
expect_same five "$tmp/five.iotap"
python3 - "$tmp/five.iotap" >"$tmp/cut.iotap" <<'P'
import sys
recording = bytearray(open(sys.argv[1], "rb").read())
recording[len(recording) // 2] ^= 1
sys.stdout.buffer.write(recording)
P
check_status "damage in the middle: the last second can be had" 0 "$analyze" sql "$tmp/cut.iotap" \
	"SELECT count(*) FROM event WHERE boot_ns >= $("$analyze" sql -F csv "$tmp/five.iotap" \
	'SELECT max(boot_ns) FROM event' | tail -n 1)"
check_status "all of it is not" 4 "$analyze" sql "$tmp/cut.iotap" "SELECT count(*) FROM event"
# What is passed over is not checked: damaged calls must have their numbers whether they are read or not.
expect_same cut "$tmp/cut.iotap"
for from in 1us 20ms 31ms 49.9ms; do
	check_eq "damage: numbers from $from" "$("$decode" -F csv --from $from "$tmp/cut.iotap" 2>/dev/null | cksum)" \
		"$(cat "$tmp/cut.iotap" | "$decode" -F csv --from $from - 2>/dev/null | cksum)"
done

# The times lie before, at and behind the beginnings of epochs.
for from in 1us 10ms 10.1ms 19.9ms 20ms 30.5ms 41ms 1h; do
	check_eq "json from $from" "$("$decode" -F json --no-summary --from $from - <"$tmp/five.iotap" | cksum)" \
		"$(cat "$tmp/five.iotap" | "$decode" -F json --no-summary --from $from - | cksum)"
	check_eq "csv from $from" "$("$decode" -F csv --from $from --to 45ms "$tmp/five.iotap" | cksum)" \
		"$(cat "$tmp/five.iotap" | "$decode" -F csv --from $from --to 45ms - | cksum)"
done
check_eq "the summary needs all of it" "$("$decode" --from 30ms - <"$tmp/five.iotap" | cksum)" \
	"$(cat "$tmp/five.iotap" | "$decode" --from 30ms - | cksum)"
"$B/tests/bench/synth" 2000000 1000 100000 >"$tmp/long.iotap"
ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=read,pread64 -P "$tmp/long.iotap" -o "$tmp/trace" \
	"$decode" -q -F csv --from 1.99s "$tmp/long.iotap" >/dev/null
last=$(awk '{ n += $NF } END { print n }' "$tmp/trace") all=$(wc -c <"$tmp/long.iotap")
check_eq "what is passed over is not read: $last of $all bytes" "yes" \
	"$([ "$last" -gt 0 ] && [ "$last" -lt $((all / 3)) ] && echo yes)"
