/* csv.c - events as CSV or TSV */
#include "decode/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "formats/base/csv_field.h"
#include "formats/base/escape.h"

#define NS_PER_S UINT64_C(1000000000)

static const char *const names[] = {
	"number", "time", "pid", "tid", "process", "call", "dir", "fd", "requested", "bytes", "error",
	"result", "duration_ms", "offset", "target", "interface", "target2", "resolved", "evidence",
	"confirmed",
};

/* Ends a field: with the last one, the line. */
static void
csv_next(struct buf *out, bool tsv, bool last)
{
	if (!last)
		(void)buf_putc(out, tsv ? '\t' : ',');
	else
		(void)buf_puts(out, tsv ? "\n" : "\r\n");
}

void
csv_names(struct buf *out, bool tsv)
{
	const size_t n = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < n; i++) {
		(void)buf_puts(out, names[i]);
		csv_next(out, tsv, i == n - 1);
	}
}

static void
put_unknown(struct buf *out, bool tsv)
{
	if (tsv)
		(void)buf_puts(out, "\\N");
}

static void
put_number(struct buf *out, bool tsv, uint64_t v)
{
	if (v == IOTAP_UNKNOWN)
		put_unknown(out, tsv);
	else
		(void)buf_printf(out, "%" PRIu64, v);
	csv_next(out, tsv, false);
}

/* Printable text; p may be NULL = not known. */
static void
put_text(struct buf *out, bool tsv, const void *p, size_t n)
{
	const char *const bytes = p;

	if (!p) {
		put_unknown(out, tsv);
	} else if (!tsv) {
		csv_field(out, p, n);
	} else {
		for (size_t i = 0; i < n; i++) {
			if (bytes[i] == '\\')
				(void)buf_putc(out, '\\');
			(void)buf_putc(out, bytes[i]);
		}
	}
	csv_next(out, tsv, false);
}

static void
put_str(struct buf *out, bool tsv, const char *s)
{
	put_text(out, tsv, s, s ? strlen(s) : 0);
}

/* Bytes that are still to be made printable. */
static void
put_raw(struct buf *out, bool tsv, const char *p, size_t n)
{
	struct buf text = {.data = NULL};

	if (escape_is_clean(p, n)) {
		put_text(out, tsv, p, n);
		return;
	}
	if (!escape_text(&text, p, n))
		out->failed = true;
	put_text(out, tsv, text.data, text.len);
	buf_free(&text);
}

/* As strftime('%Y-%m-%dT%H:%M:%S') of SQLite has it, and the fraction: in UTC. */
static void
put_time(struct buf *out, bool tsv, uint64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / NS_PER_S);
	char text[32];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) > 0)
		(void)buf_printf(out, "%s.%09" PRIu64 "Z", text, unix_ns % NS_PER_S);
	csv_next(out, tsv, false);
}

static void
put_duration(struct buf *out, bool tsv, uint64_t ns)
{
	if (ns == IOTAP_UNKNOWN)
		put_unknown(out, tsv);
	else
		(void)buf_printf(out, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
	csv_next(out, tsv, false);
}

static void
put_call(struct buf *out, bool tsv, const struct iotap_event *e)
{
	static const char *const dirs[] = {
		[IOTAP_DIR_NONE] = NULL, [IOTAP_DIR_READ] = "read", [IOTAP_DIR_WRITE] = "write",
	};

	put_str(out, tsv, e->syscall);
	put_str(out, tsv, dirs[e->dir]);
	put_number(out, tsv, e->fd < 0 ? IOTAP_UNKNOWN : (uint64_t)e->fd);
	put_number(out, tsv, e->requested);
	put_number(out, tsv, e->bytes);
	put_str(out, tsv, e->err_name);
	(void)buf_printf(out, "%" PRId64, e->result);
	csv_next(out, tsv, false);
	put_duration(out, tsv, e->duration_ns);
	put_number(out, tsv, e->offset);
}

void
csv_event(struct buf *out, bool tsv, const struct iotap_event *e)
{
	static const char *const resolved[] = {
		[IOTAP_RESOLVED_NONE] = "none", [IOTAP_RESOLVED_TRACED] = "traced",
		[IOTAP_RESOLVED_SNAPSHOT] = "snapshot", [IOTAP_RESOLVED_LAZY] = "lazy",
	};
	static const char *const evidence[] = {
		[IOTAP_EVIDENCE_NONE] = "none", [IOTAP_EVIDENCE_KERNEL] = "kernel",
		[IOTAP_EVIDENCE_PROC] = "proc", [IOTAP_EVIDENCE_USER] = "user",
	};
	const char *const device = e->klass == IOTAP_CLASS_NETWORK ? e->target->device : NULL;

	put_number(out, tsv, e->number);
	put_time(out, tsv, e->time_ns);
	put_number(out, tsv, e->pid);
	put_number(out, tsv, e->tid);
	put_raw(out, tsv, e->process->name, e->process->name_len);
	put_call(out, tsv, e);
	put_text(out, tsv, e->target->text, e->target->text_len);
	if (device)
		put_raw(out, tsv, device, strlen(device));
	else
		put_str(out, tsv, NULL);
	put_text(out, tsv, e->target2 ? e->target2->text : NULL, e->target2 ? e->target2->text_len : 0);
	put_str(out, tsv, resolved[e->target->resolved]);
	put_str(out, tsv, evidence[e->target->evidence]);
	(void)buf_putc(out, e->confirmed ? '1' : '0');
	csv_next(out, tsv, true);
}
