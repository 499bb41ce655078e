/* note.bpf.h - puts a note (definition or life cycle) that stands in scratch on this CPU's ring */
#ifndef BPF_NOTE_H
#define BPF_NOTE_H

#include "bpf/ring.bpf.h"

/* Takes the scratch area of this CPU for tracepoint programs (0) or iterators (1); NULL when
 * another program is in the middle of using it. Its fixed part comes back zero. */
static __always_inline struct scratch *
scratch_take(__u32 which)
{
	struct scratch *const s = bpf_map_lookup_elem(&scratch, &which);

	if (!s || __sync_lock_test_and_set(&s->busy, 1))
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
	__sync_lock_test_and_set(&s->busy, 0);
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

static long
note_copy_step(__u32 index, struct note_rest *rest)
{
	struct note_rest at = *rest;
	struct kr_note *const more = note_slot(at.cpu_number, at.slot + 1 + index);
	const __u32 done = KR_NOTE_INLINE + index * KR_NOTE_SLOT;

	if (!more || done >= at.total)
		return 1;
	bpf_probe_read_kernel(more, at_most(at.total - done, KR_NOTE_SLOT),
			      &at.s->text[(at.s->start + done) & 16383]);
	return 0;
}

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
__noinline int
note_put(struct scratch *s, __u32 type)
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
	slot = ring_take(&cpu->notes, note_slots, n_slots);
	note = slot == NO_SLOT ? 0 : note_slot(cpu_number, slot);
	if (!note) {
		count_shared(cpu, KC_notes_lost);
		return -1;
	}
	if (type == KR_TARGET)
		s->target.id = __sync_fetch_and_add(&next_id, 1);
	note->key_ns = bpf_ktime_get_boot_ns();
	note->type = type;
	note->n_slots = n_slots;
	note->text_total = total;
	__builtin_memcpy(note->fixed, s->fixed, KR_NOTE_FIXED);
	bpf_probe_read_kernel(note->text, at_most(total, KR_NOTE_INLINE),
			      &s->text[s->start & 8191]);
	if (n_slots > 1) {
		struct note_rest rest = { s, slot, cpu_number, total };

		bpf_loop(n_slots - 1, note_copy_step, &rest, 0);
	}
	count_shared(cpu, KC_notes);
	ring_commit(&note->commit, slot);
	return 0;
}

#endif
