# 46-libaio.sh - requests of io_submit are recorded with target, bytes and result

. tests/lib/trace.sh
need_trace

trace aio --with libaio -- "$w/aio" "$tmp/s" "$tmp/dir"
if [ "$(said "$tmp/s" without)" = libaio ]; then
	skip "aio: what the workload states" "this kernel has no io_setup"
else
	stated aio "$tmp/s" --min 14 --only-pids
	check_eq "aio: the file has the bytes of all of them" "219" \
		"$(pick aio "kind == 'summary'" "next(r['write_bytes'] for r in e['files'] if r['target'].endswith('/by-aio'))")"
fi

# Without the set they are not there one by one.
trace without -- "$w/aio" "$tmp/t" "$tmp/dir"
check_match "without the set: it is said that there was more" "calls? of libaio, whose requests are not seen" \
	"$("$B/iotap-decode" -q "$tmp/without.iotap" 2>/dev/null)"
check_eq "with the set it is not" 0 "$(pick aio "kind == 'summary'" "e['blind_spots']['libaio_calls']")"
check_eq "without the set: the calls alone" "" "$(pick without "(call or '').startswith('aio_')" call)"

# Their calls come with them where --calls names none of these.
trace some --with libaio --calls pwrite -- "$w/aio" "$tmp/u" "$tmp/dir"
check_eq "--calls pwrite: the requests, and the calls that bring them" "aio_pwrite io_getevents io_submit" \
	"$(pick some "kind in ('event', 'op')" call | sort -u | tr '\n' ' ' | sed 's/ $//')"
