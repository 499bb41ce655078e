# 13-tables.sh - every way a number comes to mean something; failures name what was asked for

. tests/lib/trace.sh
need_trace

trace tables -- "$w/tables" "$tmp/s" "$tmp/dir"
stated tables "$tmp/s" --min 40 --only-pids
check_eq "an unlinked file keeps its name" "$tmp/dir/gone" \
	"$(pick tables "call == 'write' and e['bytes'] == 11" path)"
