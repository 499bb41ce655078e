/* looks_like.c - what an input is that is no recording, and what to do about it */
#include <stdbool.h>
#include <string.h>

#include "formats/base/utf8.h"
#include "formats/reader.h"

static const struct signature {
	const char *bytes;
	size_t n;
	const char *text;
} signatures[] = {
	{"SQLite format 3\0", 16,
	 "is a SQLite database: ask it with iotap-analyze report or iotap-analyze sql"},
	{"\x7f" "ELF", 4, "is an ELF file: give the recording that iotap-capture made"},
	{"\x28\xb5\x2f\xfd", 4, "is compressed by zstd: uncompress it first, as in \"zstd -dc FILE | iotap-decode\""},
	{"\x1f\x8b", 2, "is compressed by gzip: uncompress it first, as in \"zcat FILE | iotap-decode\""},
	{"\xfd" "7zXZ", 5, "is compressed by xz: uncompress it first, as in \"xzcat FILE | iotap-decode\""},
	{"BZh", 3, "is compressed by bzip2: uncompress it first, as in \"bzcat FILE | iotap-decode\""},
	{"PK\x03\x04", 4, "is a zip archive: give the recording in it"},
	{"PERFILE2", 8, "is a file of perf record: give the recording that iotap-capture made"},
	{"<!DOCTYPE", 9, "is a HTML page: give the recording it was made from"},
	{"<html", 5, "is a HTML page: give the recording it was made from"},
	{"{\"", 2,
	 "is JSON Lines: give the recording, or use iotap-decode -F events; iotap-analyze load reads JSON Lines"},
};

bool
reader_is_recording(const void *p, size_t n)
{
	return n >= 4 && memcmp(p, BLOCK_MAGIC, 4) == 0;
}

/* Text: no control characters but white space, and UTF-8, of which the last character may be cut. */
static bool
is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		const size_t len = utf8_decode(p + i, n - i, &cp);

		if (len == 0)
			return i > 0 && n - i < 4;
		if (cp < 0x20 && !memchr("\t\n\r\f\b\033", (int)cp, 6))
			return false;
		i += len;
	}
	return true;
}

const char *
reader_looks_like(const void *p, size_t n)
{
	if (n == 0)
		return "is empty: a recording begins with a header, even of a run without events";
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		const struct signature *const s = &signatures[i];

		if (n >= s->n && memcmp(p, s->bytes, s->n) == 0)
			return s->text;
	}
	if (is_text(p, n))
		return "is text: give the recording, or use iotap-decode -F events to pass events on";
	return NULL;
}
