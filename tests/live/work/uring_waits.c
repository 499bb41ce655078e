/* uring_waits.c - operations of rings that wait, that have many results, that are of sockets or of neither
 *
 * uring_waits STATEMENTS DIRECTORY
 *
 * One of each that uring.c does not make, stated as calls_more.c does; 49-uring-rows.sh compares. Results
 * that come together are stated in the order in which the kernel gave them.
 */
#include "tests/live/work/rung.h"

#include <linux/time_types.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>

enum {
	SHOTS_OF_RECV = 1 << 1,		/* IORING_RECV_MULTISHOT */
	GROUP = 7, BUFFERS = 8, BUFFER = 256,
	FUTEX2 = 0x80 | 2,		/* 32 bits, private */
};

static char bytes[4096];

static int
bound(struct sockaddr_in *at, int type)
{
	socklen_t n = sizeof(*at);
	const int fd = socket(AF_INET, type, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (bind(fd, (void *)at, sizeof(*at)) != 0 || getsockname(fd, (void *)at, &n) != 0)
		die("bind");
	return fd;
}

/* The next n results, under the names that their user_data (1, 2) says. */
static void
results(struct say *say, struct ring *r, int n, const char *const names[3], int fd)
{
	for (int i = 0; i < n; i++) {
		const struct ring_end end = ring_result(r);
		const char *const name = names[end.user_data % 3];

		if (end.user_data == 1 && fd >= 0)
			state_call(say, name, end.res, "fd=%d", fd);
		else
			state_call(say, name, end.res, "%s", "");
	}
}

static void
polls(struct say *say, struct ring *r)
{
	static const char *const names[3] = {"?", "uring_poll_add", "uring_poll_remove"};
	int ends[2];

	if (pipe(ends) != 0)
		die("pipe");
	say_begin(say);
	rung(say, r, "uring_poll_add", SQE(.opcode = IORING_OP_POLL_ADD, .fd = ends[1],
					   .poll32_events = POLLOUT),
	     "fd=%d path=pipe", ends[1]);
	ring_put(r, SQE(.opcode = IORING_OP_POLL_ADD, .fd = ends[0], .poll32_events = POLLIN,
			.len = IORING_POLL_ADD_MULTI,
			.user_data = 1));
	ring_submit(r, 0);
	for (int i = 0; i < 3; i++) {		/* each time that something comes in */
		RAW(say, write, (ends[1], "abc", 3ul), "fd=%d path=pipe requested=3", ends[1]);
		state_call(say, "uring_poll_add", ring_result(r).res, "fd=%d path=pipe", ends[0]);
		RAW(say, read, (ends[0], bytes, 3ul), "fd=%d path=pipe requested=3", ends[0]);
	}
	ring_put(r, SQE(.opcode = IORING_OP_POLL_REMOVE, .fd = -1, .addr = 1, .user_data = 2));
	ring_submit(r, 2);
	results(say, r, 2, names, ends[0]);
	say_end(say);
}

static void
timers(struct say *say, struct ring *r)
{
	static const char *const removed[3] = {"?", "uring_timeout", "uring_timeout_remove"};
	static const char *const linked[3] = {"?", "uring_read", "uring_link_timeout"};
	const struct __kernel_timespec hour = {.tv_sec = 3600}, soon = {.tv_nsec = 1000000};
	int ends[2];

	if (pipe(ends) != 0)
		die("pipe");
	say_begin(say);
	ring_put(r, SQE(.opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = ADDRESS(&hour), .len = 1,
			.user_data = 1));
	ring_submit(r, 0);
	ring_put(r, SQE(.opcode = IORING_OP_TIMEOUT_REMOVE, .fd = -1, .addr = 1, .user_data = 2));
	ring_submit(r, 2);
	results(say, r, 2, removed, -1);
	ring_put(r, SQE(.opcode = IORING_OP_READ, .flags = IOSQE_IO_LINK, .fd = ends[0],
			.addr = ADDRESS(bytes), .len = 10,
			.user_data = 1));
	ring_put(r, SQE(.opcode = IORING_OP_LINK_TIMEOUT, .fd = -1, .addr = ADDRESS(&soon),
			.len = 1, .user_data = 2));
	ring_submit(r, 2);
	results(say, r, 2, linked, ends[0]);
	say_end(say);
}

/* Several results of one receive and of one read, each into a buffer that the ring chose. */
static void
shots(struct say *say, struct ring *r)
{
	static const char *const received[3] = {"?", "uring_recv", "uring_async_cancel"};
	static const char *const was_read[3] = {"?", "uring_read_multishot", "uring_async_cancel"};
	struct sockaddr_in at, other;
	const int to = bound(&at, SOCK_DGRAM), from = bound(&other, SOCK_DGRAM);
	int ends[2];

	if (connect(from, (void *)&at, sizeof(at)) != 0 || pipe(ends) != 0)
		die("connect");
	say_begin(say);
	rung(say, r, "uring_provide_buffers", SQE(.opcode = IORING_OP_PROVIDE_BUFFERS,
						  .fd = BUFFERS, .addr = ADDRESS(bytes),
						  .len = BUFFER, .off = 0, .buf_group = GROUP),
						  "requested=%d", BUFFER);
	ring_put(r, SQE(.opcode = IORING_OP_RECV, .fd = to, .flags = IOSQE_BUFFER_SELECT,
			.ioprio = SHOTS_OF_RECV,
			.buf_group = GROUP, .user_data = 1));
	ring_submit(r, 0);
	for (int i = 1; i <= 3; i++) {
		RAW(say, sendto, (from, bytes, 10ul * (unsigned long)i, 0, NULL, 0),
		    "fd=%d path=local:127.0.0.1:%d", from, ntohs(other.sin_port));
		state_call(say, "uring_recv", ring_result(r).res, "fd=%d path=local:127.0.0.1:%d",
			   to, ntohs(at.sin_port));
	}
	ring_put(r, SQE(.opcode = IORING_OP_ASYNC_CANCEL, .fd = -1, .addr = 1, .user_data = 2));
	ring_submit(r, 2);
	results(say, r, 2, received, to);
	if (ring_has(r, OP_READ_MULTISHOT)) {
		ring_put(r, SQE(.opcode = OP_READ_MULTISHOT, .fd = ends[0],
				.flags = IOSQE_BUFFER_SELECT, .buf_group = GROUP,
				.off = (uint64_t)-1, .user_data = 1));
		ring_submit(r, 0);
		for (int i = 0; i < 2; i++) {
			RAW(say, write, (ends[1], "abcdef", 6ul - (unsigned long)i),
			    "fd=%d path=pipe", ends[1]);
			state_call(say, "uring_read_multishot", ring_result(r).res,
				   "fd=%d path=pipe", ends[0]);
		}
		ring_put(r, SQE(.opcode = IORING_OP_ASYNC_CANCEL, .fd = -1, .addr = 1,
				.user_data = 2));
		ring_submit(r, 2);
		results(say, r, 2, was_read, ends[0]);
	} else {
		say_line(say, "note without=uring_read_multishot");
	}
	rung(say, r, "uring_remove_buffers", SQE(.opcode = IORING_OP_REMOVE_BUFFERS, .fd = BUFFERS,
						 .buf_group = GROUP), "%s", "");
	say_end(say);
}

/* Without a copy there is a second result, which says that the memory is free again: none of ours. */
static void
zero_copy(struct say *say, struct ring *r, const char *name, struct io_uring_sqe sqe, const char *more)
{
	struct ring_end end;

	if (!ring_has(r, sqe.opcode)) {
		say_line(say, "note without=%s", name);
		return;
	}
	ring_put(r, sqe);
	ring_submit(r, 1);
	end = ring_result(r);
	state_call(say, name, end.res, "%s", more);
	if (end.flags & IORING_CQE_F_MORE)
		(void)ring_result(r);
}

static void
sockets(struct say *say, struct ring *r)
{
	struct sockaddr_in at, own;
	const int to = bound(&at, SOCK_DGRAM);
	struct iovec part = {bytes, 30};
	struct msghdr message = {.msg_name = &at, .msg_namelen = sizeof(at), .msg_iov = &part,
				 .msg_iovlen = 1};
	socklen_t n = sizeof(own);
	char more[128];
	int fd;

	own = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	say_begin(say);
	fd = rung_made(say, r, "uring_socket", SQE(.opcode = IORING_OP_SOCKET, .fd = AF_INET,
						   .off = SOCK_STREAM), "");
	say_end(say);
	if (ring_has(r, OP_BIND) && fd >= 0) {
		say_begin(say);		/* its name is known once it has one */
		rung(say, r, "uring_bind", SQE(.opcode = OP_BIND, .fd = fd, .addr = ADDRESS(&own),
					       .addr2 = sizeof(own)), "fd=%d", fd);
		rung(say, r, "uring_listen", SQE(.opcode = OP_LISTEN, .fd = fd, .len = 5), "fd=%d",
		     fd);
		say_end(say);
		if (getsockname(fd, (void *)&own, &n) != 0 || own.sin_port == 0)
			die("uring_bind");
	} else {
		say_line(say, "note without=uring_bind");
	}
	fd = bound(&own, SOCK_DGRAM);
	snprintf(more, sizeof(more),
		 "fd=%d path=local:127.0.0.1:%d second=remote:127.0.0.1:%d requested=30", fd,
		 ntohs(own.sin_port), ntohs(at.sin_port));
	say_begin(say);
	zero_copy(say, r, "uring_send_zc", SQE(.opcode = IORING_OP_SEND_ZC, .fd = fd,
					       .addr = ADDRESS(bytes), .len = 30,
						.addr2 = ADDRESS(&at), .addr_len = sizeof(at)),
						more);
	zero_copy(say, r, "uring_sendmsg_zc", SQE(.opcode = IORING_OP_SENDMSG_ZC, .fd = fd,
						  .addr = ADDRESS(&message), .len = 1), more);
	rung(say, r, "uring_cmd", SQE(.opcode = IORING_OP_URING_CMD, .fd = to, .cmd_op = 0),
	     "fd=%d path=local:127.0.0.1:%d", to,
	     ntohs(at.sin_port));
	say_end(say);
}

/* Of another ring, of a child, of a word of memory. */
static void
others(struct say *say, struct ring *r)
{
	const int epoll = epoll_create1(0);
	struct epoll_event in = {.events = EPOLLOUT}, got = {0};
	struct { uint64_t value, address; uint32_t flags, zero; } waitv = {.flags = FUTEX2};
	uint32_t word = 5;
	siginfo_t info;
	struct ring other;
	int ends[2];
	pid_t child;

	if (ring_open(&other, 4, 0) != 0 || pipe(ends) != 0)
		die("another ring");
	child = fork();
	if (child == 0)
		_exit(3);
	waitv.address = ADDRESS(&word);
	say_begin(say);
	rung(say, r, "uring_msg_ring", SQE(.opcode = IORING_OP_MSG_RING, .fd = other.fd, .len = 9,
					   .off = 99), "fd=%d", other.fd);
	rung(say, r, "uring_epoll_ctl", SQE(.opcode = IORING_OP_EPOLL_CTL, .fd = epoll,
					    .len = EPOLL_CTL_ADD, .off = (unsigned int)ends[1],
					    .addr = ADDRESS(&in)), "fd=%d path=[eventpoll]", epoll);
	rung(say, r, "uring_epoll_wait", SQE(.opcode = OP_EPOLL_WAIT, .fd = epoll, .len = 1,
					     .addr = ADDRESS(&got)),
	     "fd=%d path=[eventpoll]", epoll);
	rung(say, r, "uring_waitid", SQE(.opcode = OP_WAITID, .len = P_PID, .fd = child,
					 .addr2 = ADDRESS(&info), .file_index = WEXITED),
	     "%s", "");
	rung(say, r, "uring_futex_wait", SQE(.opcode = OP_FUTEX_WAIT, .fd = FUTEX2,
					     .addr = ADDRESS(&word), .addr2 = 4,
					     .addr3 = 0xffffffff), "%s", "");
	rung(say, r, "uring_futex_wake", SQE(.opcode = OP_FUTEX_WAKE, .fd = FUTEX2,
					     .addr = ADDRESS(&word), .addr2 = 1,
					     .addr3 = 0xffffffff), "%s", "");
	rung(say, r, "uring_futex_waitv", SQE(.opcode = OP_FUTEX_WAITV, .addr = ADDRESS(&waitv),
					      .len = 1), "%s", "");
	say_end(say);
	(void)waitpid(child, NULL, WNOHANG);
}

int
main(int argc, char **argv)
{
	struct say *say;
	struct ring r;

	if (argc != 3)
		die("usage: uring_waits STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	if (ring_open(&r, 16, 0) != 0) {
		say_line(say, "note without=io_uring");
		return 0;
	}
	polls(say, &r);
	timers(say, &r);
	shots(say, &r);
	sockets(say, &r);
	others(say, &r);
	return 0;
}
