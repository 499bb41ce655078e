/* notice.c - records between calls as notices and drops */
#include "decode/notice.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/base/arguments.h"
#include "formats/base/escape.h"
#include "formats/base/units.h"

#define NAMED_AT_MOST 10	/* processes in one line */
#define ARGUMENTS_AT_MOST 1000	/* bytes of a process's arguments in one line */

enum { HOW_DESCENDANT = 4, REASON_ENDED = 1 };	/* records.def: process.how, untraced.reason */

void
notices_fini(struct notices *n)
{
	buf_free(&n->message);
}

/* A fresh notice; the message is built in n->message and taken by notice_done. */
static struct iotap_notice *
notice_begin(struct notices *n, enum iotap_notice_type type, uint64_t boot_ns,
	     const struct process *process)
{
	buf_clear(&n->message);
	n->notice = (struct iotap_notice){
		.size = sizeof(n->notice),
		.type = type,
		.boot_ns = boot_ns,
		.process = process ? &process->pub : NULL,
		.pid = process ? process->pub.pid : 0,
	};
	return &n->notice;
}

static const struct iotap_notice *
notice_done(struct notices *n)
{
	n->notice.message = buf_cstr(&n->message);
	return &n->notice;
}

static void
put_process(struct buf *out, const struct iotap_process *p)
{
	(void)buf_printf(out, "%" PRIu32 " (", p->pid);
	(void)escape_text(out, p->name, p->name_len);
	(void)buf_putc(out, ')');
}

static void
put_arguments(struct buf *out, const struct iotap_process *p)
{
	if (!p->arguments)
		return;
	(void)buf_puts(out, " [");
	arguments_text(out, p->arguments, p->arguments_len, ARGUMENTS_AT_MOST);
	(void)buf_putc(out, ']');
}

/* "4242 (curl)", "3 processes: 1 (a), 2 (b), 3 (c)" */
static void
put_processes(struct buf *out, const struct processes *p, size_t n_named, size_t n_descendants)
{
	const bool all = n_named == 0;	/* nothing but descendants: they are what there is */
	const size_t n = all ? n_descendants : n_named;
	char text[UNITS_SIZE];
	size_t shown = 0;

	if (n > 1)
		(void)buf_printf(out, "%s: ", units_count(text, n, "process"));
	for (size_t i = 0; i < p->n && shown < NAMED_AT_MOST; i++) {
		if (!all && p->all[i]->pub.how == HOW_DESCENDANT)
			continue;
		if (shown++ > 0)
			(void)buf_puts(out, ", ");
		put_process(out, &p->all[i]->pub);
		put_arguments(out, &p->all[i]->pub);
	}
	if (n > shown)
		(void)buf_printf(out, " and %zu more", n - shown);
}

/* Of a whole machine, user or cgroup nobody wants a list. */
static void
put_scopes(struct buf *out, const struct buf *names, const struct buf *scopes)
{
	(void)buf_printf(out, "every process%.*s", (int)scopes->len, scopes->data);
	if (names->len > 0)
		(void)buf_printf(out, ", and those named %.*s", (int)names->len, names->data);
}

const struct iotap_notice *
notice_start(struct notices *n, const struct processes *p, uint64_t boot_ns, bool followed,
	     const struct buf *names, const struct buf *scopes)
{
	struct buf *const out = &n->message;
	size_t n_descendants = 0;

	(void)notice_begin(n, IOTAP_NOTICE_START, boot_ns, NULL);
	if (scopes->len > 0) {
		put_scopes(out, names, scopes);
		return notice_done(n);
	}
	for (size_t i = 0; i < p->n; i++)
		n_descendants += p->all[i]->pub.how == HOW_DESCENDANT;
	if (p->n > 0)
		put_processes(out, p, p->n - n_descendants, n_descendants);
	else if (names->len > 0)
		(void)buf_printf(out, "new processes named %.*s", (int)names->len, names->data);
	else
		(void)buf_puts(out, "no process");
	if (followed && p->n > n_descendants) {
		(void)buf_printf(out, ", and %s descendants",
				 p->n - n_descendants == 1 ? "its" : "their");
		if (n_descendants > 0)
			(void)buf_printf(out, " (%zu running now)", n_descendants);
	}
	return notice_done(n);
}

