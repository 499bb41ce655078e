/* ring.h - a ring of io_uring by its bare system calls, for workloads; no library */
#ifndef TESTS_LIVE_WORK_RING_H
#define TESTS_LIVE_WORK_RING_H

#include <linux/io_uring.h>
#include <poll.h>

#include "tests/live/work/say.h"

struct ring_end {
	uint64_t user_data;
	int res;
	unsigned int flags;
};

struct ring {
	int fd;
	unsigned int flags;
	unsigned int *head, *tail, *mask, *array, *wake;	/* submission */
	unsigned int *done, *made, *made_mask;			/* completion */
	struct io_uring_sqe *entry;
	struct io_uring_cqe *result;
	unsigned int waiting;		/* filled, not submitted */
};

/* 0, or -1: the kernel refuses such a ring. */
static inline int
ring_open(struct ring *r, unsigned int entries, unsigned int flags)
{
	struct io_uring_params p = {.flags = flags, .sq_thread_idle = 2000};
	char *sq, *cq;

	r->fd = (int)syscall(SYS_io_uring_setup, entries, &p);
	if (r->fd < 0)
		return -1;
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*r->result), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_CQ_RING);
	r->entry = mmap(NULL, p.sq_entries * sizeof(*r->entry), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || r->entry == MAP_FAILED)
		die("mmap of a ring");
	r->flags = flags;
	r->head = (unsigned int *)(void *)(sq + p.sq_off.head);
	r->tail = (unsigned int *)(void *)(sq + p.sq_off.tail);
	r->mask = (unsigned int *)(void *)(sq + p.sq_off.ring_mask);
	r->array = (unsigned int *)(void *)(sq + p.sq_off.array);
	r->wake = (unsigned int *)(void *)(sq + p.sq_off.flags);
	r->done = (unsigned int *)(void *)(cq + p.cq_off.head);
	r->made = (unsigned int *)(void *)(cq + p.cq_off.tail);
	r->made_mask = (unsigned int *)(void *)(cq + p.cq_off.ring_mask);
	r->result = (void *)(cq + p.cq_off.cqes);
	r->waiting = 0;
	return 0;
}

static inline void
ring_put(struct ring *r, struct io_uring_sqe sqe)
{
	const unsigned int at = *r->tail & *r->mask;

	r->entry[at] = sqe;
	r->array[at] = at;
	__atomic_store_n(r->tail, *r->tail + 1, __ATOMIC_RELEASE);
	r->waiting++;
}

/* Submits what was put, and waits for n results to be there. */
static inline void
ring_submit(struct ring *r, unsigned int n)
{
	unsigned int flags = n ? IORING_ENTER_GETEVENTS : 0;
	long got;

	if (r->flags & IORING_SETUP_SQPOLL)
		flags |= IORING_ENTER_SQ_WAKEUP;
	do
		got = syscall(SYS_io_uring_enter, r->fd, r->waiting, n, flags, NULL, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		die("io_uring_enter");
	r->waiting = 0;
}

/* The next result; waits for it. */
static inline struct ring_end
ring_result(struct ring *r)
{
	const struct io_uring_cqe *cqe;
	struct ring_end end;

	while (*r->done == __atomic_load_n(r->made, __ATOMIC_ACQUIRE))
		ring_submit(r, 1);
	cqe = &r->result[*r->done & *r->made_mask];
	end = (struct ring_end){cqe->user_data, cqe->res, cqe->flags};
	__atomic_store_n(r->done, *r->done + 1, __ATOMIC_RELEASE);
	return end;
}

static inline int
ring_one(struct ring *r, struct io_uring_sqe sqe)
{
	ring_put(r, sqe);
	ring_submit(r, 1);
	return ring_result(r).res;
}

#endif
