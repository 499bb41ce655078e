/* rows_data.c - each call of formats/calls.def on descriptors and data, once with success, once without
 *
 * rows_data DIRECTORY
 */
#include "tests/live/work/rows.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <sys/wait.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

#define BAD (-1)

static char bytes[8192];
static struct iovec two[2] = { { bytes, 100 }, { bytes + 100, 50 } };

static void
reads(int fd)
{
	WORKS(write, fd, bytes, 4000ul);
	FAILS(write, BAD, bytes, 10ul);
	WORKS(lseek, fd, 5L, SEEK_SET);
	FAILS(lseek, BAD, 0L, SEEK_SET);
	WORKS(read, fd, bytes, 10ul);
	FAILS(read, 999, bytes, 10ul);
	WORKS(pread64, fd, bytes, 10ul, 7L);
	FAILS(pread64, fd, bytes, 10ul, -1L);
	WORKS(pwrite64, fd, bytes, 10ul, 8L);
	FAILS(pwrite64, BAD, bytes, 10ul, 8L);
	WORKS(readv, fd, two, 2ul);
	FAILS(readv, fd, two, -1L);
	WORKS(writev, fd, two, 2ul);
	FAILS(writev, BAD, two, 2ul);
	WORKS(preadv, fd, two, 2ul, 9L, 0L);
	FAILS(preadv, BAD, two, 2ul, 9L, 0L);
	WORKS(pwritev, fd, two, 2ul, 10L, 0L);
	FAILS(pwritev, BAD, two, 2ul, 10L, 0L);
	WORKS(preadv2, fd, two, 2ul, 11L, 0L, 0);
	FAILS(preadv2, fd, two, 2ul, 11L, 0L, 1 << 30);
	WORKS(pwritev2, fd, two, 2ul, 12L, 0L, 0);
	FAILS(pwritev2, fd, two, 2ul, 12L, 0L, 1 << 30);
}

static void
copies(int fd, int other, const int pipes[4])
{
	const pid_t me = getpid();
	long at = 20;

	WORKS(sendfile, other, fd, &at, 30ul);
	FAILS(sendfile, other, BAD, NULL, 30ul);
	at = 40;
	WORKS(splice, fd, &at, pipes[1], NULL, 60ul, 0);
	FAILS(splice, fd, NULL, other, NULL, 60ul, 0);
	WORKS(tee, pipes[0], pipes[3], 20ul, 0);
	FAILS(tee, fd, other, 20ul, 0);
	WORKS(vmsplice, pipes[1], two, 2ul, 0);
	FAILS(vmsplice, fd, two, 2ul, 0);
	at = 50;
	WORKS(copy_file_range, fd, NULL, other, &at, 70ul, 0);
	FAILS(copy_file_range, fd, NULL, pipes[1], NULL, 70ul, 0);
	WORKS(process_vm_readv, me, two, 1ul, two, 1ul, 0ul);
	FAILS(process_vm_readv, BAD, two, 1ul, two, 1ul, 0ul);
	WORKS(process_vm_writev, me, two, 1ul, two, 1ul, 0ul);
	FAILS(process_vm_writev, BAD, two, 1ul, two, 1ul, 0ul);
}

