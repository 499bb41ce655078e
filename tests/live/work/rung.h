/* rung.h - operations of a ring stated one by one, as called.h does with calls
 *
 * Opcodes and flags newer than the headers are given by their numbers, which never change. What the kernel
 * has not is stated as "note without=NAME".
 */
#ifndef TESTS_LIVE_WORK_RUNG_H
#define TESTS_LIVE_WORK_RUNG_H

#include "tests/live/work/called.h"
#include "tests/live/work/ring.h"

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))
#define SQE(...) ((struct io_uring_sqe){__VA_ARGS__})

enum {				/* linux/io_uring.h, since 6.1 */
	OP_READ_MULTISHOT = 49, OP_WAITID, OP_FUTEX_WAIT, OP_FUTEX_WAKE, OP_FUTEX_WAITV, OP_FIXED_FD_INSTALL,
	OP_FTRUNCATE, OP_BIND, OP_LISTEN, OP_RECV_ZC, OP_EPOLL_WAIT, OP_READV_FIXED, OP_WRITEV_FIXED, OP_PIPE,
	OPS_PROBED = 128,
};

/* Whether the kernel has an operation. */
static inline int
ring_has(const struct ring *r, unsigned int opcode)
{
	union {
		struct io_uring_probe head;
		char room[sizeof(struct io_uring_probe) + OPS_PROBED * sizeof(struct io_uring_probe_op)];
	} probe;

	memset(&probe, 0, sizeof(probe));
	return syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_PROBE, &probe, OPS_PROBED) == 0 &&
	       opcode <= probe.head.last_op && (probe.head.ops[opcode].flags & IO_URING_OP_SUPPORTED);
}

/* Makes one operation, and states it under its name with what the format says of it; its result, or
 * -ENOSYS. */
__attribute__((format(printf, 5, 6))) static inline int
rung(struct say *say, struct ring *r, const char *name, struct io_uring_sqe sqe, const char *format, ...)
{
	char more[2 * PATH_MAX];
	va_list list;
	int result;

	if (!ring_has(r, sqe.opcode)) {
		say_line(say, "note without=%s", name);
		return -ENOSYS;
	}
	va_start(list, format);
	vsnprintf(more, sizeof(more), format, list);
	va_end(list);
	result = ring_one(r, sqe);
	state_call(say, name, result, "%s", more);
	return result;
}

/* The same for one that makes a descriptor, which its result is. */
static inline int
rung_made(struct say *say, struct ring *r, const char *name, struct io_uring_sqe sqe, const char *more)
{
	int result;

	if (!ring_has(r, sqe.opcode)) {
		say_line(say, "note without=%s", name);
		return -ENOSYS;
	}
	result = ring_one(r, sqe);
	if (result >= 0)
		state_call(say, name, result, "fd=%d %s", result, more);
	else
		state_call(say, name, result, "%s", "");
	return result;
}

#endif
