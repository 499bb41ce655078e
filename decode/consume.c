/* consume.c - the public interface: opening, the pull cursor, the handlers
 *
 * Several inputs are merged by Unix time. One that begins later than another's next step is left asleep
 * until then, so that the files of a rotation are read one after the other and what a later one restates
 * of a process does not show too early.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/handle.h"

enum { END_ERROR = 5 };		/* records.def: end.reason */

/* -- opening and closing -- */

/* Inputs of one machine share its processes. */
static int
input_processes(iotap_t *h, struct input *input)
{
	for (size_t i = 0; i < h->n_inputs; i++) {
		struct input *const other = &h->inputs[i];

		if (other != input && other->owns_processes && input->cursor.boot_id_hash != 0 &&
		    other->cursor.boot_id_hash == input->cursor.boot_id_hash) {
			input->processes = other->processes;
			input->cursor.processes = input->processes;
			return 0;
		}
	}
	input->processes = calloc(1, sizeof(*input->processes));
	if (!input->processes)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	processes_init(input->processes);
	input->owns_processes = true;
	input->cursor.processes = input->processes;
	return 0;
}

static int
input_open(iotap_t *h, struct input *input, const char *name)
{
	struct reader *const reader = reader_new_fd(input->fd, name);
	int r;

	if (!reader)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	reader_set_range(reader, h->select.f.from_ns, h->select.f.to_ns);
	r = cursor_open(&input->cursor, reader, &h->select, &h->err);
	return r < 0 ? r : input_processes(h, input);
}

