/* call_encode.c - calls into columns, and columns into the payload of a CALLS block
 *
 * Each call is turned into one number per column, which is appended to that column's bytes as a varint
 * at once: nothing is kept of the call itself. The dictionaries grow on the way: a target is looked up
 * by id (or, when it has none, by device and inode), a thread by its two ids. A column whose values are
 * all 0 is left out. call_parts.h has the layout of the payload.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "formats/base/bytes.h"
#include "formats/base/hash.h"
#include "formats/call_block.h"
#include "formats/call_parts.h"

enum {
	N_TARGETS_MAX = 2 * CALL_BLOCK_MAX,	/* two targets a call */
	N_THREADS_MAX = CALL_BLOCK_MAX,
	TARGET_SLOTS = 4 * CALL_BLOCK_MAX,
	THREAD_SLOTS = 2 * CALL_BLOCK_MAX,
	COLUMN_ROOM = CALL_BLOCK_MAX * BYTES_VARINT_MAX,
	AHEAD = 8,				/* calls fetched before they are needed */
};

struct column {
	uint8_t *bytes;
	uint8_t *p;			/* where the next value goes */
	uint64_t any;			/* all values ored: 0 = leave it out */
};

/* Indices by hash: 0 = free, else 1 + index. slot_of lets a reset free the used ones only. */
struct dictionary {
	uint32_t *slots, *slot_of;
	uint32_t n_slots, n;
};

struct call_encoder {
	uint32_t n;
	uint64_t first_ns, last_ns, max_ns;
	uint64_t seed;
	struct column columns[COL_END];
	uint8_t *room;			/* of all columns */
	uint8_t *low_key, *low_duration;	/* their low bytes */
	uint32_t last_thread, last_target;	/* where the previous call was */
	uint32_t highest, highest2;	/* entries in columns target and target2 so far */
	struct dictionary by_target, by_thread;
	struct call_target *targets;
	struct call_thread *threads;
	int64_t *predicted;		/* by 1 + index of target; 0 = no target */
	struct buf scratch, plain;
};

static bool
dictionary_init(struct dictionary *d, uint32_t n_slots, uint32_t n_max)
{
	d->slots = calloc(n_slots, sizeof(*d->slots));
	d->slot_of = calloc(n_max, sizeof(*d->slot_of));
	d->n_slots = n_slots;
	return d->slots && d->slot_of;
}

static void
dictionary_fini(struct dictionary *d)
{
	free(d->slots);
	free(d->slot_of);
}

static void
dictionary_clear(struct dictionary *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->slots[d->slot_of[i]] = 0;
	d->n = 0;
}

static void
dictionary_add(struct dictionary *d, uint32_t slot)
{
	d->slot_of[d->n] = slot;
	d->slots[slot] = ++d->n;
}

struct call_encoder *
call_encoder_new(void)
{
	struct call_encoder *const e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->seed = hash_seed();
	e->room = malloc((size_t)COL_END * COLUMN_ROOM + 2 * CALL_BLOCK_MAX);
	e->targets = calloc(N_TARGETS_MAX, sizeof(*e->targets));
	e->threads = calloc(N_THREADS_MAX, sizeof(*e->threads));
	e->predicted = calloc(N_TARGETS_MAX + 1, sizeof(*e->predicted));
	if (!dictionary_init(&e->by_target, TARGET_SLOTS, N_TARGETS_MAX) ||
	    !dictionary_init(&e->by_thread, THREAD_SLOTS, N_THREADS_MAX) || !e->room ||
	    !e->targets || !e->threads || !e->predicted) {
		call_encoder_free(e);
		return NULL;
	}
	for (int i = 0; i < COL_END; i++)
		e->columns[i].p = e->columns[i].bytes = e->room + (size_t)i * COLUMN_ROOM;
	e->low_key = e->room + (size_t)COL_END * COLUMN_ROOM;
	e->low_duration = e->low_key + CALL_BLOCK_MAX;
	return e;
}

