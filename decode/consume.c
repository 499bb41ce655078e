/* consume.c - the pull cursor and the handlers: iotap_next_batch(3), iotap_consume(3)
 *
 * Several inputs are merged by Unix time. One that begins later than another's next step is left asleep
 * until then, so that the files of a rotation are read one after the other and what a later one restates
 * of a process does not show too early.
 */
#include "decode/handle.h"
#include "formats/kernel_record.h"

/* Notes what a handler said. False = stop reading. */
static bool
handler_said(iotap_t *h, int said)
{
	h->said = said;
	if (said == IOTAP_NEXT)
		return true;
	if (said == IOTAP_ABORT)
		(void)error_set(&h->err, IOTAP_EABORT, "stopped by a handler");
	else if (said != IOTAP_STOP)
		(void)error_set(&h->err, IOTAP_EUSAGE, "a handler returned %d", said);
	return false;
}

/* What a call returns after a handler has said stop. */
static int
handler_result(const iotap_t *h)
{
	return h->said == IOTAP_STOP ? 0 : h->err.code;
}

static int
on_idle(void *arg)
{
	iotap_t *const h = arg;

	return handler_said(h, h->handlers->idle(h->arg)) ? 0 : 1;
}

static int
input_ready(struct input *input, uint32_t columns)
{
	input->cursor.columns = columns;
	input->awake = true;
	input->ready = cursor_ready(&input->cursor, &input->time_ns);
	return input->ready < 0 ? input->ready : 0;
}

/* The input whose next step comes first, and in *until_ns the time of the others' next one. NULL = none
 * has any, or *status is negative, or the idle function said stop. */
static struct input *
handle_next(iotap_t *h, uint32_t columns, uint64_t *until_ns, int *status)
{
	struct input *first = NULL;

	*until_ns = UINT64_MAX;
	*status = 0;
	for (size_t i = 0; i < h->n_inputs; i++) {
		struct input *const input = &h->inputs[i];
		uint64_t time_ns;

		if (input->awake || h->n_inputs == 1) {
			*status = input_ready(input, columns);
			if (*status < 0 || input->ready == CURSOR_STOPPED)
				return NULL;
			if (input->ready == CURSOR_END)
				continue;
		}
		time_ns = input->awake ? input->time_ns : input->cursor.info.start_time_ns;
		if (!first || time_ns < first->time_ns) {
			if (first && first->time_ns < *until_ns)
				*until_ns = first->time_ns;
			first = input;
			first->time_ns = time_ns;
		} else if (time_ns < *until_ns) {
			*until_ns = time_ns;
		}
	}
	return first;
}

/* Tells one thing that lies between calls. 1 = told, 0 = a handler said stop, negative. */
static int
handle_tell(iotap_t *h, struct input *input)
{
	const struct iotap_handlers *const handlers = h->handlers;
	struct cursor_item item;
	const int r = cursor_item(&input->cursor, &h->notices, &item);
	int said = IOTAP_NEXT;

	if (r <= 0)
		return r < 0 ? r : 1;
	if (!buf_ok(&h->notices.message))
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	if (h->tally && item.notice)
		tally_notice(h->tally, item.notice);
	if (h->tally && item.drop)
		tally_drop(h->tally, item.drop);
	if (item.notice && handlers && handlers->notice)
		said = handlers->notice(item.notice, h->arg);
	else if (item.drop && handlers && handlers->drop)
		said = handlers->drop(item.drop, h->arg);
	return handler_said(h, said);
}

