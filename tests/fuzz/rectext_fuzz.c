/* rectext_fuzz.c - a recording as text
 *
 * What is made of it is a recording that reads without damage, and its dump is text that makes the same
 * recording, over and over.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/escape.h"
#include "formats/dump.h"
#include "formats/reader.h"
#include "formats/rectext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
promise(int kept)
{
	if (!kept)
		abort();
}

static int
dump(const struct buf *recording, struct buf *text)
{
	struct reader *const reader = reader_new_memory(recording->data, recording->len, "input");
	struct iotap_error err = {.code = 0};
	const int r = reader ? dump_all(reader, false, text, &err) : -1;

	reader_free(reader);
	return r;
}

/* Every line of it is fit for a terminal. */
static void
look(const struct buf *text)
{
	const uint8_t *at = text->data;
	const uint8_t *const end = at ? at + text->len : NULL;

	while (at < end) {
		const uint8_t *const line = memchr(at, '\n', (size_t)(end - at));

		promise(line != NULL && escape_is_clean(at, (size_t)(line - at)));
		at = line + 1;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf made = {.data = NULL}, text = {.data = NULL}, again = {.data = NULL}, more = {.data = NULL};
	struct iotap_error err = {.code = 0};

	if (rectext_assemble((const char *)data, size, &made, &err) == 0 && dump(&made, &text) == 0) {
		look(&text);
		if (rectext_assemble((const char *)text.data, text.len, &again, NULL) == 0) {
			promise(dump(&again, &more) == 0);
			promise(more.len == text.len && (text.len == 0 || memcmp(more.data, text.data, text.len) == 0));
		}
	} else {
		promise(escape_is_clean(err.text, strlen(err.text)));
	}
	buf_free(&made);
	buf_free(&text);
	buf_free(&again);
	buf_free(&more);
	return 0;
}
