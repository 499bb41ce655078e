/* canaries.c - moves secrets through every call that can carry some, so that a recording can be searched
 *
 * canaries DIRECTORY ROUNDS     in DIRECTORY; "N canaries in M ways [uring] [aio]" on standard output
 * canaries bystand DIRECTORY    what nobody traces: busy with names and addresses until it is ended
 *
 * A canary is "C7Nq" and 16 random hexadecimal digits, each another one. None is a name of anything,
 * but for those of bystand. What a kernel refuses was still in memory when it was asked.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/live/work/ring.h"

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))

enum { CANARY = 20, BYSTANDERS_ADDRESS = 0x7f4d5937 };

static unsigned int
fresh(char *p)
{
	uint64_t lot = 0;

	(void)!getrandom(&lot, sizeof(lot), 0);
	(void)snprintf(p, CANARY + 1, "C7Nq%016llx", (unsigned long long)lot);
	return 1;
}

/* Every one in a buffer of its own, the bytes behind it canaries too. */
static char *
canary(unsigned int *n)
{
	static char buffer[256];

	for (size_t at = 0; at + CANARY < sizeof(buffer); at += CANARY)
		*n += fresh(buffer + at);
	return buffer;
}

static unsigned int
by_files(unsigned int *n)
{
	char in[4][64];
	struct iovec v[2] = {{in[0], 32}, {in[1], 32}};
	const int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	const int other = open("other", O_RDWR | O_CREAT | O_TRUNC, 0600);
	const int memory = memfd_create("memory", 0);
	struct iovec w[2];
	loff_t from = 0, to = 0;

	(void)!write(fd, canary(n), 200);
	(void)!pwrite(fd, canary(n), 200, 100);
	w[0] = w[1] = (struct iovec){canary(n), 100};
	(void)!writev(fd, w, 2);
	(void)!pwritev(fd, w, 2, 10);
	(void)!pwritev2(fd, w, 2, 20, 0);
	(void)!pread(fd, in[0], 64, 0);
	(void)lseek(fd, 0, SEEK_SET);
	(void)!read(fd, in[0], 64);
	(void)!readv(fd, v, 2);
	(void)!preadv(fd, v, 2, 0);
	(void)!preadv2(fd, v, 2, 0, 0);
	(void)!copy_file_range(fd, &from, other, &to, 100, 0);
	(void)!sendfile(other, fd, &from, 100);
	(void)!write(memory, canary(n), 200);
	(void)!write(1000, canary(n), 200);			/* EBADF */
	(void)fsetxattr(fd, "user.x", canary(n), 100, 0);
	(void)fgetxattr(fd, "user.x", in[2], 64);
	(void)setxattr("data", "user.y", canary(n), 100, 0);
	(void)getxattr("data", "user.y", in[2], 64);
	(void)lsetxattr("data", "user.z", canary(n), 100, 0);
	(void)lgetxattr("data", "user.z", in[2], 64);
	(void)ioctl(fd, 0x5413, canary(n));
	(void)fcntl(fd, F_SETLK, canary(n));
	(void)fallocate(fd, 0, 0, 300);
	close(memory);
	close(other);
	close(fd);
	return 23;
}

static unsigned int
by_pipes(unsigned int *n)
{
	char in[256];
	struct iovec v = {canary(n), 200};
	int ends[2], more[2];

	if (pipe(ends) != 0 || pipe(more) != 0)
		return 0;
	(void)!write(ends[1], canary(n), 200);
	(void)!vmsplice(ends[1], &v, 1, 0);
	(void)!tee(ends[0], more[1], 100, 0);
	(void)!splice(ends[0], NULL, more[1], NULL, 100, 0);
	(void)!read(more[0], in, sizeof(in));
	(void)!read(ends[0], in, sizeof(in));
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(more[i]);
	}
	return 6;
}

