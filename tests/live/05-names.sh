# 05-names.sh - targets by name: running, started later, named by argv[0], named by a later rename
# live check: 9

. tests/lib/trace.sh
need_trace

# Its own, 15 bytes at most: others may run this test at the same time.
name=iotap-nm$$ run=iotap-ru$$
cp "$w/names" "$tmp/$name"
mkfifo "$tmp/fifo"
exec 3<>"$tmp/fifo"
cp "$w/underway" "$tmp/$run"
background "$tmp/$run" "$tmp/r" "$tmp/fifo"
wait_said "$tmp/r" reading

follow names --wait "$name" "$run"
"$tmp/$name" "$tmp/s" "$tmp/dir" write file-a 33		# by its file name
"$w/names" "$tmp/s" "$tmp/dir" exec "IOTAP-NM$$" file-b	# by argv[0], another case
"$w/names" "$tmp/s" "$tmp/dir" exec "/some/where/$name" file-c	# by argv[0]'s base name
"$w/names" "$tmp/s" "$tmp/dir" rename "$name" file-d		# by comm, later
"$w/names" "$tmp/s" "$tmp/dir" write file-e 44			# not at all
"$w/names" "$tmp/s" "$tmp/dir" exec "not-$name" file-f		# not at all
echo q >&3
wait "$(said "$tmp/r" pid)"
finish names
# situation: 101
check_eq "each is traced from its first call under the name" \
	"$(printf '%s\n' 'file-a 33' 'file-b 22' 'file-c 22' 'file-d 22')" \
	"$(pick names "call == 'write' and path.startswith('$tmp/dir/')" "path.rsplit('/', 1)[1] + ' %d' % e['bytes']" | sort)"
check_eq "the running one is traced too" 1 \
	"$(pick names "call == 'read' and path == '$tmp/fifo' and e['bytes'] == 1" | wc -l)"
check_eq "four were taken up" 4 "$(pick names "kind == 'attached'" | wc -l)"
