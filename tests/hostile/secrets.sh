# secrets.sh - what calls carry, arguments, environments and bystanders do not reach a recording
#
# With every optional set that there is (formats/sets.def).

. tests/lib/live.sh
need_bpf
need_program iotap-decode tests/hostile/work/canaries
need_tool python3
tmpdir
w=$B/tests/hostile/work
mkdir "$tmp/dir" "$tmp/beside"
sets=$(sed -n 's/^SET([0-9]*, *\([a-z_]*\),.*/\1/p' formats/sets.def | paste -sd, -)
canary=43374e71				# C7Nq
address=7f4d5937			# 127.77.89.55
no_such_file=6e6f2d737563682d66696c65	# a name that is there, to see that the search finds

background "$w/canaries" bystand "$tmp/beside"
SECRET=C7Nq0123456789abcdef timeout 60 "$B/iotap-capture" --with "$sets" -f -o "$tmp/t.iotap" -- \
	"$w/canaries" "$tmp/dir" 40 >"$tmp/out" 2>"$tmp/err"
check_eq "captured" 0 $?
cat "$tmp/out"
check_eq "at least 20,000 canaries" yes "$([ "$(cut -d ' ' -f 1 "$tmp/out")" -ge 20000 ] && echo yes)"
search() {
	python3 tests/hostile/search.py "$@" 2>"$tmp/searched" || echo failed
}
check_eq "no canary in the recording, all frames unpacked" "" "$(search "$tmp/t.iotap" $canary)"
check_eq "no address of a bystander" "" "$(search "$tmp/t.iotap" $address)"
check_match "what was searched holds the names" "^[0-9a-f]+ [1-9]" "$(search "$tmp/t.iotap" $no_such_file)"
"$B/iotap-decode" --dump "$tmp/t.iotap" >"$tmp/dump"
check_eq "no canary in the dump" 0 "$(grep -c -e C7Nq -e 127.77.89.55 "$tmp/dump")"
"$B/iotap-decode" -F json "$tmp/t.iotap" >"$tmp/json"
check_eq "none in JSON" 0 "$(grep -c -e C7Nq -e 127.77.89.55 "$tmp/json")"
calls="msgsnd mq_timedsend splice vmsplice setxattr lsetxattr sendmmsg recvmmsg process_vm_writev copy_file_range pwritev2"
! grep -q ' uring' "$tmp/out" || calls="$calls uring_openat uring_write uring_writev uring_fsetxattr uring_send uring_sendmsg"
! grep -q ' aio' "$tmp/out" || calls="$calls aio_pwrite aio_pwritev"
check_eq "every way was recorded: messages, splice, xattr, sockets, rings, requests" "" "$(for call in $calls; do
	grep -q "\"syscall\":\"$call\"" "$tmp/json" || echo "$call"
done)"
check_that "and the pages of the mapped file" grep -qE '"mapped":.*/dir/mapped","in_by_faults":[1-9]' "$tmp/json"

# Attached to one that runs, beside whom others run.
background "$w/canaries" "$tmp/dir" 1000000 >/dev/null
timeout 60 "$B/iotap-capture" --with "$sets" -d 1 -o "$tmp/one.iotap" -p $! 2>/dev/null
check_eq "attached to a process: no canary" "" "$(search "$tmp/one.iotap" $canary)"
check_eq "attached to a process: nothing of a bystander's" "" "$(search "$tmp/one.iotap" $address)"
check_match "attached to a process: it was traced" "[1-9][0-9][0-9]+ calls" "$("$B/iotap-decode" -q "$tmp/one.iotap" 2>&1)"
