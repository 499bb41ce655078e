/* rows.c - one block of calls as rows */
#include "decode/rows.h"

#include <errno.h>
#include <string.h>

#include "decode/amount.h"
#include "formats/base/unix_time.h"
#include "formats/calls.h"
#include "formats/error.h"

/* The columns of struct call_columns that are gathered, and their types. */
#define GATHERED(X)                                                                                \
	X(key, uint64_t)                                                                           \
	X(duration, uint64_t)                                                                      \
	X(call, uint16_t)                                                                          \
	X(flags, uint32_t)                                                                         \
	X(thread, uint32_t)                                                                        \
	X(cpu, uint16_t)                                                                           \
	X(fd, int32_t)                                                                             \
	X(fd2, int32_t)                                                                            \
	X(target, uint32_t)                                                                        \
	X(target2, uint32_t)                                                                       \
	X(requested, uint64_t)                                                                     \
	X(result, int64_t)                                                                         \
	X(offset, uint64_t)                                                                        \
	X(arg0, uint64_t)                                                                          \
	X(arg1, uint64_t)

enum store {
#define X(name, type) STORE_##name,
	GATHERED(X)
#undef X
	STORE_row_target, STORE_row_target2, STORE_tid, STORE_pid, STORE_process, STORE_by_entry,
	STORE_by_thread, STORE_number, STORE_kept, STORE_bytes, STORE_asked
};

_Static_assert(STORE_asked < 26, "struct rows has room for every array");

int
rows_init(struct rows *r)
{
	*r = (struct rows){.decoder = call_decoder_new()};
	return r->decoder ? 0 : IOTAP_ENOMEM;
}

void
rows_fini(struct rows *r)
{
	call_decoder_free(r->decoder);
	for (size_t i = 0; i < sizeof(r->store) / sizeof(r->store[0]); i++)
		buf_free(&r->store[i]);
	*r = (struct rows){.decoder = NULL};
}

/* Memory for n elements; NULL = out of memory. Never NULL for want of elements. */
static void *
rows_memory(struct rows *r, enum store which, size_t n, size_t size)
{
	struct buf *const b = &r->store[which];

	buf_clear(b);
	return buf_extend(b, n > 0 ? n * size : size);
}

static uint32_t
columns_of(uint32_t columns, const struct select *select)
{
	static const struct {
		uint32_t asked, columns;
	} rows[] = {
		{IOTAP_COL_DURATION, COL_BIT(duration)},
		{IOTAP_COL_CALL, COL_BIT(call)},
		{IOTAP_COL_FLAGS, COL_BIT(flags)},
		{IOTAP_COL_THREAD, COL_BIT(thread)},
		{IOTAP_COL_CPU, COL_BIT(cpu)},
		{IOTAP_COL_FD, COL_BIT(fd)},
		{IOTAP_COL_TARGET, COL_BIT(target) | COL_BIT(call) | COL_BIT(result)},
		{IOTAP_COL_REQUESTED, COL_BIT(requested) | COL_BIT(flags) | COL_BIT(call)},
		{IOTAP_COL_RESULT, COL_BIT(result)},
		{IOTAP_COL_OFFSET, COL_BIT(offset)},
		{IOTAP_COL_SECOND, COL_BIT(fd2) | COL_BIT(target2)},
		{IOTAP_COL_ARGS, COL_BIT(arg0) | COL_BIT(arg1)},
		{IOTAP_COL_BYTES, COL_BIT(call) | COL_BIT(flags) | COL_BIT(requested) | COL_BIT(result)},
	};
	uint32_t want = COL_BIT(key);

	if (select->by_target)
		columns |= IOTAP_COL_TARGET;
	if (select->f.pid != 0)
		columns |= IOTAP_COL_THREAD;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (columns & rows[i].asked)
			want |= rows[i].columns;
	}
	return want;
}

/* A call that works on sockets only and did not fail for want of one had a socket. */
static bool
was_socket(uint16_t call, int64_t result)
{
	return call_spec(call)->on == ON_SOCK && result != -EBADF && result != -ENOTSOCK;
}

static int
rows_targets(struct rows *r, struct epoch *epoch)
{
	const struct call_columns *const c = &r->c;

	r->by_entry = rows_memory(r, STORE_by_entry, (size_t)c->n_targets + 1, sizeof(*r->by_entry));
	if (!r->by_entry)
		return IOTAP_ENOMEM;
	if (epoch_next_block(epoch) < 0)
		return IOTAP_ENOMEM;
	r->by_entry[0] = epoch->unknown;
	for (uint32_t i = 0; i < c->n_targets; i++) {
		r->by_entry[i + 1] = epoch_get(epoch, &c->targets[i]);
		if (!r->by_entry[i + 1])
			return IOTAP_ENOMEM;
	}
	r->target = r->target2 = NULL;
	if (c->target) {
		r->target = rows_memory(r, STORE_row_target, c->n, sizeof(*r->target));
		for (uint32_t i = 0; r->target && i < c->n; i++) {
			const struct target *t = r->by_entry[c->target[i]];

			if (c->target[i] == 0 && was_socket(c->call[i], c->result[i]))
				t = epoch->socket;
			r->target[i] = &t->pub;
		}
		if (!r->target)
			return IOTAP_ENOMEM;
	}
	if (c->target2) {
		r->target2 = rows_memory(r, STORE_row_target2, c->n, sizeof(*r->target2));
		for (uint32_t i = 0; r->target2 && i < c->n; i++)
			r->target2[i] = c->target2[i] == 0 ? NULL : &r->by_entry[c->target2[i]]->pub;
		if (!r->target2)
			return IOTAP_ENOMEM;
	}
	return 0;
}

