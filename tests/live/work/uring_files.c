/* uring_files.c - operations of rings on files and their names, one of each that uring.c does not make
 *
 * uring_files STATEMENTS DIRECTORY
 *
 * States as calls_more.c does; 49-uring-rows.sh compares. What a file system does not have fails, and is
 * stated so.
 */
#include "tests/live/work/rung.h"

#include <linux/openat2.h>
#include <sys/uio.h>

static char home[PATH_MAX];		/* the directory, as the kernel names it */
static char bytes[8192];

static int
made(const char *name)
{
	const int fd = open(name, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || write(fd, bytes, 4096) != 4096)
		die("%s", name);
	return fd;
}

static void
opened(struct say *say, struct ring *r)
{
	struct open_how how = {.flags = O_RDWR | O_CREAT, .mode = 0600};
	char path[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "path=%s/by2", home);
	say_begin(say);
	fd = rung_made(say, r, "uring_openat2", SQE(.opcode = IORING_OP_OPENAT2, .fd = AT_FDCWD,
						    .addr = ADDRESS("by2"),
						   .len = sizeof(how), .off = ADDRESS(&how)), path);
	rung(say, r, "uring_fallocate", SQE(.opcode = IORING_OP_FALLOCATE, .fd = fd, .off = 100,
					    .addr = 5000),
	     "fd=%d path=%s/by2 offset=100 requested=5000", fd, home);
	rung(say, r, "uring_ftruncate", SQE(.opcode = OP_FTRUNCATE, .fd = fd, .off = 4000),
	     "fd=%d path=%s/by2", fd, home);
	rung(say, r, "uring_sync_file_range", SQE(.opcode = IORING_OP_SYNC_FILE_RANGE, .fd = fd,
						  .off = 10, .len = 20,
						   .sync_range_flags = SYNC_FILE_RANGE_WRITE),
	     "fd=%d path=%s/by2 offset=10 requested=20", fd, home);
	rung(say, r, "uring_fadvise", SQE(.opcode = IORING_OP_FADVISE, .fd = fd, .off = 30,
					  .len = 40,
					  .fadvise_advice = POSIX_FADV_SEQUENTIAL),
	     "fd=%d path=%s/by2 offset=30 requested=40", fd, home);
	rung(say, r, "uring_madvise", SQE(.opcode = IORING_OP_MADVISE,
					  .addr = ADDRESS(bytes) & ~4095ull, .len = 4096,
					  .fadvise_advice = MADV_NORMAL), "requested=4096");
	say_end(say);
}

static void
named(struct say *say, struct ring *r, int dir)
{
	struct stat space[4];			/* more than a struct statx takes */

	say_begin(say);
	rung(say, r, "uring_mkdirat", SQE(.opcode = IORING_OP_MKDIRAT, .fd = AT_FDCWD,
					  .addr = ADDRESS("d"), .len = 0700), "path=d");
	rung(say, r, "uring_symlinkat", SQE(.opcode = IORING_OP_SYMLINKAT, .fd = AT_FDCWD,
					    .addr = ADDRESS("to"),
					    .addr2 = ADDRESS("d/sym")), "path=to second=d/sym");
	rung(say, r, "uring_linkat", SQE(.opcode = IORING_OP_LINKAT, .fd = AT_FDCWD,
					 .addr = ADDRESS("by2"),
					 .len = (unsigned int)AT_FDCWD,
					 .addr2 = ADDRESS("d/link")), "path=by2 second=d/link");
	rung(say, r, "uring_renameat", SQE(.opcode = IORING_OP_RENAMEAT, .fd = AT_FDCWD,
					   .addr = ADDRESS("d/link"),
					   .len = (unsigned int)AT_FDCWD,
					   .addr2 = ADDRESS("d/new")), "path=d/link second=d/new");
	rung(say, r, "uring_statx", SQE(.opcode = IORING_OP_STATX, .fd = AT_FDCWD,
					.addr = ADDRESS("d/new"), .len = 0x7ff,
					.off = ADDRESS(space)), "path=d/new");
	rung(say, r, "uring_statx", SQE(.opcode = IORING_OP_STATX, .fd = dir,
					.addr = ADDRESS("no-such"), .len = 0x7ff,
					.off = ADDRESS(space)), "path=no-such second=%s", home);
	rung(say, r, "uring_unlinkat", SQE(.opcode = IORING_OP_UNLINKAT, .fd = AT_FDCWD,
					   .addr = ADDRESS("d/new")), "path=d/new");
	say_end(say);
}

