/* calls_more.c - one call of each row of calls.def that no other workload makes, and what it is on
 *
 * calls_more STATEMENTS DIRECTORY
 *
 * States with lines of its own kind, in the order of the calls; 30-coverage.sh compares them with the
 * records themselves, call by call:
 *
 *   call NAME result=R [fd=N] [path=P] [second=P] [offset=N] [requested=N]
 *
 * result is what the kernel returned, -errno for a failure. path and second are what the first and
 * the second target must be called: a path, or for sockets "local" or "remote" address and port.
 */
#include "tests/live/work/called.h"

#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <time.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static char home[PATH_MAX];		/* the directory, as the kernel names it */
static char bytes[4096];

static int
made(const char *name, int flags)
{
	const int fd = open(name, flags | O_CREAT, 0600);

	if (fd < 0 || ((flags & O_ACCMODE) != O_RDONLY && write(fd, bytes, sizeof(bytes)) < 0))
		die("%s", name);
	return fd;
}

static void
copies(struct say *say, int a, int b, const int pipes[4])
{
	off64_t at = 100;
	struct iovec one = {bytes, 50}, two = {bytes + 1000, 50};
	struct file_clone_range range = {.src_fd = a};
	union {
		struct file_dedupe_range head;
		char room[sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)];
	} same = {.head = {.src_length = 10, .dest_count = 1}};

	same.head.info[0].dest_fd = b;
	if (lseek(a, 0, SEEK_SET) || lseek(b, 500, SEEK_SET) != 500)
		die("lseek");
	say_begin(say);
	RAW(say, splice, (a, NULL, pipes[1], NULL, 300, 0),
	    "fd=%d path=pipe second=%s/a requested=300", pipes[1], home);
	RAW(say, tee, (pipes[0], pipes[3], 200, 0), "fd=%d path=pipe second=pipe requested=200", pipes[3]);
	RAW(say, vmsplice, (pipes[1], &one, 1, 0), "fd=%d path=pipe requested=50", pipes[1]);
	RAW(say, splice, (pipes[0], NULL, b, &at, 60, 0), "fd=%d path=%s/b second=pipe offset=100", b, home);
	RAW(say, splice, (pipes[0], NULL, b, NULL, 60, 0), "fd=%d path=%s/b second=pipe offset=500", b, home);
	at = 1234;
	RAW(say, copy_file_range, (a, NULL, b, &at, 70, 0),
	    "fd=%d path=%s/b second=%s/a offset=1234 requested=70", b, home, home);
	RAW(say, copy_file_range, (a, NULL, 999, NULL, 70, 0), "fd=999 second=%s/a", home);
	RAW(say, sendfile, (b, a, NULL, 80), "fd=%d path=%s/b second=%s/a offset=560 requested=80", b, home, home);
	RAW(say, process_vm_readv, (getpid(), &one, 1, &two, 1, 0), "path=[process] requested=50");
	RAW(say, process_vm_writev, (getpid(), &one, 1, &two, 1, 0), "path=[process]");
	RAW(say, readahead, (a, 4096l, 100ul), "fd=%d path=%s/a offset=4096 requested=100", a, home);
	RAW(say, ioctl, (b, FICLONE, a), "fd=%d path=%s/b second=%s/a", b, home, home);
	RAW(say, ioctl, (b, FICLONERANGE, &range), "fd=%d path=%s/b second=%s/a", b, home, home);
	RAW(say, ioctl, (a, FIDEDUPERANGE, &same), "fd=%d path=%s/a", a, home);
	say_end(say);
	(void)ioctl(a, FIONREAD, &same);	/* not one that is wanted */
}

static void
queues(struct say *say)
{
	const struct timespec soon = {1, 0};
	const int queue = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
		char text[8];
	} message = {1, "hello"};
	const struct {
		long flags, max, size, now, pad[4];
	} sizes = {0, 4, 64, 0, {0}};
	int fd;

	say_begin(say);
	fd = (int)RAW(say, mq_open, ("iotap-q", O_RDWR | O_CREAT, 0600, &sizes), "path=%s", "/iotap-q");
	RAW(say, mq_timedsend, (fd, "message", 7ul, 1u, NULL), "fd=%d path=/iotap-q requested=7", fd);
	RAW(say, mq_timedreceive, (fd, bytes, 64ul, NULL, NULL), "fd=%d path=/iotap-q requested=64", fd);
	RAW(say, mq_timedreceive, (fd, bytes, 1ul, NULL, &soon), "fd=%d path=/iotap-q", fd);
	RAW(say, mq_unlink, ("iotap-q"), "path=iotap-q");
	RAW(say, msgsnd, (queue, &message, 6ul, 0), "path=%s requested=6", "[sysv%20queue]");
	RAW(say, msgrcv, (queue, &message, 8ul, 0l, 0), "path=%s", "[sysv%20queue]");
	say_end(say);
	msgctl(queue, IPC_RMID, NULL);
}

