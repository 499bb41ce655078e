/* story.c - recordings for tests of decode, written as text */
#include "tests/lib/story.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/block.h"
#include "formats/rectext.h"
#include "tests/lib/unit.h"

void
story_assemble(const char *text, struct buf *out)
{
	struct iotap_error err = {.code = 0};

	if (rectext_assemble(text, strlen(text), out, &err) < 0)
		fail_msg("%s", err.text);
}

size_t
story_block_at(const struct buf *recording, int i)
{
	struct block_head head;
	size_t at = 0;

	for (; i > 0; i--) {
		assert_int_equal(block_head_get(recording->data + at, &head, NULL), 0);
		at += BLOCK_HEAD_BYTES + head.stored_bytes;
	}
	return at;
}

int
story_fd(const char *text)
{
	struct buf recording = {.data = NULL};
	const int fd = memfd_create("story", MFD_CLOEXEC);

	story_assemble(text, &recording);
	assert_true(fd >= 0 && io_write_all(fd, recording.data, recording.len));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	buf_free(&recording);
	return fd;
}

int
story_define(struct epoch *e, const struct rec_target *def)
{
	struct buf raw = {.data = NULL};
	struct bytes_in in;
	struct record rec;
	int r;

	assert_int_equal(record_put(&raw, REC_target, def, NULL), 0);
	in = bytes_in(raw.data, raw.len);
	assert_int_equal(record_next(&in, &rec, NULL), 0);
	r = epoch_define(e, &rec);
	buf_free(&raw);		/* the table has its own */
	return r;
}

iotap_t *
story_open(const char *text, const struct iotap_filter *filter)
{
	char why[256] = "";
	iotap_t *const h = iotap_open(story_fd(text), "story", filter, why, sizeof(why));

	if (!h)
		fail_msg("%s", why);
	return h;
}
