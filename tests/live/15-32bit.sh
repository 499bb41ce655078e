# 15-32bit.sh - a 32-bit program by its own numbers

. tests/lib/trace.sh
need_trace
[ "$(uname -m)" = x86_64 ] || skip_all "this machine runs no i386 program"
"$CC" -m32 -O1 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pic -no-pie \
	-o "$tmp/calls" tests/live/i386/calls.c 2>"$tmp/err" || skip_all "$CC -m32: $(head -n 1 "$tmp/err")"
cd "$tmp/dir" && "$tmp/calls" || skip_all "this kernel runs no 32-bit program"
cd "$OLDPWD" && rm -f "$tmp/dir/file32"

cat >"$tmp/expected" <<END
open None $tmp/dir/file32
write 71 $tmp/dir/file32
writev 13 $tmp/dir/file32
pwrite64 20 $tmp/dir/file32
lseek None $tmp/dir/file32
read 30 $tmp/dir/file32
pwrite64 20 $tmp/dir/file32
lseek None $tmp/dir/file32
ftruncate None $tmp/dir/file32
mmap None $tmp/dir/file32
mmap2 None $tmp/dir/file32
munmap None $tmp/dir/file32
close None $tmp/dir/file32
sendto 40 unix
recvfrom 40 unix
setsockopt None unix
bind None @iotap-32
listen None @iotap-32
shutdown None @iotap-32
msgsnd 24 other
msgsnd 25 other
msgrcv 24 other
msgrcv 25 other
END
trace bits -- sh -c 'cd "$1" && exec "$2"' sh "$tmp/dir" "$tmp/calls"
pick bits "kind in ('event', 'op') and (path.endswith('/file32') or call in ('sendto', 'recvfrom',
	'setsockopt', 'bind', 'listen', 'shutdown', 'msgsnd', 'msgrcv'))" \
	"'%s %s %s' % (call, e.get('bytes'), path or target.get('proto') or target['kind'])" >"$tmp/got"
check_files "each call by i386's table" "$tmp/expected" "$tmp/got"

"$B/iotap-decode" --dump "$tmp/bits.iotap" | sed -n 's/ cpu=[0-9]*//; s/ tid=[0-9]* tgid=[0-9]*//; s/ fd=[0-9]*//; s/ id=[0-9]*//
	s/^call .* call=\(pwrite64\|lseek\|ftruncate\|stat\) flags=[a-z|]*compat[a-z|]*/\1/p' | tail -n 4 >"$tmp/got"
printf '%s\n' 'pwrite64 requested=20 result=20 offset=4294967396' 'lseek arg0=4294967301 arg1=0' \
	'ftruncate arg0=4294967303 arg1=0' stat >"$tmp/expected"
check_files "values of 64 bits in two registers" "$tmp/expected" "$tmp/got"
