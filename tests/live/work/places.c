/* places.c - paths that are not what the program would call them
 *
 * places STATEMENTS DIRECTORY
 *
 * In a mount namespace of its own: a bind mount, a tmpfs, a chroot, a path longer than PATH_MAX, a
 * directory removed while a file in it is open. What is stated is the path from the top of the mount
 * namespace; skips (line "note no=mount") what it may not do.
 */
#include <sched.h>
#include <sys/mount.h>

#include "tests/live/work/say.h"

static const char bytes[64];
static char top[PATH_MAX];

/* The workload knows better than readlink(2) what the path is. */
static void
write_as(struct say *say, int fd, size_t size, const char *path)
{
	char escaped[SAY_TARGET];

	say_escape(escaped, sizeof(escaped), path, strlen(path));
	if (write(fd, bytes, size) != (ssize_t)size)
		die("%s", path);
	say_line(say, "expect tid=%d pid=%d call=write fd=%d result=%zu err=0 kind=file path=%s",
		 say_tid(), getpid(), fd, size, escaped);
}

static int
made(const char *name)
{
	const int fd = open(name, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		die("%s", name);
	return fd;
}

static const char *
below(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void
mounts(struct say *say)
{
	int before, fd;

	mkdir("bound", 0700);
	mkdir("here", 0700);
	mkdir("tmpfs", 0700);
	before = made("here/before");
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("here", "bound", NULL, MS_BIND, NULL) != 0 ||
	    mount("none", "tmpfs", "tmpfs", 0, NULL) != 0) {
		say_line(say, "note no=mount");
		return;
	}
	fd = made("bound/file");
	write_as(say, fd, 11, below("bound/file"));
	close(fd);
	fd = made("here/file");
	write_as(say, fd, 12, below("here/file"));
	close(fd);
	fd = made("tmpfs/file");
	write_as(say, fd, 13, below("tmpfs/file"));
	close(fd);
	write_as(say, before, 14, below("here/before"));
	close(before);
	if (umount2("tmpfs", 0) != 0 || umount2("bound", 0) != 0)
		die("umount");
}

static void
removed_directory(struct say *say)
{
	int fd;

	mkdir("going", 0700);
	fd = made("going/file");
	unlink("going/file");
	rmdir("going");
	write_as(say, fd, 21, below("going/file"));
	close(fd);
}

/* Deeper than PATH_MAX: only the end of it can be told, and it must be said to be only that. */
static void
too_deep(struct say *say)
{
	char name[201];
	int fd;

	memset(name, 'd', 200);
	name[200] = '\0';
	for (int i = 0; i < 30; i++)
		if (mkdir(name, 0700) != 0 || chdir(name) != 0)
			die("mkdir");
	fd = made("bottom");
	(void)!write(fd, bytes, 31);
	say_line(say, "expect tid=%d pid=%d call=write fd=%d result=31 err=0 kind=file", say_tid(),
		 getpid(), fd);
	close(fd);
}

static void
jail(struct say *say)
{
	int fd;

	if (chdir(top) != 0 || mkdir("jail", 0700) != 0 || chroot("jail") != 0 || chdir("/") != 0) {
		say_line(say, "note no=chroot");
		return;
	}
	fd = made("/inside");
	write_as(say, fd, 41, below("jail/inside"));
	close(fd);
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc != 3)
		die("usage: places STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0 || !getcwd(top, sizeof(top)))
		die("%s", argv[2]);
	say_begin(say);
	removed_directory(say);
	mounts(say);
	too_deep(say);
	jail(say);
	say_end(say);
	return 0;
}