static void
exchange(int a, int b, unsigned int *n)
{
	_Alignas(struct cmsghdr) char control[64];
	char in[512], room[128];
	struct iovec v = {canary(n), 200}, back = {in, sizeof(in)};
	struct mmsghdr many = {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}};
	struct mmsghdr taken = {.msg_hdr = {.msg_iov = &back, .msg_iovlen = 1, .msg_control = room,
					    .msg_controllen = sizeof(room)}};

	(void)!send(a, canary(n), 200, MSG_DONTWAIT);
	(void)!recv(b, in, sizeof(in), MSG_DONTWAIT);
	(void)!sendmsg(a, &many.msg_hdr, MSG_DONTWAIT);
	(void)!recvmsg(b, &taken.msg_hdr, MSG_DONTWAIT);
	memcpy(control, canary(n), sizeof(control));
	*(struct cmsghdr *)(void *)control = (struct cmsghdr){.cmsg_len = sizeof(control),
							      .cmsg_level = SOL_SOCKET, .cmsg_type = 9999};
	many.msg_hdr.msg_control = control;
	many.msg_hdr.msg_controllen = sizeof(control);
	(void)!sendmsg(a, &many.msg_hdr, MSG_DONTWAIT);		/* EINVAL */
	many.msg_hdr.msg_control = NULL;
	many.msg_hdr.msg_controllen = 0;
	(void)!sendmmsg(a, &many, 1, MSG_DONTWAIT);
	(void)!recvmmsg(b, &taken, 1, MSG_DONTWAIT, NULL);
	(void)!write(a, canary(n), 200);
	(void)!recvfrom(b, in, sizeof(in), MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
	(void)!read(b, in, sizeof(in));
}

static unsigned int
by_sockets(unsigned int *n)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(to);
	const int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	const int listener = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
	int pair[2], d;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 0;
	exchange(pair[0], pair[1], n);
	if (bind(b, (struct sockaddr *)&to, sizeof(to)) == 0 && getsockname(b, (struct sockaddr *)&to, &size) == 0) {
		(void)!sendto(a, canary(n), 200, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof(to));
		(void)connect(a, (struct sockaddr *)&to, sizeof(to));
		exchange(a, b, n);
	}
	to.sin_port = 0;
	if (bind(listener, (struct sockaddr *)&to, sizeof(to)) == 0 && listen(listener, 1) == 0 &&
	    getsockname(listener, (struct sockaddr *)&to, &size) == 0 &&
	    connect(c, (struct sockaddr *)&to, sizeof(to)) == 0) {
		d = accept(listener, NULL, NULL);
		exchange(c, d, n);
		close(d);
	}
	(void)setsockopt(c, SOL_SOCKET, 9999, canary(n), 200);
	(void)getsockopt(c, SOL_SOCKET, 9999, canary(n), &size);
	close(pair[0]);
	close(pair[1]);
	close(a);
	close(b);
	close(c);
	close(listener);
	return 34;
}

/* Names that end before the memory handed over does: what lies behind is none of them. */
static unsigned int
behind_names(unsigned int *n)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_DGRAM, 0);
	char path[4200];
	struct iovec v = {path, 1};
	struct msghdr to = {.msg_name = &name, .msg_namelen = sizeof(name), .msg_iov = &v, .msg_iovlen = 1};

	memcpy(name.sun_path, canary(n), sizeof(name.sun_path));
	strcpy(name.sun_path, "nowhere");
	(void)connect(fd, (struct sockaddr *)&name, sizeof(name));
	(void)!sendto(other, path, 1, 0, (struct sockaddr *)&name, sizeof(name));
	(void)!sendmsg(other, &to, 0);
	(void)unlink("nowhere");
	strcpy(name.sun_path, "bound");
	(void)bind(other, (struct sockaddr *)&name, sizeof(name));
	for (size_t at = 0; at + CANARY < sizeof(path); at += CANARY)
		*n += fresh(path + at);
	strcpy(path, "no-such-file");
	(void)!open(path, O_RDONLY);
	(void)access(path, R_OK);
	(void)unlink(path);
	(void)unlink("bound");
	close(fd);
	close(other);
	return 7;
}

static unsigned int
by_messages(unsigned int *n)
{
	struct { long type; char text[200]; } message = {1, ""};
	struct mq_attr size = {.mq_maxmsg = 2, .mq_msgsize = 256};
	const int queue = msgget(IPC_PRIVATE, 0600);
	const mqd_t other = mq_open("/iotap-canaries", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &size);
	struct iovec mine = {canary(n), 200}, too = {message.text, 200};
	char in[300];

	memcpy(message.text, canary(n), sizeof(message.text));
	(void)msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT);
	(void)!msgrcv(queue, &message, sizeof(message.text), 0, IPC_NOWAIT);
	(void)msgctl(queue, IPC_RMID, NULL);
	(void)mq_send(other, canary(n), 200, 0);
	(void)!mq_receive(other, in, sizeof(in), NULL);
	mq_close(other);
	mq_unlink("/iotap-canaries");
	(void)!process_vm_writev(getpid(), &mine, 1, &too, 1, 0);
	(void)!process_vm_readv(getpid(), &mine, 1, &too, 1, 0);
	return 6;
}

