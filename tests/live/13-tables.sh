# 13-tables.sh - every way a number comes to mean something; failures name what was asked for

. tests/lib/trace.sh
need_trace

trace tables -- "$w/tables" "$tmp/s" "$tmp/dir"
# situation: 1, 3, 6, 7, 9, 10, 11, 18, 33
stated tables "$tmp/s" --min 40 --only-pids
check_eq "an unlinked file keeps its name" "$tmp/dir/gone" \
	"$(pick tables "call == 'write' and e['bytes'] == 11" path)"
