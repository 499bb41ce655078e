# live.sh - for tests that trace for real: check.sh, and what the kernel must allow
#
#	. tests/lib/live.sh
#	need_bpf
#	tmpdir

. tests/lib/check.sh

# Skips the whole file, with the reason, where BPF programs cannot be loaded.
need_bpf() {
	local said
	[ -x "$B/iotap-capture" ] || skip_all "iotap-capture is not built"
	[ "$(id -u)" = 0 ] || skip_all "needs root"
	[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no BTF (/sys/kernel/btf/vmlinux)"
	PATH="$PATH:/usr/sbin:/sbin"
	command -v bpftool >/dev/null || skip_all "bpftool is not installed"
	said=$(bpftool prog show 2>&1) || skip_all "bpf(2) is refused here: $(printf '%s' "$said" | head -n 1)"
}
