/* encoder.c - the second thread: batches in, blocks out
 *
 * A ring of N_BATCHES batches: taken <= put in order by the main thread, done in order by this one.
 * Notes of a batch are written before its calls (a definition stands before its first use), capture's
 * own records after them.
 */
#include "capture/encoder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cost.h"
#include "capture/privileges.h"
#include "capture/thread.h"

enum { N_BATCHES = 4, EVICTED_MAX = 65536 };
enum { ENCODER_NICE = -10 };		/* what waits for it is lost when capture is killed */
enum { LOSS_OUTPUT = 4 };		/* loss.cause */

struct encoder {
	struct encoder_options options;
	struct writer *writer;
	struct batch batches[N_BATCHES];
	pthread_t thread;
	bool running;

	pthread_mutex_t lock;		/* for all that follows */
	pthread_cond_t changed;
	uint64_t n_put, n_done;		/* batches, ever */
	uint64_t n_unfinished;		/* calls written that no ring held */
	bool no_more;
	struct iotap_error error;	/* code 0 = none */
	struct buf evicted;
	bool evicted_more;		/* than the list holds */

	uint64_t due_ns;		/* atomic: time that the writer waits for */
	unsigned int turn_due;		/* atomic: enum outlet_due */
	bool turn_sent;			/* atomic: it is in a batch under way */
	unsigned int limit;		/* atomic: end.reason, 0 = none */
	unsigned int most_waiting;	/* atomic: batches */
	struct iotap_error outlet_error;
	uint64_t until_ns;		/* everything up to there has been written */
};

static void
evicted(void *arg, uint64_t id)
{
	struct encoder *const e = arg;

	(void)pthread_mutex_lock(&e->lock);
	if (e->evicted.len >= EVICTED_MAX * sizeof(id) || !buf_put(&e->evicted, &id, sizeof(id)))
		e->evicted_more = true;
	(void)pthread_mutex_unlock(&e->lock);
}

struct encoder *
encoder_new(const struct encoder_options *options, struct iotap_error *err)
{
	struct encoder *const e = calloc(1, sizeof(*e));
	bool ok = e != NULL;

	for (size_t i = 0; ok && i < N_BATCHES; i++)
		ok = batch_init(&e->batches[i]);
	if (!ok) {
		(void)error_set(err, IOTAP_ENOMEM, "out of memory");
		encoder_free(e);
		return NULL;
	}
	e->options = *options;
	e->options.writer.evicted = evicted;
	e->options.writer.evicted_arg = e;
	(void)pthread_mutex_init(&e->lock, NULL);
	(void)pthread_cond_init(&e->changed, NULL);
	e->writer = writer_new(&e->options.writer, err);
	if (!e->writer) {
		encoder_free(e);
		return NULL;
	}
	return e;
}

/* Where processes are is looked at here, where their records come by in order. */
static void
find_place(struct encoder *e, enum rec_type type, union rec_any *u)
{
	if (!e->options.places)
		return;
	if (type == REC_process)
		places_process(e->options.places, &u->process);
	else if (type == REC_exit)
		places_exit(e->options.places, (uint32_t)u->exit.pid);
}

static int
write_notes(struct encoder *e, const struct batch *b)
{
	const struct kr_note *note;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (note = batch_next_note(b, &at)) != NULL) {
		struct translation t;

		if (!translate_note(note, e->options.name_from, e->options.name_arg, &t))
			continue;
		find_place(e, t.type, &t.u);
		if (t.type == REC_target && e->options.outlet)
			outlet_target(e->options.outlet, &t.u.target);
		r = writer_record(e->writer, t.type, &t.u);
	}
	return r;
}

/* How much has been written only this thread knows. Unfinished calls are not meant: the law that this
 * number is for is about calls from the rings. */
static void
counters_fill(const struct encoder *e, struct rec_counters *c)
{
	struct writer_totals t;

	writer_get_totals(e->writer, &t);
	c->written = t.calls + t.pending_calls - e->n_unfinished;
}

