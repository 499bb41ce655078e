/* explain.c - how the target of one call was learned, for people */
#include "decode/explain.h"

#include <inttypes.h>
#include <string.h>

#include "decode/target.h"
#include "formats/base/escape.h"
#include "formats/base/units.h"
#include "formats/kernel_record.h"

/* "  label      text" */
static void
put_line(struct buf *out, const char *label, const char *text)
{
	(void)buf_printf(out, "  %-10s %s\n", label, text);
}

/* The words for every flag that is set, a line each. */
struct words {
	uint32_t flag;
	const char *text;
};

static void
put_flags(struct buf *out, const char *label, uint32_t flags, const struct words *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (flags & words[i].flag)
			put_line(out, label, words[i].text);
	}
}

static void
put_call(struct buf *out, const struct iotap_event *e)
{
	char text[UNITS_SIZE];

	(void)buf_printf(out, "call %" PRIu64 ": %s by %" PRIu32 " (", e->number, e->syscall, e->pid);
	(void)escape_text(out, e->process->name, e->process->name_len);
	(void)buf_printf(out, "), thread %" PRIu32, e->tid);
	if (e->fd >= 0)
		(void)buf_printf(out, ", descriptor %" PRId32, e->fd);
	if (e->failed)
		(void)buf_printf(out, ", failed with %s", e->err_name);
	else if (e->err != 0)
		(void)buf_printf(out, ", goes on in the background (%s)", e->err_name);
	else
		(void)buf_printf(out, ", returned %" PRId64, e->result);
	if (e->duration_ns != IOTAP_UNKNOWN)
		(void)buf_printf(out, " after %s", units_latency(text, e->duration_ns));
	(void)buf_putc(out, '\n');
}

static void
put_call_flags(struct buf *out, const struct iotap_event *e)
{
	static const struct words words[] = {
		{KF_BEFORE, "it began before tracing did: how long it took is not known"},
		{KF_RESTARTED, "the kernel restarted it after a signal: the parts are one call"},
		{KF_INTERRUPTED, "a signal ended it and it was not restarted: EINTR"},
		{KF_COMPAT, "a call of a 32-bit program, by that table"},
		{KF_PHANTOM, "it returned without having been made (seccomp, a debugger): moved nothing"},
		{KF_APPEND, "the descriptor appends: the offset is where the write ended up"},
		{KF_MESSAGE_BYTES, "its bytes are the sum over its messages"},
		{KF_CLOSED, "it closed the descriptor"},
		{KF_UNTIMED, "how long it took is not known: not measured, or a request whose end was found out later"},
	};

	put_flags(out, "call", e->flags, words, sizeof(words) / sizeof(words[0]));
}

static void
put_identity(struct buf *out, const struct iotap_target *t)
{
	(void)buf_printf(out, "  %-10s ", "target");
	(void)buf_put(out, t->text, t->text_len);
	if (t->ino != 0)
		(void)buf_printf(out, ", device %" PRIu32 ":%" PRIu32 " inode %" PRIu64, t->dev_major, t->dev_minor,
				 t->ino);
	if (!(t->id & TARGET_UNDEFINED_BIT))
		(void)buf_printf(out, ", definition %" PRIu64, t->id);
	(void)buf_putc(out, '\n');
}

