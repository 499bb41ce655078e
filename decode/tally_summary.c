/* tally_summary.c - the sums so far, sorted: what iotap_get_summary hands out */
#include <stdlib.h>
#include <string.h>

#include "decode/tally_parts.h"
#include "formats/error.h"

static uint64_t
sum_of(uint64_t a, uint64_t b)
{
	tally_add(&a, b);
	return a;
}

static int
compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;	/* the larger one first */
}

static int
compare_bytes(const void *a, size_t n_a, const void *b, size_t n_b)
{
	const int r = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return r != 0 ? r : n_a < n_b ? -1 : n_a > n_b;
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct iotap_row *const a = pa;
	const struct iotap_row *const b = pb;
	int r = compare_u64(sum_of(a->read.bytes, a->write.bytes), sum_of(b->read.bytes, b->write.bytes));

	if (r == 0)
		r = compare_u64(sum_of(a->read.calls, a->write.calls),
				sum_of(b->read.calls, b->write.calls));
	return r != 0 ? r : compare_bytes(a->target->key, a->target->key_len, b->target->key,
					  b->target->key_len);
}

static int
compare_ops(const void *pa, const void *pb)
{
	const struct iotap_op_row *const a = pa;
	const struct iotap_op_row *const b = pb;
	const int r = compare_u64(a->calls, b->calls);

	return r != 0 ? r : (int)a->call - (int)b->call;
}

/* Named ones by what they carried, then "?", then none. */
static int
interface_rank(const struct iotap_interface_row *i)
{
	return !i->interface ? 2 : strcmp(i->interface, "?") == 0;
}

static int
compare_interfaces(const void *pa, const void *pb)
{
	const struct iotap_interface_row *const a = pa;
	const struct iotap_interface_row *const b = pb;
	int r = interface_rank(a) - interface_rank(b);

	if (r == 0)
		r = compare_u64(sum_of(a->read.bytes, a->write.bytes), sum_of(b->read.bytes, b->write.bytes));
	if (r == 0)
		r = compare_u64(sum_of(a->read.calls, a->write.calls),
				sum_of(b->read.calls, b->write.calls));
	return r != 0 || !a->interface ? r : strcmp(a->interface, b->interface);
}

static int
compare_grouped(const void *pa, const void *pb)
{
	return compare_rows(((const struct iotap_grouped_row *)pa)->row, ((const struct iotap_grouped_row *)pb)->row);
}

void
tally_sort_grouped(struct iotap_grouped_row *rows, size_t n)
{
	qsort(rows, n, sizeof(*rows), compare_grouped);
}

static bool
summary_rows(struct tally *t, struct iotap_summary *out)
{
	size_t n = t->n_rows;

	free(t->sorted);
	t->sorted = calloc(n + N_CLASSES, sizeof(*t->sorted));
	if (!t->sorted)
		return false;
	if (n > 0)
		memcpy(t->sorted, t->rows, n * sizeof(*t->sorted));
	for (size_t i = 0; i < N_CLASSES; i++) {
		if (t->rest_target[i])
			t->sorted[n++] = t->rest[i];
	}
	qsort(t->sorted, n, sizeof(*t->sorted), compare_rows);
	out->rows = t->sorted;
	out->n_rows = n;
	return true;
}

static bool
summary_ops(struct tally *t, struct iotap_summary *out)
{
	size_t n = 0;

	free(t->sorted_ops);
	t->sorted_ops = calloc(KR_MAX_CALLS, sizeof(*t->sorted_ops));
	if (!t->sorted_ops)
		return false;
	for (size_t i = 0; i < KR_MAX_CALLS; i++) {
		if (t->ops[i].calls > 0)
			t->sorted_ops[n++] = t->ops[i];
	}
	qsort(t->sorted_ops, n, sizeof(*t->sorted_ops), compare_ops);
	out->op_rows = t->sorted_ops;
	out->n_op_rows = n;
	return true;
}

static bool
summary_interfaces(struct tally *t, struct iotap_summary *out)
{
	free(t->sorted_interfaces);
	t->sorted_interfaces = calloc(INTERFACES_MAX, sizeof(*t->sorted_interfaces));
	if (!t->sorted_interfaces)
		return false;
	for (size_t i = 0; i < t->n_interfaces; i++) {
		const struct tally_interface *const from = &t->interfaces[i];

		t->sorted_interfaces[i] = (struct iotap_interface_row){
			.interface = from->name[0] != '\0' ? from->name : NULL,
			.read = from->read,
			.write = from->write,
		};
	}
	qsort(t->sorted_interfaces, t->n_interfaces, sizeof(*t->sorted_interfaces), compare_interfaces);
	out->interfaces = t->sorted_interfaces;
	out->n_interfaces = t->n_interfaces;
	return true;
}

/* What a counter of the kernel grew by since the recording began. */
static uint64_t
counted(const struct tally *t, enum kr_counter which)
{
	return t->counters[which] > t->counters_before[which] ?
	       t->counters[which] - t->counters_before[which] : 0;
}

static void
summary_blind_spots(const struct tally *t, struct iotap_summary *out)
{
	out->unknown_numbers = counted(t, KC_x32_or_unknown);
	out->lost_names = counted(t, KC_notes_lost);
	out->other_calls = sum_of(counted(t, KC_not_selected), counted(t, KC_before_unselected));
	out->not_followed = counted(t, KC_not_followed) > counted(t, KC_followed_later) ?
			    counted(t, KC_not_followed) - counted(t, KC_followed_later) : 0;
	out->mapped_no_room_pages = counted(t, KC_pages_no_room);
	out->parts_left_out = counted(t, KC_parts_left_out);
	out->filtered_calls = counted(t, KC_filtered);
	out->filtered_claimed = counted(t, KC_filtered_claimed);
	out->program_misses = t->misses > t->misses_before ? t->misses - t->misses_before : 0;
	for (size_t i = 0; i < t->n_interfaces; i++) {
		if (strcmp(t->interfaces[i].name, "?") == 0)
			out->over_unknown_interface = sum_of(t->interfaces[i].read.calls,
							     t->interfaces[i].write.calls);
	}
}

int
tally_summary(struct tally *t, struct iotap_summary *out)
{
	const uint64_t phantom = counted(t, KC_phantom);

	*out = t->sums;
	out->size = sizeof(*out);
	out->phantom = phantom > t->phantom_seen ? phantom : t->phantom_seen;
	summary_blind_spots(t, out);
	if (!summary_rows(t, out) || !tally_servers(t, out) || !summary_ops(t, out) || !summary_interfaces(t, out) ||
	    !tally_mapped_rows(t, out) || !tally_shared_rows(t, out) ||
	    !tally_blind_rows(t, out))
		return IOTAP_ENOMEM;
	return 0;
}
