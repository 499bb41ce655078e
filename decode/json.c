/* json.c - JSON Lines
 *
 * Events are written by hand into room that is made once a line: everything but the target's object and
 * a few names is of bounded length, and the target brings its object along ready-made.
 */
#include "decode/json.h"

#include <string.h>

#include "decode/digits.h"
#include "decode/mapping.h"
#include "decode/quote.h"

#define LINE_ROOM 1024	/* what an event's line takes besides the objects of its targets */

#define PUT(p, literal) (memcpy((p), (literal), sizeof(literal) - 1), (p) + sizeof(literal) - 1)

/* A field of an unsigned number, or null. */
#define FIELD(p, name, v) put_known(PUT((p), ",\"" name "\":"), (v))

static inline char *
put_bytes(char *p, const char *from, size_t n)
{
	memcpy(p, from, n);
	return p + n;
}

static inline char *
put_known(char *p, uint64_t v)
{
	return v == IOTAP_UNKNOWN ? PUT(p, "null") : digits_u64(p, v);
}

static inline char *
put_fd(char *p, int32_t fd)
{
	return fd < 0 ? PUT(p, "null") : digits_u64(p, (uint64_t)fd);
}

/* Names of our own tables: plain ASCII, short, nothing to escape. Interfaces are checked by json_plain. */
static inline char *
put_name(char *p, const char *name)
{
	*p++ = '"';
	p = put_bytes(p, name, strlen(name));
	*p++ = '"';
	return p;
}

static char *
put_call(char *p, const struct iotap_event *e)
{
	p = PUT(p, ",\"op\":");
	p = put_name(p, e->op);
	if (e->dir == IOTAP_DIR_READ)
		p = PUT(p, ",\"dir\":\"read\"");
	else if (e->dir == IOTAP_DIR_WRITE)
		p = PUT(p, ",\"dir\":\"write\"");
	p = PUT(p, ",\"syscall\":");
	return put_name(p, e->syscall);
}

static char *
put_outcome(char *p, const struct iotap_event *e)
{
	if (e->dir == IOTAP_DIR_NONE) {
		p = digits_i64(PUT(p, ",\"result\":"), e->result);
	} else {
		p = FIELD(p, "requested", e->requested);
		p = FIELD(p, "bytes", e->bytes);
		p = FIELD(p, "messages", e->messages);
	}
	p = digits_i64(PUT(p, ",\"errno\":"), e->err);
	p = PUT(p, ",\"error\":");
	p = e->err_name ? put_name(p, e->err_name) : PUT(p, "null");
	return FIELD(p, "latency_ns", e->duration_ns);
}

static char *
put_resolved(char *p, const struct iotap_event *e)
{
	static const char *const resolved[] = {
		[IOTAP_RESOLVED_NONE] = "none", [IOTAP_RESOLVED_TRACED] = "traced",
		[IOTAP_RESOLVED_SNAPSHOT] = "snapshot", [IOTAP_RESOLVED_LAZY] = "lazy",
	};
	static const char *const evidence[] = {
		[IOTAP_EVIDENCE_NONE] = "none", [IOTAP_EVIDENCE_KERNEL] = "kernel",
		[IOTAP_EVIDENCE_PROC] = "proc", [IOTAP_EVIDENCE_USER] = "user",
	};

	p = put_name(PUT(p, ",\"resolved\":"), resolved[e->target->resolved]);
	p = put_name(PUT(p, ",\"evidence\":"), evidence[e->target->evidence]);
	return e->confirmed ? PUT(p, ",\"confirmed\":true") : PUT(p, ",\"confirmed\":false");
}

static char *
put_second(char *p, const struct iotap_event *e)
{
	return e->target2 ? put_bytes(p, e->target2->json, e->target2->json_len) : PUT(p, "null");
}