static int
write_records(struct encoder *e, const struct batch *b)
{
	struct bytes_in in = bytes_in(b->records.data, b->records.len);
	struct record record;
	int r = 0;

	while (r == 0 && record_next(&in, &record, NULL) == 0) {
		if (record.type == REC_counters)
			counters_fill(e, &record.u.counters);
		find_place(e, (enum rec_type)record.type, &record.u);
		if (record.type == REC_target && e->options.outlet)
			outlet_target(e->options.outlet, &record.u.target);
		r = writer_record(e->writer, (enum rec_type)record.type, &record.u);
	}
	return r;
}

/* At the beginning of an epoch, and before the end. */
static int
write_cost(struct encoder *e, uint64_t now_ns)
{
	struct writer_totals t;
	struct rec_cost cost;

	if (!e->options.cost)
		return 0;
	cost_read(&cost);
	writer_get_totals(e->writer, &t);
	cost.time_ns = now_ns;
	cost.bytes = t.bytes + (e->options.outlet ? e->options.outlet->bytes_before : 0);
	cost.batches_waiting = __atomic_load_n(&e->most_waiting, __ATOMIC_RELAXED);
	return writer_record(e->writer, REC_cost, &cost);
}

static int
write_turn(struct encoder *e, struct batch *b)
{
	const struct rec_counters *counters;
	int r;

	counters_fill(e, &b->counters.rec);
	counters = counters_seal(&b->counters);
	r = e->options.outlet ? outlet_turn(e->options.outlet, e->writer, (enum outlet_due)b->turn,
					    &b->clock, counters, &e->outlet_error)
			      : writer_epoch(e->writer, &b->clock, counters);
	__atomic_store_n(&e->turn_due, OUTLET_NOTHING, __ATOMIC_RELEASE);
	__atomic_store_n(&e->turn_sent, false, __ATOMIC_RELEASE);
	return r < 0 ? r : write_cost(e, b->clock.boot_ns);
}

/* The time is known: what is due, and whether there is enough? */
static int
tick(struct encoder *e, uint64_t now_ns)
{
	struct outlet *const o = e->options.outlet;
	const int r = writer_tick(e->writer, now_ns);
	enum outlet_due due;

	__atomic_store_n(&e->due_ns, now_ns + writer_next_due_ns(e->writer), __ATOMIC_RELAXED);
	due = o ? outlet_due(o, e->writer, now_ns)
		: writer_epoch_due(e->writer, now_ns) ? OUTLET_EPOCH : OUTLET_NOTHING;
	e->until_ns = now_ns;
	if (!__atomic_load_n(&e->turn_sent, __ATOMIC_ACQUIRE))
		__atomic_store_n(&e->turn_due, due, __ATOMIC_RELEASE);
	if (o)
		__atomic_store_n(&e->limit, outlet_limit(o, e->writer), __ATOMIC_RELAXED);
	if (r == 0 && o && o->sync)
		return sync_failed(o->sync, &e->outlet_error);
	return r;
}

static int
write_batch(struct encoder *e, struct batch *b)
{
	int r = b->turn != OUTLET_NOTHING ? write_turn(e, b) : 0;

	if (r == 0)
		r = write_notes(e, b);
	for (size_t i = b->n_calls; i > 0 && (b->calls[i - 1].flags & KF_UNFINISHED) != 0; i--)
		e->n_unfinished++;
	if (e->options.outlet && b->n_calls > 0)
		outlet_calls(e->options.outlet, b->calls, b->n_calls,
			     b->calls[b->n_calls - 1].key_ns);
	if (r == 0 && b->n_calls > 0)
		r = writer_calls(e->writer, b->calls, (uint32_t)b->n_calls);
	if (r == 0)
		r = write_records(e, b);
	return r == 0 && b->until_ns > 0 ? tick(e, b->until_ns) : r;
}

