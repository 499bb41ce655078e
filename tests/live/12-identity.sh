# 12-identity.sh - names of short-lived files and connections: none under another's name

. tests/lib/trace.sh
need_trace

# churn DIRECTORY WHERE
churn() {
	local what n name
	for what in "files 1000" "rename 1000" "links 200"; do
		set -- "$1" "$2" $what
		name=$2-$3
		rm -rf "$1/iotap-churn"
		mkdir "$1/iotap-churn"
		trace "$name" -- "$w/churn" "$tmp/$name.s" "$1/iotap-churn" "$3" "$4"
		stated "$name" "$tmp/$name.s" --min "$4" --only-pids
		rm -rf "$1/iotap-churn"
	done
}

if [ "$(stat -f -c %T "$tmp")" = ext2/ext3 ]; then
	churn "$tmp" ext4
elif command -v mkfs.ext4 >/dev/null && truncate -s 32M "$tmp/image" && mkfs.ext4 -q "$tmp/image" &&
	mkdir "$tmp/mount" && mount -o loop "$tmp/image" "$tmp/mount" 2>/dev/null; then
	churn "$tmp/mount" ext4
	umount "$tmp/mount"
else
	skip "files on ext4" "$tmp is on $(stat -f -c %T "$tmp") and a loop mount is refused"
fi
if [ "$(stat -f -c %T /dev/shm)" = tmpfs ] && mkdir "/dev/shm/iotap-live-$$"; then
	churn "/dev/shm/iotap-live-$$" tmpfs
	rm -rf "/dev/shm/iotap-live-$$"
else
	skip "files on tmpfs" "/dev/shm is no tmpfs"
fi

# Whatever capture gets of the machine: all of their descriptions find room.
trace connections --buffer 128M -- "$w/connections" "$tmp/n.s" 10000
stated connections "$tmp/n.s" --min 20000 --only-pids
trace passed -- "$w/passed" "$tmp/p.s" "$tmp/dir" 200
stated passed "$tmp/p.s" --min 1000
