# 34-old.sh - the object for kernels before 5.17, on this one: it says what the other says
#
# capture chooses by what the kernel's type information names: a copy of it without bpf_loop() is that of
# an older kernel, one without iterators over maps that of one which is too old. tests/guest/30-old.sh has
# such a kernel.

. tests/lib/trace.sh
need_trace
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this system does not show its kernel's type information"

# without NAME...: the kernel's types, but for these names.
without() {
	python3 - "$@" <<-'COPY'
	import sys
	types = open("/sys/kernel/btf/vmlinux", "rb").read()
	for name in sys.argv[1:]:
	    name = name.encode()
	    assert types.count(b"\0" + name + b"\0") >= 1, name
	    types = types.replace(b"\0" + name + b"\0", b"\0" + b"_" * len(name) + b"\0")
	sys.stdout.buffer.write(types)
	COPY
}

without bpf_loop >"$tmp/old"
without bpf_loop bpf_iter_bpf_map_elem >"$tmp/older"

said=$("$B/iotap-capture" --btf "$tmp/older" -o "$tmp/none.iotap" -- touch "$tmp/ran" 2>&1) && status=0 || status=$?
check_eq "too old: refused" 1 "$status"
check_eq "too old: in one line" "iotap-capture: this kernel is too old: iotap needs Linux 5.10 or later (it has no BPF iterators over maps)" \
	"$said"
check_that "too old: the COMMAND has not run, no file is left" test ! -e "$tmp/ran" -a ! -e "$tmp/none.iotap"

said=$("$B/iotap-capture" --btf "$tmp/old" --with io_uring -o "$tmp/none.iotap" -- true 2>&1) && status=0 || status=$?
check_eq "io_uring: refused" "1 iotap-capture: --with io_uring: this kernel's events of io_uring are not those of 6.1 to 6.18" \
	"$status $said"

trace kinds --btf "$tmp/old" -- "$w/kinds" "$tmp/kinds.s" "$tmp/dir"
stated kinds "$tmp/kinds.s" --min 80 --only-pids
mkdir "$tmp/untimed"
trace untimed --btf "$tmp/old" --no-latency -- "$w/kinds" "$tmp/untimed.s" "$tmp/untimed"
stated untimed "$tmp/untimed.s" --min 80 --only-pids --untimed
trace births --btf "$tmp/old" -- "$w/births" "$tmp/births.s" "$tmp/dir"
stated births "$tmp/births.s" --min 1

mkdir "$tmp/aio" "$tmp/filtered"
trace aio --btf "$tmp/old" --with libaio -- "$w/aio" "$tmp/aio.s" "$tmp/aio"
if [ "$(said "$tmp/aio.s" without)" = libaio ]; then
	skip "aio: what the workload states" "this kernel has no io_setup"
else
	stated aio "$tmp/aio.s" --min 14 --only-pids
fi
trace path --btf "$tmp/old" --path "$tmp/filtered/want/*" -- "$w/filtered" "$tmp/filtered"
check_eq "path: the calls on files of that path, and no others" "2 openat,1 sendfile,24 write" \
	"$(pick path "kind in ('event', 'op')" call | sort | uniq -c | sed 's/^ *//' | paste -sd,)"

# Names too long for one slot, a path of many components, ids that are the target's own on every CPU.
deep=$tmp/deep
for i in $(seq 40); do
	deep=$deep/component-of-forty-$i
done
mkdir -p "$deep"
# shellcheck disable=SC2016 # the shell below expands it
trace deep --btf "$tmp/old" -- sh -c 'for i in 1 2 3 4 5 6 7 8; do
	(for j in 1 2 3; do echo "$i" >"$1/file-$i-$j"; done) &
done; wait' sh "$deep"
check_eq "deep: each file by its whole path, once" "24 24" "$(pick deep \
	"call == 'write' and path.startswith('$deep/file-') and e['confirmed'] and e['bytes'] == 2" "path" | sort | uniq |
	wc -l) $(pick deep "call == 'write' and path.startswith('$deep/')" path | wc -l)"
