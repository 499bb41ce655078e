/* call_decode.c - the columns of a CALLS block into arrays, of the columns asked for
 *
 * Every number of the payload is hostile: sizes are compared with what is there before they are used,
 * indices with their dictionaries, values with the type they go into. Memory is bounded by the limits
 * of the block header.
 *
 * The varints of a column are spread into one array of 64 bits, and from there its values go into the
 * array of their type. Columns lean on others: flags say which calls have a value, result leans on
 * requested, offset on target and result.
 */
#include <stdlib.h>

#include "formats/base/bytes.h"
#include "formats/base/unix_time.h"
#include "formats/call_block.h"
#include "formats/call_parts.h"

struct call_decoder {
	struct call_parts parts;
	uint32_t n, cap;		/* calls */
	uint64_t first_ns;
	uint64_t *raw;			/* the column in work; all arrays of calls follow it in memory */
	uint64_t *key, *duration, *requested, *offset, *arg0, *arg1;
	int64_t *result;
	uint32_t *flags, *thread, *target, *target2;
	int32_t *fd, *fd2;
	uint16_t *call, *cpu;
	struct call_target *targets;
	int64_t *predicted;		/* by 1 + index of target */
	struct call_thread *threads;
	uint32_t n_targets, cap_targets, n_threads, cap_threads;
};

struct call_decoder *
call_decoder_new(void)
{
	struct call_decoder *const d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->parts.codec = codec_new(1);
	if (!d->parts.codec) {
		free(d);
		return NULL;
	}
	return d;
}

void
call_decoder_free(struct call_decoder *d)
{
	if (!d)
		return;
	codec_free(d->parts.codec);
	call_parts_fini(&d->parts);
	free(d->raw);
	free(d->targets);
	free(d->predicted);
	free(d->threads);
	free(d);
}

/* The arrays of calls lie behind each other in one piece of memory, the widest first. */
static bool
calls_room(struct call_decoder *d, uint32_t n)
{
	enum { WIDE = 8, MIDDLE = 6, NARROW = 2, LEAST = CALL_BLOCK_MAX / 16 };
	const size_t cap = n < LEAST ? LEAST : n;
	uint64_t *wide;

	if (d->cap >= n && d->raw)
		return true;
	wide = calloc(cap, WIDE * sizeof(uint64_t) + MIDDLE * sizeof(uint32_t) + NARROW * sizeof(uint16_t));
	if (!wide)
		return false;
	free(d->raw);
	d->cap = (uint32_t)cap;
	d->raw = wide;
	d->key = wide + cap;
	d->duration = wide + 2 * cap;
	d->requested = wide + 3 * cap;
	d->offset = wide + 4 * cap;
	d->arg0 = wide + 5 * cap;
	d->arg1 = wide + 6 * cap;
	d->result = (int64_t *)(wide + 7 * cap);
	d->flags = (uint32_t *)(wide + WIDE * cap);
	d->thread = d->flags + cap;
	d->target = d->flags + 2 * cap;
	d->target2 = d->flags + 3 * cap;
	d->fd = (int32_t *)(d->flags + 4 * cap);
	d->fd2 = (int32_t *)(d->flags + 5 * cap);
	d->call = (uint16_t *)(d->flags + MIDDLE * cap);
	d->cpu = d->call + cap;
	return true;
}

/* Room for n targets, one prediction more, and n threads. */
static bool
dictionaries_room(struct call_decoder *d)
{
	if (d->n_targets >= d->cap_targets) {
		const uint32_t cap = d->n_targets + 64;

		free(d->targets);
		free(d->predicted);
		d->targets = calloc(cap, sizeof(*d->targets));
		d->predicted = calloc(cap, sizeof(*d->predicted));
		d->cap_targets = d->targets && d->predicted ? cap : 0;
	}
	if (d->n_threads >= d->cap_threads) {
		const uint32_t cap = d->n_threads + 64;

		free(d->threads);
		d->threads = calloc(cap, sizeof(*d->threads));
		d->cap_threads = d->threads ? cap : 0;
	}
	return d->cap_targets > 0 && d->cap_threads > 0;
}

/* Bytes that an entry has at least: one a number. */
enum { TARGET_MIN = 5, THREAD_MIN = 2 };

/* Compares what the dictionaries are said to hold with their bytes, before memory is asked for. */
static int
dictionaries_check(struct call_decoder *d, struct iotap_error *err)
{
	d->n_targets = d->parts.n_targets;
	d->n_threads = d->parts.n_threads;
	if ((uint64_t)d->n_targets * TARGET_MIN > d->parts.part[COL_TARGETS].plain ||
	    (uint64_t)d->n_threads * THREAD_MIN > d->parts.part[COL_THREADS].plain)
		return error_set(err, IOTAP_ECORRUPT, "a dictionary has fewer entries than it says");
	if (!calls_room(d, d->n) || !dictionaries_room(d))
		return error_set(err, IOTAP_ENOMEM, "%u calls, %u targets: out of memory", d->n, d->n_targets);
	return 0;
}