const struct iotap_notice *
notice_attached(struct notices *n, const struct process *process, const struct rec_process *rec)
{
	struct iotap_notice *const notice =
		notice_begin(n, IOTAP_NOTICE_ATTACHED, rec->time_ns, process);

	notice->parent = (uint32_t)rec->parent;
	(void)buf_puts(&n->message, "now tracing ");
	put_process(&n->message, &process->pub);
	if (rec->parent != 0)
		(void)buf_printf(&n->message, ", child of %" PRIu64, rec->parent);
	put_arguments(&n->message, &process->pub);
	return notice_done(n);
}

const struct iotap_notice *
notice_exec(struct notices *n, const struct process *process, const struct rec_exec *rec)
{
	struct iotap_notice *const notice = notice_begin(n, IOTAP_NOTICE_EXEC, rec->time_ns, process);

	notice->path = process->pub.exe;
	notice->path_len = process->pub.exe_len;
	(void)buf_printf(&n->message, "%" PRIu64 " is now running ", rec->pid);
	(void)escape_text(&n->message, rec->path.p, rec->path.n);
	put_arguments(&n->message, &process->pub);
	return notice_done(n);
}

const struct iotap_notice *
notice_renamed(struct notices *n, const struct process *process, const struct rec_rename *rec)
{
	struct iotap_notice *const notice =
		notice_begin(n, IOTAP_NOTICE_RENAMED, rec->time_ns, process);

	notice->tid = (uint32_t)rec->tid;
	/* The name lies, NUL-ended, in front of the message, which is empty: nothing to say. */
	(void)buf_put(&n->message, rec->comm.p, rec->comm.n);
	(void)buf_putc(&n->message, '\0');
	notice->name = buf_ok(&n->message) ? buf_cstr(&n->message) : "";
	notice->name_len = buf_ok(&n->message) ? rec->comm.n : 0;
	notice->message = "";
	return notice;
}

const struct iotap_notice *
notice_exited(struct notices *n, const struct process *process, const struct rec_exit *rec)
{
	struct iotap_notice *const notice = notice_begin(n, IOTAP_NOTICE_EXITED, rec->time_ns, process);

	notice->pid = (uint32_t)rec->pid;
	if (process)
		put_process(&n->message, &process->pub);
	else
		(void)buf_printf(&n->message, "%" PRIu64, rec->pid);
	(void)buf_puts(&n->message, " exited");
	return notice_done(n);
}

const struct iotap_notice *
notice_untraced(struct notices *n, const struct rec_untraced *rec)
{
	struct iotap_notice *const notice =
		notice_begin(n, IOTAP_NOTICE_UNTRACED, rec->time_ns, NULL);

	notice->pid = (uint32_t)rec->pid;
	notice->parent = (uint32_t)rec->parent;
	notice->reason = (uint32_t)rec->reason;
	(void)buf_printf(&n->message, "child %" PRIu64, rec->pid);
	if (rec->parent != 0)
		(void)buf_printf(&n->message, " of %" PRIu64, rec->parent);
	(void)buf_puts(&n->message, rec->reason == REASON_ENDED ?
		       " ended before it could be traced" :
		       " is not traced: as many processes as possible are");
	return notice_done(n);
}

const struct iotap_notice *
notice_text(struct notices *n, const struct rec_notice *rec)
{
	notice_begin(n, IOTAP_NOTICE_TEXT, rec->time_ns, NULL)->level = (uint32_t)rec->level;
	(void)escape_text(&n->message, rec->text.p, rec->text.n);
	return notice_done(n);
}

enum notice_pause
notice_pause(const char *text)
{
	static const char resumed[] = "recording again after a pause of ";

	if (strcmp(text, "paused: calls from here on are not recorded") == 0)
		return NOTICE_PAUSED;
	if (strncmp(text, resumed, sizeof(resumed) - 1) != 0)
		return NOTICE_NO_PAUSE;
	text += sizeof(resumed) - 1;
	text += strspn(text, "0123456789.");
	return strcmp(text, " s") == 0 ? NOTICE_RESUMED : NOTICE_NO_PAUSE;
}

const struct iotap_notice *
notice_clock_step(struct notices *n, uint64_t boot_ns, int64_t step_ns)
{
	const uint64_t size = step_ns < 0 ? 0 - (uint64_t)step_ns : (uint64_t)step_ns;
	char text[UNITS_SIZE];

	notice_begin(n, IOTAP_NOTICE_CLOCK_STEP, boot_ns, NULL)->step_ns = step_ns;
	(void)buf_printf(&n->message, "the recorded machine's clock was set %s by %s",
			 step_ns < 0 ? "back" : "forward", units_latency(text, size));
	return notice_done(n);
}

