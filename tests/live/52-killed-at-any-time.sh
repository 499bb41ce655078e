# 52-killed-at-any-time.sh - kill -9 at random moments: what is there is a prefix, and little is missing

. tests/lib/trace.sh
need_trace

kills=20
background "$w/rate" "$tmp/said" "$tmp/dir/steady" 200000 170000
wait_for 30 test -s "$tmp/said"
pid=$(sed -n 's/ready //p' "$tmp/said")
: >"$tmp/kills"
for i in $(seq $kills); do
	rm -f "$tmp/k.iotap"
	$ahead python3 tests/live/killed.py "$B" "$tmp/k.iotap" "$pid" "$i" "$tmp/dir/steady" >>"$tmp/kills" 2>&1
done
worst=$(awk '{ print $4 }' "$tmp/kills" | sort -n | tail -n 1)
second=$(awk '{ print $4 }' "$tmp/kills" | sort -n | tail -n 3 | head -n 1)
mean=$(awk '{ s += $4; t += $5; c += $3 } END { print int(s / NR) " writes, " int(t / NR) " us, of " int(c / NR) }' "$tmp/kills")
check_eq "each says that it was cut off (status 4), and nothing else is wrong" "$kills" \
	"$(grep -cE '^4 4 [0-9]+ [0-9]+ -?[0-9]+ $' "$tmp/kills")"
check_eq "each has calls" "" "$(awk '$3 < 100' "$tmp/kills")"
# 50 ms are 10,000 writes. On a machine that is busy otherwise, now and then capture gets no CPU for longer,
# although it goes before what else runs here.
if [ "${second:-999999}" -le 10000 ] && [ "$worst" -le 50000 ]; then
	ok "$kills kills at 200,000 writes a second: $worst missing at most, all but two $second (mean: $mean)"
else
	not_ok "$kills kills at 200,000 writes a second: at most 50 ms are missing" "$(cat "$tmp/kills")"
fi
check_that "the target goes on" kill -0 "$pid"
# What is there is exactly a prefix: the writes of one more, numbered by their offsets.
rm -f "$tmp/k.iotap"
background dd if=/dev/zero of="$tmp/dir/numbered" bs=1 2>/dev/null
dd=$!
background "$B/iotap-capture" -o "$tmp/k.iotap" $dd 2>/dev/null
capture=$!
wait_for 30 sh -c "[ \$(stat -c %s '$tmp/k.iotap' 2>/dev/null || echo 0) -gt 200000 ]"
kill -KILL $capture
wait $capture 2>/dev/null
"$B/iotap-decode" -F json "$tmp/k.iotap" 2>/dev/null | grep '"op":"write"' | grep -oE '"offset":[0-9]+' |
	cut -d: -f2 | tail -n +2 >"$tmp/offsets"	# the first one was under way
check_that "some thousand numbered writes" test "$(wc -l <"$tmp/offsets")" -gt 1000
check_eq "without a hole" "" "$(awk 'NR > 1 && $1 != last + 1 { print last, $1 } { last = $1 }' "$tmp/offsets" | head -n 3)"
kill $dd $pid 2>/dev/null