/* An overlay takes the question and gives each file its answer, whatever lies below. */
static void
sharing(int fd, int other)
{
	union {
		struct file_dedupe_range head;
		char room[sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)];
	} same = { .head = { .src_length = 4096, .dest_count = 1 } };
	int a, b;

	FAILS(ioctl, other, FICLONE, BAD);
	if (fork() == 0) {
		row_need(unshare(CLONE_NEWNS) == 0, "unshare");
		row_need(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount /");
		row_need(mkdir("m", 0700) == 0 && mount("none", "m", "tmpfs", 0, NULL) == 0, "mount tmpfs");
		row_need(chdir("m") == 0 && mkdir("low", 0700) == 0 && mkdir("up", 0700) == 0 &&
			 mkdir("work", 0700) == 0 && mkdir("on", 0700) == 0, "mkdir");
		row_need(mount("none", "on", "overlay", 0, "lowerdir=low,upperdir=up,workdir=work") == 0,
			 "mount overlay");
		a = open("on/a", O_RDWR | O_CREAT, 0600);
		b = open("on/b", O_RDWR | O_CREAT, 0600);
		row_need(write(a, bytes, 4096) == 4096 && write(b, bytes, 4096) == 4096, "write");
		same.head.info[0].dest_fd = b;
		WORKS(ioctl, a, FIDEDUPERANGE, &same);
		_exit(0);
	}
	wait(NULL);
	(void)fd;
}

static void
queues(void)
{
	const int queue = msgget(IPC_PRIVATE, 0600);
	const struct {
		long flags, max, size, now, pad[4];
	} sizes = { 0, 4, 64, 0, { 0 } };
	const struct timespec past = { 1, 0 };
	struct {
		long type;
		char text[8];
	} message = { 1, "hello" };
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "iotap-rows-%d", getpid());
	fd = (int)WORKS(mq_open, name, O_RDWR | O_CREAT, 0600, &sizes);
	FAILS(mq_open, "iotap/no", O_RDWR, 0, NULL);
	WORKS(mq_timedsend, fd, "message", 7ul, 1u, NULL);
	FAILS(mq_timedsend, fd, "message", 65ul, 1u, NULL);
	WORKS(mq_timedreceive, fd, bytes, 64ul, NULL, NULL);
	FAILS(mq_timedreceive, fd, bytes, 64ul, NULL, &past);
	WORKS(mq_unlink, name);
	FAILS(mq_unlink, name);
	WORKS(msgsnd, queue, &message, 6ul, 0);
	FAILS(msgsnd, BAD, &message, 6ul, 0);
	WORKS(msgrcv, queue, &message, 8ul, 0L, 0);
	FAILS(msgrcv, queue, &message, 8ul, 0L, IPC_NOWAIT);
	msgctl(queue, IPC_RMID, NULL);
}

static void
durability(int fd)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	WORKS(readahead, fd, 0L, 100ul);
	FAILS(readahead, BAD, 0L, 100ul);
	WORKS(fsync, fd);
	FAILS(fsync, BAD);
	WORKS(fdatasync, fd);
	FAILS(fdatasync, BAD);
	WORKS(sync_file_range, fd, 0L, 100L, 2);
	FAILS(sync_file_range, fd, -1L, 100L, 2);
	WORKS(syncfs, fd);
	FAILS(syncfs, BAD);
	WORKS(sync);
	WORKS(msync, page, 4096ul, MS_ASYNC);
	FAILS(msync, page + 1, 4096ul, MS_ASYNC);
	FAILS(mmap, NULL, 4096ul, PROT_READ, MAP_SHARED, (long)fd, 1l);	/* an offset amid a page */
	WORKS(ftruncate, fd, 3000L);
	FAILS(ftruncate, fd, -1L);
	WORKS(fallocate, fd, 0, 10L, 4000L);
	FAILS(fallocate, fd, 0, -1L, 4000L);
	WORKS(flock, fd, 2);
	FAILS(flock, BAD, 2);
}

static void
numbers(int fd)
{
	int pair[2];

	WORKS(dup, fd);
	FAILS(dup, BAD);
	WORKS(dup3, fd, 40, 0);
	FAILS(dup3, fd, fd, 0);
	WORKS(fcntl, fd, F_DUPFD, 41);
	WORKS(fcntl, fd, F_GETFL);
	WORKS(fcntl, fd, F_DUPFD_CLOEXEC, 41);
	FAILS(fcntl, BAD, F_DUPFD, 41);
	WORKS(close, 40);
	FAILS(close, 40);
	WORKS(close_range, 41, 45, 0);
	FAILS(close_range, 45, 41, 0);
	WORKS(pipe2, pair, 0);
	FAILS(pipe2, NULL, 0);
	FAILS(pipe2, pair, 1);
#ifdef SYS_dup2
	WORKS(dup2, fd, 40);
	WORKS(dup2, fd, fd);
	FAILS(dup2, BAD, 40);
	WORKS(pipe, pair);
	FAILS(pipe, NULL);
#endif
}