static void
durability(struct say *say, int a)
{
	void *const page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, a, 0);
	void *more;

	say_begin(say);
	RAW(say, fsync, (a), "fd=%d path=%s/a", a, home);
	RAW(say, fdatasync, (a), "fd=%d path=%s/a", a, home);
	RAW(say, sync_file_range, (a, 10l, 20l, 2), "fd=%d path=%s/a offset=10 requested=20", a, home);
	RAW(say, syncfs, (a), "fd=%d path=%s/a", a, home);
	RAW(say, sync, (), "path=");
	RAW(say, msync, (page, 4096ul, MS_SYNC), "path=%s/a requested=4096", home);
	more = (void *)RAW(say, mmap, (NULL, 8192ul, PROT_READ, MAP_PRIVATE, (long)a, 4096l),
			   "fd=%d path=%s/a offset=4096 requested=8192", a, home);
	RAW(say, mremap, (more, 8192ul, 4096ul, 0l), "path=%s/a requested=4096", home);
	RAW(say, munmap, (more, 4096ul), "path=%s/a requested=4096", home);
	RAW(say, truncate, ("a", 3000l), "path=a");
	RAW(say, ftruncate, (a, 2000l), "fd=%d path=%s/a", a, home);
	RAW(say, fallocate, (a, 0, 100l, 3000l), "fd=%d path=%s/a offset=100 requested=3000", a, home);
	RAW(say, flock, (a, 2), "fd=%d path=%s/a", a, home);
	RAW(say, lseek, (a, 77l, SEEK_SET), "fd=%d path=%s/a", a, home);
	say_end(say);
}

static void
names(struct say *say, int dir)
{
	struct stat st;
	char link[64];

	say_begin(say);
	RAW(say, renameat, (AT_FDCWD, "c", AT_FDCWD, "d"), "path=c second=d");
	RAW(say, renameat2, (dir, "c", AT_FDCWD, "d", 0), "fd=%d path=c second=d", dir);
	RAW(say, unlinkat, (AT_FDCWD, "d", 0), "path=d");
	RAW(say, mkdirat, (dir, "e", 0700), "fd=%d path=e second=%s/sub", dir, home);
	RAW(say, linkat, (AT_FDCWD, "a", dir, "a2", 0), "path=a second=a2");
	RAW(say, linkat, (dir, "", AT_FDCWD, "a3", AT_EMPTY_PATH), "fd=%d path=%s/sub second=a3", dir, home);
	RAW(say, symlinkat, ("../a", dir, "s"), "path=../a second=s");
	RAW(say, readlinkat, (dir, "s", link, sizeof(link)), "fd=%d path=s second=%s/sub", dir, home);
	RAW(say, mknodat, (dir, "fifo", S_IFIFO | 0600, 0), "fd=%d path=fifo", dir);
	RAW(say, newfstatat, (AT_FDCWD, "a", &st, 0), "path=a");
	RAW(say, newfstatat, (dir, "s", &st, 0), "fd=%d path=s second=%s/sub", dir, home);
	RAW(say, newfstatat, (dir, "", &st, AT_EMPTY_PATH), "fd=%d path=%s/sub", dir, home);
	RAW(say, statx, (AT_FDCWD, "/no/such", 0, 0, bytes), "path=/no/such");
	RAW(say, fstat, (dir, &st), "fd=%d path=%s/sub", dir, home);
	RAW(say, faccessat, (AT_FDCWD, "a", R_OK), "path=a");
	RAW(say, faccessat2, (dir, "s", R_OK, 0), "path=s");
	RAW(say, fchmod, (dir, 0700), "fd=%d path=%s/sub", dir, home);
	RAW(say, fchmodat, (dir, "e", 0711), "path=e second=%s/sub", home);
	RAW(say, fchmodat2, (dir, "e", 0711, 0), "path=e second=%s/sub", home);
	RAW(say, fchown, (dir, -1, -1), "fd=%d path=%s/sub", dir, home);
	RAW(say, fchownat, (dir, "s", -1, -1, AT_SYMLINK_NOFOLLOW), "path=s second=%s/sub", home);
	RAW(say, utimensat, (dir, "e", NULL, 0), "path=e second=%s/sub", home);
	RAW(say, utimensat, (dir, NULL, NULL, 0), "fd=%d path=%s/sub", dir, home);
	RAW(say, chroot, ("/no/such"), "path=/no/such");
	RAW(say, pivot_root, ("/no/such", "/no/such/too"), "path=/no/such second=/no/such/too");
	RAW(say, openat, (dir, "none", O_RDONLY), "path=none second=%s/sub", home);
	say_end(say);
}

