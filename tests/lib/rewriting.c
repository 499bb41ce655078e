/* rewriting.c - a recording written anew, as often as wished */
#include "tests/lib/rewriting.h"

#include <string.h>
#include <unistd.h>

#include "decode/redact.h"
#include "decode/rewrite.h"
#include "tests/lib/unit.h"

int
rewriting_step(void *arg)
{
	struct rewriting *const w = arg;
	struct rewrite rewrite = {.out_fd = w->fd, .recording = w->hides || w->salvage,
				  .salvage = w->salvage};
	struct reader *const reader = reader_new_memory(w->recording.data, w->recording.len, "r");
	struct redact redact = {.scratch = {{.data = NULL}}};
	struct iotap_error err = {.code = 0};
	struct iotap_info info;
	int r = reader ? 0 : IOTAP_ENOMEM;

	assert_int_equal(ftruncate(w->fd, 0), 0);
	assert_int_equal(lseek(w->fd, 0, SEEK_SET), 0);
	if (r == 0 && w->hides) {
		r = redact_open(&redact, "-", &err);
		rewrite.redact = &redact;
	}
	if (r == 0) {
		r = rewrite_open(&rewrite, reader, &info);
		if (r == 0)
			r = rewrite_run(&rewrite, &w->filter);
		if (r < 0)
			assert_non_null(strstr(rewrite.err.text, "out of memory"));
		rewrite_close(&rewrite);
	}
	if (w->hides)
		redact_close(&redact);
	reader_free(reader);
	return r;
}
