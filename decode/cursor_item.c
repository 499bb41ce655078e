/* cursor_item.c - what waited between calls, told: applied to the processes, made a notice or a drop */
#include <stdlib.h>

#include "decode/cursor.h"

enum { FLAG_FOLLOWED = 2, LEVEL_WARNING = 2 };	/* records.def: host.flags, notice.level */

static int
tell_process(struct cursor *c, struct notices *notices, const struct rec_process *rec,
	     struct cursor_item *out)
{
	struct process *process;
	const int r = processes_process(c->processes, rec, &process);

	if (r == 0 && !process->told)
		out->notice = notice_attached(notices, process, rec);
	if (process)
		process->told = true;
	return r;
}

static int
tell_record(struct cursor *c, struct notices *notices, const struct record *rec, struct cursor_item *out)
{
	struct process *process;
	int r = 0;

	switch (rec->type) {
	case REC_process:
		return tell_process(c, notices, &rec->u.process, out);
	case REC_exec:
		r = processes_exec(c->processes, &rec->u.exec, &process);
		if (r == 0)
			out->notice = notice_exec(notices, process, &rec->u.exec);
		return r;
	case REC_rename:
		r = processes_rename(c->processes, &rec->u.rename, &process);
		if (r == 0)
			out->notice = notice_renamed(notices, process, &rec->u.rename);
		return r;
	case REC_exit:
		r = processes_exit(c->processes, &rec->u.exit, &process);
		out->notice = notice_exited(notices, process, &rec->u.exit);
		return r;
	case REC_untraced:
		out->notice = notice_untraced(notices, &rec->u.untraced);
		return 0;
	case REC_notice:
		out->notice = notice_text(notices, &rec->u.notice);
		return 0;
	case REC_loss:
		out->drop = notice_loss(notices, &rec->u.loss);
		return 0;
	case REC_end:
		c->end = rec->u.end;
		out->notice = notice_end(notices, &rec->u.end);
		return 0;
	default:
		return 0;
	}
}

static int
tell_item(struct cursor *c, struct notices *notices, const struct pending_item *item,
	  struct cursor_item *out)
{
	struct bytes_in in = bytes_in(item->data, item->n);
	struct record rec;

	switch (item->what) {
	case PENDING_RECORD:
		return record_next(&in, &rec, NULL) == 0 ? tell_record(c, notices, &rec, out) : 0;
	case PENDING_DAMAGE:
		out->drop = notice_damage(notices, reader_name(c->reader),
					  (enum iotap_drop_cause)item->cause, item->offset, item->bytes,
					  (const char *)item->data);
		return 0;
	case PENDING_STEP:
		out->notice = notice_clock_step(notices, item->time_ns, item->step_ns);
		return 0;
	case PENDING_WARNING:
		out->notice = notice_text(notices, &(struct rec_notice){
			.time_ns = c->info.start_boot_ns, .level = LEVEL_WARNING,
			.text = rec_bytes(item->data, item->n)});
		return 0;
	case PENDING_START:
		out->notice = notice_start(notices, c->processes, c->info.start_boot_ns,
					   (c->info.flags & FLAG_FOLLOWED) != 0, &c->names,
					   &c->scopes);
		return 0;
	}
	return 0;
}

/* A notice of another process, or of another time, is not let through; what concerns the recording as a
 * whole always is, and so is every drop. */
static bool
notice_passes(const struct cursor *c, const struct iotap_notice *n)
{
	switch (n->type) {
	case IOTAP_NOTICE_START:
	case IOTAP_NOTICE_TEXT:
	case IOTAP_NOTICE_CLOCK_STEP:
	case IOTAP_NOTICE_END:
		return true;
	case IOTAP_NOTICE_ATTACHED:
	case IOTAP_NOTICE_EXEC:
	case IOTAP_NOTICE_RENAMED:
	case IOTAP_NOTICE_EXITED:
	case IOTAP_NOTICE_UNTRACED:
		break;
	}
	return select_time(c->select, unix_time_add(n->boot_ns, c->rows.time_shift_ns)) &&
	       (c->select->f.pid == 0 || c->select->f.pid == n->pid);
}

int
cursor_item(struct cursor *c, struct notices *notices, struct cursor_item *out)
{
	struct pending_item *const item = pending_take(&c->pending);
	int r;

	*out = (struct cursor_item){.notice = NULL};
	if (!item)
		return 0;
	r = tell_item(c, notices, item, out);
	free(item);
	if (r < 0)
		return cursor_fail(c, r);
	if (out->drop && out->drop->from_ns != IOTAP_UNKNOWN)
		notices->drop.time_ns = cursor_unix(c, out->drop->from_ns);
	if (out->notice) {
		notices->notice.time_ns = cursor_unix(c, out->notice->boot_ns);
		if (!notice_passes(c, out->notice))
			return 0;
	}
	return out->drop || out->notice;
}
