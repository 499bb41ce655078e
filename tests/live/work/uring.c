/* uring.c - operations through rings of io_uring, each stated with what came back and what it was on
 *
 * uring STATEMENTS DIRECTORY		one thread, one ring: everything in order
 * uring STATEMENTS DIRECTORY poll	the kernel's thread submits (SQPOLL)
 * uring STATEMENTS DIRECTORY die	ends with requests in flight
 * uring STATEMENTS DIRECTORY loop N	so many writes of 7 bytes, 32 at a time; states nothing
 *
 * Linked against nothing: rings are made by their system calls (work/ring.h). What a kernel does not have
 * is stated as "note without=NAME".
 */
#include "tests/live/work/ring.h"

#include <dirent.h>
#include <sys/uio.h>

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))

static char bytes[4096], home[PATH_MAX];

/* Makes one operation of a ring and states it; extra as DID_MORE has it. */
#define RUNG(say, ring, call, on, extra, ...) \
	({ \
		char rung_target[SAY_TARGET]; \
		const int rung_fd = (on); \
		int rung_result; \
		say_target(rung_target, sizeof(rung_target), rung_fd); \
		rung_result = ring_one(ring, (struct io_uring_sqe){__VA_ARGS__}); \
		say_call(say, call, rung_fd, rung_result, rung_result < 0 ? -rung_result : 0, rung_target, extra); \
		rung_result; \
	})

/* One that makes a descriptor, stated with what that is. */
#define RING_MADE(say, ring, call, ...) \
	({ \
		char made_target[SAY_TARGET] = ""; \
		const int made_fd = ring_one(ring, (struct io_uring_sqe){__VA_ARGS__}); \
		if (made_fd >= 0) \
			say_target(made_target, sizeof(made_target), made_fd); \
		say_call(say, call, made_fd, made_fd, made_fd < 0 ? -made_fd : 0, made_target, ""); \
		made_fd; \
	})

static void
state(struct say *say, const char *call, int fd, int result, const char *target, const char *extra)
{
	say_call(say, call, fd, result, result < 0 ? -result : 0, target, extra);
}

static void
files(struct say *say, struct ring *r)
{
	struct iovec two[2] = {{bytes, 100}, {bytes + 100, 23}};
	char path[PATH_MAX + 16], none[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/by-ring", home);
	snprintf(none, sizeof(none), "%s/no-such", home);
	fd = RING_MADE(say, r, "uring_openat", .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD,
		       .addr = ADDRESS(path), .len = 0600, .open_flags = O_RDWR | O_CREAT);
	RUNG(say, r, "uring_write", fd, " requested=1000 offset=0", .opcode = IORING_OP_WRITE, .fd = fd,
	     .addr = ADDRESS(bytes), .len = 1000);
	RUNG(say, r, "uring_write", fd, " requested=50 offset=0", .opcode = IORING_OP_WRITE, .fd = fd,
	     .addr = ADDRESS(bytes), .len = 50, .off = (uint64_t)-1);
	RUNG(say, r, "uring_write", fd, " requested=60 offset=50", .opcode = IORING_OP_WRITE, .fd = fd,
	     .addr = ADDRESS(bytes), .len = 60, .off = (uint64_t)-1);
	RUNG(say, r, "uring_writev", fd, " requested=123 offset=2000", .opcode = IORING_OP_WRITEV, .fd = fd,
	     .addr = ADDRESS(two), .len = 2, .off = 2000);
	RUNG(say, r, "uring_read", fd, " requested=4096 offset=2100", .opcode = IORING_OP_READ, .fd = fd,
	     .addr = ADDRESS(bytes), .len = 4096, .off = 2100);
	RUNG(say, r, "uring_readv", fd, " requested=123 offset=10", .opcode = IORING_OP_READV, .fd = fd,
	     .addr = ADDRESS(two), .len = 2, .off = 10);
	RUNG(say, r, "uring_read", fd, " requested=77 offset=0", .opcode = IORING_OP_READ, .fd = fd,
	     .flags = IOSQE_ASYNC, .addr = ADDRESS(bytes), .len = 77);
	RUNG(say, r, "uring_fsync", fd, "", .opcode = IORING_OP_FSYNC, .fd = fd);
	RUNG(say, r, "uring_nop", -1, "", .opcode = IORING_OP_NOP);
	RUNG(say, r, "uring_read", -1, "", .opcode = IORING_OP_READ, .fd = 999, .addr = ADDRESS(bytes), .len = 9);
	RUNG(say, r, "uring_close", fd, "", .opcode = IORING_OP_CLOSE, .fd = fd);
	state(say, "uring_openat", -1, ring_one(r, (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
	      .fd = AT_FDCWD, .addr = ADDRESS(none)}), "", "");
}

/* A registered file is not named by a descriptor, and need not have one any more. */
static void
fixed(struct say *say, struct ring *r)
{
	struct iovec buffer = {bytes, sizeof(bytes)};
	char target[SAY_TARGET], path[PATH_MAX + 16];
	int fd, slots[4] = {-1, -1, -1, -1}, n;

	snprintf(path, sizeof(path), "%s/fixed", home);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	say_target(target, sizeof(target), fd);
	slots[2] = fd;
	if (syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_FILES, slots, 4) != 0 ||
	    syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_BUFFERS, &buffer, 1) != 0)
		die("io_uring_register");
	close(fd);
	n = ring_one(r, (struct io_uring_sqe){.opcode = IORING_OP_WRITE_FIXED, .flags = IOSQE_FIXED_FILE,
		     .fd = 2, .addr = ADDRESS(bytes), .len = 500, .off = 10});
	state(say, "uring_write_fixed", -1, n, target, " requested=500 offset=10");
	n = ring_one(r, (struct io_uring_sqe){.opcode = IORING_OP_READ_FIXED, .flags = IOSQE_FIXED_FILE,
		     .fd = 2, .addr = ADDRESS(bytes), .len = 1000, .off = 110});
	state(say, "uring_read_fixed", -1, n, target, " requested=1000 offset=110");
	n = ring_one(r, (struct io_uring_sqe){.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE,
		     .fd = 3, .addr = ADDRESS(bytes), .len = 10});
	state(say, "uring_read", -1, n, "", " requested=10");
}

