# 14-entries.sh - int $0x80 from a 64-bit program, seccomp, numbers of no call: no byte invented

. tests/lib/trace.sh
need_trace

trace entries -- "$w/entries" "$tmp/s" "$tmp/dir/file"
stated entries "$tmp/s" --min 5
check_eq "the summary's bytes are the stated ones" \
	"$(statements "$tmp/s" | sed -n 's/^expect .*call=write .*result=\([0-9]*\) .*/\1/p' | awk '{ n += $1 } END { print n }')" \
	"$(pick entries "kind == 'summary'" "next(r['write_bytes'] for r in e['files'] if r['target'] == '$tmp/dir/file')")"
[ "$(said "$tmp/s" int80)" = yes ] || skip "int 0x80" "this kernel has no i386 calls"
check_eq "writev is not among the calls" 0 "$(pick entries "call == 'writev'" | wc -l)"
