/* cursor_header.c - what a recording says of itself: host, what was asked for, the clocks
 *
 * Fills in the info of a cursor, and the words that the notice of the start quotes. Clock records come
 * in the header, with each epoch, and whenever a clock was set.
 */
#include <string.h>

#include "decode/cursor.h"
#include "decode/selected.h"
#include "formats/base/escape.h"
#include "formats/base/hash.h"
#include "formats/base/utf8.h"

#define SHOWN_MAX 64				/* bytes of a name that was asked for */
#define STEP_MIN_NS INT64_C(1000000)	/* clocks further apart than this were set */

enum {			/* records.def: request.kind */
	REQUEST_NAME = 2, REQUEST_COMMAND = 3, REQUEST_CGROUP = 4, REQUEST_USER = 5, REQUEST_ALL = 6,
};

/* The strings of info are offsets while the buffer grows: they are set at the end of the header. */
static void
cursor_host(struct cursor *c, const struct rec_host *host)
{
	const struct bytes strings[4] = {host->tool, host->hostname, host->release, host->options};
	const char *at[4] = {"", "", "", ""};

	c->info = (struct iotap_info){
		.size = sizeof(c->info),
		.format_major = (uint32_t)host->format_major,
		.format_minor = (uint32_t)host->format_minor,
		.os = (uint32_t)host->os,
		.arch = (uint32_t)host->arch,
		.cpus = (uint32_t)host->cpus,
		.flags = (uint32_t)host->flags,
		.is_stream = host->stream != 0,
		.session = reader_session(c->reader),
	};
	buf_clear(&c->strings);
	for (size_t i = 0; i < 4; i++) {
		(void)buf_put(&c->strings, strings[i].p, strings[i].n);
		(void)buf_putc(&c->strings, '\0');
	}
	for (size_t i = 0, from = 0; i < 4 && buf_ok(&c->strings); i++) {
		at[i] = (const char *)c->strings.data + from;
		from += strings[i].n + 1;
	}
	c->info.tool = at[0];
	c->info.hostname = at[1];
	c->info.release = at[2];
	c->info.options = at[3];
	c->sets = (uint32_t)host->sets;
	if (host->boot_id.n > 0)
		c->boot_id_hash = hash_bytes(host->boot_id.p, host->boot_id.n, 1) | 1;
}

/* " of user "www", of cgroup "/a"": a blank alone says that there is no limit. */
static void
cursor_scope(struct cursor *c, const struct rec_request *request)
{
	if (c->scopes.len > 1000)
		return;
	if (request->kind == REQUEST_ALL) {
		(void)buf_puts(&c->scopes, c->scopes.len > 0 ? ", of the machine" : " of the machine");
		return;
	}
	(void)buf_printf(&c->scopes, "%s of %s \"", c->scopes.len > 0 ? "," : "",
			 request->kind == REQUEST_USER ? "user" : "cgroup");
	(void)escape_text(&c->scopes, request->text.p, utf8_cut(request->text.p, request->text.n, SHOWN_MAX));
	(void)buf_putc(&c->scopes, '"');
}

static void
cursor_request(struct cursor *c, const struct rec_request *request)
{
	selected_put(&c->selected, request);
	if (request->kind == REQUEST_COMMAND && c->command.len == 0)
		(void)buf_put(&c->command, request->text.p, request->text.n);
	if (request->kind >= REQUEST_CGROUP && request->kind <= REQUEST_ALL)
		cursor_scope(c, request);
	if (request->kind != REQUEST_NAME || c->names.len > 1000)
		return;
	(void)buf_puts(&c->names, c->names.len > 0 ? " or \"" : "\"");
	(void)escape_text(&c->names, request->text.p, utf8_cut(request->text.p, request->text.n, SHOWN_MAX));
	(void)buf_putc(&c->names, '"');
}

/* Clocks are slewed together: their difference changes only when one is set. The first clock, the header's
 * if that is whole, is when the recording began. */
int
cursor_clock(struct cursor *c, const struct rec_clock *clock)
{
	struct pending_item item = {.time_ns = clock->boot_ns, .what = PENDING_STEP};
	uint64_t offset;
	bool stepped;

	if (!unix_time_offset(clock->boot_ns, clock->real_ns, &offset))
		return error_set(c->err, IOTAP_ECORRUPT, "a clock that no kernel has");
	item.step_ns = unix_time_step(offset, c->unix_offset_ns);
	stepped = c->clock_known && (item.step_ns > STEP_MIN_NS || item.step_ns < -STEP_MIN_NS);
	c->unix_offset_ns = c->rows.unix_offset_ns = offset;
	reader_set_unix_offset(c->reader, offset);
	c->clock_known = true;
	if (c->info.start_boot_ns == 0) {
		c->info.start_boot_ns = clock->boot_ns;
		c->info.start_time_ns = (uint64_t)clock->real_ns;
	}
	cursor_saw(c, clock->boot_ns);
	return stepped ? pending_put(&c->pending, &item, NULL, 0) : 0;
}

int
cursor_header(struct cursor *c, const struct record *rec)
{
	switch (rec->type) {
	case REC_host:
		cursor_host(c, &rec->u.host);
		break;
	case REC_clock:
		return cursor_clock(c, &rec->u.clock);
	case REC_request:
		cursor_request(c, &rec->u.request);
		break;
	default:
		break;
	}
	return buf_ok(&c->strings) && buf_ok(&c->command) && buf_ok(&c->names) && buf_ok(&c->scopes) &&
		       buf_ok(&c->selected) ? 0 : IOTAP_ENOMEM;
}
