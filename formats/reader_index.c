/* reader_index.c - where in a file an epoch begins, by the INDEX block before its end
 *
 * Read backwards: the END block ends with the file, the INDEX block ends where that begins. The place is
 * the last STATE block before which all blocks of calls end before the time asked for. Recordings are in
 * order of time, and an index that is not is false. From the last block of calls before that place on,
 * every header up to it is read: a row without gaps, and what the index says of its two ends.
 */
#include "formats/reader_index.h"

#include <string.h>

#include "formats/base/bytes.h"
#include "formats/base/io.h"
#include "formats/record.h"

enum {
	TAIL_FIRST = 64 * 1024,		/* bytes at the end that are looked at first, */
	TAIL_MOST = 4 * 1024 * 1024,	/* and at most: a writer's index has 65,536 entries */
	WALK_MOST = 4096,		/* blocks between two of the index: records, progress */
};

/* A block in memory. */
struct found {
	struct block_head head;
	uint64_t offset;
	const uint8_t *payload;
};

struct index {
	const struct reader_file *file;
	struct codec *codec;
	struct buf tail, plain;
	uint64_t tail_at;		/* offset of its first byte */
	struct found end, index;
};

/* -- bytes -- */

static bool
read_at(const struct reader_file *f, uint64_t offset, void *out, size_t n)
{
	return offset <= f->end - f->begin && n <= f->end - f->begin - offset &&
	       io_read_at(f->fd, f->begin + offset, out, n) == (ssize_t)n;
}

static bool
tail_read(struct index *x, uint64_t bytes)
{
	const uint64_t all = x->file->end - x->file->begin;
	const size_t n = (size_t)(bytes < all ? bytes : all);
	void *to;

	buf_clear(&x->tail);
	x->tail_at = all - n;
	to = buf_extend(&x->tail, n > 0 ? n : 1);
	return to && read_at(x->file, x->tail_at, to, n);
}

/* The whole block of this type in the tail that ends exactly at offset until. */
static bool
block_before(const struct index *x, uint64_t until, uint8_t type, struct found *out)
{
	const size_t n = (size_t)(until - x->tail_at);
	const uint8_t *const p = x->tail.data;

	for (size_t at = n; at-- > 0;) {
		struct block_head *const head = &out->head;

		if (n - at < BLOCK_HEAD_BYTES || memcmp(p + at, BLOCK_MAGIC, 4) != 0 ||
		    block_head_get(p + at, head, NULL) < 0 || head->type != type ||
		    head->session != x->file->session || head->stored_bytes != n - at - BLOCK_HEAD_BYTES)
			continue;
		out->offset = x->tail_at + at;
		out->payload = p + at + BLOCK_HEAD_BYTES;
		return block_crc(out->payload, head->stored_bytes) == head->payload_crc;
	}
	return false;
}

static bool
index_locate(struct index *x)
{
	const uint64_t all = x->file->end - x->file->begin;

	for (uint64_t bytes = TAIL_FIRST; bytes <= TAIL_MOST; bytes *= 8) {
		if (!tail_read(x, bytes) || !block_before(x, all, BLOCK_END, &x->end))
			return false;
		if (block_before(x, x->end.offset, BLOCK_INDEX, &x->index))
			return x->index.head.sequence + 1 == x->end.head.sequence;
		if (x->tail_at == 0)
			break;
	}
	return false;
}

/* -- what it says -- */

static bool
end_calls(struct index *x, uint64_t *calls)
{
	struct bytes_in in;
	struct record rec;
	const uint8_t *plain;

	if (block_plain(x->codec, &x->end.head, x->end.payload, &x->plain, &plain, NULL) < 0)
		return false;
	in = bytes_in(plain, x->end.head.plain_bytes);
	while (record_next_known(&in, &rec, NULL) == 0) {
		if (rec.type == REC_end) {
			*calls = rec.u.end.calls;
			return true;
		}
	}
	return false;
}

/* The two ends of the row that is read again. */
struct row {
	struct rec_block_entry calls, state;
	uint64_t before;		/* calls before the state */
};

