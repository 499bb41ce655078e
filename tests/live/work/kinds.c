/* kinds.c - known calls on every kind of descriptor, each stated before the next
 *
 * kinds STATEMENTS DIRECTORY
 *
 * Files, a directory, devices, a pipe, unix sockets by path, abstract and unnamed, UDP and TCP over
 * loopback, memfd, eventfd, timerfd, signalfd, inotify; all calls of the read and write families.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "tests/live/work/say.h"

static void
files(struct say *say)
{
	char buffer[4096] = "known bytes";
	struct iovec two[2] = { { buffer, 100 }, { buffer + 200, 23 } };
	const int fd = MADE(say, "openat", open("file", O_RDWR | O_CREAT | O_TRUNC, 0600));
	const int out = MADE(say, "openat", open("copy", O_RDWR | O_CREAT | O_APPEND, 0600));
	const int directory = MADE(say, "openat", open(".", O_RDONLY | O_DIRECTORY));
	int null, zero;

	DID_MORE(say, "write", fd, " requested=1000 offset=0", write(fd, buffer, 1000));
	DID_MORE(say, "write", fd, " requested=17 offset=1000", write(fd, buffer, 17));
	DID_MORE(say, "pwrite64", fd, " requested=33 offset=5000", pwrite(fd, buffer, 33, 5000));
	DID_MORE(say, "writev", fd, " offset=1017", writev(fd, two, 2));
	DID(say, "pwritev", fd, pwritev(fd, two, 2, 64));
	DID(say, "pwritev2", fd, pwritev2(fd, two, 1, 64, 0));
	DID_MORE(say, "pread64", fd, " requested=4096 offset=10", pread(fd, buffer, 4096, 10));
	lseek(fd, 3, SEEK_SET);
	DID_MORE(say, "read", fd, " requested=100 offset=3", read(fd, buffer, 100));
	DID(say, "readv", fd, readv(fd, two, 2));
	DID(say, "preadv", fd, preadv(fd, two, 2, 64));
	DID(say, "preadv2", fd, preadv2(fd, two, 2, 64, 0));
	DID_MORE(say, "pread64", fd, " requested=10 offset=None", pread(fd, buffer, 10, -1));	/* EINVAL */
	DID_MORE(say, "read", fd, " requested=0", read(fd, buffer, 0));
	DID_MORE(say, "pread64", fd, " requested=10 offset=9999", pread(fd, buffer, 10, 9999));
	DID_MORE(say, "write", out, " requested=7 offset=0", write(out, buffer, 7));
	DID_MORE(say, "write", out, " requested=5 offset=7", write(out, buffer, 5));
	DID(say, "sendfile", out, sendfile(out, fd, NULL, 50));	/* O_APPEND: refused */
	DID(say, "getdents64", directory, syscall(SYS_getdents64, directory, buffer, 4096));
	DID(say, "read", directory, read(directory, buffer, 10));	/* EISDIR */
	DID(say, "close", directory, close(directory));
	DID(say, "close", out, close(out));
	DID(say, "close", fd, close(fd));
	null = MADE(say, "openat", open("/dev/null", O_RDWR));
	zero = MADE(say, "openat", open("/dev/zero", O_RDONLY));
	DID(say, "write", null, write(null, buffer, 4096));
	DID(say, "read", zero, read(zero, buffer, 4096));
	DID(say, "read", null, read(null, buffer, 4096));
	DID(say, "close", null, close(null));
	DID(say, "close", zero, close(zero));
}

static void
sent_file(struct say *say)
{
	const int in = MADE(say, "openat", open("file", O_RDONLY));
	const int out = MADE(say, "openat", open("sent", O_WRONLY | O_CREAT | O_TRUNC, 0600));
	off_t from = 16;

	DID(say, "sendfile", out, sendfile(out, in, &from, 321));
	DID(say, "close", out, close(out));
	DID(say, "close", in, close(in));
}

static void
pipes(struct say *say)
{
	char buffer[256] = "";
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		die("pipe2");
	DID(say, "write", ends[1], write(ends[1], buffer, 123));
	DID(say, "read", ends[0], read(ends[0], buffer, sizeof(buffer)));
	DID(say, "close", ends[1], close(ends[1]));
	DID(say, "read", ends[0], read(ends[0], buffer, sizeof(buffer)));
	DID(say, "close", ends[0], close(ends[0]));
}

static socklen_t
unix_name(struct sockaddr_un *name, const char *path, int abstract)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	strcpy(name->sun_path + abstract, path);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) +
			   (size_t)abstract + !abstract);
}

static void
unix_pair(struct say *say, const char *path, int abstract)
{
	struct sockaddr_un name;
	const socklen_t length = unix_name(&name, path, abstract);
	const int server = socket(AF_UNIX, SOCK_STREAM, 0);
	const int client = MADE(say, "socket", socket(AF_UNIX, SOCK_STREAM, 0));
	char buffer[512] = "";
	int accepted;

	if (bind(server, (void *)&name, length) != 0 || listen(server, 1) != 0)
		die("bind %s", path);
	if (connect(client, (void *)&name, length) != 0)
		die("connect %s", path);
	accepted = MADE(say, "accept", accept(server, NULL, NULL));
	DID(say, "write", client, write(client, buffer, 111));
	DID(say, "read", accepted, read(accepted, buffer, sizeof(buffer)));
	DID(say, "sendto", accepted, send(accepted, buffer, 222, 0));
	DID(say, "recvfrom", client, recv(client, buffer, sizeof(buffer), 0));
	DID(say, "close", client, close(client));
	DID(say, "recvfrom", accepted, recv(accepted, buffer, sizeof(buffer), 0));
	close(accepted);
	close(server);
}

