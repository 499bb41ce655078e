/* tally.c - the running sums that a summary shows
 *
 * A target remembers its row, so that a call costs a few additions. Rows are found by a seeded hash of
 * class and key; the next number is tried when two keys share one. What a peer's row counts as its
 * connections are the distinct local ends seen with it, in one bounded set for all rows.
 */
#include "decode/tally.h"

#include <stdlib.h>
#include <string.h>

#include "decode/amount.h"
#include "decode/notice.h"
#include "decode/tally_parts.h"
#include "formats/base/array.h"
#include "formats/base/hash.h"
#include "formats/error.h"

struct tally *
tally_new(size_t max_rows)
{
	struct tally *const t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->max_rows = max_rows > 0 ? max_rows : TALLY_ROWS;
	t->seed = hash_seed();
	map_init(&t->by_key, t->seed, 0);
	map_init(&t->connections, t->seed, CONNECTIONS_MAX);
	map_init(&t->by_aggregate, t->seed, 0);
	map_init(&t->by_blind, t->seed, 0);
	for (size_t i = 0; i < KR_MAX_CALLS; i++)
		t->ops[i].call = (uint16_t)i;
	return t;
}

void
tally_free(struct tally *t)
{
	if (!t)
		return;
	while (t->chunks) {
		struct tally_chunk *const next = t->chunks->next;

		free(t->chunks);
		t->chunks = next;
	}
	for (size_t i = 0; i < N_CLASSES; i++)
		free(t->rest_target[i]);
	free(t->rows);
	free(t->aggregates);
	free(t->sorted);
	free(t->sorted_ops);
	free(t->sorted_interfaces);
	map_fini(&t->by_key);
	map_fini(&t->connections);
	map_fini(&t->by_aggregate);
	tally_servers_fini(t);
	tally_mapped_fini(t);
	tally_shared_fini(t);
	tally_blind_fini(t);
	free(t);
}

/* -- rows -- */

static bool
row_is_of(const struct iotap_row *row, const struct iotap_target *target)
{
	return row->klass == target->klass && row->target->key_len == target->key_len &&
	       memcmp(row->target->key, target->key, target->key_len) == 0;
}

/* The row of a target's key: its index, or SIZE_MAX; then *hash is where it would be entered. */
static size_t
tally_find(const struct tally *t, const struct iotap_target *target, uint64_t *hash)
{
	*hash = hash_bytes(target->key, target->key_len, t->seed + target->klass);
	for (;; ++*hash) {
		const uint64_t *const row = map_find(&t->by_key, *hash);

		if (!row)
			return SIZE_MAX;
		if (row_is_of(&t->rows[*row], target))
			return *row;
	}
}

static bool
tally_grow(struct tally *t)
{
	struct iotap_row *const rows = array_room(t->rows, t->n_rows, &t->cap_rows, sizeof(*rows), 256);

	if (rows)
		t->rows = rows;
	return rows;
}

static void *
tally_memory(struct tally *t, size_t n)
{
	struct tally_chunk *chunk = t->chunks;

	n = (n + 7) & ~(size_t)7;
	if (!chunk || chunk->size - chunk->used < n) {
		const size_t size = n > CHUNK_BYTES ? n : CHUNK_BYTES;

		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct tally_chunk){.next = t->chunks, .size = size};
		t->chunks = chunk;
	}
	chunk->used += n;
	return chunk->bytes + chunk->used - n;
}

/* A new row; SIZE_MAX = out of memory. */
static size_t
tally_enter(struct tally *t, const struct iotap_target *target, uint64_t hash)
{
	void *memory;

	if (!tally_grow(t))
		return SIZE_MAX;
	memory = tally_memory(t, target_copy_size(target));
	if (!memory || !map_put(&t->by_key, hash, t->n_rows))
		return SIZE_MAX;
	t->rows[t->n_rows] = (struct iotap_row){.target = target_copy(target, memory), .klass = target->klass};
	return t->n_rows++;
}