/* A ring that is opened once; NULL where the kernel refuses it. */
static struct ring *
the_ring(void)
{
	static struct ring ring;
	static int opened;

	if (!opened)
		opened = ring_open(&ring, 8, 0) == 0 ? 1 : -1;
	return opened > 0 ? &ring : NULL;
}

/* Asks for one operation whose mark is a canary too. */
#define ASK(ring, n, ...) \
	({ \
		struct io_uring_sqe asked = {__VA_ARGS__}; \
		memcpy(&asked.user_data, canary(n), 8); \
		ring_one(ring, asked); \
	})

static unsigned int
by_ring(unsigned int *n)
{
	struct ring *const r = the_ring();
	char path[256] = "", in[256];
	struct iovec v = {path, 200};
	struct msghdr message = {.msg_iov = &v, .msg_iovlen = 1};
	int pair[2], fd;

	if (!r || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 0;
	memcpy(path, canary(n), sizeof(path) - 1);
	strcpy(path, "ring");					/* what lies behind the name is none of it */
	fd = ASK(r, n, .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = ADDRESS(path), .len = 0600,
		 .open_flags = O_RDWR | O_CREAT);
	memcpy(path, canary(n), sizeof(path) - 1);
	(void)ASK(r, n, .opcode = IORING_OP_WRITE, .fd = fd, .addr = ADDRESS(path), .len = 200);
	(void)ASK(r, n, .opcode = IORING_OP_WRITEV, .fd = fd, .addr = ADDRESS(&v), .len = 1);
	(void)ASK(r, n, .opcode = IORING_OP_READ, .fd = fd, .addr = ADDRESS(in), .len = 200);
	(void)ASK(r, n, .opcode = IORING_OP_READ, .fd = fd, .flags = IOSQE_ASYNC, .addr = ADDRESS(in), .len = 200);
	(void)ASK(r, n, .opcode = IORING_OP_FSETXATTR, .fd = fd, .addr = ADDRESS("user.r"), .addr2 = ADDRESS(path),
		  .len = 100);
	(void)ASK(r, n, .opcode = IORING_OP_SEND, .fd = pair[0], .addr = ADDRESS(path), .len = 200);
	(void)ASK(r, n, .opcode = IORING_OP_RECV, .fd = pair[1], .addr = ADDRESS(in), .len = 200);
	(void)ASK(r, n, .opcode = IORING_OP_SENDMSG, .fd = pair[0], .addr = ADDRESS(&message), .len = 1);
	v.iov_base = in;
	(void)ASK(r, n, .opcode = IORING_OP_RECVMSG, .fd = pair[1], .addr = ADDRESS(&message), .len = 1);
	(void)ASK(r, n, .opcode = IORING_OP_WRITE, .fd = 1000, .addr = ADDRESS(path), .len = 200);
	(void)ASK(r, n, .opcode = IORING_OP_CLOSE, .fd = fd);
	close(pair[0]);
	close(pair[1]);
	return 12;
}

/* Requests of io_submit; 0 where the kernel has none. */
static unsigned int
by_requests(unsigned int *n)
{
	static aio_context_t context;
	const int fd = open("asked", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char in[256];
	struct iovec v = {canary(n), 200};
	struct iocb asked[3] = {
		{.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_buf = ADDRESS(v.iov_base), .aio_nbytes = 200},
		{.aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_buf = ADDRESS(&v), .aio_nbytes = 1},
		{.aio_lio_opcode = IOCB_CMD_PREAD, .aio_buf = ADDRESS(in), .aio_nbytes = 200},
	}, *list[3];
	struct io_event events[3];
	unsigned int ways = 0;

	if (context != 0 || syscall(SYS_io_setup, 16u, &context) == 0) {
		for (int i = 0; i < 3; i++) {
			asked[i].aio_fildes = (uint32_t)fd;
			memcpy(&asked[i].aio_data, canary(n), 8);
			list[i] = &asked[i];
		}
		if (syscall(SYS_io_submit, context, 3l, list) == 3 &&
		    syscall(SYS_io_getevents, context, 3l, 3l, events, NULL) == 3)
			ways = 3;
	}
	close(fd);
	return ways;
}

static unsigned int
by_mappings(const char *name, unsigned int *n)
{
	const int fd = open(name, O_RDWR | O_CREAT, 0600);

	for (int sharing = MAP_SHARED; sharing <= MAP_PRIVATE; sharing++) {
		char *const at = ftruncate(fd, 8192) != 0 ? MAP_FAILED :
				 mmap(NULL, 8192, PROT_READ | PROT_WRITE, sharing, fd, 0);

		if (at == MAP_FAILED)
			continue;
		for (size_t page = 0; page < 8192; page += 4096)
			memcpy(at + page, canary(n), 200);
		(void)msync(at, 8192, MS_ASYNC);
		munmap(at, 8192);
	}
	close(fd);
	return 2;
}

/* A program with canaries among its arguments and in its environment. */
static void
by_program(const char *self, unsigned int *n)
{
	char argument[CANARY + 1], variable[CANARY + 8] = "SECRET=";

	*n += fresh(argument) + fresh(variable + 7);
	if (fork() == 0) {
		char *const arguments[] = {(char *)"plain", (char *)"child", argument, NULL};
		char *const variables[] = {variable, NULL};

		execve(self, arguments, variables);
		_exit(1);
	}
	(void)wait(NULL);
}

static int
move(const char *self, int rounds)
{
	unsigned int n = 0, ways = 2, ring = 0, requests = 0;

	for (int i = 0; i < rounds; i++) {
		ring = by_ring(&n);
		requests = by_requests(&n);
		ways = 2 + by_files(&n) + by_pipes(&n) + by_sockets(&n) + behind_names(&n) + by_messages(&n) +
		       by_mappings("mapped", &n) + ring + requests;
		if (i % 10 == 0)
			by_program(self, &n);
	}
	printf("%u canaries in %u ways%s%s\n", n, ways, ring ? " uring" : "", requests ? " aio" : "");
	return 0;
}

/* A bystander's names and addresses, by what is recorded only when it is asked for. */
static void
stand_aside(const char *name, int fd, int sock, const struct sockaddr_in *to)
{
	struct ring *const r = the_ring();
	char other[CANARY + 8];
	unsigned int n = 0;

	(void)by_requests(&n);
	(void)by_mappings(name, &n);
	if (!r)
		return;
	(void)snprintf(other, sizeof(other), "%s.ring", name);
	(void)ASK(r, &n, .opcode = IORING_OP_WRITE, .fd = fd, .addr = ADDRESS(name), .len = CANARY);
	(void)ASK(r, &n, .opcode = IORING_OP_READ, .fd = fd, .flags = IOSQE_ASYNC, .addr = ADDRESS(other), .len = 0);
	(void)ASK(r, &n, .opcode = IORING_OP_CONNECT, .fd = sock, .addr = ADDRESS(to), .off = sizeof(*to));
	(void)ASK(r, &n, .opcode = IORING_OP_SEND, .fd = sock, .addr = ADDRESS(name), .len = CANARY);
	(void)ASK(r, &n, .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = ADDRESS(other), .open_flags = O_RDONLY);
}

static void
stand(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9),
				 .sin_addr.s_addr = htonl(BYSTANDERS_ADDRESS)};
	struct sockaddr_un bus = {.sun_family = AF_UNIX};
	char name[CANARY + 1];
	const int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0);
	int fd;

	(void)fresh(name);
	(void)prctl(PR_SET_NAME, name);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	(void)!write(fd, name, CANARY);
	(void)!sendto(a, name, CANARY, 0, (struct sockaddr *)&to, sizeof(to));
	(void)snprintf(bus.sun_path, sizeof(bus.sun_path), "%s.bus", name);
	stand_aside(name, fd, a, &to);
	(void)bind(b, (struct sockaddr *)&bus, sizeof(bus));
	(void)connect(b, (struct sockaddr *)&bus, sizeof(bus));
	if (fork() == 0)
		_exit(0);
	(void)wait(NULL);
	close(a);
	close(b);
	close(fd);
	(void)unlink(name);
	(void)unlink(bus.sun_path);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "child") == 0)
		return 0;
	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "bystand") == 0 && chdir(argv[2]) == 0) {
		for (;;)
			stand();
	}
	return chdir(argv[1]) == 0 ? move("/proc/self/exe", atoi(argv[2])) : 1;
}