static void
attributes(struct say *say, struct ring *r, int fd)
{
	say_begin(say);
	rung(say, r, "uring_fsetxattr", SQE(.opcode = IORING_OP_FSETXATTR, .fd = fd,
					    .addr = ADDRESS("user.a"),
					    .addr2 = ADDRESS("value"), .len = 5),
					    "fd=%d path=%s/a requested=5", fd, home);
	rung(say, r, "uring_fgetxattr", SQE(.opcode = IORING_OP_FGETXATTR, .fd = fd,
					    .addr = ADDRESS("user.a"),
					    .addr2 = ADDRESS(bytes), .len = 100),
					    "fd=%d path=%s/a requested=100", fd, home);
	rung(say, r, "uring_setxattr", SQE(.opcode = IORING_OP_SETXATTR, .addr3 = ADDRESS("a"),
					   .addr = ADDRESS("user.b"),
					   .addr2 = ADDRESS("value"), .len = 3),
					   "path=a requested=3");
	rung(say, r, "uring_getxattr", SQE(.opcode = IORING_OP_GETXATTR, .addr3 = ADDRESS("a"),
					   .addr = ADDRESS("user.b"),
					   .addr2 = ADDRESS(bytes), .len = 100),
					   "path=a requested=100");
	say_end(say);
}

static void
copies(struct say *say, struct ring *r, int from, int to)
{
	int pipes[4], ends[2] = {-1, -1}, result;

	if (pipe(pipes) != 0 || pipe(pipes + 2) != 0)
		die("pipe");
	say_begin(say);
	rung(say, r, "uring_splice", SQE(.opcode = IORING_OP_SPLICE, .splice_fd_in = from,
					 .splice_off_in = 100, .fd = pipes[1],
					 .off = (uint64_t)-1, .len = 300),
	     "fd=%d path=pipe second=%s/a requested=300", pipes[1], home);
	rung(say, r, "uring_tee", SQE(.opcode = IORING_OP_TEE, .splice_fd_in = pipes[0],
				      .fd = pipes[3], .len = 200),
	     "fd=%d path=pipe second=pipe requested=200", pipes[3]);
	rung(say, r, "uring_splice", SQE(.opcode = IORING_OP_SPLICE, .splice_fd_in = pipes[0],
					 .splice_off_in = (uint64_t)-1,
					 .fd = to, .off = 500, .len = 250),
	     "fd=%d path=%s/b second=pipe offset=500 requested=250", to, home);
	rung(say, r, "uring_splice", SQE(.opcode = IORING_OP_SPLICE, .splice_fd_in = 999, .fd = to,
					 .len = 250),
	     "fd=%d path=%s/b requested=250", to, home);
	say_end(say);
	if (!ring_has(r, OP_PIPE)) {
		say_line(say, "note without=uring_pipe");
		return;
	}
	say_begin(say);
	result = ring_one(r, SQE(.opcode = OP_PIPE, .addr = ADDRESS(ends)));
	state_call(say, "uring_pipe", result, "fd=%d path=pipe second=pipe", ends[0]);
	say_end(say);
}

/* Into buffers that the ring knows, of files that it knows; and one of these as a descriptor again. */
static void
registered(struct say *say, struct ring *r, int fd)
{
	struct iovec whole = {bytes, sizeof(bytes)}, two[2] = {{bytes, 100}, {bytes + 200, 11}};
	int slots[2] = {-1, -1}, more[1] = {fd};
	char path[PATH_MAX + 16];

	if (syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_FILES, slots, 2) != 0 ||
	    syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_BUFFERS, &whole, 1) != 0)
		die("io_uring_register");
	snprintf(path, sizeof(path), "path=%s/a", home);
	say_begin(say);
	rung(say, r, "uring_files_update", SQE(.opcode = IORING_OP_FILES_UPDATE,
					       .addr = ADDRESS(more), .len = 1, .off = 1), "%s",
					       "");
	rung(say, r, "uring_writev_fixed", SQE(.opcode = OP_WRITEV_FIXED, .fd = fd,
					       .addr = ADDRESS(two), .len = 2, .off = 700),
	     "fd=%d path=%s/a offset=700 requested=111", fd, home);
	rung(say, r, "uring_readv_fixed", SQE(.opcode = OP_READV_FIXED, .fd = 1,
					      .flags = IOSQE_FIXED_FILE, .addr = ADDRESS(two),
					      .len = 2, .off = 800),
					      "path=%s/a offset=800 requested=111", home);
	rung_made(say, r, "uring_fixed_fd_install", SQE(.opcode = OP_FIXED_FD_INSTALL, .fd = 1,
							.flags = IOSQE_FIXED_FILE), path);
	say_end(say);
}

int
main(int argc, char **argv)
{
	struct say *say;
	struct ring r;
	int a, b;

	if (argc != 3)
		die("usage: uring_files STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0 || !getcwd(home, sizeof(home)))
		die("%s", argv[2]);
	if (ring_open(&r, 16, 0) != 0) {
		say_line(say, "note without=io_uring");
		return 0;
	}
	a = made("a");
	b = made("b");
	opened(say, &r);
	named(say, &r, open(".", O_RDONLY | O_DIRECTORY));
	attributes(say, &r, a);
	copies(say, &r, a, b);
	registered(say, &r, a);
	return 0;
}