static void
makers(int fd)
{
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(event),
					 .config = PERF_COUNT_SW_DUMMY };
	struct io_uring_params ring = { .flags = 0 };
	const unsigned long mask = 1ul << (SIGUSR1 - 1);
	int self;

	WORKS(eventfd2, 1u, 0);
	FAILS(eventfd2, 1u, -1);
	WORKS(epoll_create1, 0);
	FAILS(epoll_create1, -1);
	WORKS(inotify_init1, 0);
	FAILS(inotify_init1, -1);
	WORKS(signalfd4, BAD, &mask, 8ul, 0);
	FAILS(signalfd4, BAD, &mask, 7ul, 0);
	WORKS(timerfd_create, CLOCK_MONOTONIC, 0);
	FAILS(timerfd_create, 99, 0);
	WORKS(perf_event_open, &event, 0, -1, -1, 0ul);
	FAILS(perf_event_open, NULL, 0, -1, -1, 0ul);
	WORKS(fanotify_init, 0u, 0u);
	FAILS(fanotify_init, ~0u, 0u);
	WORKS(memfd_create, "rows", 0u);
	FAILS(memfd_create, "rows", ~0u);
	WORKS(memfd_secret, 0u);
	FAILS(memfd_secret, ~0u);
	WORKS(userfaultfd, O_CLOEXEC);
	FAILS(userfaultfd, -1);
	WORKS(io_uring_setup, 2u, &ring);
	FAILS(io_uring_setup, 0u, &ring);
	self = (int)WORKS(pidfd_open, getpid(), 0u);
	FAILS(pidfd_open, -1, 0u);
	WORKS(pidfd_getfd, self, fd, 0u);
	FAILS(pidfd_getfd, self, BAD, 0u);
#ifdef SYS_eventfd
	WORKS(eventfd, 1u);
	WORKS(epoll_create, 1);
	FAILS(epoll_create, 0);
	WORKS(inotify_init);
	WORKS(signalfd, BAD, &mask, 8ul);
	FAILS(signalfd, BAD, &mask, 7ul);
#endif
}