#ifdef __x86_64__
static void
old_names(struct say *say)
{
	struct stat st;
	char link[64];

	say_begin(say);
	RAW(say, rename, ("f", "g"), "path=f second=g");
	RAW(say, unlink, ("g"), "path=g");
	RAW(say, mkdir, ("h", 0700), "path=h");
	RAW(say, rmdir, ("h"), "path=h");
	RAW(say, link, ("a", "a4"), "path=a second=a4");
	RAW(say, symlink, ("not \377 there", "s"), "path=not%%20%%ff%%20there second=s");
	RAW(say, readlink, ("s", link, sizeof(link)), "path=s requested=64");
	RAW(say, mknod, ("fifo", S_IFIFO | 0600, 0), "path=fifo");
	RAW(say, stat, ("a", &st), "path=a");
	RAW(say, stat, ("s", &st), "path=s");
	RAW(say, lstat, ("s", &st), "path=s");
	RAW(say, access, ("a", R_OK), "path=a");
	RAW(say, chmod, ("a", 0644), "path=a");
	RAW(say, chown, ("a", -1, -1), "path=a");
	RAW(say, lchown, ("s", -1, -1), "path=s");
	RAW(say, utime, ("a", NULL), "path=a");
	RAW(say, utimes, ("a", NULL), "path=a");
	RAW(say, futimesat, (AT_FDCWD, "a", NULL), "path=a");
	say_end(say);
}
#endif

static void
attributes(struct say *say, int a)
{
	say_begin(say);
	RAW(say, setxattr, ("a", "user.x", "v", 1ul, 0), "path=a requested=1");
	RAW(say, lsetxattr, ("a", "user.y", "v", 1ul, 0), "path=a");
	RAW(say, fsetxattr, (a, "user.z", "v", 1ul, 0), "fd=%d path=%s/a", a, home);
	RAW(say, getxattr, ("a", "user.x", bytes, 9ul), "path=a requested=9");
	RAW(say, lgetxattr, ("a", "user.x", bytes, 9ul), "path=a");
	RAW(say, fgetxattr, (a, "user.x", bytes, 9ul), "fd=%d path=%s/a", a, home);
	RAW(say, listxattr, ("a", bytes, 99ul), "path=a requested=99");
	RAW(say, llistxattr, ("a", bytes, 99ul), "path=a");
	RAW(say, flistxattr, (a, bytes, 99ul), "fd=%d path=%s/a", a, home);
	RAW(say, removexattr, ("a", "user.x"), "path=a");
	RAW(say, lremovexattr, ("a", "user.y"), "path=a");
	RAW(say, fremovexattr, (a, "user.z"), "fd=%d path=%s/a", a, home);
	say_end(say);
}

static void
sockets(struct say *say)
{
	struct sockaddr_in own = {.sin_family = AF_INET}, peer = own;
	const struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/no/such/socket"};
	socklen_t length = sizeof(own);
	struct iovec one = {bytes, 10};
	struct msghdr message = {.msg_name = &own, .msg_namelen = sizeof(own), .msg_iov = &one, .msg_iovlen = 1};
	const int on = 1, from = socket(AF_INET, SOCK_DGRAM, 0), to = socket(AF_INET, SOCK_DGRAM, 0),
		  listener = socket(AF_INET, SOCK_STREAM, 0), named = socket(AF_UNIX, SOCK_DGRAM, 0);
	int port, source;

	own.sin_addr.s_addr = peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(to, (void *)&own, sizeof(own)) || getsockname(to, (void *)&own, &length) ||
	    bind(from, (void *)&peer, sizeof(peer)) || getsockname(from, (void *)&peer, &length))
		die("bind");
	port = ntohs(own.sin_port);
	source = ntohs(peer.sin_port);
	say_begin(say);
	own.sin_port = htons((uint16_t)port);
	RAW(say, bind, (listener, &own, sizeof(own)), "fd=%d path=local:127.0.0.1:%d", listener, port);
	RAW(say, listen, (listener, 5), "fd=%d path=local:127.0.0.1:%d", listener, port);
	RAW(say, setsockopt, (listener, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)), "fd=%d", listener);
	RAW(say, shutdown, (listener, SHUT_RDWR), "fd=%d", listener);
	RAW(say, bind, (from, &own, sizeof(own)), "fd=%d path=local:127.0.0.1:%d", from, port);
	RAW(say, bind, (named, &nowhere, sizeof(nowhere)), "fd=%d path=/no/such/socket", named);
	RAW(say, sendto, (from, bytes, 10ul, 0, &own, sizeof(own)),
	    "fd=%d path=local:127.0.0.1:%d second=remote:127.0.0.1:%d", from, source, port);
	RAW(say, recvfrom, (to, bytes, 100ul, 0, &peer, &length),
	    "fd=%d path=local:127.0.0.1:%d second=remote:127.0.0.1:%d", to, port, source);
	RAW(say, sendmsg, (from, &message, 0), "fd=%d second=remote:127.0.0.1:%d requested=10", from, port);
	message.msg_name = &peer;
	RAW(say, recvmsg, (to, &message, 0), "fd=%d second=remote:127.0.0.1:%d", to, source);
	RAW(say, recvfrom, (to, bytes, 100ul, MSG_DONTWAIT, NULL, NULL), "fd=%d second=", to);
	say_end(say);
}

