# 01-dd.sh - ten blocks of one MiB by dd, from the shell's fork to the summary
# live check: 2

. tests/lib/trace.sh
need_trace

trace dd -- sh -c 'sleep 0.1; exec dd if=/dev/zero of="$1" bs=1M count=10 status=none' sh "$tmp/dir/blocks"
# situation: 143
check_eq "ten writes of 1048576 bytes" "$(yes 1048576 | head -n 10)" \
	"$(pick dd "call == 'write' and path == '$tmp/dir/blocks'" "e['bytes']")"
check_eq "their offsets follow each other" "$(seq 0 1048576 9437184)" \
	"$(pick dd "call == 'write' and path == '$tmp/dir/blocks'" "e['offset']")"
check_eq "ten reads of /dev/zero" 10485760 \
	"$(pick dd "call == 'read' and path == '/dev/zero'" "e['bytes']" | awk '{ n += $1 } END { print n }')"
# situation: 144
check_eq "the exec is told" 1 "$(pick dd "kind == 'exec' and e['path'].endswith('/dd')" | wc -l)"
check_eq "the summary adds up" "10485760 10" \
	"$(pick dd "kind == 'summary'" "'%d %d' % next((r['write_bytes'], r['write_calls']) for r in e['files'] if r['target'] == '$tmp/dir/blocks')")"