/* One more entry, in order of place and of time. */
static bool
entry_fits(const struct index *x, const struct rec_block_entry *e, const struct rec_block_entry *last)
{
	return (e->type == BLOCK_CALLS || e->type == BLOCK_STATE) && e->count <= BLOCK_COUNT_MAX &&
	       e->offset < x->index.offset && (last->type == 0 || e->offset > last->offset) &&
	       e->epoch >= last->epoch;
}

/* Goes through the index. False: it is false, or there is no place behind offset after. */
static bool
index_choose(struct index *x, uint64_t after, uint64_t from_ns, struct row *out)
{
	struct rec_block_entry last = {.type = 0}, calls = {.type = 0};
	const uint8_t *plain;
	struct bytes_in in;
	struct record rec;
	uint64_t total, n = 0, sum = 0;
	bool early = true;	/* no call so far is of the time asked for */

	if (!end_calls(x, &total) ||
	    block_plain(x->codec, &x->index.head, x->index.payload, &x->plain, &plain, NULL) < 0)
		return false;
	*out = (struct row){.before = 0};
	in = bytes_in(plain, x->index.head.plain_bytes);
	for (; record_next_known(&in, &rec, NULL) == 0; n++) {
		const struct rec_block_entry *const e = &rec.u.block_entry;

		if (rec.type != REC_block_entry || !entry_fits(x, e, &last))
			return false;
		last = *e;
		if (e->type == BLOCK_STATE) {
			if (early && calls.type != 0 && e->offset > after)
				*out = (struct row){.calls = calls, .state = *e, .before = sum};
			continue;
		}
		if (e->first_ns > e->last_ns || e->first_ns < calls.last_ns)
			return false;
		calls = *e;
		sum += e->count;
		early = early && e->last_ns < from_ns;
	}
	return bytes_done(&in) && n == x->index.head.count && sum == total && out->state.type != 0;
}

/* -- what stands there -- */

static bool
head_at(const struct index *x, uint64_t offset, struct block_head *out)
{
	uint8_t bytes[BLOCK_HEAD_BYTES];

	return read_at(x->file, offset, bytes, sizeof(bytes)) && block_head_get(bytes, out, NULL) == 0 &&
	       out->session == x->file->session;
}

static bool
head_is(const struct block_head *head, const struct rec_block_entry *e)
{
	return head->type == e->type && head->epoch == e->epoch && head->count == e->count &&
	       head->first_ns == e->first_ns && head->last_ns == e->last_ns;
}

/* The payload too: without its state an epoch is worth less than what comes before it. */
static bool
state_is_whole(struct index *x, uint64_t offset, const struct block_head *head)
{
	void *to;

	buf_clear(&x->plain);
	to = buf_extend(&x->plain, head->stored_bytes > 0 ? head->stored_bytes : 1);
	return to && read_at(x->file, offset + BLOCK_HEAD_BYTES, to, head->stored_bytes) &&
	       block_crc(to, head->stored_bytes) == head->payload_crc;
}

static bool
row_holds(struct index *x, const struct row *row, struct reader_place *out)
{
	uint64_t offset = row->calls.offset;
	struct block_head head;
	uint64_t sequence;

	if (!head_at(x, offset, &head) || !head_is(&head, &row->calls))
		return false;
	sequence = head.sequence;
	for (unsigned int i = 0; i < WALK_MOST && offset < row->state.offset; i++) {
		offset += BLOCK_HEAD_BYTES + (uint64_t)head.stored_bytes;
		if (!head_at(x, offset, &head) || head.sequence != ++sequence ||
		    (offset < row->state.offset && (head.type == BLOCK_CALLS || head.type == BLOCK_STATE)))
			return false;
	}
	*out = (struct reader_place){.offset = offset, .sequence = sequence, .calls = row->before};
	return offset == row->state.offset && head_is(&head, &row->state) && state_is_whole(x, offset, &head);
}

bool
reader_index_find(const struct reader_file *file, struct codec *codec, uint64_t after, uint64_t from_ns,
		  struct reader_place *out)
{
	struct index x = {.file = file, .codec = codec};
	struct row row;
	const bool found = index_locate(&x) && index_choose(&x, after, from_ns, &row) &&
			   row_holds(&x, &row, out);

	buf_free(&x.tail);
	buf_free(&x.plain);
	return found;
}
