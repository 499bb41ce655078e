/* event.c - a row of a batch as an event, and the names of numbers */
#include <string.h>

#include "decode/handle.h"
#include "formats/calls.h"
#include "formats/kernel_record.h"
#include "formats/names.h"

enum { ERRNO_EINTR = 4, ERRNO_MAX = 4095 };	/* of Linux, whatever this host is */

static int32_t
event_errno(uint32_t flags, int64_t result)
{
	if (flags & KF_INTERRUPTED)	/* the kernel's restart code was what it returned */
		return ERRNO_EINTR;
	return result < 0 && result >= -ERRNO_MAX ? (int32_t)-result : 0;
}

/* What the result of a success means. A call that never entered moved nothing, whatever it returned. */
static void
event_amount(struct iotap_event *e, const struct call_spec *spec)
{
	e->bytes = e->messages = IOTAP_UNKNOWN;
	if (e->err != 0 || (e->flags & (KF_PHANTOM | KF_UNFINISHED)) || spec->dir == DIR_NONE)
		return;
	if (spec->ret == RET_BYTES)
		e->bytes = (uint64_t)e->result;
	else if (spec->ret == RET_MESSAGES)
		e->messages = (uint64_t)e->result;
}

IOTAP_API void
iotap_batch_event(const iotap_t *h, const struct iotap_batch *b, uint32_t i, struct iotap_event *out)
{
	const struct call_spec *const spec = call_spec(b->call[i]);
	const struct iotap_target *const target = b->target[i];

	out->size = sizeof(*out);
	out->number = b->number ? b->number[i] : b->first_number + i;
	out->boot_ns = b->time_ns[i];
	out->time_ns = b->time_ns[i] + b->unix_offset_ns;
	out->duration_ns = b->duration_ns[i];
	out->requested = b->requested[i];
	out->offset = b->offset[i];
	out->result = b->result[i];
	out->flags = b->flags[i];
	out->err = event_errno(out->flags, out->result);
	out->err_name = NULL;
	if (out->err != 0) {
		out->err_name = name_errno(out->err);
		if (!out->err_name)
			out->err_name = name_errno_or(out->err, h->errno_text, 32);
	}
	event_amount(out, spec);
	out->pid = b->pid[i];
	out->tid = b->tid[i];
	out->fd = b->fd[i];
	out->fd2 = b->fd2[i];
	out->call = b->call[i];
	out->cpu = b->cpu[i];
	out->dir = (enum iotap_dir)spec->dir;
	out->klass = target->klass;
	out->op = iotap_call_op(out->call);
	out->syscall = iotap_call_name(out->call);
	if (!out->syscall)
		out->op = out->syscall = "unknown";
	out->arg0 = b->arg0[i];
	out->arg1 = b->arg1[i];
	out->target = target;
	out->target2 = b->target2[i];
	out->process = b->process[i];
	out->confirmed = target->confirmed && !(out->flags & KF_RACED);
}

IOTAP_API const char *
iotap_call_name(uint16_t call)
{
	return call_name(call);
}

IOTAP_API const char *
iotap_call_op(uint16_t call)
{
	return call_op(call);
}

IOTAP_API enum iotap_dir
iotap_call_dir(uint16_t call)
{
	return (enum iotap_dir)call_spec(call)->dir;
}

IOTAP_API const char *
iotap_errno_name(int32_t err, char *buf, size_t bytes)
{
	return name_errno_or(err, buf, bytes);
}
