# 17-births.sh - fork, vfork, posix_spawn, clone, threads, exec by a thread: from the first call on

. tests/lib/trace.sh
need_trace

trace births -- "$w/births" "$tmp/s" "$tmp/dir"
# situation: 35
stated births "$tmp/s" --min 47
check_eq "the command's exec and the one by a thread, both by the leader's number" 2 \
	"$(pick births "kind == 'exec' and e['pid'] == $(statements "$tmp/s" | sed -n '1s/^expect tid=\([0-9]*\).*/\1/p')" | wc -l)"
