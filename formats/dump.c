/* dump.c - every block and record of a recording as text */
#include "formats/dump.h"

#include <stdlib.h>

#include "formats/base/escape.h"
#include "formats/base/units.h"
#include "formats/call_block.h"
#include "formats/record.h"
#include "formats/rectext.h"

struct dump {
	struct call_decoder *calls;
	bool comments;
	uint64_t session;		/* of the block before; 1 is what rectext begins with */
};

struct dump *
dump_new(bool comments)
{
	struct dump *const d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->comments = comments;
	d->session = 1;
	d->calls = call_decoder_new();
	if (!d->calls) {
		free(d);
		return NULL;
	}
	return d;
}

void
dump_free(struct dump *d)
{
	if (!d)
		return;
	call_decoder_free(d->calls);
	free(d);
}

static void
put_failure(struct buf *out, const struct iotap_error *why)
{
	(void)buf_printf(out, "# damaged: %s\n", why->text);
}

static void
dump_records(struct dump *d, const struct reader_item *item, struct buf *out)
{
	struct bytes_in in = bytes_in(item->payload, item->payload_bytes);
	struct iotap_error why = {0};
	struct record rec;
	int r;

	while ((r = record_next(&in, &rec, &why)) == 0)
		rectext_put_record(out, &rec);
	if (r < 0 && d->comments)
		put_failure(out, &why);
}

static int
dump_calls(struct dump *d, const struct reader_item *item, struct buf *out, struct iotap_error *err)
{
	struct iotap_error why = {0};
	struct call_columns c;
	const int r = call_decoder_block(d->calls, &item->head, item->payload, COL_ALL, &c, &why);

	if (r == IOTAP_ENOMEM)
		return error_set(err, r, "%s", why.text);
	if (r < 0 && d->comments)
		put_failure(out, &why);
	if (r < 0)
		return 0;
	for (uint32_t i = 0; i < c.n_targets; i++)
		rectext_put_entry(out, &c.targets[i]);
	for (uint32_t i = 0; i < c.n; i++)
		rectext_put_call(out, &c, i);
	return 0;
}

static int
dump_block(struct dump *d, const struct reader_item *item, struct buf *out, struct iotap_error *err)
{
	const struct block_head *const head = &item->head;
	char bytes[UNITS_SIZE], text[UNITS_SIZE];

	if (d->comments)
		(void)buf_printf(out, "# offset %llu: %s, %u stored, %u plain, %s\n",
				 (unsigned long long)item->offset, units_count(bytes, item->bytes, "byte"),
				 head->stored_bytes, head->plain_bytes, units_count(text, head->count, "entry"));
	if (!block_type_name(head->type)) {
		(void)buf_printf(out, "# a block of the unknown type %u\n", head->type);
		return 0;
	}
	rectext_put_block(out, head, d->session);
	d->session = head->session;
	if (head->type == BLOCK_CALLS)
		return dump_calls(d, item, out, err);
	dump_records(d, item, out);
	return 0;
}

int
dump_item(struct dump *d, const struct reader_item *item, struct buf *out, struct iotap_error *err)
{
	char text[UNITS_SIZE];
	int r = 0;

	if (item->what == READER_BLOCK) {
		r = dump_block(d, item, out, err);
	} else if (d->comments) {
		(void)buf_printf(out, "# offset %llu: %s: ", (unsigned long long)item->offset,
				 units_count(text, item->bytes, "byte"));
		(void)escape_text(out, item->text ? item->text : "passed over",
				  item->text ? strlen(item->text) : 11);
		if (item->n_blocks != UINT64_MAX && item->n_blocks > 0)
			(void)buf_printf(out, " (%s)", units_count(text, item->n_blocks, "block"));
		(void)buf_putc(out, '\n');
	}
	return r == 0 && !buf_ok(out) ? error_set(err, IOTAP_ENOMEM, "dump: out of memory") : r;
}

int
dump_all(struct reader *reader, bool comments, struct buf *out, struct iotap_error *err)
{
	struct dump *const d = dump_new(comments);
	struct reader_item item;
	int r;

	if (!d)
		return error_set(err, IOTAP_ENOMEM, "dump: out of memory");
	while ((r = reader_next(reader, &item)) == 0) {
		r = dump_item(d, &item, out, err);
		if (r < 0)
			break;
	}
	if (r < 0 && reader_error(reader)->code == r)
		*err = *reader_error(reader);
	dump_free(d);
	return r < 0 ? r : 0;
}
