/* rows_names.c - each call of formats/calls.def on paths and metadata, once with success, once without
 *
 * rows_names DIRECTORY
 *
 * DIRECTORY must be empty and on a file system with extended attributes.
 */
#include "tests/live/work/rows.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif

#define NONE "no/such"
#define HERE AT_FDCWD
#define BAD (-1)

static char bytes[4096];

static void
opens(void)
{
	struct open_how how = { .flags = O_RDWR };

	WORKS(openat, HERE, "a", O_RDWR | O_CREAT, 0644);
	FAILS(openat, HERE, NONE, O_RDONLY, 0);
	FAILS(openat, BAD, "a", O_RDONLY, 0);
	WORKS(openat2, HERE, "a", &how, sizeof(how));
	how.resolve = 1ul << 40;
	FAILS(openat2, HERE, "a", &how, sizeof(how));
	WORKS(openat, HERE, ".", O_RDWR | O_TMPFILE, 0600);
#ifdef SYS_open
	WORKS(open, "a", O_RDWR, 0);
	FAILS(open, NONE, O_RDWR, 0);
	WORKS(creat, "b", 0644);
	FAILS(creat, NONE, 0644);
#endif
}

static void
handles(void)
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle = { .head.handle_bytes = MAX_HANDLE_SZ };
	const int dir = open(".", O_RDONLY | O_DIRECTORY);
	int mount;

	if (name_to_handle_at(HERE, "a", &handle.head, &mount, 0) == 0)
		WORKS(open_by_handle_at, dir, &handle, O_RDONLY);
	FAILS(open_by_handle_at, BAD, &handle, O_RDONLY);
	close(dir);
}

static void
directories(void)
{
	int dir;

	WORKS(mkdirat, HERE, "sub", 0755);
	FAILS(mkdirat, HERE, "sub", 0755);
	WORKS(chdir, "sub");
	FAILS(chdir, NONE);
	WORKS(chdir, "..");
	dir = open(".", O_RDONLY | O_DIRECTORY);
	WORKS(getdents64, dir, bytes, sizeof(bytes));
	WORKS(lseek, dir, 0L, SEEK_SET);
	FAILS(getdents64, dir, bytes, 1);
	WORKS(fchdir, dir);
	FAILS(fchdir, BAD);
#ifdef SYS_mkdir
	WORKS(mkdir, "gone", 0755);
	FAILS(mkdir, NONE, 0755);
	WORKS(rmdir, "gone");
	FAILS(rmdir, "gone");
	WORKS(lseek, dir, 0L, SEEK_SET);
	WORKS(getdents, dir, bytes, sizeof(bytes));
	FAILS(getdents, BAD, bytes, sizeof(bytes));
#endif
	close(dir);
}

static void
renames(void)
{
	WORKS(linkat, HERE, "a", HERE, "l1", 0);
	FAILS(linkat, HERE, "a", HERE, "l1", 0);
	WORKS(renameat, HERE, "l1", HERE, "l2");
	FAILS(renameat, HERE, "l1", HERE, "l2");
	WORKS(renameat2, HERE, "l2", HERE, "l3", 1);
	FAILS(renameat2, HERE, "a", HERE, "l3", 1);
	WORKS(unlinkat, HERE, "l3", 0);
	FAILS(unlinkat, HERE, "l3", 0);
	WORKS(symlinkat, "a", HERE, "s1");
	FAILS(symlinkat, "a", HERE, "s1");
	WORKS(readlinkat, HERE, "s1", bytes, 100ul);
	FAILS(readlinkat, HERE, "a", bytes, 100ul);
	WORKS(mknodat, HERE, "p1", S_IFIFO | 0600, 0);
	FAILS(mknodat, HERE, "p1", S_IFIFO | 0600, 0);
#ifdef SYS_rename
	WORKS(link, "a", "l1");
	FAILS(link, NONE, "l1");
	WORKS(rename, "l1", "l2");
	FAILS(rename, "l1", "l2");
	WORKS(unlink, "l2");
	FAILS(unlink, "l2");
	WORKS(symlink, "a", "s2");
	FAILS(symlink, "a", "s2");
	WORKS(readlink, "s2", bytes, 100ul);
	FAILS(readlink, "a", bytes, 100ul);
	WORKS(mknod, "p2", S_IFIFO | 0600, 0);
	FAILS(mknod, "p2", S_IFIFO | 0600, 0);
#endif
}

static void
looks(int fd)
{
	WORKS(fstat, fd, bytes);
	FAILS(fstat, BAD, bytes);
	WORKS(newfstatat, HERE, "a", bytes, 0);
	WORKS(newfstatat, fd, "", bytes, AT_EMPTY_PATH);
	FAILS(newfstatat, HERE, NONE, bytes, 0);
	WORKS(statx, HERE, "a", 0, 0x7ff, bytes);
	FAILS(statx, HERE, NONE, 0, 0x7ff, bytes);
	WORKS(faccessat, HERE, "a", R_OK);
	FAILS(faccessat, HERE, NONE, R_OK);
	WORKS(faccessat2, HERE, "a", R_OK, 0);
	FAILS(faccessat2, HERE, NONE, R_OK, 0);
#ifdef SYS_stat
	WORKS(stat, "a", bytes);
	FAILS(stat, NONE, bytes);
	WORKS(lstat, "s1", bytes);
	FAILS(lstat, NONE, bytes);
	WORKS(access, "a", R_OK);
	FAILS(access, NONE, R_OK);
#endif
}