const struct iotap_notice *
notice_end(struct notices *n, const struct rec_end *rec)
{
	enum { REASON_ERROR = 5, REASON_SALVAGED = 11 };

	notice_begin(n, IOTAP_NOTICE_END, rec->time_ns, NULL)->reason = (uint32_t)rec->reason;
	if (rec->reason == REASON_ERROR)
		(void)buf_puts(&n->message, "capture ended on an error");
	if (rec->reason == REASON_SALVAGED)
		(void)buf_puts(&n->message, "this was salvaged from a damaged recording: parts are missing");
	return notice_done(n);
}

static struct iotap_drop *
drop_begin(struct notices *n, enum iotap_drop_cause cause)
{
	buf_clear(&n->message);
	n->drop = (struct iotap_drop){
		.size = sizeof(n->drop),
		.cause = cause,
		.from_ns = IOTAP_UNKNOWN,
		.until_ns = IOTAP_UNKNOWN,
		.time_ns = IOTAP_UNKNOWN,
		.count = IOTAP_UNKNOWN,
		.pids = n->pids,
	};
	return &n->drop;
}

static void
loss_message(struct buf *out, enum iotap_drop_cause cause, uint64_t count)
{
	char text[UNITS_SIZE];

	switch (cause) {
	case IOTAP_DROP_RING:
		(void)buf_printf(out, "the kernel buffer was full: %s counted in the totals only; "
				 "try a larger --buffer", units_count(text, count, "call"));
		return;
	case IOTAP_DROP_NOTES:
		(void)buf_printf(out, "the kernel buffer was full: %s of names and processes lost; "
				 "try a larger --buffer", units_count(text, count, "record"));
		return;
	case IOTAP_DROP_OUTPUT:
		(void)buf_printf(out, "the recording could not be written: %s lost",
				 units_count(text, count, "call"));
		return;
	case IOTAP_DROP_QUEUE:
	case IOTAP_DROP_DAMAGE:
	case IOTAP_DROP_TRUNCATED:
		break;
	}
	(void)buf_printf(out, "capture could not keep up: %s lost", units_count(text, count, "call"));
}

const struct iotap_drop *
notice_loss(struct notices *n, const struct rec_loss *rec)
{
	const bool known = rec->cause >= IOTAP_DROP_RING && rec->cause <= IOTAP_DROP_OUTPUT;
	struct iotap_drop *const drop =
		drop_begin(n, known ? (enum iotap_drop_cause)rec->cause : IOTAP_DROP_QUEUE);
	struct bytes_in in = bytes_in(rec->pids.p, rec->pids.n);

	drop->from_ns = rec->from_ns;
	drop->until_ns = rec->until_ns;
	drop->count = rec->count;
	while (bytes_left(&in) > 0 && drop->n_pids < NOTICE_PIDS_MAX) {
		const uint64_t pid = bytes_get_varint(&in);

		if (!in.bad)
			n->pids[drop->n_pids++] = (uint32_t)pid;
	}
	loss_message(&n->message, drop->cause, rec->count);
	drop->message = buf_cstr(&n->message);
	return drop;
}

const struct iotap_drop *
notice_damage(struct notices *n, const char *name, enum iotap_drop_cause cause, uint64_t offset,
	      uint64_t bytes, const char *text)
{
	struct iotap_drop *const drop = drop_begin(n, cause);
	char text_bytes[UNITS_SIZE];

	drop->offset = offset;
	drop->bytes = bytes;
	(void)escape_text(&n->message, name, strlen(name));
	if (cause == IOTAP_DROP_TRUNCATED) {
		(void)buf_printf(&n->message, " ends abruptly at byte %" PRIu64 ": capture was killed, or the "
				 "file was not copied whole; all before it is shown", offset + bytes);
	} else {
		(void)buf_printf(&n->message, ": damage at byte %" PRIu64 " (%s): ", offset,
				 units_count(text_bytes, bytes, "byte"));
		(void)escape_text(&n->message, text, strlen(text));
		(void)buf_puts(&n->message, "; the rest is shown: copy the file again, or keep what is whole "
			       "with iotap-decode --salvage");
	}
	drop->message = buf_cstr(&n->message);
	return drop;
}
