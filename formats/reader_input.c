/* reader_input.c - bytes of a descriptor or of memory, a window of them at a time */
#include "formats/reader_input.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/error.h"

#define READ_STEP 131072	/* bytes asked for at a time */
#define READ_STEP_SPARING 4096
#define IDLE_MS 250		/* after which the idle function is asked again */

static const uint8_t nothing[1];	/* what an empty window points to */

void
reader_input_init_fd(struct reader_input *in, int fd)
{
	struct stat st;
	const off_t at = lseek(fd, 0, SEEK_CUR);

	*in = (struct reader_input){.fd = fd, .data = nothing};
	if (at >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= at) {
		in->seekable = true;
		in->left = (uint64_t)(st.st_size - at);
	}
}

void
reader_input_init_memory(struct reader_input *in, const void *p, size_t n)
{
	*in = (struct reader_input){.fd = -1, .data = n > 0 ? p : nothing, .have = n, .ended = true};
}

void
reader_input_fini(struct reader_input *in)
{
	buf_free(&in->buf);
}

/* Makes room for n bytes behind the window, moving it to the front of the buffer when need be. */
static bool
input_room(struct reader_input *in, size_t n)
{
	struct buf *const b = &in->buf;

	if (b->cap - b->len < n && in->at > 0) {
		memmove(b->data, b->data + in->at, in->have - in->at);
		in->have -= in->at;
		b->len = in->have;
		in->at = 0;
	}
	if (!buf_reserve(b, n))
		return false;
	in->data = b->data;
	return true;
}

static int
input_read(struct reader_input *in, size_t want)
{
	const size_t step = in->sparing ? READ_STEP_SPARING : READ_STEP;
	const size_t n = want > step ? want : step;
	ssize_t got;

	for (int wait = 0; in->idle && !io_readable(in->fd, wait); wait = IDLE_MS) {
		if (in->idle(in->idle_arg) != 0)
			return 2;
	}
	if (!input_room(in, n))
		return IOTAP_ENOMEM;
	got = io_read_some(in->fd, in->buf.data + in->buf.len, n);
	if (got < 0)
		return IOTAP_EIO;
	in->ended = got == 0;
	in->buf.len += (size_t)got;
	in->have = in->buf.len;
	in->left -= in->left < (uint64_t)got ? in->left : (uint64_t)got;
	return 0;
}

int
reader_input_fill(struct reader_input *in, size_t n)
{
	while (reader_input_have(in) < n && !in->ended) {
		const int r = input_read(in, n - reader_input_have(in));

		if (r != 0)
			return r;
	}
	return 0;
}

void
reader_input_pass(struct reader_input *in, size_t n)
{
	in->at += n;
	in->offset += n;
}

bool
reader_input_seek(struct reader_input *in, size_t n)
{
	const size_t have = reader_input_have(in);

	if (n <= have) {
		reader_input_pass(in, n);
		return true;
	}
	if (!in->seekable || n - have > in->left || lseek(in->fd, (off_t)(n - have), SEEK_CUR) < 0)
		return false;
	in->left -= n - have;
	in->offset += n;
	in->at = in->have = 0;
	in->data = nothing;
	buf_clear(&in->buf);
	return true;
}

bool
reader_input_extent(const struct reader_input *in, uint64_t *begin, uint64_t *end)
{
	const off_t at = in->seekable ? lseek(in->fd, 0, SEEK_CUR) : -1;
	const uint64_t taken = in->offset + reader_input_have(in);

	if (at < 0 || (uint64_t)at < taken)
		return false;
	*begin = (uint64_t)at - taken;
	*end = (uint64_t)at + in->left;
	return true;
}