static int
targets_get(struct call_decoder *d, struct iotap_error *err)
{
	struct bytes_in in;
	uint64_t id = 0, all = 0;
	const int r = call_parts_plain(&d->parts, COL_TARGETS, &in, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < d->n_targets; i++) {
		const uint64_t delta = (uint64_t)bytes_get_zigzag(&in);
		const uint64_t kind = bytes_get_varint(&in);
		const uint64_t dev = bytes_get_varint(&in);
		const uint64_t ino = bytes_get_varint(&in);
		const uint64_t mode = bytes_get_varint(&in);

		all |= kind | dev | mode;
		id += delta;
		d->targets[i] = (struct call_target){.id = id, .ino = ino, .dev = (uint32_t)dev,
						     .mode = (uint32_t)mode, .kind = (uint32_t)kind};
	}
	if (!bytes_done(&in) || all > UINT32_MAX)
		return error_set(err, IOTAP_ECORRUPT, "bad dictionary of targets");
	return 0;
}

static int
threads_get(struct call_decoder *d, struct iotap_error *err)
{
	struct bytes_in in;
	uint32_t tid = 0;
	const int r = call_parts_plain(&d->parts, COL_THREADS, &in, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < d->n_threads; i++) {
		tid += (uint32_t)bytes_get_zigzag(&in);
		d->threads[i].tid = tid;
		d->threads[i].tgid = tid + (uint32_t)bytes_get_zigzag(&in);
	}
	return bytes_done(&in) ? 0 : error_set(err, IOTAP_ECORRUPT, "bad dictionary of threads");
}

/* The m values of a column into raw: zeros if it is not there. */
static int
column_raw(struct call_decoder *d, int id, uint32_t m, struct iotap_error *err)
{
	const struct call_part *const part = &d->parts.part[id];
	struct bytes_in in;
	int r;

	if (part->plain == 0) {
		memset(d->raw, 0, m * sizeof(*d->raw));
		return 0;
	}
	if (part->plain < m)
		return error_set(err, IOTAP_ECORRUPT, "column %d has fewer values than calls", id);
	r = call_parts_plain(&d->parts, (uint8_t)id, &in, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < m; i++) {
		if (in.p < in.end && *in.p < 0x80)
			d->raw[i] = *in.p++;
		else
			d->raw[i] = bytes_get_varint(&in);
	}
	if (!bytes_done(&in))
		return error_set(err, IOTAP_ECORRUPT, "column %d has bad values", id);
	return 0;
}

/* Adds the low bytes of a split column to raw. */
static int
column_raw_low(struct call_decoder *d, int id, struct iotap_error *err)
{
	const uint8_t low = (uint8_t)(COL_LOW + id);
	uint64_t all = 0;
	struct bytes_in in;
	int r;

	for (uint32_t i = 0; i < d->n; i++) {
		all |= d->raw[i];
		d->raw[i] <<= 8;
	}
	if (all >> 56)
		return error_set(err, IOTAP_ECORRUPT, "column %d has a value over its limit", id);
	if (d->parts.part[low].plain == 0)
		return 0;
	if (d->parts.part[low].plain != d->n)
		return error_set(err, IOTAP_ECORRUPT, "column %d has not one value for each call", low);
	r = call_parts_plain(&d->parts, low, &in, err);
	for (uint32_t i = 0; r == 0 && i < d->n; i++)
		d->raw[i] |= in.p[i];
	return r;
}

/* What follows takes the values of one column from raw. IOTAP_ECORRUPT: one is over its limit. */

static int
get_key(struct call_decoder *d)
{
	uint64_t at = d->first_ns;

	for (uint32_t i = 0; i < d->n; i++)
		d->key[i] = at += d->raw[i];
	return 0;
}

static int
get_duration(struct call_decoder *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->duration[i] = d->flags[i] & (KF_BEFORE | KF_PHANTOM | KF_UNTIMED) ? UINT64_MAX : d->raw[i];
	return 0;
}

static int
get_u16(const struct call_decoder *d, uint16_t *out)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		all |= d->raw[i];
		out[i] = (uint16_t)d->raw[i];
	}
	return all > UINT16_MAX ? IOTAP_ECORRUPT : 0;
}

static int
get_flags(struct call_decoder *d)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		all |= d->raw[i];
		d->flags[i] = (uint32_t)d->raw[i];
	}
	return all > UINT32_MAX ? IOTAP_ECORRUPT : 0;
}