/* What takes no argument that could be wrong fails for want of a number. */
static void
exhausted(void)
{
	struct rlimit limit, none;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 1;
	setrlimit(RLIMIT_NOFILE, &none);
#ifdef SYS_eventfd
	FAILS(eventfd, 1u);
	FAILS(inotify_init);
#endif
	FAILS(socket, AF_INET, SOCK_STREAM, 0);
	FAILS(openat, AT_FDCWD, "a", O_RDONLY, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void
streams(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(at);
	const int listener = (int)WORKS(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	int a, b;

	FAILS(socket, 999, SOCK_STREAM, 0);
	WORKS(setsockopt, listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	FAILS(setsockopt, listener, SOL_SOCKET, 9999, &on, sizeof(on));
	WORKS(bind, listener, &at, sizeof(at));
	FAILS(bind, listener, &at, 1);
	WORKS(listen, listener, 5);
	FAILS(listen, BAD, 5);
	row_need(getsockname(listener, (void *)&at, &length) == 0, "getsockname");
	a = socket(AF_INET, SOCK_STREAM, 0);
	b = socket(AF_INET, SOCK_STREAM, 0);
	WORKS(connect, a, &at, sizeof(at));
	FAILS(connect, a, &at, sizeof(at));
	WORKS(connect, b, &at, sizeof(at));
	WORKS(accept, listener, NULL, NULL);
	FAILS(accept, BAD, NULL, NULL);
	WORKS(accept4, listener, NULL, NULL, SOCK_NONBLOCK);
	FAILS(accept4, a, NULL, NULL, 0);
	WORKS(sendto, a, bytes, 100ul, 0, NULL, 0);
	WORKS(shutdown, a, SHUT_WR);
	FAILS(shutdown, listener, 99);
	FAILS(sendto, a, bytes, 100ul, MSG_NOSIGNAL, NULL, 0);
	FAILS(recvfrom, b, bytes, 100ul, MSG_DONTWAIT, NULL, NULL);
}

static void
messages(void)
{
	struct mmsghdr both[2] = { { .msg_hdr = { .msg_iov = two, .msg_iovlen = 2 } },
				   { .msg_hdr = { .msg_iov = two, .msg_iovlen = 1 } } };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(to);
	const int udp = socket(AF_INET, SOCK_DGRAM, 0);
	int pair[2], none[2];

	WORKS(socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
	FAILS(socketpair, AF_INET, SOCK_DGRAM, 0, none);
	WORKS(sendmsg, pair[0], &both[0].msg_hdr, 0);
	FAILS(sendmsg, BAD, &both[0].msg_hdr, 0);
	WORKS(recvmsg, pair[1], &both[0].msg_hdr, 0);
	FAILS(recvmsg, pair[1], &both[0].msg_hdr, MSG_DONTWAIT);
	WORKS(sendmmsg, pair[0], both, 2u, 0);
	FAILS(sendmmsg, BAD, both, 2u, 0);
	WORKS(recvmmsg, pair[1], both, 2u, 0, NULL);
	FAILS(recvmmsg, pair[1], both, 2u, MSG_DONTWAIT, NULL);
	row_need(bind(udp, (void *)&to, sizeof(to)) == 0 && getsockname(udp, (void *)&to, &length) == 0, "bind");
	WORKS(sendto, udp, bytes, 20ul, 0, &to, sizeof(to));
	WORKS(recvfrom, udp, bytes, 100ul, 0, &to, &length);
}

/* A read that signals cut short: started again, not started again, and one that its thread does not survive. */
static int pipe_of_alarm;

static void
on_alarm(int number)
{
	(void)!write(pipe_of_alarm, "alarm", (size_t)(number == SIGALRM ? 5 : 0));
}

static void
cut_short(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 400000 };
	int ends[2], ready[2];
	pid_t child;

	row_need(pipe(ends) == 0 && pipe(ready) == 0, "pipe");
	pipe_of_alarm = ends[1];
	for (int again = 0; again < 2; again++) {
		struct sigaction action = { .sa_handler = on_alarm, .sa_flags = again ? SA_RESTART : 0 };

		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &soon, NULL);
		if (again)
			WORKS(read, ends[0], bytes, 9ul);
		else
			FAILS(read, ends[0], bytes, 9ul);
		if (!again)
			WORKS(read, ends[0], bytes, 9ul);
	}
	child = fork();
	if (child == 0) {
		(void)!write(ready[1], "r", 1);
		(void)!read(ends[0], bytes, 1);
		_exit(0);
	}
	(void)!read(ready[0], bytes, 1);
	usleep(100000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int
main(int argc, char **argv)
{
	int fd, other, pipes[4];

	row_need(argc == 2 && chdir(argv[1]) == 0, "usage: rows_data DIRECTORY");
	fd = open("a", O_RDWR | O_CREAT, 0600);
	other = open("b", O_RDWR | O_CREAT, 0600);
	row_need(fd >= 0 && other >= 0 && pipe(pipes) == 0 && pipe(pipes + 2) == 0, "files");
	reads(fd);
	copies(fd, other, pipes);
	sharing(fd, other);
	queues();
	durability(fd);
	numbers(fd);
	makers(fd);
	exhausted();
	streams();
	messages();
	cut_short();
	return 0;
}