/* The row that sums what found no room in its class. */
static struct iotap_row *
tally_rest(struct tally *t, enum iotap_class klass)
{
	static const char text[] = "<targets beyond the limit>";
	struct target *target = t->rest_target[klass];

	if (target)
		return &t->rest[klass];
	target = calloc(1, sizeof(*target) + sizeof(text));
	if (!target)
		return NULL;
	memcpy(target->strings, text, sizeof(text));
	target->pub.klass = klass;
	target->pub.text = target->pub.key = target->strings;
	target->pub.text_len = target->pub.key_len = sizeof(text) - 1;
	t->rest_target[klass] = target;
	t->rest[klass] = (struct iotap_row){.target = &target->pub, .klass = klass};
	return &t->rest[klass];
}

/* Counts the target's local end as a connection of its row, once. When the set is full, later ones are
 * not counted: the number is then too small, never too large. False = out of memory. */
static bool
tally_connection(struct tally *t, struct iotap_row *row, const struct iotap_target *target)
{
	uint64_t end;

	if (target->kind != IOTAP_KIND_SOCKET || target->remote_len == 0 || target->local_len == 0)
		return true;
	end = hash_pair(hash_bytes(target->local, target->local_len, t->seed), target->local_port,
			t->seed);
	end = hash_pair(end, (uint64_t)(row - t->rows), t->seed);
	if (map_find(&t->connections, end))
		return true;
	if (!map_put(&t->connections, end, 1))
		return t->connections.n >= t->connections.limit;
	tally_add(&row->connections, 1);
	return true;
}

/* The row of a target, which remembers it. NULL = out of memory. The notes in a target are ours to
 * write: see target.h. */
static struct iotap_row *
tally_row(struct tally *t, const struct iotap_target *pub)
{
	struct target *const target = (struct target *)(uintptr_t)pub;
	size_t row;
	uint64_t hash;

	if (target->row > 0)
		return &t->rows[target->row - 1];
	if (target->refused)		/* no room then, none now */
		return tally_rest(t, pub->klass);
	row = tally_find(t, pub, &hash);
	if (row == SIZE_MAX && t->n_rows >= t->max_rows) {
		t->sums.rows_refused += !target->refused;
		target->refused = true;
		return tally_rest(t, pub->klass);
	}
	if (row == SIZE_MAX)
		row = tally_enter(t, pub, hash);
	if (row == SIZE_MAX)
		return NULL;
	target->row = (uint32_t)row + 1;
	tally_add(&t->rows[row].ops, target->ops);
	return tally_connection(t, &t->rows[row], pub) ? &t->rows[row] : NULL;
}

/* -- interfaces -- */

struct tally_interface *
tally_interface_named(struct tally *t, const char *name, uint16_t *number)
{
	for (size_t i = 0; i < t->n_interfaces; i++) {
		if (strcmp(t->interfaces[i].name, name) == 0) {
			*number = (uint16_t)(i + 1);
			return &t->interfaces[i];
		}
	}
	if (t->n_interfaces >= INTERFACES_MAX - 1 && strcmp(name, "?") != 0)
		return tally_interface_named(t, "?", number);
	strncpy(t->interfaces[t->n_interfaces].name, name, sizeof(t->interfaces[0].name) - 1);
	*number = (uint16_t)++t->n_interfaces;
	return &t->interfaces[t->n_interfaces - 1];
}

static struct tally_interface *
tally_interface(struct tally *t, const struct iotap_target *pub)
{
	struct target *const target = (struct target *)(uintptr_t)pub;

	if (target->interface > 0)
		return &t->interfaces[target->interface - 1];
	return tally_interface_named(t, pub->device ? pub->device : "", &target->interface);
}

/* -- calls -- */

void
tally_sum_add(struct iotap_sum *sum, const struct tally_amount *a)
{
	tally_add(&sum->bytes, a->bytes);
	tally_add(&sum->calls, a->calls);
}