static char *
put_mapping(char *p, const struct iotap_event *e)
{
	p = FIELD(p, "length", e->requested);
	if (!mapping_is_made(e->call) || e->arg0 == IOTAP_UNKNOWN)
		return p;
	p = FIELD(p, "offset", e->offset);
	p = put_name(PUT(p, ",\"access\":"), mapping_access(e->arg0));
	return mapping_is_shared(e->arg1) ? PUT(p, ",\"shared\":true") : PUT(p, ",\"shared\":false");
}

/* What was appended to the fields of the first version. */
static char *
put_appended(char *p, const struct iotap_event *e)
{
	if (e->dir != IOTAP_DIR_NONE)
		p = FIELD(p, "offset", e->offset);
	if (mapping_is_made(e->call) || mapping_is_used(e->call))
		p = put_mapping(p, e);
	switch (e->second) {
	case IOTAP_SECOND_SOURCE:
		p = put_second(PUT(p, ",\"source\":"), e);
		return put_fd(PUT(p, ",\"source_fd\":"), e->fd2);
	case IOTAP_SECOND_PEER:
		return put_second(PUT(p, ",\"peer\":"), e);
	case IOTAP_SECOND_BASE:
	case IOTAP_SECOND_PATH:
		p = put_second(PUT(p, ",\"second\":"), e);
		break;
	case IOTAP_SECOND_FROM:
	case IOTAP_SECOND_NONE:
		break;
	}
	return e->fd2 >= 0 ? put_fd(PUT(p, ",\"fd2\":"), e->fd2) : p;
}

/* True for an interface name that JSON takes as it is, as all of a sane machine are. */
static bool
json_plain(const char *name)
{
	size_t n = 0;

	for (; name[n] != '\0'; n++) {
		if (name[n] < 0x20 || name[n] >= 0x7f || name[n] == '"' || name[n] == '\\')
			return false;
	}
	return n < 32;
}

void
json_event(struct buf *out, const struct iotap_event *e)
{
	const char *const device = e->klass == IOTAP_CLASS_NETWORK ? e->target->device : NULL;
	const size_t room = LINE_ROOM + e->target->json_len + (e->target2 ? e->target2->json_len : 0);
	char *p;

	if (!buf_reserve(out, room))
		return;
	p = (char *)out->data + out->len;
	p = e->dir == IOTAP_DIR_NONE ? PUT(p, "{\"type\":\"op\",\"time_ns\":")
				     : PUT(p, "{\"type\":\"event\",\"time_ns\":");
	p = digits_u64(p, e->time_ns);
	p = digits_u64(PUT(p, ",\"pid\":"), e->pid);
	p = digits_u64(PUT(p, ",\"tid\":"), e->tid);
	p = put_call(p, e);
	p = put_fd(PUT(p, ",\"fd\":"), e->fd);
	p = put_outcome(p, e);
	p = PUT(p, ",\"target\":");
	p = put_bytes(p, e->target->json, e->target->json_len);
	if (device && !json_plain(device)) {
		out->len = (size_t)(p - (char *)out->data);
		quote_member(out, "interface", device, strlen(device));
		if (!buf_reserve(out, room))
			return;
		p = (char *)out->data + out->len;
	} else {
		p = PUT(p, ",\"interface\":");
		p = device ? put_name(p, device) : PUT(p, "null");
	}
	p = put_resolved(p, e);
	p = put_appended(p, e);
	p = PUT(p, "}\n");
	out->len = (size_t)(p - (char *)out->data);
}

void
json_number(struct buf *out, uint64_t v)
{
	char text[DIGITS_MAX];

	if (v == IOTAP_UNKNOWN)
		(void)buf_puts(out, "null");
	else
		(void)buf_put(out, text, (size_t)(digits_u64(text, v) - text));
}

void
json_process_head(struct buf *out, const struct iotap_process *process, bool more)
{
	(void)buf_puts(out, more ? ",{\"pid\":" : "{\"pid\":");
	json_number(out, process->pid);
	quote_member(out, "name", process->name, process->name_len);
}

void
json_processes(struct buf *out, const struct iotap_process *const *processes, size_t n)
{
	(void)buf_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		json_process_head(out, processes[i], i > 0);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
}
