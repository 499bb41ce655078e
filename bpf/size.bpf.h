/* size.bpf.h - how much a call asked for, when that stands in user memory: vectors and messages */
#ifndef BPF_SIZE_H
#define BPF_SIZE_H

#include "bpf/loop.bpf.h"
#include "bpf/ring.bpf.h"

enum {
	IOVEC_MAX = 1024,		/* UIO_MAXIOV */
	MESSAGES_MAX = 1024,
};

struct iovec_sum {
	__u64 at, total;
	__u32 left, compat;
	__u32 failed;
};

static __always_inline int
iovec_add(__u32 index, struct iovec_sum *sum)
{
	__u64 pair[2] = {};
	__u32 small[2];

	if (index >= sum->left)
		return 1;
	if (sum->compat) {
		sum->failed = bpf_probe_read_user(small, 8, (void *)(sum->at + 8ull * index)) < 0;
		pair[1] = small[1];
	} else {
		sum->failed = bpf_probe_read_user(pair, 16, (void *)(sum->at + 16ull * index)) < 0;
	}
	sum->total += sum->failed ? 0 : pair[1];
	return sum->failed ? 1 : 0;
}

PLACE_STEP(iovec_add, 32, struct iovec_sum)

/* Sum of the lengths of an iovec array; 0 and the total in *total, or -1 when not readable. */
BY_NUMBERS_STATIC int
BODY(iovec_total)(__u64 at, __u64 n, __u32 compat, __u64 *total)
{
	struct iovec_sum sum = { .at = at, .left = n, .compat = compat };

	if (n > IOVEC_MAX)
		return -1;
	PLACE_LOOP(iovec_add, n, IOVEC_MAX, sum);
	*total = sum.total;
	return sum.failed ? -1 : 0;
}

#ifdef OLD_KERNEL

__noinline int
iovec_total_of(__u64 at, __u64 n, __u32 compat)
{
	__u64 total;

	return iovec_total_body(at, n, compat, &total);
}

static __always_inline int
iovec_total(__u64 at, __u64 n, __u32 compat, __u64 *total)
{
	const int r = iovec_total_of(at, n, compat);
	const struct iovec_sum *const sum = iovec_add_there();

	*total = sum ? sum->total : 0;
	return sum ? r : -1;
}

#endif

/* What the call asked for when that is not simply an argument; sets KF_REQUESTED. */
ONCE int
requested_far(struct pending *p, __u32 size)
{
	__u64 at, n, total = 0;
	__u32 small[2];

	if (!p)
		return 0;
	at = p->args[1];
	n = p->args[2];
	if (size == SIZE_MSG1) {	/* struct msghdr: iov and iovlen at 16, 24; i386 8, 12 */
		__u64 pair[2];

		if (p->compat) {
			if (bpf_probe_read_user(small, 8, (void *)(at + 8)))
				return 0;
			at = small[0];
			n = small[1];
		} else {
			if (bpf_probe_read_user(pair, 16, (void *)(at + 16)))
				return 0;
			at = pair[0];
			n = pair[1];
		}
	} else if (size != SIZE_IOV1) {
		return 0;
	}
	if (iovec_total(at, n, p->compat, &total) == 0) {
		p->requested = total;
		p->flags |= KF_REQUESTED;
	}
	return 0;
}

/* Bytes of the messages that sendmmsg or recvmmsg moved: msg_len of struct mmsghdr. */
struct message_sum {
	__u64 at, total;
	__u32 compat, failed;
};

static __always_inline int
message_add(__u32 index, struct message_sum *sum)
{
	const __u32 stride = sum->compat ? 32 : 64, offset = sum->compat ? 28 : 56;
	__u32 len = 0;

	if (bpf_probe_read_user(&len, sizeof(len), (void *)(sum->at + stride * index + offset)))
		sum->failed = 1;
	sum->total += len;
	return sum->failed ? 1 : 0;
}

PLACE_STEP(message_add, 32, struct message_sum)

ONCE int
messages_total(struct pending *p, __s64 n)
{
	struct message_sum sum = {};

	if (!p || n <= 0 || n > MESSAGES_MAX)
		return 0;
	sum.at = p->args[1];
	sum.compat = p->compat;
	PLACE_LOOP(message_add, n, MESSAGES_MAX, sum);
	if (!sum.failed) {
		p->requested = sum.total;
		p->flags |= KF_REQUESTED | KF_MESSAGE_BYTES;
	}
	return 0;
}

#endif
