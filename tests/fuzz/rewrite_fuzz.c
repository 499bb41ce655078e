/* rewrite_fuzz.c - what becomes of any input when it is written anew as an event stream
 *
 * The stream reads without damage, and written anew once more it says the same: the same records and
 * calls in the same order (blocks may be cut elsewhere).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/rewrite.h"
#include "formats/base/buf.h"
#include "formats/base/io.h"
#include "formats/dump.h"
#include "tests/lib/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
promise(int kept)
{
	if (!kept)
		abort();
}

/* Appends the stream to out. False: no recording, or it said that something failed. */
static bool
rewrite(const void *p, size_t n, struct buf *out)
{
	const struct iotap_filter all = {.to_ns = UINT64_MAX};
	struct reader *const reader = reader_new_memory(p, n, "input");
	struct rewrite w = {.out_fd = memfd_create("stream", MFD_CLOEXEC)};
	struct iotap_info info;
	int r = -1;

	if (reader && w.out_fd >= 0) {
		r = rewrite_open(&w, reader, &info);
		if (r == 0)
			r = rewrite_run(&w, &all);
		rewrite_close(&w);
	}
	if (w.out_fd >= 0) {
		(void)lseek(w.out_fd, 0, SEEK_SET);
		(void)io_read_rest(w.out_fd, out);
		(void)close(w.out_fd);
	}
	reader_free(reader);
	return r == 0;
}

static void
look(const struct buf *stream)
{
	struct reader *const reader = reader_new_memory(stream->data, stream->len, "stream");
	struct reader_item item;
	int r;

	if (!reader)
		return;
	while ((r = reader_next(reader, &item)) == 0)
		promise(item.what == READER_BLOCK || item.what == READER_TRUNCATED);
	promise(r == 1);
	reader_free(reader);
}

/* The text of a stream without its lines about blocks: those, dictionaries, and the count of blocks. */
static void
tell(const struct buf *stream, struct buf *out)
{
	struct reader *const reader = reader_new_memory(stream->data, stream->len, "stream");
	struct buf text = {.data = NULL};
	struct iotap_error err = {.code = 0};

	promise(reader && dump_all(reader, false, &text, &err) == 0);
	for (size_t at = 0, n; at < text.len; at += n) {
		const char *const line = (const char *)text.data + at;

		n = (size_t)((const char *)memchr(line, '\n', text.len - at) - line) + 1;
		if (strncmp(line, "block", 5) != 0 && strncmp(line, "entry", 5) != 0 && strncmp(line, "end", 3) != 0)
			(void)buf_put(out, line, n);
	}
	buf_free(&text);
	reader_free(reader);
}

static void
same(const struct buf *a, const struct buf *b)
{
	struct buf one = {.data = NULL}, other = {.data = NULL};

	tell(a, &one);
	tell(b, &other);
	promise(one.len == other.len && (one.len == 0 || memcmp(one.data, other.data, one.len) == 0));
	buf_free(&one);
	buf_free(&other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *const copy = malloc(size > 0 ? size : 1);
	struct buf stream = {.data = NULL}, again = {.data = NULL};

	if (copy && size > 0) {
		memcpy(copy, data, size);
		mend(copy, size);
		if (rewrite(copy, size, &stream) && stream.len > 0) {	/* none: nothing was of use */
			look(&stream);
			promise(rewrite(stream.data, stream.len, &again));
			same(&stream, &again);
		}
	}
	free(copy);
	buf_free(&stream);
	buf_free(&again);
	return 0;
}
