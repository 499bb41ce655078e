# 34-own-tables.sh - tables of descriptors that are shared, left and looked into; files under other names

. tests/lib/trace.sh
need_trace

trace own -- "$w/own_tables" "$tmp/s" "$tmp/dir"
stated own "$tmp/s" --min 29
# By hand what a number means where: sizes are the workload's.
of() {
	pick own "call == 'write' and e['requested'] in ($1)" "path[len('$tmp/dir/'):] or target['kind']" | xargs
}
check_eq "memory shared, descriptors not" "one other one other one" "$(of "10, 11, 12, 13")"
check_eq "descriptors shared, memory not: the number changed under the parent" "one other other" "$(of "20, 21, 22")"
check_eq "a thread that leaves the table (unshare), then one that takes a copy without it (close_range)" \
	"one other other one other one one other unknown one other one" "$(of "30, 31, 32, 33, 34, 35, 42")"
check_eq "taken out of another process, then that is gone" "of the child of the child" "$(of "50, 51")"
check_eq "beneath open_tree" "tree/leaf" "$(of "60,")"
check_eq "hard links, O_PATH, opened again, renamed, given a name" "first second second third given" \
	"$(of "70, 71, 73, 74, 75")"
