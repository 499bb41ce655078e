/* merge.c - many rings, one order
 *
 * A ring is walked twice: the scan waits for commits and looks at keys, the walk copies records out
 * and moves the tail. Within one ring keys almost always rise with the slots: only a producer that
 * was interrupted between taking its slot and reading the clock leaves a key above those of later
 * slots. A record whose key is below the highest one before it is such a case; the scan copies it to
 * a sorted list of its own and the walk, which sees the same highest key, passes over it. So the walk
 * sees rising keys, and the rings can be merged from where they lie, with one copy a record.
 *
 * Two details. Keys within MARGIN_NS of the clock wait for the next round: the clock that BPF reads
 * may, while the timekeeper is being updated, lie some nanoseconds behind ours. And the commit words
 * of a note's later slots are text that a traced process may choose; they are zeroed before the
 * slots are given back, so that no text can be taken for a commit in the next lap.
 */
#include "capture/merge.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	MARGIN_NS = 10000,
	AHEAD = 8,		/* slots fetched before they are looked at */
	SPINS = 2000,		/* looks at a commit word before the caller is asked to come again */
	NOTE_SLOTS_MAX = 1 + (KR_NOTE_TEXT_MAX + KR_NOTE_SLOT - 1) / KR_NOTE_SLOT,
};

/* One ring: the calls or the notes of one CPU. */
struct stream {
	struct kr_ring *ring;
	uint8_t *slots;
	uint64_t mask;
	uint32_t slot_bytes;
	uint32_t cpu;
	bool notes;
	uint64_t end;			/* head at the snapshot */
	uint64_t scan, scan_max;	/* next slot to look at; highest key so far */
	uint64_t walk, walk_max;	/* next slot to hand out: the tail; the same key, there */
	uint64_t key;			/* of the slot at walk, once stream_ready said so */
};

/* A record out of order, copied. */
struct early {
	uint64_t key, slot;
	uint32_t cpu;
	bool note;
	uint32_t n_bytes;
	uint8_t *bytes;
};

struct merge {
	struct stream *streams;
	uint32_t n_streams;
	uint32_t *heap;			/* indices of streams that have something, smallest first */
	uint32_t n_heap;
	struct early *early;		/* sorted, from first_early on */
	size_t n_early, first_early, cap_early;
	uint64_t until_ns;		/* of the round */
	bool in_round;
	uint64_t (*clock)(void);
};

struct merge *
merge_new(const struct merge_areas *areas, uint64_t (*clock)(void))
{
	struct merge *const m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->clock = clock;
	m->n_streams = 2 * areas->n_cpus;
	m->streams = calloc(m->n_streams, sizeof(*m->streams));
	m->heap = calloc(m->n_streams, sizeof(*m->heap));
	if (!m->streams || !m->heap) {
		merge_free(m);
		return NULL;
	}
	for (uint32_t i = 0; i < areas->n_cpus; i++) {
		struct stream *const calls = &m->streams[2 * i];
		struct stream *const notes = &m->streams[2 * i + 1];

		calls->ring = &areas->control[i].calls;
		calls->slots = (uint8_t *)(uintptr_t)(areas->calls + (size_t)i * areas->call_slots);
		calls->mask = areas->call_slots - 1;
		calls->slot_bytes = sizeof(struct kr_call);
		notes->ring = &areas->control[i].notes;
		notes->slots = (uint8_t *)(areas->notes + (size_t)i * areas->note_slots);
		notes->mask = areas->note_slots - 1;
		notes->slot_bytes = sizeof(struct kr_note);
		notes->notes = true;
		calls->cpu = notes->cpu = i;
		calls->walk = calls->scan = calls->ring->tail;
		notes->walk = notes->scan = notes->ring->tail;
	}
	return m;
}

void
merge_free(struct merge *m)
{
	if (!m)
		return;
	for (size_t i = m->first_early; i < m->n_early; i++)
		free(m->early[i].bytes);
	free(m->early);
	free(m->heap);
	free(m->streams);
	free(m);
}

static uint8_t *
slot_at(const struct stream *s, uint64_t slot)
{
	return s->slots + (slot & s->mask) * s->slot_bytes;
}

/* commit and key_ns are the first two words of both kinds. */
static uint64_t
slot_commit(const struct stream *s, uint64_t slot)
{
	return __atomic_load_n((const uint64_t *)(const void *)slot_at(s, slot), __ATOMIC_ACQUIRE);
}

static uint64_t
slot_key(const struct stream *s, uint64_t slot)
{
	return ((const uint64_t *)(const void *)slot_at(s, slot))[1];
}

