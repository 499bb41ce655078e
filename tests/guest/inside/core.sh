# core.sh - in the guest: workloads under iotap-capture; recordings and statements go to /out
#
# Run by boot.sh with busybox's shell. Judges nothing: 10-core.sh does, outside. Each step says how it
# ended; a capture that fails leaves its words in /out/NAME.err.

mkdir /tmp/dir

# capture NAME ARGUMENT...
capture() {
	name=$1
	shift
	timeout 120 ./iotap-capture --force -o "/out/$name.iotap" "$@" >"/out/$name.out" 2>"/out/$name.err"
	echo "$name $?"
}

# The part of a workload's 64 MiB of statements that is not a hole.
keep() {
	head -c "$(($(du -k "/tmp/$1.s" | cut -f 1) * 1024))" "/tmp/$1.s" >"/out/$1.s"
}

# wait_for COMMAND...: until it succeeds, 10 s at most.
wait_for() {
	left=100
	while ! "$@" && [ $left -gt 0 ]; do
		sleep 0.1
		left=$((left - 1))
	done
}

tracing() {
	[ -s "/out/$1.iotap" ] && ./iotap-decode -F json "/out/$1.iotap" 2>/dev/null |
		grep -q '^{"type":"start"'
}

said() {
	head -c 4096 "/tmp/$1.s" 2>/dev/null | tail -c +65 | tr -d '\0' | grep -q "^note .*$2="
}

# begin NAME ARGUMENT...: a capture in the background, once it traces.
begin() {
	capture "$@" &
	wait_for tracing "$1"
}

end() {
	killall iotap-capture
	wait
}

# stated NAME WORKLOAD ARGUMENT...: a workload that states what it does.
stated() {
	name=$1 work=$2
	shift 2
	capture "$name" -f -- "./$work" "/tmp/$name.s" "$@"
	keep "$name"
}

capture dd -- /bin/busybox dd if=/dev/zero of=/tmp/dir/blocks bs=4096 count=10
capture untimed --no-latency -- /bin/busybox dd if=/dev/zero of=/tmp/dir/blocks bs=4096 count=10
stated kinds kinds /tmp/dir
mkdir /tmp/more
stated more calls_more /tmp/more
stated births births /tmp/dir
stated entries entries /tmp/dir/entries
stated restarts restarts
mkdir /tmp/churn
stated files churn /tmp/churn files 100
stated renames churn /tmp/churn rename 100
stated connections connections 50

[ ! -x ./arm32 ] || capture arm32 -- ./arm32

mkfifo /tmp/go
exec 3<>/tmp/go
./family /tmp/family.s /tmp/dir /tmp/go &
family=$!
wait_for said family parent
begin family -f "$family"
printf g >&3
wait
keep family

mkdir /tmp/running
cp underway /tmp/running/iotap-live-nm
cp names /tmp/iotap-live-nm
/tmp/running/iotap-live-nm /tmp/running.s /tmp/go &
wait_for said running reading
begin names iotap-live-nm
/tmp/iotap-live-nm /tmp/names.s /tmp/dir write name-a 33
./names /tmp/names.s /tmp/dir exec IOTAP-live-NM name-b
./names /tmp/names.s /tmp/dir rename iotap-live-nm name-c
./names /tmp/names.s /tmp/dir write name-d 44
printf q >&3
end

./blocks /tmp/loss.s /tmp/dir/lost 30000 77 0 /tmp/go &
blocks=$!
wait_for said loss ready
begin loss --buffer 1024 "$blocks"
killall -STOP iotap-capture
printf g >&3
sleep 2
killall -CONT iotap-capture
wait

# One CPU of two is taken out, the clock set a year on; then the CPU is back, and the clock.
./blocks /tmp/clock.s /tmp/dir/clock 3000 55 1 /tmp/go &
blocks=$!
wait_for said clock ready
begin clock "$blocks"
printf g >&3
sleep 1
echo 0 >/sys/devices/system/cpu/cpu1/online
cat /sys/devices/system/cpu/online >/out/clock.cpus
date -s "@$(($(date +%s) + 31536000))" >/dev/null
sleep 2
echo 1 >/sys/devices/system/cpu/cpu1/online
cat /sys/devices/system/cpu/online >>/out/clock.cpus
date -s "@$(($(date +%s) - 31536000))" >/dev/null
wait