static void
makers(struct say *say, int a, int dir)
{
	const struct open_how how = {.flags = O_RDONLY};
	const uint64_t mask = 1;
	int self;

	(void)dir;
	(void)mask;
	say_begin(say);
	RAW(say, memfd_secret, (0), "path=%s", "?");
	RAW(say, fsopen, (NULL, 0), "path=%s", "?");
	RAW(say, fsmount, (-1, 0, 0), "path=%s", "?");
	RAW(say, fspick, (AT_FDCWD, "/no/such", 0), "path=/no/such");
	RAW(say, open_tree, (AT_FDCWD, "a", 0), "path=%s/a", home);
	RAW(say, open_by_handle_at, (-1, bytes, 0), "path=%s", "?");
	RAW(say, openat2, (AT_FDCWD, "a", &how, sizeof(how)), "path=%s/a", home);
	RAW(say, perf_event_open, (NULL, 0, -1, -1, 0l), "path=%s", "?");
	RAW(say, fanotify_init, (-1, 0), "path=%s", "?");
	RAW(say, userfaultfd, (-1), "path=%s", "?");
	RAW(say, io_uring_setup, (0, NULL), "path=%s", "?");
	RAW(say, io_uring_enter, (-1, 0, 0, 0, NULL, 0ul), "fd=%d", -1);
	RAW(say, io_uring_register, (-1, 0, NULL, 0), "fd=%d", -1);
	RAW(say, io_setup, (0, NULL), "path=%s", "?");
	RAW(say, io_submit, (0ul, 1l, NULL), "path=%s", "?");
	RAW(say, io_cancel, (0ul, NULL, NULL), "path=%s", "?");
	RAW(say, io_getevents, (0ul, 1l, 1l, NULL, NULL), "path=%s", "?");
	RAW(say, io_pgetevents, (0ul, 1l, 1l, NULL, NULL, NULL), "path=%s", "?");
	RAW(say, io_destroy, (0ul), "path=%s", "?");
	self = (int)RAW(say, pidfd_open, (getpid(), 0), "path=%s", "?");
	RAW(say, pidfd_getfd, (self, a, 0), "path=%s/a", home);
	RAW(say, chdir, ("sub"), "path=sub");
#ifdef __x86_64__
	RAW(say, open, ("../a", O_RDONLY), "path=%s/a", home);
	RAW(say, getdents, (dir, bytes, sizeof(bytes)), "fd=%d path=%s/sub requested=4096", dir, home);
	RAW(say, eventfd, (1), "path=[eventfd]");
	RAW(say, epoll_create, (1), "path=[eventpoll]");
	RAW(say, inotify_init, (), "path=%s", "inotify");
	RAW(say, signalfd, (-1, &mask, 8ul), "path=[signalfd]");
#endif
	say_end(say);
}

int
main(int argc, char **argv)
{
	struct say *say;
	int pipes[4], a, b, dir;

	if (argc != 3)
		die("usage: calls_more STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0 || !getcwd(home, sizeof(home)))
		die("%s", argv[2]);
	if (pipe(pipes) != 0 || pipe(pipes + 2) != 0 || mkdir("sub", 0700) != 0)
		die("pipe");
	a = made("a", O_RDWR);
	b = made("b", O_RDWR);
	close(made("c", O_RDONLY));
	close(made("f", O_RDONLY));
	dir = open("sub", O_RDONLY | O_DIRECTORY);
	copies(say, a, b, pipes);
	queues(say);
	durability(say, a);
	names(say, dir);
#ifdef __x86_64__
	old_names(say);
#endif
	attributes(say, a);
	sockets(say);
	makers(say, a, dir);
	return 0;
}