static int
handle_init(iotap_t *h, const int *fds, const char *const *names, size_t n,
	    const struct iotap_filter *filter)
{
	int r;

	h->inputs = calloc(n, sizeof(*h->inputs));
	h->errno_text = calloc(1, 32);
	if (!h->inputs || !h->errno_text || select_init(&h->select, filter) < 0)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		h->inputs[i].fd = fds[i];
		h->n_inputs++;
	}
	for (size_t i = 0; i < n; i++) {
		r = input_open(h, &h->inputs[i], names[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Puts the text of a failure where the caller of an open function wants it. */
static void
put_error(char *errbuf, size_t errbuf_bytes, const char *text)
{
	const size_t n = strlen(text);

	if (errbuf_bytes == 0)
		return;
	memcpy(errbuf, text, n < errbuf_bytes ? n : errbuf_bytes - 1);
	errbuf[n < errbuf_bytes ? n : errbuf_bytes - 1] = '\0';
}

IOTAP_API iotap_t *
iotap_open_many(const int *fds, const char *const *names, size_t n, const struct iotap_filter *filter,
		char *errbuf, size_t errbuf_bytes)
{
	iotap_t *const h = n > 0 ? calloc(1, sizeof(*h)) : NULL;

	if (!h) {
		put_error(errbuf, errbuf_bytes, n > 0 ? "out of memory" : "no input");
		for (size_t i = 0; i < n; i++)
			(void)close(fds[i]);
		return NULL;
	}
	if (handle_init(h, fds, names, n, filter) < 0) {
		put_error(errbuf, errbuf_bytes, h->err.text);
		for (size_t i = h->n_inputs; i < n; i++)
			(void)close(fds[i]);
		iotap_close(h);
		return NULL;
	}
	return h;
}

IOTAP_API iotap_t *
iotap_open(int fd, const char *name, const struct iotap_filter *filter, char *errbuf,
	   size_t errbuf_bytes)
{
	return iotap_open_many(&fd, &name, 1, filter, errbuf, errbuf_bytes);
}

IOTAP_API int
iotap_set_filter(iotap_t *h, const struct iotap_filter *filter)
{
	if (h->reading)
		return error_set(&h->err, IOTAP_EUSAGE, "the filter is set before the first read");
	select_fini(&h->select);
	if (select_init(&h->select, filter) < 0)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	for (size_t i = 0; i < h->n_inputs; i++)
		reader_set_range(h->inputs[i].cursor.reader, h->select.f.from_ns, h->select.f.to_ns);
	return 0;
}

IOTAP_API void
iotap_close(iotap_t *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n_inputs; i++) {
		struct input *const input = &h->inputs[i];

		cursor_close(&input->cursor);
		if (input->owns_processes)
			processes_fini(input->processes);
		if (input->owns_processes)
			free(input->processes);
		(void)close(input->fd);
	}
	free(h->inputs);
	select_fini(&h->select);
	notices_fini(&h->notices);
	tally_free(h->tally);
	free(h->listed);
	free(h->errno_text);
	free(h);
}

IOTAP_API int
iotap_errno(const iotap_t *h)
{
	return h->err.code;
}

IOTAP_API const char *
iotap_errmsg(const iotap_t *h)
{
	return h->err.text;
}

/* -- stepping -- */

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
	if (!(columns & IOTAP_COL_SECOND)) {
		b->fd2 = NULL;
		b->target2 = NULL;
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
		r = tally_batch(h->tally, out);
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

/* -- what is known -- */

IOTAP_API void
iotap_get_info(const iotap_t *h, struct iotap_info *out)
{
	*out = h->inputs[0].cursor.info;
	if (out->size == 0)	/* a recording whose header is damaged */
		*out = (struct iotap_info){.tool = "", .hostname = "", .release = "", .options = ""};
	out->size = sizeof(*out);
}

IOTAP_API size_t
iotap_get_processes(iotap_t *h, const struct iotap_process *const **out)
{
	size_t n = 0;
	size_t at = 0;

	*out = NULL;
	for (size_t i = 0; i < h->n_inputs; i++)
		n += h->inputs[i].owns_processes ? h->inputs[i].processes->n : 0;
	free(h->listed);
	h->listed = calloc(n > 0 ? n : 1, sizeof(*h->listed));
	if (!h->listed)
		return 0;
	for (size_t i = 0; i < h->n_inputs; i++) {
		const struct processes *const p = h->inputs[i].processes;

		for (size_t j = 0; h->inputs[i].owns_processes && j < p->n; j++)
			h->listed[at++] = &p->all[j]->pub;
	}
	*out = h->listed;
	return n;
}

IOTAP_API int
iotap_keep_summary(iotap_t *h, size_t max_rows)
{
	if (h->reading || h->tally)
		return error_set(&h->err, IOTAP_EUSAGE, "the summary is asked for before the first read");
	h->tally = tally_new(max_rows);
	if (!h->tally)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	for (size_t i = 0; i < h->n_inputs; i++)
		h->inputs[i].cursor.tally = h->tally;
	return 0;
}

/* From the first beginning to the last end. */
static uint64_t
handle_duration(const iotap_t *h)
{
	uint64_t from = UINT64_MAX;
	uint64_t until = 0;

	for (size_t i = 0; i < h->n_inputs; i++) {
		const struct cursor *const c = &h->inputs[i].cursor;
		const uint64_t last = c->end.time_ns != 0 ? c->end.time_ns : c->last_ns;

		if (c->info.start_boot_ns == 0)
			continue;
		if (c->info.start_time_ns < from)
			from = c->info.start_time_ns;
		if (last >= c->info.start_boot_ns && c->info.start_time_ns + last - c->info.start_boot_ns > until)
			until = c->info.start_time_ns + last - c->info.start_boot_ns;
	}
	return until > from ? until - from : 0;
}

/* Those that the filter lets through. */
static size_t
summary_processes(iotap_t *h, const struct iotap_process *const **out)
{
	const size_t n = iotap_get_processes(h, out);
	size_t kept = 0;

	if (h->select.f.pid == 0)
		return n;
	for (size_t i = 0; i < n; i++) {
		if (h->listed[i]->pid == h->select.f.pid)
			h->listed[kept++] = h->listed[i];
	}
	return kept;
}

IOTAP_API int
iotap_get_summary(iotap_t *h, struct iotap_summary *out)
{
	bool complete = true;

	if (!h->tally)
		return error_set(&h->err, IOTAP_EUSAGE, "no summary was asked for");
	if (tally_summary(h->tally, out) < 0)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	out->duration_ns = handle_duration(h);
	out->unknown_interface_calls = h->select.unknown_interface_calls;
	out->n_processes = summary_processes(h, &out->processes);
	for (size_t i = 0; i < h->n_inputs; i++) {
		const struct cursor *const c = &h->inputs[i].cursor;

		complete = complete && c->end_seen;
		if (h->inputs[i].owns_processes)
			out->processes_forgotten += h->inputs[i].processes->forgotten;
		if (c->end.command_pid != 0) {
			out->command_pid = (uint32_t)c->end.command_pid;
			out->command_status = (uint32_t)c->end.command_status;
		}
	}
	out->complete = complete && out->n_drops == 0 && out->end_reason != END_ERROR;
	return 0;
}