void
call_encoder_free(struct call_encoder *e)
{
	if (!e)
		return;
	dictionary_fini(&e->by_target);
	dictionary_fini(&e->by_thread);
	free(e->room);
	free(e->targets);
	free(e->threads);
	free(e->predicted);
	buf_free(&e->scratch);
	buf_free(&e->plain);
	free(e);
}

static void
call_encoder_clear(struct call_encoder *e)
{
	for (int i = 0; i < COL_END; i++) {
		e->columns[i].p = e->columns[i].bytes;
		e->columns[i].any = 0;
	}
	for (uint32_t i = 0; i <= e->by_target.n; i++)
		e->predicted[i] = 0;
	dictionary_clear(&e->by_target);
	dictionary_clear(&e->by_thread);
	e->highest = e->highest2 = 0;
	e->n = 0;
}

/* What the mode says of the kind, for a target whose definition nobody here has seen. */
static uint32_t
kind_of_mode(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case 0:
		return mode ? KR_KIND_ANON : KR_KIND_UNKNOWN;
	case S_IFSOCK:
		return KR_KIND_SOCKET;
	case S_IFIFO:
		return KR_KIND_PIPE;
	default:
		return KR_KIND_FILE;
	}
}

static bool
target_is(const struct call_target *t, uint64_t id, uint32_t dev, uint64_t ino)
{
	return t->id == id && (id != 0 || (t->dev == dev && t->ino == ino));
}

/* Where an entry is looked for first. Ids are given one after the other: neighbours stand beside each
 * other, where the cache has them. */
static uint32_t
target_slot(const struct call_encoder *e, uint64_t id, uint32_t dev, uint64_t ino)
{
	enum { BESIDE = 16 };		/* in one cache line */
	const uint64_t hash = id ? hash_u64(id / BESIDE, e->seed) * BESIDE + id % BESIDE
				 : hash_pair(dev, ino, e->seed);

	return (uint32_t)hash & (TARGET_SLOTS - 1);
}

/* 1 + index of the entry of id (0: of dev and ino), new or not. There is room for two a call. */
static uint32_t
target_index(struct call_encoder *e, uint64_t id, uint32_t dev, uint64_t ino)
{
	struct dictionary *const d = &e->by_target;
	uint32_t slot;

	if (e->last_target < d->n && target_is(&e->targets[e->last_target], id, dev, ino))
		return e->last_target + 1;
	slot = target_slot(e, id, dev, ino);
	while (d->slots[slot] && !target_is(&e->targets[d->slots[slot] - 1], id, dev, ino))
		slot = (slot + 1) & (TARGET_SLOTS - 1);
	if (!d->slots[slot]) {
		e->targets[d->n] = (struct call_target){.id = id, .dev = id ? 0 : dev, .ino = id ? 0 : ino};
		dictionary_add(d, slot);
	}
	e->last_target = d->slots[slot] - 1;
	return d->slots[slot];
}

/* The entry of a call's first target; learns device, inode and mode from the first call that has them. */
static uint32_t
target_of_call(struct call_encoder *e, const struct kr_call *c)
{
	uint32_t index;
	struct call_target *t;

	if (c->id == 0 && !(c->flags & KF_IDENTITY))
		return 0;
	index = target_index(e, c->id, c->dev, c->ino);
	t = &e->targets[index - 1];
	if ((c->flags & KF_IDENTITY) && t->mode == 0 && (t->id == 0 || (t->ino == 0 && t->dev == 0))) {
		t->dev = c->dev;
		t->ino = c->ino;
		t->mode = c->mode;
		if (t->kind == KR_KIND_UNKNOWN)
			t->kind = kind_of_mode(c->mode);
	}
	return index;
}

static bool
thread_is(const struct call_thread *t, uint32_t tid, uint32_t tgid)
{
	return t->tid == tid && t->tgid == tgid;
}

