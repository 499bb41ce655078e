# 45-mapped.sh - files in mappings: the calls with their target, and with --with mmap the pages

. tests/lib/trace.sh
need_trace
d=$tmp/dir
case $(stat -f -c %T "$d") in
tmpfs | ramfs | overlayfs) skip_all "$d is not on a disk" ;;
esac
cold_files() {
	head -c 4194304 /dev/urandom >"$d/cold"
	head -c 4194304 /dev/urandom >"$d/read"
	sync "$d/cold" "$d/read"
}
# pages FILE FIELD: of the summary of a trace.
pages() {
	pick on "kind == 'summary'" "sum(r['$2'] for r in e['mapped'] if r['target'] == '$d/$1')"
}

cold_files
trace on --with mmap -- "$w/mapped" "$tmp/s" "$d"
check_eq "it was cold, as mincore says" 0 "$(said "$tmp/s" cold)"
check_eq "a cold file that is read through a mapping: what mincore has of it then" \
	"$(said "$tmp/s" resident) 0" "$(pages cold in_by_faults) $(pages cold in_by_calls)"
check_that "which is all of it" [ "$(said "$tmp/s" resident)" -ge 4194304 ]
check_eq "a cold file that is read by read(2): by calls" "$(said "$tmp/s" read_resident) 0" \
	"$(pages read in_by_calls) $(pages read in_by_faults)"
check_that "a shared mapping that is written: every page" [ "$(pages shared dirty_by_faults)" -ge 1048576 ]
check_eq "a private mapping that is written: no page of the file" 0 "$(pages private dirty_by_faults)"
check_that "nothing of it is in the bytes of calls" \
	[ "$(pick on "kind == 'summary'" "e['totals']['file_write']['bytes']")" = 0 ]
check_match "the summary has them apart" "Mapped files .*no part of the totals" \
	"$("$B/iotap-decode" -q "$tmp/on.iotap" 2>/dev/null)"
check_eq "the database, too" "$(pages cold in_by_faults) $(pages shared dirty_by_faults)" \
	"$("$B/iotap-analyze" sql -F tsv "$tmp/on.iotap" "select (select in_by_faults from mapped where path = '$d/cold'),
	(select dirty_by_faults from mapped where path = '$d/shared')" | tail -n 1 | tr '\t' ' ')"
"$B/iotap-decode" -F events "$tmp/on.iotap" >"$tmp/on.stream"
check_eq "and the event stream" "$(pick on "kind == 'summary'" "e['mapped']")" \
	"$("$B/iotap-decode" -F json "$tmp/on.stream" 2>/dev/null | tail -n 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["mapped"])')"

check_eq "mappings of files are calls, of memory are not" \
	"mmap cold 4194304 r-- False,mmap private 1048576 rw- False,mmap shared 1048576 rw- True" \
	"$(pick on "call == 'mmap' and path.startswith('$d/') and (e['access'] != 'r--' or not e['shared'])" "'mmap %s %d %s %s' % (path.rsplit('/', 1)[1], e['length'], e['access'], e['shared'])" | sort | paste -sd,)"
check_eq "munmap and msync name the file" "msync shared,munmap private,munmap shared" \
	"$(pick on "call in ('munmap', 'msync') and path.rsplit('/', 1)[1] in ('shared', 'private')" "call + ' ' + path.rsplit('/', 1)[1]" | sort | paste -sd,)"
check_eq "none is without a file" "" "$(pick on "call in ('mmap', 'munmap', 'msync', 'mremap') and not path")"

cold_files
trace off -- "$w/mapped" "$tmp/s2" "$d"
check_eq "without the set: no such sums" "" "$(pick off "kind == 'summary' and 'mapped' in e")"
check_match "but a word about the mapping that was written" \
	"mapped files shared and writable.*--with mmap" "$("$B/iotap-decode" -q "$tmp/off.iotap" 2>/dev/null)"
check_eq "which names the process: that file, and the one of its statements" "mapped 2" \
	"$(pick off "kind == 'summary'" "'%s %d' % (e['shared_mappings'][0]['name'], e['shared_mappings'][0]['mappings'])")"
check_eq "and counts them" "2 0" "$(pick off "kind == 'summary'" "e['blind_spots']['mmap_calls']") $(pick on "kind == 'summary'" "e['blind_spots']['mmap_calls']")"
check_eq "with the set there is none" "" "$(pick on "kind == 'summary' and 'shared_mappings' in e")"

head -c 4194304 /dev/urandom >"$d/before"
sync "$d/before"
mkfifo "$tmp/go"
exec 3<>"$tmp/go"
background "$w/mapped" "$tmp/s3" "$d" "$tmp/go"
pid=$!
wait_said "$tmp/s3" mapped
follow before -f --with mmap "$pid"
printf x >&3
wait "$pid"
finish before
check_eq "a file that was mapped before tracing began, its descriptor closed: by its name, in a child, too" \
	"2097152 2097152" \
	"$(pick before "kind == 'summary'" "' '.join(str(r['in_by_faults']) for r in e['mapped'] if r['target'] == '$d/before')")"
check_eq "which it has from before" "" "$(pick before "call == 'mmap'")"

cp "$w/mapped" "$d/program"
sync "$d/program"
python3 -c 'import os, sys; f = os.open(sys.argv[1], os.O_RDONLY); os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)' "$d/program"
trace program --with mmap -- /bin/sh -c "exec '$d/program' '$tmp/s4' '$d'"
check_that "the file of a program, which execve maps, has its name" [ "$(pick program "kind == 'summary'" \
	"sum(r['in_by_calls'] + r['in_by_faults'] for r in e['mapped'] if r['target'] == '$d/program')")" -gt 0 ]