static void
row_add(struct iotap_row *row, const struct tally_amount *a)
{
	tally_sum_add(a->dir == DIR_READ ? &row->read : &row->write, a);
	tally_add(&row->errors, a->errors);
	tally_add(&row->messages, a->messages);
	tally_add(&row->unsized_calls, a->unsized);
	tally_add(&row->latency_ns, a->latency_ns);
	if (a->latency_max_ns > row->latency_max_ns)
		row->latency_max_ns = a->latency_max_ns;
}

int
tally_moved(struct tally *t, const struct iotap_target *target, const struct tally_amount *a)
{
	struct iotap_row *const row = tally_row(t, target);

	if (!row)
		return IOTAP_ENOMEM;
	row_add(row, a);
	tally_sum_add(a->dir == DIR_READ ? &t->sums.read[target->klass] : &t->sums.write[target->klass], a);
	tally_add(&t->sums.events, a->calls);
	tally_add(&t->sums.errors, a->errors);
	if (target->klass == IOTAP_CLASS_NETWORK) {
		struct tally_interface *const interface = tally_interface(t, target);

		tally_sum_add(a->dir == DIR_READ ? &interface->read : &interface->write, a);
	}
	return 0;
}

void
tally_op(struct tally *t, unsigned int call, const struct tally_amount *a)
{
	struct iotap_op_row *const op = &t->ops[call < KR_MAX_CALLS ? call : 0];

	tally_add(&op->calls, a->calls);
	tally_add(&op->errors, a->errors);
	tally_add(&op->latency_ns, a->latency_ns);
	tally_add(&t->sums.ops, a->calls);
	tally_add(&t->sums.op_errors, a->errors);
}

/* Of row i of a batch. Messages whose bytes nobody counted are told as messages, not as calls of unknown
 * size. */
static struct tally_amount
amount_of(const struct iotap_batch *b, uint32_t i, const struct call_spec *spec)
{
	const bool failed = amount_failed(spec, b->flags[i], b->result[i]);
	struct tally_amount a = {.dir = (enum call_dir)spec->dir, .calls = 1, .errors = failed};
	const uint64_t messages = amount_messages(spec, b->flags[i], b->result[i]);

	if (b->duration_ns[i] != IOTAP_UNKNOWN)
		a.latency_ns = a.latency_max_ns = b->duration_ns[i];
	if (failed)
		return a;
	if (b->bytes[i] != IOTAP_UNKNOWN)
		a.bytes = b->bytes[i];
	if (messages != IOTAP_UNKNOWN)
		a.messages = messages;
	a.unsized = b->bytes[i] == IOTAP_UNKNOWN && messages == IOTAP_UNKNOWN;
	return a;
}

int
tally_source(struct tally *t, const struct iotap_target *source, struct tally_amount a)
{
	struct iotap_row *const row = tally_row(t, source);

	if (!row)
		return IOTAP_ENOMEM;
	a.dir = DIR_READ;
	row_add(row, &a);
	return 0;
}

/* A call on something that has a name, which is not in the recording: its definition found no room in the
 * kernel's buffer, is damaged, or made room for others and was not needed until now. */
static bool
is_nameless(uint32_t flags, const struct iotap_target *target)
{
	const struct target *const t = (const struct target *)target;

	if (flags & KF_UNDEFINED)
		return true;
	if (target->kind == IOTAP_KIND_UNKNOWN || target->kind == IOTAP_KIND_PIPE)
		return false;
	return (target->flags & TARGET_EVICTED) || (t->n_raw == 0 && !(target->id & TARGET_UNDEFINED_BIT));
}

static int
tally_flags(struct tally *t, uint32_t flags, const struct iotap_target *target, const struct iotap_process *process)
{
	const bool nameless = is_nameless(flags, target);
	int r = 0;

	t->sums.before += (flags & KF_BEFORE) != 0;
	t->sums.compat += (flags & KF_COMPAT) != 0;
	t->sums.undefined += nameless;
	t->phantom_seen += (flags & KF_PHANTOM) != 0;
	if (flags & KF_COMPAT)
		r = tally_spot(t, SPOT_compat_calls, process, 1);
	if (r == 0 && nameless)
		r = tally_spot(t, SPOT_undefined_calls, process, 1);
	if (r == 0 && (flags & KF_PHANTOM))
		r = tally_spot(t, SPOT_phantom_calls, process, 1);
	return r;
}