static uint32_t
thread_index(struct call_encoder *e, uint32_t tid, uint32_t tgid)
{
	struct dictionary *const d = &e->by_thread;
	uint32_t slot;

	if (e->last_thread < d->n && thread_is(&e->threads[e->last_thread], tid, tgid))
		return e->last_thread;
	slot = (uint32_t)hash_pair(tid, tgid, e->seed) & (THREAD_SLOTS - 1);
	while (d->slots[slot] && !thread_is(&e->threads[d->slots[slot] - 1], tid, tgid))
		slot = (slot + 1) & (THREAD_SLOTS - 1);
	if (!d->slots[slot]) {
		e->threads[d->n] = (struct call_thread){.tid = tid, .tgid = tgid};
		dictionary_add(d, slot);
	}
	e->last_thread = d->slots[slot] - 1;
	return e->last_thread;
}

/* The value of a target column: how far the entry is behind the next new one; *highest follows. */
static inline uint64_t
target_value(uint32_t entry, uint32_t *highest)
{
	const int64_t behind = (int64_t)*highest + 1 - (int64_t)entry;

	if (entry == 0)
		return 0;
	if (entry > *highest)
		*highest = entry;
	return 1 + bytes_zigzag(behind);
}

static inline void
column_put(struct column *col, uint64_t v)
{
	col->any |= v;
	if (v < 0x80)
		*col->p++ = (uint8_t)v;
	else
		col->p += bytes_varint_at(col->p, v);
}

/* columns.def: which calls have a value */
#define WHICH_ALL	1
#define WHICH_FD	(c->flags & KF_FD)
#define WHICH_REQUESTED	(c->flags & KF_REQUESTED)
#define WHICH_OFFSET	(c->flags & KF_OFFSET)
#define WHICH_SECOND	(c->flags & KF_SECOND)
#define WHICH_ARGS	(c->flags & KF_ARGS)

