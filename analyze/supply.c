/* supply.c - something that yields batches of calls; here: a recording or event stream by libiotap */
#include "analyze/supply.h"

#include <stdlib.h>

enum { SUMMARY_ROWS = 1 };	/* its counters are wanted; rows are kept by totals.c, without a limit */

static int
handle_error(const struct supply *s, struct iotap_error *err)
{
	const iotap_t *const handle = s->state;

	if (iotap_errno(handle) == IOTAP_EABORT && err->code != 0)
		return err->code;	/* the handler said why */
	return error_set(err, iotap_errno(handle), "%s", iotap_errmsg(handle));
}

static int
handle_next(struct supply *s, uint32_t columns, const struct iotap_handlers *handlers, void *arg,
	    struct iotap_batch *out, struct iotap_error *err)
{
	const int r = iotap_next_batch(s->state, columns, handlers, arg, out);

	return r < 0 ? handle_error(s, err) : r;
}

static int
handle_summary(struct supply *s, struct iotap_summary *out, struct iotap_error *err)
{
	out->size = sizeof(*out);
	return iotap_get_summary(s->state, out) < 0 ? handle_error(s, err) : 0;
}

static void
handle_close(struct supply *s)
{
	iotap_close(s->state);
	free(s);
}

static const struct supply_ops handle_ops = {handle_next, handle_summary, handle_close};

static int
handle_open(struct supply **out, struct input *in, const struct iotap_filter *filter, bool with_summary,
	    struct iotap_error *err)
{
	struct supply *const s = calloc(1, sizeof(*s));
	char why[512] = "";

	if (!s)
		return error_set(err, IOTAP_ENOMEM, "out of memory");
	s->ops = &handle_ops;
	s->has_ledger = true;
	s->name = in->name;
	s->state = iotap_open(input_take(in), in->name, filter, why, sizeof(why));
	if (!s->state) {
		free(s);
		return error_set(err, IOTAP_ENOTREC, "%s", why);
	}
	if (with_summary && iotap_keep_summary(s->state, SUMMARY_ROWS) < 0) {
		const int r = handle_error(s, err);

		supply_close(s);
		return r;
	}
	s->info.size = sizeof(s->info);
	iotap_get_info(s->state, &s->info);
	*out = s;
	return 0;
}

int
supply_open(struct supply **out, struct input *in, const struct iotap_filter *filter, bool with_summary,
	    struct iotap_error *err)
{
	*out = NULL;
	switch (in->kind) {
	case INPUT_RECORDING:
		return handle_open(out, in, filter, with_summary, err);
	case INPUT_JSON:
		return json_supply_open(out, input_take(in), in->name, err);
	case INPUT_DATABASE:
		break;
	}
	return error_set(err, IOTAP_EUSAGE, "%s: is a database already; give it to report or sql", in->name);
}

int
supply_next(struct supply *s, uint32_t columns, const struct iotap_handlers *handlers, void *arg,
	    struct iotap_batch *out, struct iotap_error *err)
{
	*out = (struct iotap_batch){.size = sizeof(*out)};
	return s->ops->next(s, columns, handlers, arg, out, err);
}

int
supply_summary(struct supply *s, struct iotap_summary *out, struct iotap_error *err)
{
	*out = (struct iotap_summary){.size = sizeof(*out)};
	return s->ops->summary(s, out, err);
}

void
supply_close(struct supply *s)
{
	if (s)
		s->ops->close(s);
}