static void
changes(int fd)
{
	WORKS(truncate, "a", 5000L);
	FAILS(truncate, NONE, 5000L);
	WORKS(fchmod, fd, 0640);
	FAILS(fchmod, BAD, 0640);
	WORKS(fchmodat, HERE, "a", 0644);
	FAILS(fchmodat, HERE, NONE, 0644);
	WORKS(fchmodat2, HERE, "a", 0644, 0);
	FAILS(fchmodat2, HERE, NONE, 0644, 0);
	WORKS(fchown, fd, -1, -1);
	FAILS(fchown, BAD, -1, -1);
	WORKS(fchownat, HERE, "a", -1, -1, 0);
	FAILS(fchownat, HERE, NONE, -1, -1, 0);
	WORKS(utimensat, HERE, "a", NULL, 0);
	WORKS(utimensat, fd, NULL, NULL, 0);
	FAILS(utimensat, HERE, NONE, NULL, 0);
#ifdef SYS_chmod
	WORKS(chmod, "a", 0644);
	FAILS(chmod, NONE, 0644);
	WORKS(chown, "a", -1, -1);
	FAILS(chown, NONE, -1, -1);
	WORKS(lchown, "s1", -1, -1);
	FAILS(lchown, NONE, -1, -1);
	WORKS(utime, "a", NULL);
	FAILS(utime, NONE, NULL);
	WORKS(utimes, "a", NULL);
	FAILS(utimes, NONE, NULL);
	WORKS(futimesat, HERE, "a", NULL);
	FAILS(futimesat, HERE, NONE, NULL);
#endif
}

static void
attributes(int fd)
{
	WORKS(setxattr, "a", "user.x", "v", 1ul, 0);
	FAILS(setxattr, NONE, "user.x", "v", 1ul, 0);
	WORKS(lsetxattr, "a", "user.y", "vv", 2ul, 0);
	FAILS(lsetxattr, NONE, "user.y", "vv", 2ul, 0);
	WORKS(fsetxattr, fd, "user.z", "vvv", 3ul, 0);
	FAILS(fsetxattr, BAD, "user.z", "vvv", 3ul, 0);
	WORKS(getxattr, "a", "user.x", bytes, 9ul);
	FAILS(getxattr, "a", "user.none", bytes, 9ul);
	WORKS(lgetxattr, "a", "user.x", bytes, 9ul);
	FAILS(lgetxattr, NONE, "user.x", bytes, 9ul);
	WORKS(fgetxattr, fd, "user.x", bytes, 9ul);
	FAILS(fgetxattr, fd, "user.none", bytes, 9ul);
	WORKS(listxattr, "a", bytes, 99ul);
	FAILS(listxattr, NONE, bytes, 99ul);
	WORKS(llistxattr, "a", bytes, 99ul);
	FAILS(llistxattr, "a", bytes, 1ul);
	WORKS(flistxattr, fd, bytes, 99ul);
	FAILS(flistxattr, BAD, bytes, 99ul);
	WORKS(removexattr, "a", "user.x");
	FAILS(removexattr, "a", "user.x");
	WORKS(lremovexattr, "a", "user.y");
	FAILS(lremovexattr, "a", "user.y");
	WORKS(fremovexattr, fd, "user.z");
	FAILS(fremovexattr, fd, "user.z");
}

/* The calls of mount(2)'s successors: nothing is attached anywhere, closing the last descriptor ends it. */
static void
mounts(void)
{
	const int context = (int)WORKS(fsopen, "tmpfs", 0);

	FAILS(fsopen, "no such file system", 0);
	if (context >= 0 && syscall(SYS_fsconfig, context, 6, NULL, NULL, 0) == 0)
		WORKS(fsmount, context, 0, 0);
	FAILS(fsmount, BAD, 0, 0);
	WORKS(fspick, HERE, "/", 0);
	FAILS(fspick, HERE, NONE, 0);
	WORKS(open_tree, HERE, "a", 0);
	FAILS(open_tree, HERE, NONE, 0);
}

/* In a process of its own with mounts of its own. */
static void
roots(void)
{
	FAILS(chroot, NONE);
	FAILS(pivot_root, NONE, NONE);
	if (fork() == 0) {
		row_need(unshare(CLONE_NEWNS) == 0, "unshare");
		row_need(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount /");
		row_need(mount("none", "sub", "tmpfs", 0, NULL) == 0, "mount tmpfs");
		row_need(chdir("sub") == 0 && mkdir("old", 0700) == 0, "old");
		WORKS(pivot_root, ".", "old");
		WORKS(chroot, ".");
		WORKS(openat, HERE, "/new", O_RDWR | O_CREAT, 0600);
		_exit(0);
	}
	wait(NULL);
}

int
main(int argc, char **argv)
{
	int fd;

	row_need(argc == 2 && chdir(argv[1]) == 0, "usage: rows_names DIRECTORY");
	opens();
	fd = open("a", O_RDWR);
	handles();
	directories();
	renames();
	looks(fd);
	changes(fd);
	attributes(fd);
	mounts();
	roots();
	return 0;
}
