/* block_output.c - whole blocks on their way out: numbering, the index, failure for good */
#include "formats/block_output.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "formats/base/hash.h"
#include "formats/base/io.h"
#include "formats/record.h"

static uint64_t
session_new(uint64_t wanted)
{
	uint64_t session = wanted;

	while (session == 0) {
		if (getrandom(&session, sizeof(session), 0) != (ssize_t)sizeof(session))
			session = hash_seed();
	}
	return session;
}

bool
block_output_init(struct block_output *o, int level, uint64_t session)
{
	o->session = session_new(session);
	o->packer = codec_new(level);
	room_init(&o->room, o->keeps_room && !o->sink ? o->fd : -1);
	return o->packer != NULL;
}

void
block_output_fini(struct block_output *o)
{
	codec_free(o->packer);
	buf_free(&o->block);
	buf_free(&o->index);
}

void
block_output_restart(struct block_output *o, int fd)
{
	o->fd = fd;
	o->session = session_new(0);
	o->sequence = 0;
	o->epoch = 0;
	o->blocks = o->bytes = 0;
	o->n_tail = 0;
	room_init(&o->room, o->keeps_room && !o->sink ? fd : -1);
	buf_clear(&o->index);
	o->n_index = 0;
}

/* Where blocks of state and calls are. One that does not fit is left out. */
static void
index_add(struct block_output *o, const struct block_head *head)
{
	const struct rec_block_entry entry = {.offset = o->bytes, .type = head->type,
					      .epoch = head->epoch, .first_ns = head->first_ns,
					      .last_ns = head->last_ns, .count = head->count};

	if (o->n_index >= o->max_index || (head->type != BLOCK_STATE && head->type != BLOCK_CALLS))
		return;
	if (record_put(&o->index, REC_block_entry, &entry, NULL) == 0)
		o->n_index++;
}

/* Remembers a block that was written. What an epoch begins with stays in any case. */
static void
tail_add(struct block_output *o, const struct block_head *head)
{
	if (head->type == BLOCK_HEADER || head->type == BLOCK_STATE) {
		o->n_tail = 0;
		return;
	}
	if (o->n_tail == BLOCK_TAIL)
		memmove(o->tail, o->tail + 1, --o->n_tail * sizeof(o->tail[0]));
	o->tail[o->n_tail++] = (struct block_written){
		.at = o->bytes, .calls = head->type == BLOCK_CALLS ? head->count : 0};
}

/* Every block before this one is whole and can be read; what made it end there is up to the user. */
static int
write_failed(const struct block_output *o, int error)
{
	const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;

	if (error == EPIPE)
		return error_set(o->err, IOTAP_EPIPE, "writing: the reader has gone");
	return error_set(o->err, IOTAP_EIO, "writing at byte %llu: %s; what is before it can be read%s",
			 (unsigned long long)o->bytes, strerror(error),
			 full ? ": make room, or write elsewhere" : "");
}

/* Only the end may use up the room that is kept for it. */
static int
block_write_fd(struct block_output *o, const struct block_head *head)
{
	const bool is_end = o->gave_up || head->type == BLOCK_END;
	const int full = is_end ? 0 : room_make(&o->room, o->bytes, o->block.len);

	if (full)
		return write_failed(o, full);
	return io_write_all(o->fd, o->block.data, o->block.len) ? 0 : write_failed(o, errno);
}

/* Writes what is in o->block, whose header is head, in one piece. */
static int
block_write(struct block_output *o, const struct block_head *head)
{
	const int r = o->sink ? o->sink(o->sink_arg, head, o->block.data, o->block.len, o->err)
			      : block_write_fd(o, head);

	if (r < 0) {
		o->failed = true;
		o->err->code = r;
		return r;
	}
	index_add(o, head);
	tail_add(o, head);
	o->sequence++;
	o->blocks++;
	o->bytes += o->block.len;
	return 0;
}

static struct block_head
block_head_new(const struct block_output *o, enum block_type type)
{
	return (struct block_head){.type = (uint8_t)type, .sequence = o->sequence,
				   .session = o->session, .epoch = o->epoch};
}

int
block_output_records(struct block_output *o, enum block_type type, const struct block_records *records)
{
	struct block_head head = block_head_new(o, type);
	int r;

	head.count = records->n;
	head.first_ns = records->first_ns;
	head.last_ns = records->last_ns;
	buf_clear(&o->block);
	r = block_put(o->packer, type == BLOCK_HEADER ? CODEC_NONE : o->codec, &head, records->bytes.data,
		      records->bytes.len, &o->block, o->err);
	return r < 0 ? r : block_write(o, &head);
}

int
block_output_calls(struct block_output *o, struct call_encoder *calls)
{
	struct block_head head = block_head_new(o, BLOCK_CALLS);
	int r;

	buf_clear(&o->block);
	if (!buf_extend(&o->block, BLOCK_HEAD_BYTES))
		return error_set(o->err, IOTAP_ENOMEM, "writing: out of memory");
	r = call_encoder_finish(calls, o->packer, o->codec, &head, &o->block, o->err);
	if (r < 0)
		return r;
	block_head_put(o->block.data, &head);
	return block_write(o, &head);
}

int
block_output_index(struct block_output *o)
{
	const struct block_records index = {.bytes = o->index, .n = o->n_index};
	int r = 0;

	if (o->n_index > 0 && o->index.len <= BLOCK_PLAIN_MAX)
		r = block_output_records(o, BLOCK_INDEX, &index);
	buf_clear(&o->index);
	o->n_index = 0;
	return r;
}

void
block_output_end(struct block_output *o)
{
	room_release(&o->room);
}

bool
block_output_give_up(struct block_output *o)
{
	o->failed = false;
	o->gave_up = true;
	buf_clear(&o->index);
	o->n_index = o->max_index = 0;
	return room_cut(&o->room, o->bytes);
}

bool
block_output_take_back(struct block_output *o, uint32_t *calls)
{
	const struct block_written *const newest = o->tail + o->n_tail - 1;

	if (o->n_tail == 0)
		return false;
	*calls = newest->calls;
	o->bytes = newest->at;
	o->sequence--;
	o->blocks--;
	o->n_tail--;
	return true;
}
