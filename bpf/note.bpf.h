/* note.bpf.h - puts a note (definition or life cycle) that stands in scratch on this CPU's ring */
#ifndef BPF_NOTE_H
#define BPF_NOTE_H

#include "bpf/loop.bpf.h"
#include "bpf/ring.bpf.h"

#ifdef OLD_KERNEL

/* The next id of this CPU, and how far it is to the one after that: user space has filled them so that
 * no two CPUs have one in common. */
struct ids {
	__u64 next, step;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ids);
} ids SEC(".maps");

static __always_inline __u64
new_id(void)
{
	const __u32 zero = 0;
	struct ids *const own = bpf_map_lookup_elem(&ids, &zero);
	__u64 id;

	if (!own)
		return 0;
	id = own->next;
	own->next = id + own->step;
	return id;
}

/* Whether it was taken already; taken it is then. */
static __always_inline _Bool
scratch_busy(struct scratch *s, __u32 which)
{
	if (s->busy)
		return 1;
	*(volatile __u32 *)&s->busy = 1;
	barrier();
	s->which = which;
	return 0;
}

static __always_inline void
scratch_free(struct scratch *s)
{
	barrier();
	*(volatile __u32 *)&s->busy = 0;
}

/* Tracepoint programs that came in between while an iterator makes a note (kernels with preemption
 * since 5.11): what both change is the iterator's then. */
static __always_inline _Bool
stands_back(const struct scratch *s)
{
	const __u32 iterators = 1;
	const struct scratch *const other = bpf_map_lookup_elem(&scratch, &iterators);

	return s->which != iterators && other && *(const volatile __u32 *)&other->busy;
}

#else

static __always_inline __u64
new_id(void)
{
	return __sync_fetch_and_add(&next_id, 1);
}

static __always_inline _Bool
scratch_busy(struct scratch *s, __u32 which)
{
	return __sync_lock_test_and_set(&s->busy, 1);
}

static __always_inline void
scratch_free(struct scratch *s)
{
	__sync_lock_test_and_set(&s->busy, 0);
}

static __always_inline _Bool
stands_back(const struct scratch *s)
{
	return 0;
}

#endif

/* Takes the scratch area of this CPU for tracepoint programs (0) or iterators (1); NULL when
 * another program is in the middle of using it. Its fixed part comes back zero. */
static __always_inline struct scratch *
scratch_take(__u32 which)
{
	struct scratch *const s = bpf_map_lookup_elem(&scratch, &which);

	if (!s || scratch_busy(s, which))
		return 0;
#pragma unroll
	for (unsigned int i = 0; i < KR_NOTE_FIXED / 8; i++)
		s->fixed[i] = 0;
	s->start = s->stop = PATH_END;
	return s;
}

static __always_inline void
scratch_give(struct scratch *s)
{
	scratch_free(s);
}

static __always_inline struct kr_note *
note_slot(__u32 cpu_number, __u64 slot)
{
	const __u32 index = cpu_number * note_slots + ((__u32)slot & (note_slots - 1));

	return bpf_map_lookup_elem(&notes, &index);
}

static __always_inline __u32
at_most(__u32 n, const __u32 limit)
{
	asm volatile("" : "+r"(n));	/* what is compared is what is used */
	return n > limit ? limit : n;
}

/* The copying of the text behind the first slot into the following ones. */
struct note_rest {
	struct scratch *s;
	__u64 slot;
	__u32 cpu_number, total;
};

static __always_inline int
note_copy_part(__u32 index, const struct note_rest *rest)
{
	const struct note_rest at = *rest;
	struct kr_note *const more = note_slot(at.cpu_number, at.slot + 1 + index);
	const __u32 done = KR_NOTE_INLINE + index * KR_NOTE_SLOT;

	if (!more || done >= at.total)
		return 1;
	bpf_probe_read_kernel(more, at_most(at.total - done, KR_NOTE_SLOT),
			      &at.s->text[(at.s->start + done) & 16383]);
	return 0;
}

#ifdef OLD_KERNEL

static __always_inline int
note_copy(__u32 index, struct scratch *s)
{
	const struct note_rest rest = { s, s->rest_slot, s->rest_cpu, s->rest_total };

	return note_copy_part(index, &rest);
}

SCRATCH_STEP(note_copy, 1)

#define NOTE_COPY(rest, n) do { \
	(rest).s->rest_slot = (rest).slot; \
	(rest).s->rest_cpu = (rest).cpu_number; \
	(rest).s->rest_total = (rest).total; \
	SCRATCH_LOOP(note_copy, n, 1 + KR_NOTE_TEXT_MAX / KR_NOTE_SLOT, (rest).s); \
} while (0)

#else

static long
note_copy_step(__u32 index, struct note_rest *rest)
{
	return note_copy_part(index, rest);
}

#define NOTE_COPY(rest, n) bpf_loop(n, note_copy_step, &rest, 0)

#endif

/* Whether a small note would find room now; counts a lost one if not. Asked before the work of
 * building a definition, which a full ring would make vain at every call. */
static __always_inline _Bool
note_room(void)
{
	__u32 cpu_number;
	struct kr_cpu *const cpu = cpu_here(&cpu_number);

	if (!cpu)
		return 0;
	if (cpu->notes.head - cpu->notes.tail + 1 + KR_RESERVE <= note_slots)
		return 1;
	count_shared(cpu, KC_notes_lost);
	return 0;
}

/* Writes the note; 0, or -1 when there is no room (counted). A target gets its id here, when
 * nothing can fail any more: it is found in s->target.id. */
BY_NUMBERS int
BODY(note_put)(struct scratch *s, __u32 type)
{
	__u32 cpu_number, total, n_slots = 1;
	struct kr_cpu *const cpu = cpu_here(&cpu_number);
	struct kr_note *note;
	__u64 slot;

	if (!cpu || !s)
		return -1;
	total = at_most(s->stop - s->start, KR_NOTE_TEXT_MAX);
	if (total > KR_NOTE_INLINE)
		n_slots += (total - KR_NOTE_INLINE + KR_NOTE_SLOT - 1) / KR_NOTE_SLOT;
	slot = stands_back(s) ? NO_SLOT : ring_take(&cpu->notes, note_slots, n_slots);
	note = slot == NO_SLOT ? 0 : note_slot(cpu_number, slot);
	if (!note) {
		count_shared(cpu, KC_notes_lost);
		return -1;
	}
	if (type == KR_TARGET)
		s->target.id = new_id();
	note->key_ns = bpf_ktime_get_boot_ns();
	note->type = type;
	note->n_slots = n_slots;
	note->text_total = total;
	__builtin_memcpy(note->fixed, s->fixed, KR_NOTE_FIXED);
	bpf_probe_read_kernel(note->text, at_most(total, KR_NOTE_INLINE),
			      &s->text[s->start & 8191]);
	if (n_slots > 1) {
		struct note_rest rest = { s, slot, cpu_number, total };

		NOTE_COPY(rest, n_slots - 1);
	}
	count_shared(cpu, KC_notes);
	ring_commit(&note->commit, slot);
	return 0;
}

#ifdef OLD_KERNEL

__noinline int
note_put_of(__u32 which, __u32 type)
{
	return note_put_body(bpf_map_lookup_elem(&scratch, &which), type);
}

#define note_put(s, type) note_put_of((s)->which, type)

#endif

#endif
