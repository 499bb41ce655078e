/* show.c - what iotap-decode prints */
#include "decode/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/csv.h"
#include "decode/explain.h"
#include "decode/json.h"
#include "formats/base/escape.h"
#include "formats/base/io.h"

#define ENOUGH (64 * 1024)

enum { END_ERROR = 5, END_SALVAGED = 11 };	/* records.def: end.reason */

bool
show_flush(struct show *s)
{
	struct buf *const out = &s->text.out;

	if (!buf_ok(out) && !s->failed) {
		s->failed = true;
		s->errno_value = ENOMEM;
	}
	if (out->len > 0 && !s->closed && !s->failed && !io_write_all(STDOUT_FILENO, out->data, out->len)) {
		s->closed = errno == EPIPE;
		s->failed = !s->closed;
		s->errno_value = errno;
	}
	buf_clear(out);
	return !s->closed && !s->failed;
}

static int
show_no_memory(struct show *s)
{
	s->failed = true;
	s->errno_value = ENOMEM;
	return IOTAP_STOP;
}

/* What a handler returns once a line is there. */
static int
show_more(struct show *s)
{
	if (s->text.out.len < ENOUGH && buf_ok(&s->text.out))
		return IOTAP_NEXT;
	return show_flush(s) ? IOTAP_NEXT : IOTAP_STOP;
}

/* One line to standard error, after all that was said before it. */
static int
show_aside(struct show *s, const char *before, const char *message, const char *after)
{
	struct buf line = {.data = NULL};
	const bool flushed = show_flush(s);

	if (!buf_printf(&line, "iotap: %s%s%s\n", before, message, after))
		return show_no_memory(s);
	(void)io_write_all(STDERR_FILENO, line.data, line.len);
	buf_free(&line);
	return flushed ? IOTAP_NEXT : IOTAP_STOP;
}

static int
on_event(const struct iotap_event *e, void *arg)
{
	struct show *const s = arg;

	if (s->explain) {
		if (e->number != s->explain_number)
			return e->number > s->explain_number ? IOTAP_STOP : IOTAP_NEXT;
		explain_event(&s->text.out, e);
		s->explained = true;
		(void)show_flush(s);
		return IOTAP_STOP;
	}
	if (s->quiet)
		return IOTAP_NEXT;
	if (s->csv || s->tsv)
		csv_event(&s->text.out, s->tsv, e);
	else if (s->json)
		json_event(&s->text.out, e);
	else if (e->dir != IOTAP_DIR_NONE || s->all_ops)
		text_event(&s->text, e);
	return show_more(s);
}

static int
show_start(struct show *s, const struct iotap_notice *n)
{
	struct buf before = {.data = NULL};
	struct iotap_info info;
	const char *tool;
	int r;

	if (s->started++ > 0 && s->replaying)
		return 0;		/* several inputs: said once */
	if (!s->replaying)
		return show_aside(s, "tracing ", n->message, s->live ? "; press Ctrl-C to stop" : "");
	iotap_get_info(s->iotap, &info);
	tool = info.tool[0] != '\0' ? info.tool : "?";	/* the header is damaged */
	(void)buf_puts(&before, "replaying ");
	(void)escape_text(&before, s->replaying, strlen(s->replaying));
	(void)buf_puts(&before, " (made by ");
	(void)escape_text(&before, tool, strlen(tool));
	(void)buf_puts(&before, "): ");
	(void)buf_cstr(&before);
	r = buf_ok(&before) ? show_aside(s, buf_cstr(&before), n->message, "") : show_no_memory(s);
	buf_free(&before);
	return r;
}

static int
json_begin(struct show *s)
{
	const struct iotap_process *const *processes;
	const size_t n = iotap_get_processes(s->iotap, &processes);
	struct iotap_info info;

	if (!processes)
		return show_no_memory(s);
	iotap_get_info(s->iotap, &info);
	json_start(&s->text.out, &info, processes, n);
	return show_more(s);
}

/* A process came, runs another program, ended: on a whole machine these are many. */
static bool
is_of_life(enum iotap_notice_type type)
{
	return type == IOTAP_NOTICE_ATTACHED || type == IOTAP_NOTICE_EXEC || type == IOTAP_NOTICE_RENAMED ||
	       type == IOTAP_NOTICE_EXITED;
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	struct show *const s = arg;

	if (n->type == IOTAP_NOTICE_END && (n->reason == END_ERROR || n->reason == END_SALVAGED))
		s->incomplete = true;
	if (s->explain || (s->lives_untold && is_of_life(n->type)))
		return IOTAP_NEXT;
	if (n->type == IOTAP_NOTICE_START && (s->csv || s->tsv))
		csv_names(&s->text.out, s->tsv);
	if (n->type == IOTAP_NOTICE_START)
		return s->json ? json_begin(s) : show_start(s, n);
	if (s->json) {
		json_notice(&s->text.out, n);
		return show_more(s);
	}
	return n->message[0] != '\0' ? show_aside(s, "", n->message, "") : IOTAP_NEXT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	struct show *const s = arg;
	char when[TEXT_TIME_SIZE + 1] = "";

	s->incomplete = true;
	if (s->json) {
		json_drop(&s->text.out, d);
		return show_more(s);
	}
	if (d->time_ns != IOTAP_UNKNOWN) {
		(void)text_time(&s->text, d->time_ns, when);
		(void)strcat(when, " ");
	}
	return show_aside(s, when, d->message, "");
}

/* While no event flows nothing is written, so that only asking tells that the reader has gone. */
static int
on_idle(void *arg)
{
	struct show *const s = arg;

	if (show_flush(s) && io_reader_gone(STDOUT_FILENO))
		s->closed = true;
	return s->closed || s->failed ? IOTAP_STOP : IOTAP_NEXT;
}

const struct iotap_handlers show_handlers = {
	.size = sizeof(show_handlers),
	.event = on_event,
	.notice = on_notice,
	.drop = on_drop,
	.idle = on_idle,
};

static void
on_full(void *arg)
{
	(void)show_flush(arg);
}

bool
show_summary(struct show *s, unsigned int top, unsigned int show)
{
	struct iotap_summary summary;
	char *text;

	if (s->json) {
		if (iotap_get_summary(s->iotap, &summary) < 0)
			return false;
		json_summary(&s->text.out, &summary, on_full, s);
		return true;
	}
	text = iotap_summary_text(s->iotap, top, show);
	if (!text)
		return false;
	(void)buf_puts(&s->text.out, text);
	free(text);
	return true;
}

void
show_fini(struct show *s)
{
	buf_free(&s->text.out);
}
