/* recording_fuzz.c - the reader, the records and the call blocks under arbitrary input
 *
 * Input that begins as a recording is read as one; anything else is taken for the text of one
 * (formats/rectext.h), so that seeds can be read and reviewed; what it makes is then read.
 */
#include <stddef.h>
#include <stdint.h>

#include "formats/dump.h"
#include "formats/reader.h"
#include "formats/rectext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_all(const void *p, size_t n)
{
	struct reader *const reader = reader_new_memory(p, n, "input");
	struct buf text = {0};
	struct iotap_error err = {0};

	if (reader)
		(void)dump_all(reader, true, &text, &err);
	reader_free(reader);
	buf_free(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf made = {0};

	if (reader_is_recording(data, size)) {
		read_all(data, size);
	} else {
		(void)rectext_assemble((const char *)data, size, &made, NULL);
		read_all(made.data, made.len);
	}
	buf_free(&made);
	return 0;
}
