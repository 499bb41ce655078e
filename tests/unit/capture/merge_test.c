/* merge_test.c - the consumer's half of the ring rule, against rings that threads fill */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/merge.h"

enum { CPUS = 2, CALL_SLOTS = 256, NOTE_SLOTS = 64 };

struct rings {
	struct merge_areas areas;
	struct merge *m;
	struct batch batch;
};

static uint64_t
boot_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t
late_clock(void)
{
	return UINT64_MAX - 1;
}

static void
rings_open(struct rings *r, uint64_t (*clock)(void))
{
	r->areas = (struct merge_areas){.n_cpus = CPUS, .call_slots = CALL_SLOTS,
					.note_slots = NOTE_SLOTS};
	r->areas.control = calloc(CPUS, sizeof(*r->areas.control));
	r->areas.calls = calloc((size_t)CPUS * CALL_SLOTS, sizeof(*r->areas.calls));
	r->areas.notes = calloc((size_t)CPUS * NOTE_SLOTS, sizeof(*r->areas.notes));
	assert_non_null(r->areas.control);
	assert_non_null(r->areas.calls);
	assert_non_null(r->areas.notes);
	r->m = merge_new(&r->areas, clock);
	assert_non_null(r->m);
	assert_true(batch_init(&r->batch));
}

static void
rings_close(struct rings *r)
{
	merge_free(r->m);
	batch_fini(&r->batch);
	free(r->areas.control);
	free((void *)(uintptr_t)r->areas.calls);
	free(r->areas.notes);
}

/* The producer's rule. False: the ring is full. */
static bool
take_slot(struct kr_ring *ring, uint64_t slots, uint32_t n, uint64_t *slot)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_SEQ_CST);

	do {
		if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) + n + KR_RESERVE > slots)
			return false;
	} while (!__atomic_compare_exchange_n(&ring->head, &head, head + n, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	*slot = head;
	return true;
}

static struct kr_call *
call_slot(const struct rings *r, uint32_t cpu, uint64_t slot)
{
	return (struct kr_call *)(uintptr_t)&r->areas.calls[cpu * CALL_SLOTS + slot % CALL_SLOTS];
}

static struct kr_note *
note_slot(const struct rings *r, uint32_t cpu, uint64_t slot)
{
	return &r->areas.notes[cpu * NOTE_SLOTS + slot % NOTE_SLOTS];
}

static void
put_call(const struct rings *r, uint32_t cpu, uint64_t key, uint64_t requested)
{
	uint64_t slot = 0;
	struct kr_call *c;

	assert_true(take_slot(&r->areas.control[cpu].calls, CALL_SLOTS, 1, &slot));
	c = call_slot(r, cpu, slot);
	c->key_ns = key;
	c->requested = requested;
	c->cpu = (kr_u16)cpu;
	__atomic_store_n(&c->commit, slot + 1, __ATOMIC_RELEASE);
}

static void
note_fill(const struct rings *r, uint32_t cpu, uint64_t slot, uint32_t n, uint64_t key, uint64_t id)
{
	struct kr_note *const note = note_slot(r, cpu, slot);

	note->key_ns = key;
	note->type = KR_TARGET;
	note->n_slots = (kr_u16)n;
	note->text_total = n * KR_NOTE_SLOT - KR_NOTE_HEAD - KR_NOTE_FIXED;
	note->target.id = id;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *const p = (uint8_t *)note_slot(r, cpu, slot + i);
		const size_t from = i == 0 ? KR_NOTE_HEAD + KR_NOTE_FIXED : 0;

		memset(p + from, (int)(id & 0x7f), KR_NOTE_SLOT - from);
	}
	__atomic_store_n(&note->commit, slot + 1, __ATOMIC_RELEASE);
}

static void
put_note(const struct rings *r, uint32_t cpu, uint64_t key, uint32_t n, uint64_t id)
{
	uint64_t slot = 0;

	assert_true(take_slot(&r->areas.control[cpu].notes, NOTE_SLOTS, n, &slot));
	note_fill(r, cpu, slot, n, key, id);
}