/* Slots that the record at slot takes; 0 when what is there cannot be. */
static uint32_t
slot_count(const struct stream *s, uint64_t slot)
{
	const struct kr_note *note;
	uint64_t n;

	if (!s->notes)
		return 1;
	note = (const struct kr_note *)(const void *)slot_at(s, slot);
	n = note->n_slots;
	if (n == 0 || n > NOTE_SLOTS_MAX || n > s->end - slot ||
	    note->text_total > n * KR_NOTE_SLOT - KR_NOTE_HEAD - KR_NOTE_FIXED)
		return 0;
	return (uint32_t)n;
}

/* n slots in their order, which may go round the end of the ring. */
static void
slots_copy(const struct stream *s, uint64_t slot, uint32_t n, uint8_t *out)
{
	const uint64_t to_end = s->mask + 1 - (slot & s->mask);
	const size_t first = n < to_end ? n : (size_t)to_end;

	memcpy(out, slot_at(s, slot), first * s->slot_bytes);
	if (first < n)
		memcpy(out + first * s->slot_bytes, s->slots, (n - first) * s->slot_bytes);
}

static bool
early_before(const struct early *a, const struct early *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->note != b->note)
		return a->note;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	return a->slot < b->slot;
}

static int
early_add(struct merge *m, const struct stream *s, uint64_t slot, uint32_t n, struct iotap_error *err)
{
	struct early e = {.key = slot_key(s, slot), .slot = slot, .cpu = s->cpu, .note = s->notes,
			  .n_bytes = n * s->slot_bytes};
	size_t at;

	if (m->n_early == m->cap_early) {
		const size_t cap = m->cap_early > 0 ? 2 * m->cap_early : 64;
		struct early *const grown = realloc(m->early, cap * sizeof(*grown));

		if (!grown)
			return error_set(err, IOTAP_ENOMEM, "out of memory");
		m->early = grown;
		m->cap_early = cap;
	}
	e.bytes = malloc(e.n_bytes);
	if (!e.bytes)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	slots_copy(s, slot, n, e.bytes);
	for (at = m->n_early++; at > m->first_early && early_before(&e, &m->early[at - 1]); at--)
		m->early[at] = m->early[at - 1];
	m->early[at] = e;
	return 0;
}

/* Looks at every slot of the stream up to the snapshot. 1: one is not committed yet. */
static int
stream_scan(struct merge *m, struct stream *s, struct iotap_error *err)
{
	while (s->scan != s->end) {
		uint32_t n;
		uint64_t key;
		int spins = 0;

		/* Another CPU wrote both cache lines of a call; the walk wants the second. */
		__builtin_prefetch(slot_at(s, s->scan + AHEAD));
		__builtin_prefetch(slot_at(s, s->scan + AHEAD) + 64);
		while (slot_commit(s, s->scan) != s->scan + 1) {
			if (++spins == SPINS)
				return 1;
			if (spins % 64 == 0)
				sched_yield();
		}
		n = slot_count(s, s->scan);
		if (n == 0)
			return error_set(err, IOTAP_ECORRUPT,
					 "ring %s of cpu %u: slot %llu holds no record",
					 s->notes ? "of notes" : "of calls", s->cpu,
					 (unsigned long long)s->scan);
		key = slot_key(s, s->scan);
		if (key < s->scan_max) {
			const int r = early_add(m, s, s->scan, n, err);

			if (r < 0)
				return r;
		} else {
			s->scan_max = key;
		}
		s->scan += n;
	}
	return 0;
}

/* Gives back the slots before the walk. */
static void
stream_release(struct stream *s)
{
	__atomic_store_n(&s->ring->tail, s->walk, __ATOMIC_RELEASE);
}

static void
stream_pass(struct stream *s, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		((struct kr_note *)(void *)slot_at(s, s->walk + i))->commit = 0;
	s->walk += n;
}

/* Moves the walk to the next record to hand out in this round; false when there is none. */
static bool
stream_ready(struct stream *s, uint64_t until_ns)
{
	while (s->walk != s->scan) {
		s->key = slot_key(s, s->walk);
		if (s->key >= s->walk_max)
			return s->key <= until_ns;
		stream_pass(s, slot_count(s, s->walk));
	}
	return false;
}

/* The heap: which stream comes next. */
static bool
stream_before(const struct stream *a, const struct stream *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->notes != b->notes)
		return a->notes;
	return a->cpu < b->cpu;
}

static void
heap_down(struct merge *m, uint32_t at)
{
	const uint32_t moved = m->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= m->n_heap)
			break;
		if (child + 1 < m->n_heap &&
		    stream_before(&m->streams[m->heap[child + 1]], &m->streams[m->heap[child]]))
			child++;
		if (!stream_before(&m->streams[m->heap[child]], &m->streams[moved]))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moved;
}

