/* procfs_read.c - fetches the texts of /proc for the parsers in procfs.c */
#include "capture/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/quantity.h"

enum { TEXT_MAX = 16384, ARGUMENTS_MAX = 2 << 20, NAME_MAX_BYTES = 64 };

/* The number a directory entry is named by. */
static bool
entry_number(const char *name, uint32_t *out)
{
	uint64_t v;

	if (!quantity_u64(name, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

/* Reads at most size bytes of a file of the process; how many, -1 = cannot be read. */
static ssize_t
read_text(uint32_t pid, const char *name, void *out, size_t size)
{
	char path[NAME_MAX_BYTES];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -1;
	n = io_read_full(fd, out, size);
	(void)close(fd);
	return n;
}

bool
procfs_stat(uint32_t pid, struct procfs_stat *out)
{
	char text[1024];
	const ssize_t n = read_text(pid, "stat", text, sizeof(text));

	return n > 0 && procfs_parse_stat(text, (size_t)n, out);
}

bool
procfs_status(uint32_t pid, struct procfs_status *out)
{
	char text[TEXT_MAX];
	const ssize_t n = read_text(pid, "status", text, sizeof(text));

	return n > 0 && procfs_parse_status(text, (size_t)n, out);
}

bool
procfs_link(uint32_t pid, const char *name, struct buf *out)
{
	char path[NAME_MAX_BYTES];
	char text[PROCFS_LINK_MAX];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	n = readlink(path, text, sizeof(text));
	return n > 0 && buf_put(out, text, (size_t)n);
}

bool
procfs_arg0(uint32_t pid, struct buf *out)
{
	char text[PROCFS_ARG0_MAX + 1];
	const ssize_t n = read_text(pid, "cmdline", text, sizeof(text));

	return n >= 0 && buf_put(out, text, procfs_arg0_len(text, (size_t)n));
}

bool
procfs_arguments(uint32_t pid, struct buf *out)
{
	char path[NAME_MAX_BYTES];
	struct buf text;
	bool ok;

	(void)snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	buf_init(&text, ARGUMENTS_MAX);
	ok = io_read_file(path, &text) && buf_put(out, text.data, text.len);
	buf_free(&text);
	return ok;
}

bool
procfs_cgroup(uint32_t pid, struct buf *out)
{
	char path[NAME_MAX_BYTES];

	(void)snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	return io_read_file(path, out);
}

uint64_t
procfs_namespace(uint32_t pid, const char *name)
{
	char path[NAME_MAX_BYTES];
	char text[NAME_MAX_BYTES];
	uint64_t inode = 0;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%u/ns/%s", pid, name);
	n = readlink(path, text, sizeof(text));
	if (n <= 0 || !procfs_parse_inode(text, (size_t)n, name, &inode))
		return 0;
	return inode;
}

bool
procfs_list(struct buf *out)
{
	DIR *const dir = opendir("/proc");
	const struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir)) != NULL) {
		uint32_t pid;

		if (entry_number(entry->d_name, &pid))
			(void)buf_put(out, &pid, sizeof(pid));
	}
	(void)closedir(dir);
	return buf_ok(out);
}

/* The kernel shows how a descriptor was opened in the link's own permissions. */
static bool
link_readable(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IRUSR) != 0;
}

void
procfs_each_fd(uint32_t pid,
	       bool (*each)(void *arg, int fd, bool readable, const char *text, size_t n), void *arg)
{
	char path[NAME_MAX_BYTES];
	const struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL) {
		char text[PROCFS_LINK_MAX];
		uint32_t fd;
		ssize_t n;

		if (!entry_number(entry->d_name, &fd))
			continue;
		n = readlinkat(dirfd(dir), entry->d_name, text, sizeof(text));
		if (n > 0 && !each(arg, (int)fd, link_readable(dirfd(dir), entry->d_name), text,
				   (size_t)n))
			break;
	}
	(void)closedir(dir);
}