static void
put_origin(struct buf *out, const struct iotap_target *t)
{
	static const char *const learned[] = {
		[IOTAP_RESOLVED_NONE] = "not at all: no definition of it is in the recording",
		[IOTAP_RESOLVED_TRACED] = "by a traced call that made it, when that call returned",
		[IOTAP_RESOLVED_SNAPSHOT] = "when tracing of its process began: it was open then",
		[IOTAP_RESOLVED_LAZY] = "at its first use under tracing",
	};
	static const char *const evidence[] = {
		[IOTAP_EVIDENCE_NONE] = "nobody's",
		[IOTAP_EVIDENCE_KERNEL] = "the kernel's own object",
		[IOTAP_EVIDENCE_PROC] = "an answer of /proc, which may be later than the call",
		[IOTAP_EVIDENCE_USER] = "the memory of the traced process: what it asked for",
	};

	if (t->resolved == IOTAP_RESOLVED_TRACED && t->evidence == IOTAP_EVIDENCE_USER)
		put_line(out, "learned", "from what the call was asked: it opened nothing that could be looked at");
	else if (t->flags & TARGET_EVICTED)
		put_line(out, "learned", "earlier; the capture had no room to keep what it knew");
	else
		put_line(out, "learned", learned[t->resolved]);
	put_line(out, "evidence", evidence[t->evidence]);
}

/* What was compared at the call, or why nothing was. */
static void
put_validation(struct buf *out, const struct iotap_event *e)
{
	const struct iotap_target *const t = e->target;

	if (e->flags & KF_UNDEFINED)
		put_line(out, "validated", "device and inode only: there was no room for its definition");
	else if (t->flags & TARGET_EVICTED)
		put_line(out, "validated", "device and inode only: its definition was forgotten");
	else if (t->resolved == IOTAP_RESOLVED_NONE)
		put_line(out, "validated", t->ino != 0 ? "device and inode only: its definition is not there" : "no");
	else if (t->resolved == IOTAP_RESOLVED_TRACED && t->evidence == IOTAP_EVIDENCE_USER)
		put_line(out, "validated", "no: the call gave no open file to compare with");
	else
		put_line(out, "validated", "at the call: file, dentry, mount, parent, name, inode and generation (of "
			 "sockets: both addresses) are those of the definition");
	if (e->flags & KF_RACED)
		put_line(out, "doubt", "the descriptor meant another file before the call had ended");
	put_line(out, "confirmed", e->confirmed ? "yes" : "no");
}

static void
put_rejected(struct buf *out, const struct iotap_target *t)
{
	static const struct words words[] = {
		{KT_UNLINKED, "it had no name any more: the path is its last one"},
		{KT_CUT, "the walk to the root reached its limit: the path is only the end of a longer one"},
		{KT_CLAIM_CUT, "what the process asked for did not fit and is cut"},
		{KT_CLAIM_UNREAD, "what the process asked for could not be read from its memory"},
		{KT_CLOSING, "the socket was closing when it was read: an earlier, fuller reading stays"},
	};

	put_flags(out, "note", t->flags, words, sizeof(words) / sizeof(words[0]));
	if (t->claimed && t->claimed != t->path &&
	    (t->claimed_len != t->path_len || memcmp(t->claimed, t->path, t->path_len) != 0)) {
		(void)buf_printf(out, "  %-10s \"", "rejected");
		(void)escape_text(out, t->claimed, t->claimed_len);
		(void)buf_puts(out, "\": what the process asked for; the name above is the kernel's\n");
	}
	if (t->device && strcmp(t->device, "?") == 0)
		put_line(out, "interface", "cannot be told: the socket had no route");
}

static void
put_second(struct buf *out, const struct iotap_event *e)
{
	static const char *const labels[] = {
		[IOTAP_SECOND_NONE] = "second", [IOTAP_SECOND_SOURCE] = "source", [IOTAP_SECOND_FROM] = "made from",
		[IOTAP_SECOND_BASE] = "base", [IOTAP_SECOND_PATH] = "new name", [IOTAP_SECOND_PEER] = "peer",
	};

	if (!e->target2)
		return;
	(void)buf_printf(out, "  %-10s ", labels[e->second]);
	(void)buf_put(out, e->target2->text, e->target2->text_len);
	(void)buf_putc(out, '\n');
}

void
explain_event(struct buf *out, const struct iotap_event *e)
{
	put_call(out, e);
	put_identity(out, e->target);
	put_origin(out, e->target);
	put_validation(out, e);
	put_rejected(out, e->target);
	put_second(out, e);
	put_call_flags(out, e);
}
