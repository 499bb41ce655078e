# sets.sh - in the guest: the optional sets and the filters; recordings and statements go to /out
#
# Run by boot.sh with busybox's shell. Judges nothing: 15-sets.sh does, outside.

# capture NAME ARGUMENT...
capture() {
	name=$1
	shift
	mkdir "/tmp/$name"
	timeout 60 ./iotap-capture --force -f -o "/out/$name.iotap" "$@" >"/out/$name.out" 2>"/out/$name.err"
	echo "$name $?"
}

# The part of a workload's 64 MiB of statements that is not a hole.
keep() {
	head -c "$(($(du -k "/tmp/$1.s" | cut -f 1) * 1024))" "/tmp/$1.s" >"/out/$1.s"
}

capture uring --with io_uring -- ./uring /tmp/uring.s /tmp/uring && keep uring
capture files --with io_uring -- ./uring_files /tmp/files.s /tmp/files && keep files
capture waits --with io_uring -- ./uring_waits /tmp/waits.s /tmp/waits && keep waits
capture parts -- ./parts /tmp/parts.s /tmp/parts && keep parts
capture aio --with libaio -- ./aio /tmp/aio.s /tmp/aio && keep aio
mkdir /tmp/pages
head -c 4194304 /dev/zero >/tmp/pages/cold
cp /tmp/pages/cold /tmp/pages/read
capture mmap --with mmap -- ./mapped /tmp/mmap.s /tmp/pages
capture path --path '/tmp/path/want/*' -- ./filtered /tmp/path
capture failed --failed --min-latency 1ns --calls read -- ./filtered /tmp/failed