static int
get_thread(struct call_decoder *d)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		most = d->raw[i] > most ? d->raw[i] : most;
		d->thread[i] = (uint32_t)d->raw[i];
	}
	return d->n > 0 && most >= d->n_threads ? IOTAP_ECORRUPT : 0;
}

/* Values of the calls with a flag (0 = all) that are targets, counted back from the next new one. */
static int
get_target(const struct call_decoder *d, uint32_t flag, uint32_t *out)
{
	uint64_t highest = 0;
	uint32_t k = 0;
	bool bad = false;

	for (uint32_t i = 0; i < d->n; i++) {
		const uint64_t v = !flag || (d->flags[i] & flag) ? d->raw[k++] : 0;
		const uint64_t entry = v ? highest + 1 - (uint64_t)bytes_unzigzag(v - 1) : 0;

		bad |= entry > d->n_targets || (v && !entry);
		highest = entry > highest ? entry : highest;
		out[i] = (uint32_t)entry;
	}
	return bad ? IOTAP_ECORRUPT : 0;
}

static int
get_fd(const struct call_decoder *d, uint32_t which, int32_t *out)
{
	uint32_t k = 0;
	bool bad = false;

	for (uint32_t i = 0; i < d->n; i++) {
		const int64_t v = d->flags[i] & which ? bytes_unzigzag(d->raw[k++]) : -1;

		bad |= v < INT32_MIN || v > INT32_MAX;
		out[i] = (int32_t)v;
	}
	return bad ? IOTAP_ECORRUPT : 0;
}

static int
get_u64(const struct call_decoder *d, uint32_t which, uint64_t *out)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < d->n; i++)
		out[i] = d->flags[i] & which ? d->raw[k++] : UINT64_MAX;
	return 0;
}

static int
get_result(struct call_decoder *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const uint64_t asked = d->flags[i] & KF_REQUESTED ? d->requested[i] : 0;

		d->result[i] = (int64_t)((uint64_t)bytes_unzigzag(d->raw[i]) + asked);
	}
	return 0;
}

static int
get_offset(struct call_decoder *d)
{
	uint32_t k = 0;

	memset(d->predicted, 0, ((size_t)d->n_targets + 1) * sizeof(*d->predicted));
	for (uint32_t i = 0; i < d->n; i++) {
		int64_t *const predicted = &d->predicted[d->target[i]];
		const uint64_t moved = d->result[i] > 0 ? (uint64_t)d->result[i] : 0;

		if (!(d->flags[i] & KF_OFFSET)) {
			d->offset[i] = UINT64_MAX;
			continue;
		}
		d->offset[i] = (uint64_t)*predicted + (uint64_t)bytes_unzigzag(d->raw[k++]);
		*predicted = (int64_t)(d->offset[i] + moved);
	}
	return 0;
}

static int
column_get(struct call_decoder *d, int id)
{
	switch ((enum call_column)id) {
	case COL_key:
		return get_key(d);
	case COL_duration:
		return get_duration(d);
	case COL_call:
		return get_u16(d, d->call);
	case COL_flags:
		return get_flags(d);
	case COL_thread:
		return get_thread(d);
	case COL_cpu:
		return get_u16(d, d->cpu);
	case COL_fd:
		return get_fd(d, KF_FD, d->fd);
	case COL_target:
		return get_target(d, 0, d->target);
	case COL_requested:
		return get_u64(d, KF_REQUESTED, d->requested);
	case COL_result:
		return get_result(d);
	case COL_offset:
		return get_offset(d);
	case COL_fd2:
		return get_fd(d, KF_SECOND, d->fd2);
	case COL_target2:
		return get_target(d, KF_SECOND, d->target2);
	case COL_arg0:
		return get_u64(d, KF_ARGS, d->arg0);
	case COL_arg1:
		return get_u64(d, KF_ARGS, d->arg1);
	case COL_END:
		break;
	}
	return IOTAP_ECORRUPT;
}

#define KF_ALL 0u
static const uint32_t which[COL_END] = {
#define COLUMN(id, name, which, how, text) [id] = KF_##which,
#include "formats/columns.def"
#undef COLUMN
};

enum { HOW_TIME = 1, HOW_SPLIT = 1, HOW_U = 0, HOW_I = 0, HOW_THREAD = 0, HOW_TARGET = 0, HOW_OFFSET = 0,
       HOW_RESULT = 0 };
static const bool is_split[COL_END] = {
#define COLUMN(id, name, which, how, text) [id] = HOW_##how,
#include "formats/columns.def"
#undef COLUMN
};

static uint32_t
with_needed(uint32_t columns)
{
	uint32_t need = columns & COL_ALL;

	if (need & COL_BIT(offset))
		need |= COL_BIT(target) | COL_BIT(result);
	if (need & COL_BIT(result))
		need |= COL_BIT(requested);
	if (need & COL_BIT(duration))
		need |= COL_BIT(flags);
	for (int id = 1; id < COL_END; id++) {
		if ((need & 1u << id) && which[id])
			need |= COL_BIT(flags);
	}
	return need;
}