static void
socket_pair(struct say *say)
{
	char buffer[64] = "";
	struct iovec part = { buffer, 44 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
		die("socketpair");
	DID(say, "sendmsg", ends[0], sendmsg(ends[0], &message, 0));
	DID(say, "recvmsg", ends[1], recvmsg(ends[1], &message, 0));
	DID(say, "recvfrom", ends[1], recv(ends[1], buffer, 1, MSG_DONTWAIT));	/* EAGAIN */
	close(ends[0]);
	close(ends[1]);
}

static void
internet_pair(struct say *say, int type, int six)
{
	struct sockaddr_in four_name = { .sin_family = AF_INET };
	struct sockaddr_in6 six_name = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr *name = six ? (void *)&six_name : (void *)&four_name;
	socklen_t length = six ? sizeof(six_name) : sizeof(four_name);
	const int family = six ? AF_INET6 : AF_INET;
	const int server = socket(family, type, 0);
	const int client = MADE(say, "socket", socket(family, type, 0));
	char buffer[2048] = "";
	int other = server;

	four_name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, name, length) != 0 || getsockname(server, name, &length) != 0)
		die("bind");
	if (type == SOCK_STREAM && listen(server, 4) != 0)
		die("listen");
	if (connect(client, name, length) != 0)
		die("connect");
	if (type == SOCK_STREAM)
		other = MADE(say, "accept4", accept4(server, NULL, NULL, SOCK_CLOEXEC));
	DID(say, "sendto", client, send(client, buffer, 1234, 0));
	DID(say, type == SOCK_STREAM ? "read" : "recvfrom", other,
	    type == SOCK_STREAM ? read(other, buffer, sizeof(buffer)) :
				  recv(other, buffer, sizeof(buffer), 0));
	if (type == SOCK_STREAM) {
		DID(say, "write", other, write(other, buffer, 77));
		DID(say, "read", client, read(client, buffer, sizeof(buffer)));
		DID(say, "close", other, close(other));
		DID(say, "read", client, read(client, buffer, sizeof(buffer)));
	}
	DID(say, "close", client, close(client));
	close(server);
}

/* Messages are counted, not bytes: results of these two calls. */
static void
many_messages(struct say *say)
{
	char buffer[100] = "";
	struct iovec part = { buffer, 20 };
	struct mmsghdr messages[3] = { 0 };
	int ends[2];

	for (int i = 0; i < 3; i++)
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 };
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
		die("socketpair");
	DID_MORE(say, "sendmmsg", ends[0], " messages=3", sendmmsg(ends[0], messages, 3, 0));
	DID_MORE(say, "recvmmsg", ends[1], " messages=3",
		 recvmmsg(ends[1], messages, 3, 0, NULL));
	close(ends[0]);
	close(ends[1]);
}

static void
anonymous(struct say *say)
{
	const struct itimerspec soon = { .it_value = { .tv_nsec = 1000 } };
	uint64_t eight = 3;
	char buffer[1024] = "";
	sigset_t set;
	int fd;

	fd = MADE(say, "eventfd2", eventfd(0, EFD_CLOEXEC));
	DID(say, "write", fd, write(fd, &eight, 8));
	DID(say, "read", fd, read(fd, &eight, 8));
	close(fd);
	fd = MADE(say, "timerfd_create", timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	timerfd_settime(fd, 0, &soon, NULL);
	DID(say, "read", fd, read(fd, &eight, 8));
	close(fd);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = MADE(say, "signalfd4", signalfd(-1, &set, SFD_CLOEXEC));
	raise(SIGUSR1);
	DID(say, "read", fd, read(fd, buffer, sizeof(buffer)));
	close(fd);
	fd = MADE(say, "inotify_init1", inotify_init1(IN_CLOEXEC));
	inotify_add_watch(fd, ".", IN_CREATE);
	close(open("noticed", O_CREAT | O_WRONLY, 0600));
	DID(say, "read", fd, read(fd, buffer, sizeof(buffer)));
	close(fd);
	fd = MADE(say, "epoll_create1", epoll_create1(EPOLL_CLOEXEC));
	DID(say, "read", fd, read(fd, buffer, sizeof(buffer)));		/* EINVAL */
	close(fd);
	fd = memfd_create("scratch pad", MFD_CLOEXEC);
	if (fd < 0)
		die("memfd_create");
	say_line(say, "expect tid=%d pid=%d call=write result=55 err=0 memfd=scratch%%20pad",
		 say_tid(), getpid());
	(void)!write(fd, buffer, 55);
	close(fd);
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc != 3)
		die("usage: kinds STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	say_begin(say);
	files(say);
	sent_file(say);
	pipes(say);
	unix_pair(say, "a socket", 0);
	unix_pair(say, "iotap-live-abstract", 1);
	socket_pair(say);
	internet_pair(say, SOCK_STREAM, 0);
	internet_pair(say, SOCK_DGRAM, 1);
	many_messages(say);
	anonymous(say);
	say_end(say);
	return 0;
}
