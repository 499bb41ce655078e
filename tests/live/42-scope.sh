# 42-scope.sh - targets by user, cgroup and machine; --exclude of what comes later; where processes are

. tests/lib/trace.sh
need_trace
need_tool setpriv

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
chmod 755 "$tmp"
mkdir -m 777 "$tmp/open"

# A shell of another user that waits before we begin, and one that comes later.
mkfifo -m 666 "$tmp/go"
exec 3<>"$tmp/go"
background as_nobody sh -c 'read -r x <"$1/go"; echo early >"$1/open/early"' sh "$tmp"
follow user --uid nobody
echo >&3
as_nobody sh -c 'echo late >"$1/open/late"' sh "$tmp"
sh -c 'echo other >"$1/open/other"' sh "$tmp"
wait_for 30 test -s "$tmp/open/early"
finish user
for name in early late; do
	check_eq "--uid: $name" 1 "$(pick user "call == 'write' and path == '$tmp/open/$name'" | wc -l)"
done
check_eq "--uid: nobody else" 0 "$(pick user "path == '$tmp/open/other'" | wc -l)"
dump=$("$B/iotap-decode" --dump "$tmp/user.iotap" | grep '^process')
check_eq "the group is in the record" yes "$(printf '%s' "$dump" | grep -q 'gid=65534' && echo yes)"
check_status "--uid: no such user" 1 "$B/iotap-capture" --force -o "$tmp/x.iotap" --uid no-such-user -d 0

# in_box FOLDER NAME: a child of a shell in that cgroup writes NAME.
in_box() {
	sh -c 'echo $$ >"$1/cgroup.procs" && sh -c "echo boxed >\"\$1\"; sleep 0.2" sh "$2"' sh "$1" "$tmp/open/$2"
}
# The last process of a cgroup may have ended, and leave it a moment later.
unbox() {
	local box=$1
	[ ! -d "$box/below" ] || rmdir "$box/below" && rmdir "$box"
}
trap 's=$?; [ ! -d "${box:-}" ] || wait_for 30 unbox "$box"; (exit $s); check_end' EXIT

box() {
	local name=$1 folder=$2
	box=$2/iotap-box-$$
	if ! mkdir "$box" 2>"$tmp/why"; then
		skip "--cgroup: $name" "no cgroup can be made: $(tail -n 1 "$tmp/why")"
		return
	fi
	mkdir "$box/below"
	follow "$name" --cgroup "$box"
	in_box "$box" "$name-inside"
	in_box "$box/below" "$name-below"
	in_box "$folder" "$name-outside"
	finish "$name"
	for where in inside below; do
		check_eq "--cgroup: $name $where" 1 \
			"$(pick "$name" "call == 'write' and path == '$tmp/open/$name-$where'" | wc -l)"
	done
	check_eq "--cgroup: $name outside" 0 "$(pick "$name" "path == '$tmp/open/$name-outside'" | wc -l)"
	dump=$("$B/iotap-decode" --dump "$tmp/$name.iotap" | grep '^process')
	check_match "--cgroup: $name in the record" 'cgroup="/.*' "$dump"
	check_that "--cgroup: $name: nobody stays in it" wait_for 30 unbox "$box"
}
mkdir "$tmp/v2"
if mount -t cgroup2 none "$tmp/v2" 2>/dev/null; then
	box version2 "$tmp/v2"
	umount "$tmp/v2"
else
	skip "--cgroup: version2" "cgroup2 cannot be mounted here"
fi
for v1 in /sys/fs/cgroup/freezer /sys/fs/cgroup/pids none; do
	[ ! -e $v1/cgroup.procs ] || break
done
if [ $v1 = none ]; then
	skip "--cgroup: version1" "no controller of version 1 is mounted"
else
	box version1 $v1
fi
check_status "--cgroup: no such" 1 "$B/iotap-capture" --force -o "$tmp/x.iotap" --cgroup /tmp -d 0

# The whole machine: processes of others, now and later; not our pipeline, not what is excluded.
background sleep 600
background sleep 600
cp "$w/blocks" "$tmp/iotap-left-out"
cp "$w/blocks" "$tmp/iotap-taken-in"
env --default-signal=INT setsid sh -c 'trap : INT; env --default-signal=INT "$1/iotap-capture" -a --exclude iotap-left-out -o - |
	"$1/iotap-decode" -F events >"$2/machine.iotap"' sh "$B" "$tmp" &
group=$!
check_pids="$check_pids $group"
wait_for 30 tracing "$tmp/machine.iotap"
capture=$(pgrep -g "$group" -x iotap-capture)
sh -c 'for i in 1 2 3; do sh -c "echo machine >>\"\$1\"" sh "$1/open/machine"; done' sh "$tmp"
"$tmp/iotap-left-out" "$tmp/s1" "$tmp/open/left-out" 50 10 0
"$tmp/iotap-taken-in" "$tmp/s2" "$tmp/open/taken-in" 50 10 0
cp /bin/sh "$tmp/iotap-left-out"
"$tmp/iotap-left-out" -c 'echo shell >"$1/open/left-out"; exec sh -c "echo other >\"\$1\"" sh "$1/open/execed"' sh "$tmp"
kill -INT "$capture"
wait "$group"
laws machine
check_eq "-a: who came later" 3 "$(pick machine "call == 'write' and path == '$tmp/open/machine'" | wc -l)"
check_eq "-a: a program" 50 "$(pick machine "call == 'write' and path == '$tmp/open/taken-in'" | wc -l)"
check_eq "-a --exclude: a name to come" 0 "$(pick machine "path == '$tmp/open/left-out'" | wc -l)"
check_eq "-a --exclude: until it runs another program" 1 \
	"$(pick machine "call == 'write' and path == '$tmp/open/execed'" | wc -l)"
check_eq "-a: not our own pipeline" 0 "$(pick machine "call == 'write' and path == '$tmp/machine.iotap'" | wc -l)"
check_eq "-a: not capture" 0 "$(pick machine "pid == $capture" | wc -l)"
check_that "-a: processes that ran already" [ "$("$B/iotap-decode" --dump "$tmp/machine.iotap" |
	grep '^process .* how=7' | grep -c 'comm="sleep"')" -ge 2 ]

# The driver's pipeline is ours, too, where its process group is a script's: copies, told from those that
# somebody else runs.
mkdir "$tmp/bin"
cp "$B/iotap" "$B/iotap-capture" "$B/iotap-decode" "$tmp/bin/"
timeout 60 "$tmp/bin/iotap" -F events -a -d 0.5 >"$tmp/driven.iotap" 2>/dev/null
check_eq "iotap -a: not its own pipeline" "" "$("$B/iotap-decode" --dump "$tmp/driven.iotap" |
	grep '^process' | grep -F "exe=\"$tmp/bin/iotap")"
