# 24-interfaces.sh - which interface: the route's device, loopback, none, not to be told
# live check: 14

. tests/lib/trace.sh
need_trace

trace interfaces -- "$w/interfaces" "$tmp/s"
# situation: 80, 82, 155
stated interfaces "$tmp/s" --min 4
check_eq "the summary's interfaces add up to its network totals" True \
	"$(pick interfaces "kind == 'summary'" "sum(i['write_bytes'] for i in e['interfaces']) == e['totals']['net_write']['bytes']")"
