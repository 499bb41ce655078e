# 16-restarts.sh - interrupted and restarted calls: one event each, the latency over all of it

. tests/lib/trace.sh
need_trace

trace restarts -- "$w/restarts" "$tmp/s"
stated restarts "$tmp/s" --min 9
check_eq "no restart code is shown" 0 "$(pick restarts "512 <= (e.get('errno') or 0) <= 516" | wc -l)"
check_that "a restarted read took as long as its signals" \
	[ "$(pick restarts "call == 'read' and e['bytes'] == 10" "e['latency_ns'] // 1000000" | sort -n | tail -n 1)" -ge 60 ]
