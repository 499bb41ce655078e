# 30-coverage.sh - every call of the table: its record names what the call was on, both sides of it

. tests/lib/trace.sh
need_trace

trace more -- "$w/calls_more" "$tmp/s" "$tmp/dir"
"$B/iotap-decode" --dump "$tmp/more.iotap" >"$tmp/more.dump"
statements "$tmp/s" >"$tmp/said"
said=$(python3 tests/live/coverage.py "$tmp/said" "$tmp/more.dump" 2>&1) && status=0 || status=$?
check_eq "each call as it was made: $(printf '%s\n' "$said" | tail -n 1)" "0" "$status"
[ "$status" = 0 ] || printf '%s\n' "$said" | sed 's/^/# /'
