/* decode_fuzz.c - libiotap and iotap-decode's printers over any bytes
 *
 * Checksums are put right first, so that what lies behind them is reached. Every path of printing is
 * taken; what is printed is looked at only for its form: JSON lines hold no control character.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/json.h"
#include "decode/text.h"
#include "formats/base/bytes.h"
#include "formats/base/io.h"
#include "formats/block.h"
#include "formats/iotap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct printed {
	struct text text;
	struct buf json;
};

static void
look(const struct buf *json)
{
	for (size_t i = 0; i < json->len; i++) {
		if (json->data[i] != '\n' && (json->data[i] < 0x20 || json->data[i] == 0x7f))
			abort();
	}
}

static int
on_event(const struct iotap_event *e, void *arg)
{
	struct printed *const p = arg;

	buf_clear(&p->text.out);
	buf_clear(&p->json);
	text_event(&p->text, e);
	json_event(&p->json, e);
	look(&p->json);
	return IOTAP_NEXT;
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	struct printed *const p = arg;

	buf_clear(&p->json);
	json_notice(&p->json, n);
	look(&p->json);
	return strchr(n->message, '\n') || strchr(n->message, '\x1b') ? IOTAP_ABORT : IOTAP_NEXT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	struct printed *const p = arg;

	buf_clear(&p->json);
	json_drop(&p->json, d);
	look(&p->json);
	return IOTAP_NEXT;
}

/* Both checksums of every block that lies where the one before it says. */
static void
mend(uint8_t *p, size_t n)
{
	for (size_t at = 0; at + BLOCK_HEAD_BYTES <= n && memcmp(p + at, BLOCK_MAGIC, 4) == 0;) {
		const size_t stored = bytes_u32_at(p + at + 24);

		if (stored > n - at - BLOCK_HEAD_BYTES)
			return;
		bytes_set_u32(p + at + 56, block_crc(p + at + BLOCK_HEAD_BYTES, stored));
		bytes_set_u32(p + at + 60, block_crc(p + at, 60));
		at += BLOCK_HEAD_BYTES + stored;
	}
}

static void
decode(int fd, const struct iotap_filter *filter)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .event = on_event, .notice = on_notice, .drop = on_drop,
	};
	struct printed p = {.json = {.data = NULL}};
	struct iotap_summary summary;
	char why[256];
	iotap_t *const h = iotap_open(fd, "fuzz", filter, why, sizeof(why));

	if (!h)
		return;
	(void)iotap_keep_summary(h, 8);
	if (iotap_consume(h, &handlers, &p) == IOTAP_EABORT)
		abort();	/* a message was not one line */
	if (iotap_get_summary(h, &summary) == 0) {
		buf_clear(&p.json);
		json_summary(&p.json, &summary, NULL, NULL);
		look(&p.json);
	}
	free(iotap_summary_text(h, 3, IOTAP_SHOW_OPS));
	iotap_close(h);
	buf_free(&p.text.out);
	buf_free(&p.json);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const interfaces[] = {"eth0"};
	const struct iotap_filter filter = {.interfaces = interfaces, .n_interfaces = 1, .from_ns = 1000};
	uint8_t *const copy = malloc(size > 0 ? size : 1);
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	const int again = fd >= 0 ? dup(fd) : -1;

	if (copy && again >= 0) {
		if (size > 0)
			memcpy(copy, data, size);
		mend(copy, size);
		(void)io_write_all(fd, copy, size);
		(void)lseek(fd, 0, SEEK_SET);
		decode(fd, NULL);
		(void)lseek(again, 0, SEEK_SET);
		decode(again, &filter);
	}
	free(copy);
	return 0;
}