/* What is not known of the target of a call that moved data. */
static int
tally_target_unknown(struct tally *t, const struct iotap_batch *b, uint32_t i)
{
	if (b->target[i]->kind == IOTAP_KIND_UNKNOWN && b->result[i] != -LINUX_EBADF) {
		t->sums.unresolved_calls++;
		return tally_spot(t, SPOT_unresolved_calls, b->process[i], 1);
	}
	return tally_over_unknown(b->target[i]) ? tally_spot(t, SPOT_unknown_interface_calls, b->process[i], 1) : 0;
}

int
tally_batch(struct tally *t, const struct iotap_batch *b, uint32_t sets)
{
	for (uint32_t i = 0; i < b->n; i++) {
		const uint32_t flags = b->flags[i];
		const struct call_spec *const spec = call_spec(b->call[i]);
		const struct iotap_target *const target = b->target[i];
		struct tally_amount a;
		int r;

		if (flags & KF_UNFINISHED) {
			t->sums.unfinished++;
			continue;
		}
		if (tally_flags(t, flags, target, b->process[i]) < 0)
			return IOTAP_ENOMEM;
		a = amount_of(b, i, spec);
		if (spec->dir == DIR_NONE) {
			struct target *const notes = (struct target *)(uintptr_t)target;

			tally_op(t, b->call[i], &a);
			if (tally_unseen(t, b, i, sets) < 0)
				return IOTAP_ENOMEM;
			if (notes->row > 0)
				tally_add(&t->rows[notes->row - 1].ops, 1);
			else if (notes->ops < UINT32_MAX)
				notes->ops++;
			continue;
		}
		r = tally_target_unknown(t, b, i);
		if (r == 0)
			r = tally_moved(t, target, &a);
		if (r == 0 && b->target2 && b->target2[i] && call_second(b->call[i]) == SECOND_SOURCE)
			r = tally_source(t, b->target2[i], a);
		if (r < 0)
			return r;
	}
	return 0;
}

/* -- what lies between calls -- */

/* Time in which nothing was recorded, from what capture said of it. */
static void
tally_pause(struct tally *t, const struct iotap_notice *n)
{
	const bool ends = n->type == IOTAP_NOTICE_END ||
			  (n->type == IOTAP_NOTICE_TEXT && notice_pause(n->message) == NOTICE_RESUMED);

	if (t->paused_from_ns != 0 && ends && n->boot_ns > t->paused_from_ns)
		tally_add(&t->sums.paused_ns, n->boot_ns - t->paused_from_ns);
	if (ends)
		t->paused_from_ns = 0;
	if (n->type == IOTAP_NOTICE_TEXT && notice_pause(n->message) == NOTICE_PAUSED)
		t->paused_from_ns = n->boot_ns;
}

void
tally_notice(struct tally *t, const struct iotap_notice *n)
{
	if (n->type == IOTAP_NOTICE_UNTRACED)
		tally_add(n->reason == 1 ? &t->sums.untraced_ended : &t->sums.untraced_full, 1);
	if (n->type == IOTAP_NOTICE_END)
		t->sums.end_reason = n->reason;
	tally_pause(t, n);
}

void
tally_drop(struct tally *t, const struct iotap_drop *d)
{
	tally_add(&t->sums.n_drops, 1);
	switch (d->cause) {
	case IOTAP_DROP_QUEUE:
	case IOTAP_DROP_OUTPUT:
		tally_add(&t->sums.lost_calls, d->count);
		break;
	case IOTAP_DROP_DAMAGE:
		tally_add(&t->sums.damaged_bytes, d->bytes);
		break;
	case IOTAP_DROP_TRUNCATED:
		t->sums.truncated = 1;
		break;
	case IOTAP_DROP_RING:		/* the calls are in aggregates */
	case IOTAP_DROP_NOTES:
		break;
	}
}