static bool
rows_time_passes(const struct rows *r, uint32_t i, const struct select *select)
{
	return select_time(select, unix_time_add(r->c.key[i], r->time_shift_ns));
}

static bool
row_passes(const struct rows *r, uint32_t i, struct select *select)
{
	if (!rows_time_passes(r, i, select) ||
	    (select->f.pid != 0 && r->c.threads[r->c.thread[i]].tgid != select->f.pid))
		return false;
	if (!select->by_target)
		return true;
	switch (select_target(select, r->target[i])) {
	case SELECT_KEEP:
		return true;
	case SELECT_DROP_UNKNOWN_INTERFACE:
		select->unknown_interface_calls++;
		return false;
	case SELECT_DROP:
		break;
	}
	return false;
}

/* Copies the kept elements of a column. */
#define GATHER_FUNCTION(type)                                                                      \
	static const type *gather_##type(struct rows *r, enum store which, const type *from,       \
					 const uint32_t *kept, uint32_t n)                         \
	{                                                                                          \
		type *const to = rows_memory(r, which, n, sizeof(*to));                            \
		for (uint32_t i = 0; to && i < n; i++)                                             \
			to[i] = from[kept[i]];                                                     \
		return to;                                                                         \
	}
GATHER_FUNCTION(uint64_t)
GATHER_FUNCTION(int64_t)
GATHER_FUNCTION(uint32_t)
GATHER_FUNCTION(int32_t)
GATHER_FUNCTION(uint16_t)
#undef GATHER_FUNCTION

/* Leaves the n kept rows only. Gathering in place is safe for the rows' own arrays: kept[i] >= i. */
static int
rows_gather(struct rows *r, const uint32_t *kept, uint32_t n)
{
	struct call_columns *const c = &r->c;
	uint64_t *const number = rows_memory(r, STORE_number, n, sizeof(*number));

	if (!number)
		return IOTAP_ENOMEM;
#define X(name, type)                                                                              \
	if (c->name && !(c->name = gather_##type(r, STORE_##name, c->name, kept, n)))              \
		return IOTAP_ENOMEM;
	GATHERED(X)
#undef X
	for (uint32_t i = 0; i < n; i++) {
		number[i] = r->first_number + kept[i];
		if (r->target)
			r->target[i] = r->target[kept[i]];
		if (r->target2)
			r->target2[i] = r->target2[kept[i]];
	}
	r->number = number;
	c->n = n;
	return 0;
}

static int
rows_filter(struct rows *r, struct select *select)
{
	const uint32_t n = r->c.n;
	uint32_t *kept;
	uint32_t n_kept = 0;

	r->number = NULL;
	if (!select->by_target && select->f.pid == 0 &&
	    (n == 0 || (rows_time_passes(r, 0, select) && rows_time_passes(r, n - 1, select))))
		return 0;
	kept = rows_memory(r, STORE_kept, n, sizeof(*kept));
	if (!kept)
		return IOTAP_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (row_passes(r, i, select))
			kept[n_kept++] = i;
	}
	return n_kept == n ? 0 : rows_gather(r, kept, n_kept);
}

static int
rows_threads(struct rows *r)
{
	const struct call_columns *const c = &r->c;

	r->tid = r->pid = NULL;
	r->process = NULL;
	if (!c->thread)
		return 0;
	r->by_thread = rows_memory(r, STORE_by_thread, c->n_threads, sizeof(*r->by_thread));
	r->tid = rows_memory(r, STORE_tid, c->n, sizeof(*r->tid));
	r->pid = rows_memory(r, STORE_pid, c->n, sizeof(*r->pid));
	r->process = rows_memory(r, STORE_process, c->n, sizeof(*r->process));
	if (!r->by_thread || !r->tid || !r->pid || !r->process)
		return IOTAP_ENOMEM;
	for (uint32_t i = 0; i < c->n_threads; i++)
		r->by_thread[i] = NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		r->tid[i] = c->threads[c->thread[i]].tid;
		r->pid[i] = c->threads[c->thread[i]].tgid;
	}
	return 0;
}