/* Takes away the arrays that only the tally wanted. */
static void
batch_hide(struct iotap_batch *b, uint32_t columns)
{
	if (!(columns & IOTAP_COL_DURATION))
		b->duration_ns = NULL;
	if (!(columns & IOTAP_COL_CALL))
		b->call = NULL;
	if (!(columns & IOTAP_COL_FLAGS))
		b->flags = NULL;
	if (!(columns & IOTAP_COL_TARGET))
		b->target = NULL;
	if (!(columns & IOTAP_COL_RESULT))
		b->result = NULL;
	if (!(columns & IOTAP_COL_BYTES))
		b->bytes = NULL;
	if (!(columns & IOTAP_COL_SECOND)) {
		b->fd2 = NULL;
		b->target2 = NULL;
	}
	if (!(columns & IOTAP_COL_ARGS))
		b->arg0 = b->arg1 = NULL;
	if (!(columns & IOTAP_COL_THREAD)) {
		b->tid = b->pid = NULL;
		b->process = NULL;
	}
}

static int
handle_batch(iotap_t *h, struct input *input, uint64_t until_ns, uint32_t columns,
	     struct iotap_batch *out)
{
	int r = cursor_rows(&input->cursor, until_ns, out);

	if (r < 0)
		return r;
	if (h->n_inputs > 1) {
		out->number = NULL;
		out->first_number = h->next_number;
		h->next_number += out->n;
	}
	if (h->tally) {
		r = tally_batch(h->tally, out, input->cursor.sets);
		if (r < 0)
			return error_set(&h->err, r, "%s", error_text(r));
		batch_hide(out, columns);
	}
	return 1;
}

/* Up to the next batch. 1 = *out is one; 0 = end, or a handler said stop; negative. */
static int
handle_advance(iotap_t *h, uint32_t columns, struct iotap_batch *out)
{
	const uint32_t wanted = columns | (h->tally ? TALLY_COLUMNS : 0);

	h->reading = true;
	for (;;) {
		uint64_t until_ns;
		int status;
		struct input *const input = handle_next(h, wanted, &until_ns, &status);

		if (!input)
			return status < 0 ? status : h->said == IOTAP_NEXT ? 0 : handler_result(h);
		if (!input->awake) {
			input->awake = true;	/* its turn has come: its first step is asked for */
			continue;
		}
		if (input->ready == CURSOR_ROWS)
			return handle_batch(h, input, until_ns, columns, out);
		status = handle_tell(h, input);
		if (status <= 0)
			return status < 0 ? status : handler_result(h);
	}
}

static void
handle_idle(iotap_t *h, bool on)
{
	for (size_t i = 0; i < h->n_inputs; i++)
		reader_on_idle(h->inputs[i].cursor.reader, on ? on_idle : NULL, h);
}

IOTAP_API int
iotap_next_batch(iotap_t *h, uint32_t columns, const struct iotap_handlers *handlers, void *arg,
		 struct iotap_batch *out)
{
	h->handlers = handlers;
	h->arg = arg;
	h->said = IOTAP_NEXT;
	h->batch_at = h->batch.n = 0;
	return handle_advance(h, columns, out);
}

/* Hands the rows of the batch to the handler. False = it said stop. */
static bool
consume_rows(iotap_t *h)
{
	struct iotap_event event;

	while (h->batch_at < h->batch.n) {
		const uint32_t i = h->batch_at++;

		iotap_batch_event(h, &h->batch, i, &event);
		if (!(event.flags & KF_UNFINISHED) && !handler_said(h, h->handlers->event(&event, h->arg)))
			return false;
	}
	return true;
}

IOTAP_API int
iotap_consume(iotap_t *h, const struct iotap_handlers *handlers, void *arg)
{
	const bool events = handlers->event != NULL;
	int r;

	h->handlers = handlers;
	h->arg = arg;
	h->said = IOTAP_NEXT;
	handle_idle(h, handlers->idle != NULL);
	do {
		if (events && !consume_rows(h)) {
			r = handler_result(h);
			break;
		}
		h->batch_at = h->batch.n = 0;
		r = handle_advance(h, events ? IOTAP_COL_ALL : 0, &h->batch);
	} while (r > 0);
	handle_idle(h, false);
	if (r < 0)
		h->batch_at = h->batch.n = 0;
	return r;
}