static uint32_t
calls_with(const struct call_decoder *d, uint32_t flag)
{
	uint32_t m = 0;

	if (!flag)
		return d->n;
	for (uint32_t i = 0; i < d->n; i++)
		m += (d->flags[i] & flag) != 0;
	return m;
}

/* flags first, then in the order of ids, in which no column leans on a later one. */
static int
columns_get(struct call_decoder *d, uint32_t columns, struct iotap_error *err)
{
	for (int step = 0; step < COL_END; step++) {
		const int id = step == 0 ? COL_flags : step;
		int r;

		if (!(columns & 1u << id) || (step > 0 && id == COL_flags))
			continue;
		r = column_raw(d, id, calls_with(d, which[id]), err);
		if (r == 0 && is_split[id])
			r = column_raw_low(d, id, err);
		if (r < 0)
			return r;
		if (column_get(d, id) < 0)
			return error_set(err, IOTAP_ECORRUPT, "column %d has a value over its limit", id);
	}
	return 0;
}

#define IF_THERE(name) (columns & COL_BIT(name) ? d->name : NULL)

static struct call_columns
columns_made(const struct call_decoder *d, uint32_t columns)
{
	return (struct call_columns){
		.n = d->n,
		.columns = columns,
		.key = IF_THERE(key),
		.duration = IF_THERE(duration),
		.call = IF_THERE(call),
		.flags = IF_THERE(flags),
		.thread = IF_THERE(thread),
		.cpu = IF_THERE(cpu),
		.fd = IF_THERE(fd),
		.fd2 = IF_THERE(fd2),
		.target = IF_THERE(target),
		.target2 = IF_THERE(target2),
		.requested = IF_THERE(requested),
		.result = IF_THERE(result),
		.offset = IF_THERE(offset),
		.arg0 = IF_THERE(arg0),
		.arg1 = IF_THERE(arg1),
		.threads = d->threads,
		.n_threads = d->n_threads,
		.targets = d->targets,
		.n_targets = d->n_targets,
	};
}

bool
call_columns_fit(const struct call_columns *c, uint64_t unix_offset_ns)
{
	uint64_t lowest = UINT64_MAX;
	uint64_t highest = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		lowest = c->key[i] < lowest ? c->key[i] : lowest;
		highest = c->key[i] > highest ? c->key[i] : highest;
	}
	return c->n == 0 || unix_time_fits(lowest, highest, unix_offset_ns);
}

int
call_decoder_block(struct call_decoder *d, const struct block_head *head, const uint8_t *stored,
		   uint32_t columns, struct call_columns *out, struct iotap_error *err)
{
	const uint32_t wanted = with_needed(columns);
	int r = call_parts_get(&d->parts, head, stored, err);

	if (r < 0)
		return r;
	d->n = head->count;
	d->first_ns = head->first_ns;
	r = dictionaries_check(d, err);
	if (r == 0)
		r = targets_get(d, err);
	if (r == 0)
		r = threads_get(d, err);
	if (r == 0)
		r = columns_get(d, wanted, err);
	if (r == 0)
		*out = columns_made(d, wanted);
	return r;
}

static uint64_t
known_u64(uint64_t v)
{
	return v == UINT64_MAX ? 0 : v;
}

void
call_columns_row(const struct call_columns *c, uint32_t i, struct kr_call *out)
{
	const struct call_thread *const thread = &c->threads[c->thread[i]];
	const struct call_target *const target = c->target[i] ? &c->targets[c->target[i] - 1] : NULL;
	const uint64_t duration = c->duration[i];

	*out = (struct kr_call){
		.key_ns = c->key[i],
		.start_ns = duration == UINT64_MAX ? 0 : c->key[i] - duration,
		.duration_ns = known_u64(duration),
		.tid = thread->tid,
		.tgid = thread->tgid,
		.call = c->call[i],
		.cpu = c->cpu[i],
		.flags = c->flags[i],
		.fd = c->fd[i],
		.fd2 = c->fd2[i],
		.id = target ? target->id : 0,
		.id2 = c->target2[i] ? c->targets[c->target2[i] - 1].id : 0,
		.offset = c->flags[i] & KF_OFFSET ? (int64_t)c->offset[i] : 0,
		.requested = c->flags[i] & KF_REQUESTED ? c->requested[i] : 0,
		.result = c->result[i],
		.dev = target ? target->dev : 0,
		.mode = target ? target->mode : 0,
		.ino = target ? target->ino : 0,
		.arg0 = c->flags[i] & KF_ARGS ? c->arg0[i] : 0,
		.arg1 = c->flags[i] & KF_ARGS ? c->arg1[i] : 0,
	};
}
