/* supply.h - something that yields batches of calls: a recording, an event stream, JSON Lines
 *
 * The batches are those of formats/iotap.h, whoever makes them, so that loading knows one form.
 */
#ifndef ANALYZE_SUPPLY_H
#define ANALYZE_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/input.h"
#include "formats/error.h"
#include "formats/iotap.h"

struct supply;

/* The operations of one kind of supply. next and summary as iotap_next_batch and iotap_get_summary,
 * but with the text of a failure in *err. */
struct supply_ops {
	int (*next)(struct supply *, uint32_t columns, const struct iotap_handlers *, void *arg,
		    struct iotap_batch *out, struct iotap_error *err);
	int (*summary)(struct supply *, struct iotap_summary *out, struct iotap_error *err);
	void (*close)(struct supply *);
};

struct supply {
	const struct supply_ops *ops;
	const char *name;		/* for messages; borrowed */
	struct iotap_info info;
	bool has_ledger;		/* the summary's counters say something; true at the end, if ever */
	uint64_t digest;		/* of an input without a session, once it is at its end; 0 = none */
	bool lossy;			/* leaves out what a recording says */
	void *state;			/* of the kind */
};

/* Opens a recording or JSON Lines; the input is closed, or owned by the supply from then on. filter
 * may be NULL and is for recordings only. with_summary: keep the tally while reading. */
int supply_open(struct supply **out, struct input *in, const struct iotap_filter *filter, bool with_summary,
		struct iotap_error *err);

int supply_next(struct supply *s, uint32_t columns, const struct iotap_handlers *handlers, void *arg,
		struct iotap_batch *out, struct iotap_error *err);
int supply_summary(struct supply *s, struct iotap_summary *out, struct iotap_error *err);
void supply_close(struct supply *s);

/* Opens JSON Lines (json_supply.c); fd is taken. */
int json_supply_open(struct supply **out, int fd, const char *name, struct iotap_error *err);

#endif
