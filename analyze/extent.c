/* extent.c - when the batches of a recording happened */
#include "analyze/extent.h"

#include <stdlib.h>

#include "analyze/event_value.h"

static int
extents_add(struct extents *e, const struct iotap_batch *b)
{
	if (e->n == e->cap) {
		const size_t cap = e->cap > 0 ? 2 * e->cap : 256;
		struct extent *const grown = realloc(e->all, cap * sizeof(*grown));

		if (!grown)
			return IOTAP_ENOMEM;
		e->all = grown;
		e->cap = cap;
	}
	e->all[e->n++] = (struct extent){
		.first_ns = b->first_ns, .last_ns = b->last_ns, .unix_offset_ns = b->unix_offset_ns,
		.first_number = event_number(b, 0), .last_number = event_number(b, b->n - 1),
	};
	return 0;
}

int
extents_read(struct extents *e, const struct input *in, struct iotap_error *err)
{
	struct iotap_batch batch = {.size = sizeof(batch)};
	char why[512];
	iotap_t *handle;
	int fd;
	int r = e->known ? 1 : input_reopen(in, &fd, err);

	if (r != 0)
		return r < 0 ? r : 0;
	handle = iotap_open(fd, in->name, NULL, why, sizeof(why));
	if (!handle)
		return error_set(err, IOTAP_ENOTREC, "%s", why);
	while ((r = iotap_next_batch(handle, 0, NULL, NULL, &batch)) > 0) {
		if (batch.n > 0 && extents_add(e, &batch) < 0) {
			r = error_set(err, IOTAP_ENOMEM, "out of memory");
			break;
		}
	}
	if (r < 0 && r != IOTAP_ENOMEM)
		r = error_set(err, iotap_errno(handle), "%s", iotap_errmsg(handle));
	iotap_close(handle);
	e->known = r == 0;
	return r;
}

void
extents_fini(struct extents *e)
{
	free(e->all);
	*e = (struct extents){.all = NULL};
}

/* A range that begins empty and takes in what meets the condition, within the one given. */
struct narrow {
	uint64_t from_ns, to_ns;
};

static void
narrow_add(struct narrow *n, const struct extent *x)
{
	if (x->first_ns < n->from_ns)
		n->from_ns = x->first_ns;
	if (x->last_ns > n->to_ns)
		n->to_ns = x->last_ns;
}

static void
narrow_apply(const struct narrow *n, uint64_t *from_ns, uint64_t *to_ns)
{
	if (n->from_ns > *from_ns)
		*from_ns = n->from_ns;
	if (n->to_ns < *to_ns)
		*to_ns = n->to_ns;
}

void
extents_by_unix(const struct extents *e, int64_t low, int64_t high, uint64_t *from_ns, uint64_t *to_ns)
{
	struct narrow n = {UINT64_MAX, 0};

	for (size_t i = 0; i < e->n; i++) {
		const struct extent *const x = &e->all[i];

		if ((int64_t)(x->first_ns + x->unix_offset_ns) <= high &&
		    (int64_t)(x->last_ns + x->unix_offset_ns) >= low)
			narrow_add(&n, x);
	}
	narrow_apply(&n, from_ns, to_ns);
}

void
extents_by_number(const struct extents *e, int64_t low, int64_t high, uint64_t *from_ns, uint64_t *to_ns)
{
	struct narrow n = {UINT64_MAX, 0};

	for (size_t i = 0; i < e->n; i++) {
		const struct extent *const x = &e->all[i];

		if (db_i64(x->first_number) <= high && db_i64(x->last_number) >= low)
			narrow_add(&n, x);
	}
	narrow_apply(&n, from_ns, to_ns);
}

uint64_t
extents_calls(const struct extents *e)
{
	return e->n > 0 ? e->all[e->n - 1].last_number + 1 : 0;
}
