/* assemble.c - text on standard input, a recording on standard output (formats/rectext.h)
 *
 * Usage: assemble [SIZE...]   SIZE: written in pieces of these sizes in turn, with a pause between
 * them long enough that the reader sees each by itself; without any, in one piece.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/rectext.h"

static int
write_pieces(const struct buf *recording, int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 20000};
	size_t at = 0;

	for (int i = 0; at < recording->len; i++) {
		const size_t size = argc > 1 ? strtoul(argv[1 + i % (argc - 1)], NULL, 10) : recording->len;
		const size_t left = recording->len - at;
		const size_t n = size < 1 ? 1 : size < left ? size : left;

		if (!io_write_all(STDOUT_FILENO, recording->data + at, n))
			return 1;
		at += n;
		if (at < recording->len)
			(void)nanosleep(&pause, NULL);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct buf text = {.data = NULL};
	struct buf recording = {.data = NULL};
	struct iotap_error err = {.code = 0};
	int status;

	if (!io_read_rest(STDIN_FILENO, &text)) {
		perror("assemble: standard input");
		return 1;
	}
	if (rectext_assemble((const char *)text.data, text.len, &recording, &err) < 0) {
		fprintf(stderr, "assemble: %s\n", err.text);
		return 1;
	}
	status = write_pieces(&recording, argc, argv);
	buf_free(&text);
	buf_free(&recording);
	return status;
}
