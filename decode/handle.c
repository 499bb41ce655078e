/* handle.c - opening and closing an iotap_t, and what is known without reading on */
#include "decode/handle.h"
#include "decode/twins.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_NO_LATENCY = 8 };			/* records.def: host.flags */
enum { END_ERROR = 5, END_SALVAGED = 11 };	/* records.def: end.reason */

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
			input->cursor.further = true;
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
	r = cursor_open(&input->cursor, reader, &h->select, &h->err);
	return r < 0 ? r : input_processes(h, input);
}

/* The times of a filter are those of the first input's boot clock: other machines have booted at other
 * times. */
static void
handle_range(iotap_t *h)
{
	const struct iotap_filter *const f = &h->select.f;

	const bool limited = f->from_ns > 0 || f->to_ns < UINT64_MAX;

	for (size_t i = 0; i < h->n_inputs; i++) {
		struct cursor *const c = &h->inputs[i].cursor;
		const uint64_t shift = (uint64_t)unix_time_step(c->unix_offset_ns,
							       h->inputs[0].cursor.unix_offset_ns);

		c->rows.time_shift_ns = limited ? shift : 0;
		c->defers = limited && c->rows.time_shift_ns == 0;
		if (c->rows.time_shift_ns == 0)
			reader_set_range(c->reader, f->from_ns, f->to_ns);
	}
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
	r = twins_refuse(fds, names, n, &h->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		r = input_open(h, &h->inputs[i], names[i]);
		if (r < 0)
			return r;
	}
	handle_range(h);
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
	handle_range(h);
	return 0;
}

IOTAP_API int
iotap_set_window(iotap_t *h, const struct iotap_window *window)
{
	const struct reader_window w = {window->from_time_ns, window->to_time_ns, window->first_number,
					window->last_number};
	struct cursor *const c = &h->inputs[0].cursor;

	if (h->reading || h->n_inputs != 1)
		return error_set(&h->err, IOTAP_EUSAGE, "a window is set on one input, before the first read");
	reader_set_window(c->reader, &w);
	c->defers = c->seeks = true;
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

/* -- what is known -- */

IOTAP_API void
iotap_get_info(const iotap_t *h, struct iotap_info *out)
{
	*out = h->inputs[0].cursor.info;
	if (out->size == 0)	/* a recording whose header is damaged */
		out->tool = out->hostname = out->release = out->options = "";
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

static int
on_aggregate(void *arg, const struct iotap_aggregate *a)
{
	iotap_t *const h = arg;
	const struct iotap_handlers *const handlers = h->handlers;

	if (!handlers || handlers->size < sizeof(*handlers) || !handlers->aggregate ||
	    handlers->aggregate(a, h->arg) >= 0)
		return 0;
	h->said = IOTAP_ABORT;
	return error_set(&h->err, IOTAP_EABORT, "a handler ended the reading");
}

static void
handle_sums(iotap_t *h, struct cursor *c)
{
	c->tally = h->tally;
	c->on_aggregate = on_aggregate;
	c->on_aggregate_arg = h;
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
		handle_sums(h, &h->inputs[i].cursor);
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
		uint64_t last = c->end.time_ns != 0 ? c->end.time_ns : c->last_ns;

		if (c->info.start_boot_ns == 0)
			continue;
		if (c->info.start_time_ns < from)
			from = c->info.start_time_ns;
		if (last < c->info.start_boot_ns)
			continue;
		last = unix_time_add(last - c->info.start_boot_ns, c->info.start_time_ns);
		if (last > until)
			until = last;
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
	if (!out->processes)
		return error_set(&h->err, IOTAP_ENOMEM, "out of memory");
	out->no_latency = h->n_inputs > 0;
	for (size_t i = 0; i < h->n_inputs; i++) {
		const struct cursor *const c = &h->inputs[i].cursor;

		out->no_latency = out->no_latency && (c->info.flags & HOST_NO_LATENCY) != 0;
		complete = complete && c->end_seen;
		if (!out->selection && c->selected.len > 0)
			out->selection = buf_cstr(&h->inputs[i].cursor.selected);
		if (h->inputs[i].owns_processes && h->select.f.pid == 0)
			out->processes_forgotten += h->inputs[i].processes->forgotten;
		if (c->end.command_pid != 0) {
			out->command_pid = (uint32_t)c->end.command_pid;
			out->command_status = (uint32_t)c->end.command_status;
		}
	}
	out->complete = complete && out->n_drops == 0 && out->end_reason != END_ERROR &&
			out->end_reason != END_SALVAGED;
	return 0;
}