/* Two that are linked, and one that breaks its chain. */
static void
chains(struct say *say, struct ring *r)
{
	char target[SAY_TARGET], path[PATH_MAX + 16];
	const struct io_uring_sqe write7 = {.opcode = IORING_OP_WRITE, .addr = ADDRESS(bytes), .len = 7};
	struct io_uring_sqe one = write7, other = write7, bad = write7;
	int fd;

	snprintf(path, sizeof(path), "%s/chain", home);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	say_target(target, sizeof(target), fd);
	one.fd = other.fd = fd;
	one.flags = IOSQE_IO_LINK;
	other.off = 7;
	ring_put(r, one);
	ring_put(r, other);
	ring_submit(r, 2);
	state(say, "uring_write", fd, ring_result(r).res, target, " requested=7 offset=0");
	state(say, "uring_write", fd, ring_result(r).res, target, " requested=7 offset=7");
	bad.fd = 999;
	bad.flags = IOSQE_IO_LINK;
	ring_put(r, bad);
	ring_put(r, other);
	ring_submit(r, 2);
	state(say, "uring_write", -1, ring_result(r).res, "", " requested=7");
	state(say, "uring_write", -1, ring_result(r).res, "", " requested=7");
	close(fd);
}

static int
listener(struct sockaddr_in *at)
{
	socklen_t n = sizeof(*at);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (bind(fd, (void *)at, sizeof(*at)) != 0 || listen(fd, 8) != 0 || getsockname(fd, (void *)at, &n) != 0)
		die("listen");
	return fd;
}

