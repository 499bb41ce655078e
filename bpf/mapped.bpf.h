/* mapped.bpf.h - the set mmap: pages of files that came in and became dirty, by process and file
 *
 * What goes through a mapping is no call. The page cache says two things of it: a page of a file was added
 * to it (mm_filemap_add_to_page_cache), and a page became dirty (writeback_dirty_folio), both in the
 * process that caused it. Inside a call the call is the cause (read, write, readahead, execve); outside of
 * one it was a page fault, that is, a mapping. Both are summed, apart. A page that is there already, or
 * dirty already, is not seen again.
 *
 * Sums are by process and inode, which a page knows, and not by open file. The id of the target is that of
 * the descriptor that was mapped. Cumulative, never reset. A file that finds no room is summed as unknown
 * for its process; a process that finds none is counted.
 */
#ifndef BPF_MAPPED_H
#define BPF_MAPPED_H

#include <bpf/bpf_core_read.h>

#include "bpf/ring.bpf.h"
#include "bpf/thread.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Source: include/linux/mm_types.h of 6.1 to 6.18. */
struct folio {
	unsigned long flags;
	struct address_space *mapping;
	unsigned int _folio_nr_pages;
};

struct folio___flags {			/* since 6.18 */
	struct {
		unsigned long f;
	} flags;
};

struct folio___pages {			/* since 6.14 */
	unsigned int _nr_pages;
};

#pragma clang attribute pop

enum pageflags { PG_head = 6 };

const volatile _Bool with_mapped = 0;		/* the set is on */
/* Sums that mappings from before have made: one reader. Not in .bss, where the filter is all that Linux 5.10
 * takes (KMALLOC_MAX_SIZE, 4 MiB). */
__u32 mapped_at_attach SEC(".data") = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct kr_mapped_key);
	__type(value, struct kr_mapped);
} mapped SEC(".maps");

enum page_event { PAGE_IN, PAGE_DIRTY };

static __always_inline __u64
folio_pages(struct folio *folio)
{
	struct folio___flags *const with_struct = (void *)folio;
	struct folio___pages *const renamed = (void *)folio;
	unsigned long flags;
	__u32 n = 1;

	if (bpf_core_field_exists(with_struct->flags.f))
		flags = BPF_CORE_READ(with_struct, flags.f);
	else
		flags = BPF_CORE_READ(folio, flags);
	if (!(flags & (1ul << bpf_core_enum_value(enum pageflags, PG_head))))
		return 1;
	if (bpf_core_field_exists(renamed->_nr_pages))
		n = BPF_CORE_READ(renamed, _nr_pages);
	else if (bpf_core_field_exists(folio->_folio_nr_pages))
		n = BPF_CORE_READ(folio, _folio_nr_pages);
	return n ? n : 1;
}

static __always_inline void
mapped_key_fill(struct kr_mapped_key *key, __u32 tgid, struct inode *inode)
{
	key->tgid = tgid;
	key->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	key->ino = BPF_CORE_READ(inode, i_ino);
	key->generation = BPF_CORE_READ(inode, i_generation);
	key->pad = 0;
}

/* The sums of a key, made if need be; NULL = no room. */
static __always_inline struct kr_mapped *
mapped_sums(const struct kr_mapped_key *key)
{
	struct kr_mapped *sums = bpf_map_lookup_elem(&mapped, key);

	if (!sums) {
		const struct kr_mapped none = { .first_ns = bpf_ktime_get_boot_ns() };

		bpf_map_update_elem(&mapped, key, &none, BPF_NOEXIST);
		sums = bpf_map_lookup_elem(&mapped, key);
	}
	return sums;
}

/* A file was mapped: its sums get its id, the first one there is. 1: they have it from here. */
static __noinline int
mapped_named(__u32 tgid, __u64 address, __u64 id)
{
	struct file *const file = (struct file *)address;
	struct kr_mapped_key key;
	struct kr_mapped *sums;

	if (!with_mapped || !file || !id)
		return 0;
	mapped_key_fill(&key, tgid, BPF_CORE_READ(file, f_mapping, host));
	sums = mapped_sums(&key);
	if (!sums || sums->id)
		return 0;
	sums->id = id;
	return 1;
}

static __noinline int
mapped_has_name(__u32 tgid, __u64 address)
{
	struct file *const file = (struct file *)address;
	struct kr_mapped_key key;
	const struct kr_mapped *sums;

	mapped_key_fill(&key, tgid, BPF_CORE_READ(file, f_mapping, host));
	sums = bpf_map_lookup_elem(&mapped, &key);
	return sums && sums->id;
}

/* Whether the task is inside a call, as far as is known. */
static __always_inline _Bool
in_a_call(struct task_struct *task)
{
	const struct state *const state = state_of(task, 0);

	return (FIELD(task, flags) & (K_PF_KTHREAD | K_PF_IO_WORKER)) ||
		(state && (state->flags & (SF_IN_CALL | SF_FRESH | SF_NEWBORN)));
}

static __always_inline int
page_event(struct folio *folio, struct address_space *mapping, const enum page_event what)
{
	struct task_struct *const task = task_here();
	const __u32 tgid = FIELD(task, tgid);
	struct kr_mapped_key key;
	struct kr_mapped *sums;
	struct kr_cpu *cpu;
	__u64 pages;
	__u32 number;

	if (filter[tgid & (PID_SLOTS - 1)] != FILTER_TRACED || (pauses & 1) || !mapping)
		return 0;
	pages = folio_pages(folio);
	mapped_key_fill(&key, tgid, BPF_CORE_READ(mapping, host));
	sums = mapped_sums(&key);
	if (!sums) {
		key.dev = key.generation = 0;
		key.ino = 0;
		sums = mapped_sums(&key);
	}
	if (!sums) {
		cpu = cpu_here(&number);
		if (cpu)
			__sync_fetch_and_add(&cpu->counter[KC_pages_no_room], pages);
		return 0;
	}
	if (what == PAGE_IN)
		__sync_fetch_and_add(in_a_call(task) ? &sums->in_by_calls : &sums->in_by_faults, pages);
	else
		__sync_fetch_and_add(in_a_call(task) ? &sums->dirty_by_calls : &sums->dirty_by_faults,
				     pages);
	sums->last_ns = bpf_ktime_get_boot_ns();
	return 0;
}

#endif