/* After a failure batches are still taken, so that nobody waits for room. */
static void *
work(void *arg)
{
	struct encoder *const e = arg;

	(void)pthread_mutex_lock(&e->lock);
	for (;;) {
		struct batch *b;
		bool failed;
		int r;

		while (e->n_done == e->n_put && !e->no_more)
			(void)pthread_cond_wait(&e->changed, &e->lock);
		if (e->n_done == e->n_put)
			break;
		b = &e->batches[e->n_done % N_BATCHES];
		failed = e->error.code != 0;
		(void)pthread_mutex_unlock(&e->lock);
		r = failed ? 0 : write_batch(e, b);
		(void)pthread_mutex_lock(&e->lock);
		if (r < 0)
			e->error = e->outlet_error.code ? e->outlet_error : *writer_error(e->writer);
		e->n_done++;
		(void)pthread_cond_broadcast(&e->changed);
	}
	(void)pthread_mutex_unlock(&e->lock);
	return NULL;
}

int
encoder_start(struct encoder *e, const struct rec_host *host, const struct rec_clock *clock,
	      const struct rec_request *requests, size_t n_requests,
	      const struct rec_counters *counters, struct iotap_error *err)
{
	const struct thread_options o = {.name = "iotap-encoder", .nice = ENCODER_NICE,
					 .stays_root = e->options.stays_root};
	int r = writer_header(e->writer, host, clock, requests, n_requests);

	if (r == 0)
		r = writer_epoch(e->writer, clock, counters);
	if (r < 0) {
		*err = *writer_error(e->writer);
		return r;
	}
	r = thread_start(&e->thread, &o, work, e, err);
	e->running = r == 0;
	return r;
}

struct batch *
encoder_batch(struct encoder *e, bool wait)
{
	struct batch *b = NULL;

	(void)pthread_mutex_lock(&e->lock);
	while (wait && e->n_put - e->n_done == N_BATCHES)
		(void)pthread_cond_wait(&e->changed, &e->lock);
	if (e->error.code == 0 && e->n_put - e->n_done < N_BATCHES)
		b = &e->batches[e->n_put % N_BATCHES];
	(void)pthread_mutex_unlock(&e->lock);
	if (b)
		batch_clear(b);
	return b;
}

void
encoder_put(struct encoder *e, struct batch *b)
{
	(void)b;	/* always the one that encoder_batch gave last */
	(void)pthread_mutex_lock(&e->lock);
	e->n_put++;
	if (e->n_put - e->n_done > e->most_waiting)
		__atomic_store_n(&e->most_waiting, (unsigned int)(e->n_put - e->n_done),
				 __ATOMIC_RELAXED);
	(void)pthread_cond_broadcast(&e->changed);
	(void)pthread_mutex_unlock(&e->lock);
}

bool
encoder_wants(const struct encoder *e, uint64_t now_ns)
{
	return now_ns >= __atomic_load_n(&e->due_ns, __ATOMIC_RELAXED);
}

enum outlet_due
encoder_turn(struct encoder *e, bool *dump)
{
	enum outlet_due due;

	/* In this order: what is due is made nothing before sent is made false. */
	if (__atomic_load_n(&e->turn_sent, __ATOMIC_ACQUIRE))
		return OUTLET_NOTHING;
	due = (enum outlet_due)__atomic_load_n(&e->turn_due, __ATOMIC_ACQUIRE);
	if (*dump)
		due = OUTLET_DUMP;
	*dump = false;
	if (due != OUTLET_NOTHING)
		__atomic_store_n(&e->turn_sent, true, __ATOMIC_RELEASE);
	return due;
}

unsigned int
encoder_limit(const struct encoder *e)
{
	return __atomic_load_n(&e->limit, __ATOMIC_RELAXED);
}

int
encoder_failed(struct encoder *e, struct iotap_error *err)
{
	int r;

	(void)pthread_mutex_lock(&e->lock);
	r = e->error.code;
	if (r != 0 && err)
		*err = e->error;
	(void)pthread_mutex_unlock(&e->lock);
	return r;
}