static void
take_all(struct rings *r)
{
	assert_int_equal(merge_begin(r->m, NULL), 0);
	assert_int_equal(merge_take(r->m, &r->batch, NULL), 0);
}

/* situation: 57 */
static void
orders_calls_of_two_cpus(void **state)
{
	struct rings r;

	(void)state;
	rings_open(&r, late_clock);
	put_call(&r, 0, 10, 1);
	put_call(&r, 0, 40, 4);
	put_call(&r, 1, 20, 2);
	put_call(&r, 1, 30, 3);
	put_call(&r, 1, 40, 5);
	take_all(&r);
	assert_int_equal(r.batch.n_calls, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(r.batch.calls[i].requested, i + 1);
	assert_int_equal(r.areas.control[0].calls.tail, 2);
	assert_int_equal(r.areas.control[1].calls.tail, 3);
	rings_close(&r);
}

/* situation: 57 */
static void
puts_interrupted_producers_in_order(void **state)
{
	static const uint64_t keys[] = {100, 50, 60, 120, 110, 119, 130};
	struct rings r;

	(void)state;
	rings_open(&r, late_clock);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		put_call(&r, 0, keys[i], keys[i]);
	put_call(&r, 1, 55, 55);
	take_all(&r);
	assert_int_equal(r.batch.n_calls, 8);
	for (size_t i = 1; i < 8; i++)
		assert_true(r.batch.calls[i - 1].key_ns < r.batch.calls[i].key_ns);
	rings_close(&r);
}

static uint64_t
clock_100000(void)
{
	return 100000;
}

/* A key after the clock waits for the next round, also one that stands before an earlier key. */
static void
holds_what_is_after_the_clock(void **state)
{
	struct rings r;

	(void)state;
	rings_open(&r, clock_100000);
	put_call(&r, 0, 10, 1);
	put_call(&r, 0, 95000, 3);
	put_call(&r, 0, 20, 2);
	put_call(&r, 1, 99999, 4);
	take_all(&r);
	assert_int_equal(r.batch.n_calls, 2);
	assert_int_equal(r.batch.calls[0].requested, 1);
	assert_int_equal(r.batch.calls[1].requested, 2);
	assert_int_equal(r.areas.control[0].calls.tail, 1);
	merge_free(r.m);
	r.m = merge_new(&r.areas, late_clock);
	batch_clear(&r.batch);
	take_all(&r);
	assert_int_equal(r.batch.calls[r.batch.n_calls - 1].requested, 4);
	rings_close(&r);
}

static void
hands_the_same_record_out_once(void **state)
{
	struct rings r;

	(void)state;
	rings_open(&r, clock_100000);
	put_call(&r, 0, 95000, 3);
	put_call(&r, 0, 20, 2);
	take_all(&r);
	take_all(&r);
	put_call(&r, 0, 30, 4);
	take_all(&r);
	assert_int_equal(r.batch.n_calls, 2);
	assert_int_equal(r.batch.calls[0].requested, 2);
	assert_int_equal(r.batch.calls[1].requested, 4);
	rings_close(&r);
}

static void
waits_for_a_commit(void **state)
{
	struct rings r;
	uint64_t slot = 0;

	(void)state;
	rings_open(&r, late_clock);
	put_call(&r, 0, 10, 1);
	assert_true(take_slot(&r.areas.control[0].calls, CALL_SLOTS, 1, &slot));
	put_call(&r, 0, 30, 3);
	assert_int_equal(merge_begin(r.m, NULL), 1);
	put_call(&r, 1, 5, 9);
	call_slot(&r, 0, slot)->key_ns = 20;
	call_slot(&r, 0, slot)->requested = 2;
	call_slot(&r, 0, slot)->commit = slot + 1;
	take_all(&r);
	assert_int_equal(r.batch.n_calls, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(r.batch.calls[i].requested, i + 1);
	rings_close(&r);
}

static void
note_comes_before_a_call_of_its_time(void **state)
{
	struct rings r;

	(void)state;
	rings_open(&r, late_clock);
	for (uint64_t i = 0; i < 40; i++)
		put_call(&r, 0, i < 39 ? 10 : 50, i);
	put_note(&r, 1, 50, 1, 7);
	put_note(&r, 1, 51, 1, 8);
	assert_int_equal(merge_begin(r.m, NULL), 0);
	r.batch.n_calls = BATCH_CALLS - 39;
	assert_int_equal(merge_take(r.m, &r.batch, NULL), 1);
	assert_int_equal(r.batch.n_calls, BATCH_CALLS);
	assert_int_equal(r.batch.n_notes, 1);
	batch_clear(&r.batch);
	assert_int_equal(merge_take(r.m, &r.batch, NULL), 0);
	assert_int_equal(r.batch.n_calls, 1);
	assert_int_equal(r.batch.n_notes, 1);
	assert_true(r.batch.until_ns > 0);
	rings_close(&r);
}

/* Many laps of notes of all lengths: text is whole, and never taken for a commit. */
static void
long_notes_go_round(void **state)
{
	struct rings r;

	(void)state;
	rings_open(&r, late_clock);
	for (uint64_t i = 0; i < 500; i++) {
		const uint32_t n = 1 + (uint32_t)(i % 25);
		size_t at = 0;
		const struct kr_note *note;

		put_note(&r, 0, 10 + i, n, i);
		batch_clear(&r.batch);
		take_all(&r);
		note = batch_next_note(&r.batch, &at);
		assert_non_null(note);
		assert_int_equal(note->target.id, i);
		assert_int_equal(note->n_slots, n);
		for (uint32_t k = 0; k < note->text_total; k++)
			assert_int_equal(note_text(note)[k], i & 0x7f);
		assert_null(batch_next_note(&r.batch, &at));
	}
	rings_close(&r);
}

static void
text_is_no_commit(void **state)
{
	struct rings r;
	uint64_t slot = 0;

	(void)state;
	rings_open(&r, late_clock);
	put_note(&r, 0, 10, 3, 1);
	/* What a process could choose: the number that the slot's next user will commit. */
	note_slot(&r, 0, 1)->commit = NOTE_SLOTS + 1 + 1;
	take_all(&r);
	for (uint64_t i = 3; i < NOTE_SLOTS + 1; i++) {
		put_note(&r, 0, 10 + i, 1, i);
		take_all(&r);
	}
	assert_true(take_slot(&r.areas.control[0].notes, NOTE_SLOTS, 1, &slot));
	assert_int_equal(slot, NOTE_SLOTS + 1);
	assert_int_equal(merge_begin(r.m, NULL), 1);
	rings_close(&r);
}

static void
refuses_nonsense(void **state)
{
	struct iotap_error err = {0};
	struct rings r;

	(void)state;
	rings_open(&r, late_clock);
	put_note(&r, 0, 10, 1, 1);
	note_slot(&r, 0, 0)->n_slots = 9;
	assert_int_equal(merge_begin(r.m, &err), IOTAP_ECORRUPT);
	rings_close(&r);
	rings_open(&r, late_clock);
	put_note(&r, 0, 10, 1, 1);
	note_slot(&r, 0, 0)->text_total = KR_NOTE_INLINE + 1;
	assert_int_equal(merge_begin(r.m, &err), IOTAP_ECORRUPT);
	rings_close(&r);
	rings_open(&r, late_clock);
	r.areas.control[1].calls.head = CALL_SLOTS + 1;
	assert_int_equal(merge_begin(r.m, &err), IOTAP_ECORRUPT);
	rings_close(&r);
}

/* Two threads a CPU, as a program and one that interrupts it: slots are committed out of order. */
struct producer {
	struct rings *r;
	uint32_t cpu;
	uint64_t first;		/* names of its records: first, first + 1 ... */
	uint64_t n;
	pthread_t thread;
};

static void
produce_one(const struct producer *p, uint64_t name)
{
	uint64_t slot = 0;

	if (name % 8 == 0) {
		const uint32_t n = 1 + (uint32_t)(name / 8 % 4);

		while (!take_slot(&p->r->areas.control[p->cpu].notes, NOTE_SLOTS, n, &slot))
			sched_yield();
		note_fill(p->r, p->cpu, slot, n, boot_clock(), name);
		return;
	}
	while (!take_slot(&p->r->areas.control[p->cpu].calls, CALL_SLOTS, 1, &slot))
		sched_yield();
	if (name % 64 == 1)
		sched_yield();
	call_slot(p->r, p->cpu, slot)->key_ns = boot_clock();
	if (name % 64 == 33)
		sched_yield();
	call_slot(p->r, p->cpu, slot)->requested = name;
	__atomic_store_n(&call_slot(p->r, p->cpu, slot)->commit, slot + 1, __ATOMIC_SEQ_CST);
}

static void *
produce(void *arg)
{
	const struct producer *const p = arg;

	for (uint64_t i = 0; i < p->n; i++)
		produce_one(p, p->first + i);
	return NULL;
}

struct seen {
	uint8_t *times;		/* per name */
	uint64_t n, last_key, inversions;
};

static void
seen_add(struct seen *s, uint64_t name)
{
	s->times[name]++;
	s->n++;
}

static void
look(struct seen *s, const struct batch *b)
{
	uint64_t last_note = 0;
	const struct kr_note *note;
	size_t at = 0;

	for (size_t i = 0; i < b->n_calls; i++) {
		s->inversions += b->calls[i].key_ns < s->last_key;
		s->last_key = b->calls[i].key_ns;
		seen_add(s, b->calls[i].requested);
	}
	while ((note = batch_next_note(b, &at)) != NULL) {
		assert_true(note->key_ns >= last_note);
		last_note = note->key_ns;
		for (uint32_t k = 0; k < note->text_total; k += 97)
			assert_int_equal(note_text(note)[k], note->target.id & 0x7f);
		seen_add(s, note->target.id);
	}
}

/* situation: 49, 57 */
static void
nothing_is_lost_doubled_or_out_of_order(void **state)
{
	enum { EACH = 100000, PRODUCERS = 4 };
	struct producer p[PRODUCERS];
	struct seen seen = {.times = calloc(PRODUCERS, EACH)};
	struct rings r;

	(void)state;
	assert_non_null(seen.times);
	rings_open(&r, boot_clock);
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		p[i] = (struct producer){.r = &r, .cpu = i % CPUS, .first = i * EACH, .n = EACH};
		assert_int_equal(pthread_create(&p[i].thread, NULL, produce, &p[i]), 0);
	}
	while (seen.n < PRODUCERS * EACH) {
		int r2 = merge_begin(r.m, NULL);

		assert_true(r2 >= 0);
		if (r2 == 1)
			continue;
		do {
			batch_clear(&r.batch);
			r2 = merge_take(r.m, &r.batch, NULL);
			assert_true(r2 >= 0);
			look(&seen, &r.batch);
		} while (r2 == 1);
		sched_yield();
	}
	for (uint32_t i = 0; i < PRODUCERS; i++)
		pthread_join(p[i].thread, NULL);
	for (size_t i = 0; i < PRODUCERS * EACH; i++)
		assert_int_equal(seen.times[i], 1);
	assert_int_equal(seen.inversions, 0);
	rings_close(&r);
	free(seen.times);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_calls_of_two_cpus),
		cmocka_unit_test(puts_interrupted_producers_in_order),
		cmocka_unit_test(holds_what_is_after_the_clock),
		cmocka_unit_test(hands_the_same_record_out_once),
		cmocka_unit_test(waits_for_a_commit),
		cmocka_unit_test(note_comes_before_a_call_of_its_time),
		cmocka_unit_test(long_notes_go_round),
		cmocka_unit_test(text_is_no_commit),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(nothing_is_lost_doubled_or_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