int
merge_begin(struct merge *m, struct iotap_error *err)
{
	if (!m->in_round) {
		const uint64_t now = m->clock();

		m->until_ns = now > MARGIN_NS ? now - MARGIN_NS : 0;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		for (uint32_t i = 0; i < m->n_streams; i++) {
			struct stream *const s = &m->streams[i];

			s->end = __atomic_load_n(&s->ring->head, __ATOMIC_ACQUIRE);
			if (s->end - s->walk > s->mask + 1)
				return error_set(err, IOTAP_ECORRUPT, "ring of cpu %u: bad head",
						 s->cpu);
		}
		m->in_round = true;
	}
	for (uint32_t i = 0; i < m->n_streams; i++) {
		const int r = stream_scan(m, &m->streams[i], err);

		if (r != 0)
			return r;
	}
	m->n_heap = 0;
	for (uint32_t i = 0; i < m->n_streams; i++) {
		if (stream_ready(&m->streams[i], m->until_ns))
			m->heap[m->n_heap++] = i;
	}
	for (uint32_t i = m->n_heap / 2; i-- > 0;)
		heap_down(m, i);
	return 0;
}

/* True when the batch has no room for a further record of that kind. */
static bool
batch_is_full(const struct batch *b, bool note)
{
	return note ? b->notes.len >= BATCH_NOTE_BYTES : b->n_calls == BATCH_CALLS;
}

static bool
batch_add(struct batch *b, bool note, const uint8_t *bytes, size_t n)
{
	if (!note) {
		memcpy(&b->calls[b->n_calls++], bytes, sizeof(*b->calls));
		return true;
	}
	b->n_notes++;
	return buf_put(&b->notes, bytes, n);
}

/* Hands out the record the stream stands at. */
static bool
stream_take(struct stream *s, struct batch *b)
{
	const uint32_t n = slot_count(s, s->walk);

	if (!s->notes) {
		memcpy(&b->calls[b->n_calls++], slot_at(s, s->walk), sizeof(*b->calls));
	} else {
		uint8_t *const out = buf_extend(&b->notes, (size_t)n * KR_NOTE_SLOT);

		if (!out)
			return false;
		slots_copy(s, s->walk, n, out);
		b->n_notes++;
	}
	s->walk_max = s->key;
	stream_pass(s, n);
	return true;
}

/* The early record to hand out before the stream's, if there is one. */
static struct early *
early_next(const struct merge *m, const struct stream *s)
{
	struct early *const e = m->first_early < m->n_early ? &m->early[m->first_early] : NULL;

	if (!e || e->key > m->until_ns)
		return NULL;
	if (!s || e->key < s->key || (e->key == s->key && e->note >= s->notes))
		return e;
	return NULL;
}

static void
early_drop(struct merge *m)
{
	free(m->early[m->first_early].bytes);
	if (++m->first_early == m->n_early)
		m->first_early = m->n_early = 0;
}

static void
release_all(struct merge *m)
{
	for (uint32_t i = 0; i < m->n_streams; i++) {
		if (m->streams[i].ring->tail != m->streams[i].walk)
			stream_release(&m->streams[i]);
	}
}

int
merge_take(struct merge *m, struct batch *b, struct iotap_error *err)
{
	int r = 0;

	for (;;) {
		struct stream *const s = m->n_heap > 0 ? &m->streams[m->heap[0]] : NULL;
		struct early *const e = early_next(m, s);
		bool ok;

		if (!s && !e)
			break;
		if (batch_is_full(b, e ? e->note : s->notes)) {
			r = 1;
			break;
		}
		if (e) {
			ok = batch_add(b, e->note, e->bytes, e->n_bytes);
			early_drop(m);
		} else {
			ok = stream_take(s, b);
			if (!stream_ready(s, m->until_ns))
				m->heap[0] = m->heap[--m->n_heap];
			if (m->n_heap > 1)
				heap_down(m, 0);
		}
		if (!ok)
			return error_set(err, IOTAP_ENOMEM, "out of memory");
	}
	release_all(m);
	if (r == 0) {
		m->in_round = false;
		b->until_ns = m->until_ns;
	}
	return r;
}

uint64_t
merge_waiting(const struct merge *m, unsigned int *fullest_percent)
{
	uint64_t waiting = 0;
	unsigned int fullest = 0;

	for (uint32_t i = 0; i < m->n_streams; i++) {
		const struct stream *const s = &m->streams[i];
		const uint64_t n = __atomic_load_n(&s->ring->head, __ATOMIC_ACQUIRE) - s->walk;
		const unsigned int percent = (unsigned int)(n * 100 / (s->mask + 1));

		waiting += n;
		fullest = percent > fullest ? percent : fullest;
	}
	*fullest_percent = fullest;
	return waiting;
}