/* What the calls moved; and what was asked for, without the sizes that are no request. */
static int
rows_amounts(struct rows *r)
{
	const struct call_columns *const c = &r->c;
	bool some = false;

	r->bytes = NULL;
	r->requested = c->requested;
	if (r->columns & IOTAP_COL_BYTES) {
		r->bytes = rows_memory(r, STORE_bytes, c->n, sizeof(*r->bytes));
		if (!r->bytes)
			return IOTAP_ENOMEM;
		for (uint32_t i = 0; i < c->n; i++)
			r->bytes[i] = amount_bytes(call_spec(c->call[i]), c->flags[i], c->result[i],
						   c->requested[i]);
	}
	if (!(r->columns & IOTAP_COL_REQUESTED))
		return 0;
	for (uint32_t i = 0; i < c->n; i++)
		some |= amount_is_odd(c->flags[i], c->requested[i]);
	if (some) {
		uint64_t *const asked = rows_memory(r, STORE_asked, c->n, sizeof(*asked));

		for (uint32_t i = 0; asked && i < c->n; i++)
			asked[i] = amount_requested(c->call[i], c->flags[i], c->requested[i]);
		r->requested = asked;
	}
	return r->requested ? 0 : IOTAP_ENOMEM;
}

int
rows_load(struct rows *r, const struct block_head *head, const uint8_t *payload, uint32_t columns,
	  uint64_t first_number, struct epoch *epoch, struct select *select,
	  struct iotap_error *err)
{
	int status;

	r->n = r->at = 0;
	r->columns = columns;
	r->first_number = first_number;
	status = call_decoder_block(r->decoder, head, payload, columns_of(columns, select), &r->c, err);
	if (status < 0)
		return status;
	if (!call_columns_fit(&r->c, r->unix_offset_ns))
		return error_set(err, IOTAP_ECORRUPT, "calls at times that no kernel has");
	status = rows_targets(r, epoch);
	if (status == 0)
		status = rows_filter(r, select);
	if (status == 0)
		status = rows_threads(r);
	if (status == 0)
		status = rows_amounts(r);
	if (status < 0)
		return error_set(err, status, "out of memory for a block of calls");
	r->n = r->c.n;
	return 0;
}

int
rows_pass(struct rows *r, const struct block_head *head, const uint8_t *payload, struct epoch *epoch,
	  struct iotap_error *err)
{
	int status;

	r->n = r->at = 0;
	status = call_decoder_block(r->decoder, head, payload, 0, &r->c, err);
	if (status == 0 && epoch_pass(epoch, r->c.targets, r->c.n_targets) < 0)
		status = error_set(err, IOTAP_ENOMEM, "out of memory for a block of calls");
	return status;
}

/* The end of the slice that begins at r->at: the keys never fall, so it is looked for by halves. */
static uint32_t
rows_until(const struct rows *r, uint64_t until_ns)
{
	uint32_t low = r->at + 1;
	uint32_t high = r->n;

	if (r->c.key[r->n - 1] < until_ns)
		return r->n;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (r->c.key[middle] < until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
rows_processes(struct rows *r, uint32_t end, struct processes *processes)
{
	const struct call_columns *const c = &r->c;

	if (r->process_changes != processes->changes) {
		for (uint32_t i = 0; i < c->n_threads; i++)
			r->by_thread[i] = NULL;
	}
	for (uint32_t i = r->at; i < end; i++) {
		struct process **const process = &r->by_thread[c->thread[i]];

		if (!*process && !(*process = processes_get(processes, r->pid[i])))
			return IOTAP_ENOMEM;
		r->process[i] = &(*process)->pub;
	}
	r->process_changes = processes->changes;
	return 0;
}

int
rows_take(struct rows *r, uint64_t until_ns, struct processes *processes, struct iotap_batch *out)
{
	const struct call_columns *const c = &r->c;
	const uint32_t from = r->at;
	const uint32_t end = rows_until(r, until_ns);

	if (r->process && rows_processes(r, end, processes) < 0)
		return IOTAP_ENOMEM;
	*out = (struct iotap_batch){
		.size = sizeof(*out),
		.n = end - from,
		.first_number = r->number ? r->number[from] : r->first_number + from,
		.first_ns = c->key[from],
		.last_ns = c->key[end - 1],
	};
#define ARRAY(column, member, array) \
	if (r->columns & IOTAP_COL_##column)	/* asked for: it is there */ \
		out->member = (array) + from
	ARRAY(TIME, time_ns, c->key);
	ARRAY(DURATION, duration_ns, c->duration);
	ARRAY(CALL, call, c->call);
	ARRAY(FLAGS, flags, c->flags);
	ARRAY(THREAD, tid, r->tid);
	ARRAY(THREAD, pid, r->pid);
	ARRAY(THREAD, process, r->process);
	ARRAY(CPU, cpu, c->cpu);
	ARRAY(FD, fd, c->fd);
	ARRAY(SECOND, fd2, c->fd2);
	ARRAY(TARGET, target, r->target);
	ARRAY(SECOND, target2, r->target2);
	ARRAY(REQUESTED, requested, r->requested);
	ARRAY(RESULT, result, c->result);
	ARRAY(OFFSET, offset, c->offset);
	ARRAY(ARGS, arg0, c->arg0);
	ARRAY(ARGS, arg1, c->arg1);
	ARRAY(BYTES, bytes, r->bytes);
#undef ARRAY
	if (r->number)
		out->number = r->number + from;
	r->at = end;
	return 0;
}
