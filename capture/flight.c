/* flight.c - the flight recorder: the latest blocks of a recording, kept in memory
 *
 * A list of blocks as they came. An epoch refers to nothing outside (iotap-recording(5)), so the oldest
 * may go whole; sequence and epoch stand in the header of a block alone, whose crc32 is its own.
 */
#include "capture/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/io.h"
#include "formats/record.h"

struct kept {
	struct kept *next;
	struct block_head head;
	uint32_t n;
	uint8_t bytes[];
};

struct flight {
	struct kept *header;		/* NULL = none yet */
	struct kept *first, **last;	/* from a STATE block on */
	uint64_t bytes, max_bytes;
	uint64_t epoch_bytes;		/* of the newest epoch */
	bool skips;			/* an epoch was too large: nothing is kept until the next begins */
};

struct flight *
flight_new(uint64_t max_bytes)
{
	struct flight *const f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->last = &f->first;
	f->max_bytes = max_bytes;
	return f;
}

static void
drop_first(struct flight *f)
{
	struct kept *const k = f->first;

	f->first = k->next;
	if (!f->first)
		f->last = &f->first;
	f->bytes -= sizeof(*k) + k->n;
	free(k);
}

static void
clear(struct flight *f)
{
	while (f->first)
		drop_first(f);
	free(f->header);
	f->header = NULL;
	f->bytes = f->epoch_bytes = 0;
	f->skips = false;
}

void
flight_free(struct flight *f)
{
	if (!f)
		return;
	clear(f);
	free(f);
}

static void
drop_oldest_epoch(struct flight *f)
{
	do
		drop_first(f);
	while (f->first && f->first->head.type != BLOCK_STATE);
	if (!f->first) {
		f->epoch_bytes = 0;
		f->skips = true;
	}
}

/* The end block is kept in any case: without it there is no recording. */
static bool
is_of_use(const struct flight *f, const struct block_head *head)
{
	return head->type == BLOCK_STATE || head->type == BLOCK_END || !f->skips;
}

int
flight_sink(void *arg, const struct block_head *head, const void *block, size_t n,
	    struct iotap_error *err)
{
	struct flight *const f = arg;
	struct kept *k;

	if (head->type == BLOCK_HEADER)
		clear(f);
	if (head->type == BLOCK_STATE) {
		f->skips = false;
		f->epoch_bytes = 0;
	}
	if (!is_of_use(f, head))
		return 0;
	k = malloc(sizeof(*k) + n);
	if (!k)
		return error_set(err, IOTAP_ENOMEM, "flight recorder: out of memory");
	*k = (struct kept){.head = *head, .n = (uint32_t)n};
	memcpy(k->bytes, block, n);
	f->bytes += sizeof(*k) + n;
	if (head->type == BLOCK_HEADER) {
		f->header = k;
		return 0;
	}
	*f->last = k;
	f->last = &k->next;
	f->epoch_bytes += sizeof(*k) + n;
	while (f->bytes > f->max_bytes && f->first && f->first->head.type == BLOCK_STATE &&
	       head->type != BLOCK_END)
		drop_oldest_epoch(f);
	return 0;
}

bool
flight_wants_epoch(const struct flight *f)
{
	return f->skips || f->epoch_bytes >= f->max_bytes / FLIGHT_EPOCHS;
}

uint64_t
flight_bytes(const struct flight *f)
{
	return f->bytes;
}

bool
flight_shorten(struct flight *f)
{
	const struct kept *k = f->first ? f->first->next : NULL;

	while (k && k->head.type != BLOCK_STATE)
		k = k->next;
	if (!k)
		return false;
	drop_oldest_epoch(f);
	return true;
}

static int
write_block(int fd, struct kept *k, uint64_t sequence, uint32_t epoch, struct iotap_error *err)
{
	k->head.sequence = sequence;
	k->head.epoch = epoch;
	block_head_put(k->bytes, &k->head);
	return io_write_all(fd, k->bytes, k->n) ? 0
						: error_errno(err, IOTAP_EIO, errno, "flight recorder");
}

/* Copies the records of the end block, with the right numbers in its end record. */
static int
end_records(const uint8_t *plain, uint32_t n, uint64_t calls, uint64_t blocks, struct buf *out,
	    struct iotap_error *err)
{
	struct bytes_in in = bytes_in(plain, n);
	struct record rec;
	int r;

	while ((r = record_next(&in, &rec, err)) == 0) {
		if (rec.type == REC_end) {
			rec.u.end.calls = calls;
			rec.u.end.blocks = blocks;
		}
		r = record_put(out, (enum rec_type)rec.type, &rec.u, err);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int
write_end(int fd, const struct kept *k, uint64_t calls, uint64_t sequence, uint32_t epoch,
	  struct iotap_error *err)
{
	struct codec *const codec = codec_new(1);
	struct block_head head = k->head;
	struct buf scratch = {0}, plain = {0}, block = {0};
	const uint8_t *p;
	int r = codec ? 0 : error_set(err, IOTAP_ENOMEM, "flight recorder: out of memory");

	head.sequence = sequence;
	head.epoch = epoch;
	if (r == 0)
		r = block_plain(codec, &head, k->bytes + BLOCK_HEAD_BYTES, &scratch, &p, err);
	if (r == 0)
		r = end_records(p, head.plain_bytes, calls, sequence + 1, &plain, err);
	if (r == 0)
		r = block_put(codec, CODEC_NONE, &head, plain.data, plain.len, &block, err);
	if (r == 0 && !io_write_all(fd, block.data, block.len))
		r = error_errno(err, IOTAP_EIO, errno, "flight recorder");
	buf_free(&scratch);
	buf_free(&plain);
	buf_free(&block);
	codec_free(codec);
	return r;
}

int
flight_write(struct flight *f, int fd, struct iotap_error *err)
{
	uint64_t sequence = 1, calls = 0;
	uint32_t epoch = 0;
	int r = f->header ? write_block(fd, f->header, 0, 0, err)
			  : error_set(err, IOTAP_EUSAGE, "flight recorder: nothing was taken");

	for (struct kept *k = f->first; r == 0 && k; k = k->next, sequence++) {
		epoch += k->head.type == BLOCK_STATE;
		calls += k->head.type == BLOCK_CALLS ? k->head.count : 0;
		r = k->head.type == BLOCK_END ? write_end(fd, k, calls, sequence, epoch, err)
					      : write_block(fd, k, sequence, epoch, err);
	}
	clear(f);
	return r;
}