static void
call_put(struct call_encoder *e, const struct kr_call *c, uint32_t number)
{
	const uint32_t target = target_of_call(e, c);
	const int64_t moved = c->result > 0 ? c->result : 0;
	const uint64_t asked = c->flags & KF_REQUESTED ? c->requested : 0;
	const uint32_t target2 = (c->flags & KF_SECOND) && c->id2 ? target_index(e, c->id2, 0, 0) : 0;
	const uint64_t since = c->key_ns - e->last_ns;
	const uint64_t v[COL_END] = {
		[COL_key] = since >> 8,
		[COL_duration] = c->duration_ns >> 8,
		[COL_call] = c->call,
		[COL_flags] = c->flags,
		[COL_thread] = thread_index(e, c->tid, c->tgid),
		[COL_cpu] = c->cpu,
		[COL_fd] = bytes_zigzag(c->fd),
		[COL_target] = target_value(target, &e->highest),
		[COL_requested] = c->requested,
		[COL_result] = bytes_zigzag((int64_t)((uint64_t)c->result - asked)),
		[COL_offset] = bytes_zigzag((int64_t)((uint64_t)c->offset - (uint64_t)e->predicted[target])),
		[COL_fd2] = bytes_zigzag(c->fd2),
		[COL_target2] = target_value(target2, &e->highest2),
		[COL_arg0] = c->arg0,
		[COL_arg1] = c->arg1,
	};

#define COLUMN(id, name, which, how, text) \
	if (WHICH_##which) \
		column_put(&e->columns[id], v[id]);
#include "formats/columns.def"
#undef COLUMN
	e->low_key[number] = (uint8_t)since;
	e->low_duration[number] = (uint8_t)c->duration_ns;
	if (c->flags & KF_OFFSET)
		e->predicted[target] = (int64_t)((uint64_t)c->offset + (uint64_t)moved);
	e->last_ns = c->key_ns;
	if (c->key_ns > e->max_ns)
		e->max_ns = c->key_ns;
}

uint32_t
call_encoder_add(struct call_encoder *e, const struct kr_call *calls, uint32_t n)
{
	const uint32_t room = CALL_BLOCK_MAX - e->n;
	const uint32_t taken = n < room ? n : room;

	if (e->n == 0 && taken > 0)
		e->first_ns = e->last_ns = e->max_ns = calls[0].key_ns;
	for (uint32_t i = 0; i < taken; i++) {
		/* Two cache lines each: half of the time went into waiting for them. */
		if (i + AHEAD < taken) {
			__builtin_prefetch(&calls[i + AHEAD]);
			__builtin_prefetch(&calls[i + AHEAD].offset);
		}
		call_put(e, &calls[i], e->n + i);
	}
	e->n += taken;
	return taken;
}

uint32_t
call_encoder_count(const struct call_encoder *e)
{
	return e->n;
}

struct call_target *
call_encoder_targets(struct call_encoder *e, uint32_t *n)
{
	*n = e->by_target.n;
	return e->targets;
}

int
call_encoder_entry(struct call_encoder *e, const struct call_target *entry)
{
	const uint32_t before = e->by_target.n;
	uint32_t index;

	if (e->n > 0 || before >= CALL_BLOCK_MAX)
		return IOTAP_ELIMIT;
	index = target_index(e, entry->id, entry->dev, entry->ino);
	if (e->by_target.n > before)
		e->targets[index - 1] = *entry;
	return (int)index - 1;
}

static void
dictionaries_put(const struct call_encoder *e, struct buf *targets, struct buf *threads)
{
	uint64_t id = 0;
	uint32_t tid = 0;

	for (uint32_t i = 0; i < e->by_target.n; i++) {
		const struct call_target *const t = &e->targets[i];

		(void)bytes_put_zigzag(targets, (int64_t)(t->id - id));
		(void)bytes_put_varint(targets, t->kind);
		(void)bytes_put_varint(targets, t->dev);
		(void)bytes_put_varint(targets, t->ino);
		(void)bytes_put_varint(targets, t->mode);
		id = t->id;
	}
	for (uint32_t i = 0; i < e->by_thread.n; i++) {
		const struct call_thread *const t = &e->threads[i];

		(void)bytes_put_zigzag(threads, (int64_t)t->tid - (int64_t)tid);
		(void)bytes_put_zigzag(threads, (int64_t)t->tgid - (int64_t)t->tid);
		tid = t->tid;
	}
}

enum { N_PARTS = COL_END + 4 };	/* columns, dictionaries, low bytes */

struct part {			/* a column on its way out */
	uint8_t id;
	const uint8_t *p;
	size_t n;
};

/* The parts of a block, the dictionaries first: they lie in scratch. */
static int
parts_list(struct call_encoder *e, struct part parts[N_PARTS], struct iotap_error *err)
{
	struct buf threads = {0};
	int n = 0;
	size_t targets_bytes;

	buf_clear(&e->scratch);
	dictionaries_put(e, &e->scratch, &threads);
	targets_bytes = e->scratch.len;
	(void)buf_put(&e->scratch, threads.data, threads.len);
	if (!buf_ok(&threads) || !buf_ok(&e->scratch)) {
		buf_free(&threads);
		return error_set(err, IOTAP_ENOMEM, "a block of calls: out of memory");
	}
	if (targets_bytes > 0)
		parts[n++] = (struct part){COL_TARGETS, e->scratch.data, targets_bytes};
	if (threads.len > 0)
		parts[n++] = (struct part){COL_THREADS, e->scratch.data + targets_bytes, threads.len};
	buf_free(&threads);
	if (e->n > 0) {
		parts[n++] = (struct part){COL_key + COL_LOW, e->low_key, e->n};
		parts[n++] = (struct part){COL_duration + COL_LOW, e->low_duration, e->n};
	}
	for (int i = 1; i < COL_END; i++) {
		const struct column *const col = &e->columns[i];

		if (col->any)
			parts[n++] = (struct part){(uint8_t)i, col->bytes, (size_t)(col->p - col->bytes)};
	}
	return n;
}

static void
directory_set(uint8_t *at, const struct part *part, int codec, size_t stored)
{
	at[0] = part->id;
	at[1] = (uint8_t)codec;
	bytes_set_u32(at + 2, (uint32_t)stored);
	bytes_set_u32(at + 6, (uint32_t)part->n);
}

/* Each part its own frame. The codec of the block says whether any is compressed. */
static int
parts_put(struct codec *codec, enum block_codec want, const struct part *parts, int n,
	  size_t directory, struct buf *out, struct iotap_error *err)
{
	int any = CODEC_NONE;

	for (int i = 0; i < n; i++) {
		const size_t before = out->len;
		const int used = codec_pack(codec, want, parts[i].p, parts[i].n, out, err);

		if (used < 0)
			return used;
		directory_set(out->data + directory + (size_t)i * CALL_PARTS_ENTRY, &parts[i], used,
			      out->len - before);
		any = used > any ? used : any;
	}
	return any;
}

/* All parts in one frame, whose codec the block header has. */
static int
parts_put_joined(struct call_encoder *e, struct codec *codec, enum block_codec want,
		 const struct part *parts, int n, size_t directory, struct buf *out,
		 struct iotap_error *err)
{
	buf_clear(&e->plain);
	for (int i = 0; i < n; i++) {
		directory_set(out->data + directory + (size_t)i * CALL_PARTS_ENTRY, &parts[i], CODEC_NONE, 0);
		(void)buf_put(&e->plain, parts[i].p, parts[i].n);
	}
	if (!buf_ok(&e->plain))
		return error_set(err, IOTAP_ENOMEM, "a block of calls: out of memory");
	return codec_pack(codec, want, e->plain.data, e->plain.len, out, err);
}

static int
payload_put(struct call_encoder *e, struct codec *codec, enum block_codec want,
	    struct block_head *head, struct buf *out, struct iotap_error *err)
{
	const bool one_frame = e->n < CALL_BLOCK_ONE_FRAME_BELOW;
	struct part parts[N_PARTS];
	const int n = parts_list(e, parts, err);
	size_t directory;
	int used;

	if (n < 0)
		return n;
	(void)bytes_put_u32(out, e->by_target.n);
	(void)bytes_put_u32(out, e->by_thread.n);
	(void)bytes_put_u16(out, (uint16_t)n);
	directory = out->len;
	if (!buf_extend(out, (size_t)n * CALL_PARTS_ENTRY))
		return error_set(err, IOTAP_ENOMEM, "a block of calls: out of memory");
	used = one_frame ? parts_put_joined(e, codec, want, parts, n, directory, out, err) :
			   parts_put(codec, want, parts, n, directory, out, err);
	if (used < 0)
		return used;
	head->flags = one_frame ? BLOCK_ONE_FRAME : 0;
	head->codec = (uint8_t)used;
	head->plain_bytes = CALL_PARTS_FIXED + (uint32_t)n * CALL_PARTS_ENTRY;
	for (int i = 0; i < n; i++)
		head->plain_bytes += (uint32_t)parts[i].n;
	return 0;
}

int
call_encoder_finish(struct call_encoder *e, struct codec *codec, enum block_codec want,
		    struct block_head *head, struct buf *out, struct iotap_error *err)
{
	const size_t at = out->len;
	const int r = payload_put(e, codec, want, head, out, err);

	if (r == 0) {
		head->type = BLOCK_CALLS;
		head->count = e->n;
		head->first_ns = e->n ? e->first_ns : 0;
		head->last_ns = e->n ? e->max_ns : 0;
		head->stored_bytes = (uint32_t)(out->len - at);
		head->payload_crc = block_crc(out->data + at, head->stored_bytes);
	} else {
		out->len = at;
	}
	call_encoder_clear(e);
	return r;
}
