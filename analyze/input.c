/* input.c - what the user named: a recording, a database or JSON Lines, told apart by the first bytes */
#include "analyze/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"

enum {
	INPUT_PEEK = 16,		/* bytes that decide; SQLite's magic is the longest */
	INPUT_COPY = 1 << 16,
};

static const char recording_magic[] = "IoTB";			/* iotap-recording(5) */
static const char database_magic[] = "SQLite format 3";		/* https://www.sqlite.org/fileformat.html */

const char *
input_kind_name(enum input_kind kind)
{
	static const char *const names[] = {
		[INPUT_RECORDING] = "a recording", [INPUT_DATABASE] = "a database",
		[INPUT_JSON] = "JSON Lines",
	};

	return names[kind];
}

/* The first bytes of a pipe, which stay in it: they are duplicated into a second pipe. */
static ssize_t
peek_pipe(int fd, char *out, size_t n)
{
	int copy[2];
	ssize_t got = -1;
	int saved;

	if (pipe2(copy, O_CLOEXEC) < 0)
		return -1;
	do
		got = tee(fd, copy[1], n, 0);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		got = io_read_some(copy[0], out, n);
	saved = errno;
	(void)close(copy[0]);
	(void)close(copy[1]);
	errno = saved;
	return got;
}

/* As many bytes as there are, n at most. */
static ssize_t
peek_file(int fd, char *out, size_t n)
{
	const off_t from = lseek(fd, 0, SEEK_CUR);

	return from < 0 ? -1 : io_read_at(fd, (uint64_t)from, out, n);
}

static int
input_recognise(struct input *in, const char *bytes, size_t n, struct iotap_error *err)
{
	if (n == 0)
		return error_set(err, IOTAP_ENOTREC, "%s: is empty", in->name);
	if (n >= strlen(recording_magic) && memcmp(bytes, recording_magic, strlen(recording_magic)) == 0)
		in->kind = INPUT_RECORDING;
	else if (n >= sizeof(database_magic) && memcmp(bytes, database_magic, sizeof(database_magic)) == 0)
		in->kind = INPUT_DATABASE;
	else if (bytes[strspn(bytes, " \t\r\n")] == '{')
		in->kind = INPUT_JSON;
	else
		return error_set(err, IOTAP_ENOTREC, "%s: not a recording, event stream, iotap database or JSON "
				 "Lines; text is not read back, make events with 'iotap-decode -F events'", in->name);
	return 0;
}

static int
input_look(struct input *in, struct iotap_error *err)
{
	char bytes[INPUT_PEEK + 1] = "";
	struct stat st;
	ssize_t n;

	if (fstat(in->fd, &st) < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", in->name);
	if (S_ISDIR(st.st_mode))
		return error_set(err, IOTAP_ENOTREC, "%s: is a directory", in->name);
	if (S_ISCHR(st.st_mode) && isatty(in->fd))
		return error_set(err, IOTAP_EUSAGE, "%s: is a terminal; name a recording or pipe one in", in->name);
	in->seekable = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
	if (in->seekable)
		n = peek_file(in->fd, bytes, INPUT_PEEK);
	else if (S_ISFIFO(st.st_mode))
		n = peek_pipe(in->fd, bytes, INPUT_PEEK);
	else
		return error_set(err, IOTAP_EUNSUPPORTED, "%s: neither a file nor a pipe", in->name);
	if (n < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", in->name);
	return input_recognise(in, bytes, (size_t)n, err);
}

int
input_open(struct input *in, const char *name, struct iotap_error *err)
{
	const bool is_stdin = strcmp(name, "-") == 0;
	int r;

	*in = (struct input){.name = is_stdin ? "<stdin>" : name, .path = is_stdin ? NULL : name, .fd = -1};
	in->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
			  : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0)
		return error_errno(err, errno == ENOENT ? IOTAP_ENOTFOUND : IOTAP_EIO, errno, "%s", in->name);
	r = input_look(in, err);
	if (r < 0)
		input_close(in);
	return r;
}

static int
spool_open(struct iotap_error *err)
{
	const char *const dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/iotap-XXXXXX", dir) >= (int)sizeof(path))
		return error_set(err, IOTAP_ELIMIT, "TMPDIR is too long");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", path);
	(void)unlink(path);
	return fd;
}

int
input_spool(struct input *in, struct iotap_error *err)
{
	char bytes[INPUT_COPY];
	ssize_t n = -1;
	int fd;

	if (in->seekable)
		return 0;
	fd = spool_open(err);
	if (fd < 0)
		return fd;
	while ((n = io_read_some(in->fd, bytes, sizeof(bytes))) > 0 && io_write_all(fd, bytes, (size_t)n))
		;
	if (n != 0) {
		const int r = error_errno(err, IOTAP_EIO, errno, "%s: copying to a temporary file", in->name);

		(void)close(fd);
		return r;
	}
	(void)close(in->fd);
	in->fd = fd;
	in->seekable = true;
	return 0;
}

int
input_reopen(const struct input *in, int *fd, struct iotap_error *err)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", in->fd);
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd < 0 && in->path)
		*fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", in->name);
	return 0;
}

int
input_take(struct input *in)
{
	const int fd = in->fd;

	in->fd = -1;
	return fd;
}

void
input_close(struct input *in)
{
	if (in && in->fd >= 0)
		(void)close(in->fd);
	if (in)
		in->fd = -1;
}