bool
encoder_evicted(struct encoder *e, struct buf *out)
{
	bool all;

	(void)pthread_mutex_lock(&e->lock);
	all = buf_put(out, e->evicted.data, e->evicted.len) && !e->evicted_more;
	buf_clear(&e->evicted);
	e->evicted_more = false;
	(void)pthread_mutex_unlock(&e->lock);
	return all;
}

static void
join(struct encoder *e)
{
	if (!e->running)
		return;
	(void)pthread_mutex_lock(&e->lock);
	e->no_more = true;
	(void)pthread_cond_broadcast(&e->changed);
	(void)pthread_mutex_unlock(&e->lock);
	(void)pthread_join(e->thread, NULL);
	e->running = false;
}

int
encoder_end(struct encoder *e, const struct rec_clock *clock, struct counters *counters,
	    const struct rec_end *end, struct iotap_error *err)
{
	int r;

	join(e);
	r = encoder_failed(e, err);
	if (r < 0)
		return r;
	counters_fill(e, &counters->rec);
	r = write_cost(e, end->time_ns);
	if (r == 0)
		r = writer_end(e->writer, clock, counters_seal(counters), end);
	if (r < 0)
		*err = *writer_error(e->writer);
	else if (e->options.outlet)
		r = outlet_finish(e->options.outlet, err);
	if (r < 0)
		e->error = *err;
	return r;
}

/* One try at the end, behind the last whole block. */
static int
end_short(struct encoder *e, const struct rec_clock *clock, struct counters *counters,
	  const struct rec_loss *loss, const struct rec_end *end)
{
	const int r = loss->count > 0 ? writer_record(e->writer, REC_loss, loss) : 0;

	return r < 0 ? r : writer_end(e->writer, clock, counters_seal(counters), end);
}

static uint64_t
blocks_written(const struct encoder *e)
{
	struct writer_totals t;

	writer_get_totals(e->writer, &t);
	return t.blocks;
}

/* Sees that there are fewer blocks than before the last try. */
static bool
take_back(struct encoder *e, uint64_t blocks)
{
	do {
		if (!writer_take_back(e->writer))
			return false;
	} while (blocks_written(e) >= blocks);
	return true;
}

/* Where no room was kept, the newest blocks make it; if nothing can go any more, the end stands alone. */
void
encoder_salvage(struct encoder *e, const struct rec_clock *clock, struct counters *counters,
		uint64_t recorded, const struct rec_end *end)
{
	struct rec_loss loss = {.from_ns = e->until_ns, .until_ns = clock->boot_ns,
				.cause = LOSS_OUTPUT};
	bool more = true;

	join(e);
	if (encoder_failed(e, NULL) != IOTAP_EIO)
		return;
	if (blocks_written(e) == 0 && e->options.outlet)
		outlet_abandon(e->options.outlet);
	while (blocks_written(e) > 0 && writer_give_up(e->writer)) {
		const uint64_t blocks = blocks_written(e);

		counters_fill(e, &counters->rec);
		loss.count = recorded > counters->rec.written ? recorded - counters->rec.written : 0;
		counters->rec.lost_user = loss.count;
		loss.count = more ? loss.count : 0;
		if (end_short(e, clock, counters, &loss, end) == 0 || !more)
			break;
		more = take_back(e, blocks);
	}
	if (writer_error(e->writer)->code)
		(void)writer_give_up(e->writer);
}

void
encoder_totals(const struct encoder *e, struct writer_totals *out)
{
	writer_get_totals(e->writer, out);
}

void
encoder_free(struct encoder *e)
{
	if (!e)
		return;
	join(e);
	writer_free(e->writer);
	for (size_t i = 0; i < N_BATCHES; i++)
		batch_fini(&e->batches[i]);
	buf_free(&e->evicted);
	(void)pthread_cond_destroy(&e->changed);
	(void)pthread_mutex_destroy(&e->lock);
	free(e);
}
