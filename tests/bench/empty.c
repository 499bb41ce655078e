/* empty.c - programs that do nothing, where ours are attached: what nobody could go below
 *
 * empty [SECONDS]	attaches one to sys_enter and one to sys_exit, prints "ready", and stays until the
 *			end of its input, or so many seconds
 *
 * They are of the kind that iotap loads, and return 0.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

/* A descriptor that keeps the program attached, or -1. */
static int
attach(const char *tracepoint)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	const int type = libbpf_find_vmlinux_btf_id(tracepoint, BPF_TRACE_RAW_TP);
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = type > 0 ? (__u32)type : 0);
	const int program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "GPL", insns,
					  sizeof(insns) / sizeof(insns[0]), &options);

	return program < 0 ? -1 : bpf_raw_tracepoint_open(NULL, program);
}

int
main(int argc, char **argv)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};

	(void)libbpf_set_print(NULL);
	if (attach("sys_enter") < 0 || attach("sys_exit") < 0) {
		fprintf(stderr, "empty: the kernel refuses BPF programs\n");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	(void)poll(&end, 1, argc > 1 ? 1000 * atoi(argv[1]) : -1);
	return 0;
}
