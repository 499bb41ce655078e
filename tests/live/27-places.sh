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

# inside NAME COMMAND...: a write to "$tmp/dir/NAME" in what COMMAND unshares; the path and bytes said of it.
inside() {
	local name=$1
	shift
	if ! "$@" true 2>"$tmp/why"; then
		skip "$name" "refused here: $(head -n 1 "$tmp/why")"
		return
	fi
	trace "$name" -- "$@" sh -c 'echo there >"$1"' sh "$tmp/dir/$name"
	check_eq "in a $name namespace: by the path that it has" "$tmp/dir/$name 6 True" \
		"$(pick "$name" "call == 'write' and e['bytes'] == 6" "path, 6, e['confirmed']" | tr -d "(),'")"
}
inside user unshare --user --map-root-user
inside time unshare --time --boottime 1000000
# Its boot clock is 11 days ahead; the recording has one clock for all.
[ ! -s "$tmp/time.jsonl" ] || check_eq "whose clock is none of ours" True \
	"$(pick time "call == 'write' and e['bytes'] == 6" "abs(e['time_ns'] / 1e9 - $(date +%s)) < 3600")"
inside uts unshare --uts --ipc --cgroup

# An overlay: what is written is in the upper layer, the path is the one that the process sees.
mkdir "$tmp/dir/low" "$tmp/dir/up" "$tmp/dir/work" "$tmp/dir/on"
overlay="mount -t overlay none '$tmp/dir/on' -o 'lowerdir=$tmp/dir/low,upperdir=$tmp/dir/up,workdir=$tmp/dir/work'"
echo below >"$tmp/dir/low/file"
if unshare --mount sh -c "$overlay" 2>"$tmp/why"; then
	trace overlay -- unshare --mount sh -c "$overlay && cat '$tmp/dir/on/file' && echo above >>'$tmp/dir/on/file'"
	check_eq "on an overlay: read below, written above, by the path there" "$tmp/dir/on/file 6 $tmp/dir/on/file 6" \
		"$(pick overlay "call in ('read', 'write') and path.endswith('/file') and e['bytes'] == 6" "path + ' 6'" | xargs)"
else
	skip "an overlay" "refused here: $(head -n 1 "$tmp/why")"
fi
