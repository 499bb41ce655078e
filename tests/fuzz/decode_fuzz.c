/* decode_fuzz.c - libiotap and iotap-decode's printers over any bytes
 *
 * Checksums are put right first, so that what lies behind them is reached. Every path of printing is
 * taken. Of what is printed: an event is one line, fit for a terminal; JSON is what SQLite takes for
 * JSON; the numbers of events go up.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/json.h"
#include "decode/text.h"
#include "formats/base/escape.h"
#include "formats/base/io.h"
#include "formats/iotap.h"
#include "tests/lib/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct printed {
	struct text text;
	struct buf json;
	uint64_t next_number;
	sqlite3_stmt *valid;
};

/* So many lines, clean but for their ends. */
static void
look_lines(const struct buf *lines, unsigned int expected)
{
	const uint8_t *at = lines->data;
	const uint8_t *const end = at + lines->len;
	unsigned int n = 0;

	for (; at < end; n++) {
		const uint8_t *const line = memchr(at, '\n', (size_t)(end - at));

		if (!line || !escape_is_clean(at, (size_t)(line - at)))
			abort();
		at = line + 1;
	}
	if (n != expected)
		abort();
}

static void
look(const struct printed *p)
{
	if (p->json.len == 0)
		return;
	look_lines(&p->json, 1);
	(void)sqlite3_bind_text64(p->valid, 1, (const char *)p->json.data, p->json.len, SQLITE_STATIC, SQLITE_UTF8);
	if (sqlite3_step(p->valid) != SQLITE_ROW || !sqlite3_column_int(p->valid, 0))
		abort();
	(void)sqlite3_reset(p->valid);
}

static int
on_event(const struct iotap_event *e, void *arg)
{
	struct printed *const p = arg;

	buf_clear(&p->text.out);
	buf_clear(&p->json);
	text_event(&p->text, e);
	json_event(&p->json, e);
	look_lines(&p->text.out, p->next_number == 0 ? 2 : 1);	/* the first has the head before it */
	look(p);
	if (e->number < p->next_number)
		abort();
	p->next_number = e->number + 1;
	return IOTAP_NEXT;
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	struct printed *const p = arg;

	buf_clear(&p->json);
	json_notice(&p->json, n);
	look(p);
	return escape_is_clean(n->message, strlen(n->message)) ? IOTAP_NEXT : IOTAP_ABORT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	struct printed *const p = arg;

	buf_clear(&p->json);
	json_drop(&p->json, d);
	look(p);
	return IOTAP_NEXT;
}

/* SELECT json_valid(?), made once. */
static sqlite3_stmt *
json_valid(void)
{
	static sqlite3_stmt *stmt;
	sqlite3 *db = NULL;

	if (!stmt && (sqlite3_open(":memory:", &db) != SQLITE_OK ||
		      sqlite3_prepare_v2(db, "SELECT json_valid(?)", -1, &stmt, NULL) != SQLITE_OK))
		abort();
	return stmt;
}

static void
decode(int fd, const struct iotap_filter *filter)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .event = on_event, .notice = on_notice, .drop = on_drop,
	};
	struct printed p = {.json = {.data = NULL}, .valid = json_valid()};
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
		look(&p);
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
