# 03-kinds.sh - every kind of descriptor and every call of the read and write families
# live check: 4, 10

. tests/lib/trace.sh
need_trace

trace kinds -- "$w/kinds" "$tmp/s" "$tmp/dir"
# situation: 31, 51, 146
stated kinds "$tmp/s" --min 80 --only-pids
check_eq "sendfile names both sides" "321 $tmp/dir/file" \
	"$(pick kinds "call == 'sendfile' and e['bytes']" "'%d %s' % (e['bytes'], e['source']['path'])")"

trace datagrams -- "$w/datagrams" "$tmp/d" 20
# situation: 23
stated datagrams "$tmp/d" --min 20 --only-pids
# situation: 151
check_eq "twenty sockets, each with its remote" 20 \
	"$(pick datagrams "call == 'sendto' and target['remote'].startswith('127.0.0.1:')" "e['bytes']" | sort -nu | wc -l)"