static void
sockets(struct say *say, struct ring *r)
{
	struct iovec part = {bytes, 300};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct sockaddr_in at;
	char target[SAY_TARGET];
	const int from = listener(&at);
	int a, b, n;

	a = socket(AF_INET, SOCK_STREAM, 0);
	n = ring_one(r, (struct io_uring_sqe){.opcode = IORING_OP_CONNECT, .fd = a, .addr = ADDRESS(&at),
		     .off = sizeof(at)});
	say_target(target, sizeof(target), a);
	state(say, "uring_connect", a, n, target, "");
	b = RING_MADE(say, r, "uring_accept", .opcode = IORING_OP_ACCEPT, .fd = from);
	RUNG(say, r, "uring_send", a, " requested=200", .opcode = IORING_OP_SEND, .fd = a,
	     .addr = ADDRESS(bytes), .len = 200);
	RUNG(say, r, "uring_recv", b, " requested=4096", .opcode = IORING_OP_RECV, .fd = b,
	     .addr = ADDRESS(bytes), .len = 4096);
	RUNG(say, r, "uring_sendmsg", b, " requested=300", .opcode = IORING_OP_SENDMSG, .fd = b,
	     .addr = ADDRESS(&message), .len = 1);
	RUNG(say, r, "uring_recvmsg", a, " requested=300", .opcode = IORING_OP_RECVMSG, .fd = a,
	     .addr = ADDRESS(&message), .len = 1);
	RUNG(say, r, "uring_recv", b, " requested=10", .opcode = IORING_OP_RECV, .fd = b,
	     .addr = ADDRESS(bytes), .len = 10, .msg_flags = MSG_DONTWAIT);
	RUNG(say, r, "uring_shutdown", a, "", .opcode = IORING_OP_SHUTDOWN, .fd = a, .len = SHUT_WR);
	RUNG(say, r, "uring_recv", b, " requested=10", .opcode = IORING_OP_RECV, .fd = b,
	     .addr = ADDRESS(bytes), .len = 10);
	close(a);
	close(b);
	close(from);
}

/* One request that is cancelled while it waits; of the timer a result without a descriptor. */
static void
waits(struct say *say, struct ring *r)
{
	const struct { int64_t seconds, ns; } soon = {0, 1000000};
	char target[SAY_TARGET];
	struct ring_end first, second;
	int pipes[2];

	if (pipe(pipes) != 0)
		die("pipe");
	RUNG(say, r, "uring_timeout", -1, "", .opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = ADDRESS(&soon), .len = 1);
	say_target(target, sizeof(target), pipes[0]);
	ring_put(r, (struct io_uring_sqe){.opcode = IORING_OP_READ, .fd = pipes[0], .addr = ADDRESS(bytes),
		 .len = 10, .user_data = 77});
	ring_submit(r, 0);
	ring_put(r, (struct io_uring_sqe){.opcode = IORING_OP_ASYNC_CANCEL, .fd = -1, .addr = 77});
	ring_submit(r, 2);
	first = ring_result(r);
	second = ring_result(r);
	for (int i = 0; i < 2; i++) {
		const struct ring_end *const c = i ? &second : &first;

		if (c->user_data == 77)
			state(say, "uring_read", pipes[0], c->res, target, " requested=10");
		else
			state(say, "uring_async_cancel", -1, c->res, "", "");
	}
	close(pipes[0]);
	close(pipes[1]);
}

/* More than one result of one request. A result made in between by the kernel has no requested size. */
static void
shots(struct say *say, struct ring *r)
{
	struct sockaddr_in at;
	char target[SAY_TARGET];
	const int from = listener(&at);
	int ends[3], made;

	ring_put(r, (struct io_uring_sqe){.opcode = IORING_OP_ACCEPT, .fd = from,
		 .ioprio = IORING_ACCEPT_MULTISHOT, .user_data = 5});
	ring_submit(r, 0);
	for (int i = 0; i < 3; i++) {
		struct ring_end c;

		ends[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(ends[i], (void *)&at, sizeof(at)) != 0)
			die("connect");
		c = ring_result(r);
		made = c.res;
		target[0] = '\0';
		if (made >= 0)
			say_target(target, sizeof(target), made);
		state(say, "uring_accept", made, made, target, "");
		if (made < 0 || !(c.flags & IORING_CQE_F_MORE)) {
			say_line(say, "note without=multishot");
			break;
		}
		RUNG(say, r, "uring_send", made, " requested=21", .opcode = IORING_OP_SEND, .fd = made,
		     .addr = ADDRESS(bytes), .len = 21);
	}
	state(say, "uring_async_cancel", -1, 0, "", "");
	ring_put(r, (struct io_uring_sqe){.opcode = IORING_OP_ASYNC_CANCEL, .fd = -1, .addr = 5});
	ring_submit(r, 2);
	(void)ring_result(r);
	(void)ring_result(r);
}

