# 27-places.sh - bind mounts, a tmpfs, chroot, removed directories, paths too long; other namespaces

. tests/lib/trace.sh
need_trace

trace places -- "$w/places" "$tmp/s" "$tmp/dir"
[ -z "$(said "$tmp/s" no)" ] || skip "mounts" "refused here: $(said "$tmp/s" no)"
stated places "$tmp/s" --min 3 --only-pids
# situation: 12
check_eq "a path that is too long: its end, marked, and not confirmed" "True True False" \
	"$(pick places "call == 'write' and e['bytes'] == 31" "'%s %s %s' % (path.startswith('…'), path.endswith('/' + 'd' * 200 + '/bottom'), e['confirmed'])")"

if unshare --pid --fork true 2>/dev/null; then
	trace inner -- unshare --pid --fork sh -c 'echo $$ >"$1"' sh "$tmp/dir/inner"
	check_eq "in a pid namespace: seen there as 1" 1 "$(cat "$tmp/dir/inner")"
	check_eq "and by the host's number here" True \
		"$(pick inner "call == 'write' and path == '$tmp/dir/inner'" "e['pid'] > 1")"
fi
