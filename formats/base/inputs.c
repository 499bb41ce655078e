/* inputs.c - the files that a program reads, from its command line */
#include "formats/base/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/escape.h"

bool
inputs_is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool
open_one(struct inputs *in, const char *path, char *why, size_t size)
{
	const bool standard = strcmp(path, "-") == 0;
	const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const int error = errno;
	char shown[256];

	if (fd < 0) {
		(void)snprintf(why, size, "%s: cannot open it: %s", escape_str(shown, sizeof(shown), path),
			       strerror(error));
		return false;
	}
	in->names[in->n] = standard ? "standard input" : path;
	in->fds[in->n++] = fd;
	in->from_pipe = in->from_pipe || inputs_is_pipe(fd);
	return true;
}

bool
inputs_open(struct inputs *in, const struct opt_args *args, char *why, size_t size)
{
	const size_t n = args->n_operands + (size_t)args->n_command;

	*in = (struct inputs){.names = calloc(n + 1, sizeof(*in->names)), .fds = calloc(n + 1, sizeof(*in->fds))};
	if (!in->names || !in->fds) {
		(void)snprintf(why, size, "out of memory");
		return false;
	}
	if (n == 0)
		return open_one(in, "-", why, size);
	for (size_t i = 0; i < n; i++) {
		if (!open_one(in, i < args->n_operands ? args->operands[i] : args->command[i - args->n_operands],
			      why, size))
			return false;
	}
	return true;
}

void
inputs_close(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		(void)close(in->fds[i]);
	free(in->names);
	free(in->fds);
	*in = (struct inputs){.names = NULL};
}