/* One whose success makes no result: told when its place is used again, which is the kernel's to choose. */
static void
silent(struct ring *r)
{
	const int fd = open("silent", O_RDWR | O_CREAT, 0600);
	struct stat st;

	ring_put(r, (struct io_uring_sqe){.opcode = IORING_OP_WRITE, .flags = IOSQE_CQE_SKIP_SUCCESS, .fd = fd,
		 .addr = ADDRESS(bytes), .len = 11});
	ring_submit(r, 0);
	do
		(void)ring_one(r, (struct io_uring_sqe){.opcode = IORING_OP_NOP});
	while (fstat(fd, &st) == 0 && st.st_size == 0);
	for (int i = 0; i < 16; i++)
		ring_put(r, (struct io_uring_sqe){.opcode = IORING_OP_NOP});
	ring_submit(r, 16);
	for (int i = 0; i < 16; i++)
		(void)ring_result(r);
	close(fd);
}

static int
thread_of_ring(void)
{
	char path[300], comm[32];
	DIR *const dir = opendir("/proc/self/task");
	struct dirent *d;
	int found = 0;

	while (dir && (d = readdir(dir)) != NULL) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", d->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f) && strncmp(comm, "iou-sqp", 7) == 0)
			found = atoi(d->d_name);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void
polled(struct say *say)
{
	char target[SAY_TARGET], path[PATH_MAX + 16];
	struct ring r;
	int fd, n, tid;

	if (ring_open(&r, 8, IORING_SETUP_SQPOLL) != 0) {
		say_line(say, "note without=SQPOLL");
		return;
	}
	snprintf(path, sizeof(path), "%s/polled", home);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	say_target(target, sizeof(target), fd);
	(void)ring_one(&r, (struct io_uring_sqe){.opcode = IORING_OP_NOP});
	tid = thread_of_ring();	/* it has taken its name by now */
	for (int i = 0; i < 10; i++) {
		n = ring_one(&r, (struct io_uring_sqe){.opcode = IORING_OP_WRITE, .fd = fd,
			     .addr = ADDRESS(bytes), .len = 100 + (unsigned int)i, .off = 1000u * (unsigned int)i});
		say_line(say, "expect tid=%d pid=%d call=uring_write fd=%d result=%d err=0 requested=%d "
			 "offset=%d%s", tid, getpid(), fd, n, 100 + i, 1000 * i, target);
	}
}

static void
die_waiting(struct say *say)
{
	struct ring r;
	int pipes[2];

	if (ring_open(&r, 8, 0) != 0 || pipe(pipes) != 0)
		die("io_uring_setup");
	for (int i = 0; i < 3; i++)
		ring_put(&r, (struct io_uring_sqe){.opcode = IORING_OP_READ, .fd = pipes[0],
			 .addr = ADDRESS(bytes), .len = 10, .user_data = 1});
	ring_submit(&r, 0);
	say_line(say, "note dies=%d", getpid());
	_exit(0);
}

static void
loop(long n)
{
	struct ring r;
	const int fd = open("loop", O_RDWR | O_CREAT, 0600);

	if (ring_open(&r, 32, 0) != 0 || fd < 0)
		die("io_uring_setup");
	for (long i = 0; i < n; i += 32) {
		for (int k = 0; k < 32; k++)
			ring_put(&r, (struct io_uring_sqe){.opcode = IORING_OP_WRITE, .fd = fd,
				 .addr = ADDRESS(bytes), .len = 7});
		ring_submit(&r, 32);
		for (int k = 0; k < 32; k++)
			(void)ring_result(&r);
	}
}

int
main(int argc, char **argv)
{
	struct say *say;
	struct ring r;

	if (argc < 3)
		die("usage: uring STATEMENTS DIRECTORY [poll | die | loop N]");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0 || !getcwd(home, sizeof(home)))
		die("%s", argv[2]);
	if (argc > 3 && strcmp(argv[3], "poll") == 0) {
		polled(say);
		return 0;
	}
	if (argc > 3 && strcmp(argv[3], "die") == 0)
		die_waiting(say);
	if (argc > 4) {
		loop(atol(argv[4]));
		return 0;
	}
	if (ring_open(&r, 16, 0) != 0) {
		say_line(say, "note without=io_uring");
		return 0;
	}
	say_begin(say);
	files(say, &r);
	fixed(say, &r);
	chains(say, &r);
	sockets(say, &r);
	waits(say, &r);
	say_end(say);
	shots(say, &r);
	silent(&r);
	return 0;
}
