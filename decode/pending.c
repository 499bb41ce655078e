/* pending.c - what the stream said between calls, waiting for its place among them */
#include "decode/pending.h"

#include <stdlib.h>
#include <string.h>

#include "formats/error.h"

#define STEPS_MAX 4096

int
pending_put(struct pending *q, const struct pending_item *like, const void *p, uint32_t n)
{
	struct pending_item *const item = malloc(sizeof(*item) + n + 1);
	struct pending_item **at = &q->first;
	unsigned int steps = 0;

	if (!item)
		return IOTAP_ENOMEM;
	*item = *like;
	item->n = n;
	if (n > 0)
		memcpy(item->data, p, n);
	item->data[n] = '\0';
	/* Nearly always it belongs at the end. No capture is out of order for long: what does not
	 * find its place within a few steps goes to the end, lest a made-up recording take an
	 * endless time. */
	if (q->last && q->last->time_ns <= item->time_ns) {
		at = &q->last->next;
	} else {
		while (*at && (*at)->time_ns <= item->time_ns && steps++ < STEPS_MAX)
			at = &(*at)->next;
		if (steps > STEPS_MAX) {
			at = &q->last->next;
			item->time_ns = q->last->time_ns;
		}
	}
	item->next = *at;
	*at = item;
	if (!item->next)
		q->last = item;
	q->bytes += sizeof(*item) + n;
	return 0;
}

struct pending_item *
pending_take(struct pending *q)
{
	struct pending_item *const item = q->first;

	if (!item)
		return NULL;
	q->first = item->next;
	if (!q->first)
		q->last = NULL;
	q->bytes -= sizeof(*item) + item->n;
	item->next = NULL;
	return item;
}

bool
pending_before(const struct pending *q, uint64_t key_ns)
{
	return q->first && (q->first->time_ns <= key_ns || q->bytes > PENDING_BYTES_MAX);
}

void
pending_fini(struct pending *q)
{
	struct pending_item *item;

	while ((item = pending_take(q)))
		free(item);
}
