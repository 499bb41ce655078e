/* event.c - a row of a batch as an event, and the names of numbers */
#include <string.h>

#include "decode/amount.h"
#include "decode/handle.h"
#include "formats/calls.h"
#include "formats/kernel_record.h"
#include "formats/names.h"

/* The public names of the flags are those of the file. */
#define SAME(name) _Static_assert((unsigned int)IOTAP_F_##name == KF_##name, #name)
SAME(BEFORE);
SAME(RESTARTED);
SAME(INTERRUPTED);
SAME(COMPAT);
SAME(RACED);
SAME(UNDEFINED);
SAME(UNFINISHED);
SAME(APPEND);
SAME(PHANTOM);
SAME(CLOSED);
SAME(MESSAGE_BYTES);
SAME(UNTIMED);
#undef SAME

/* So is what a second target is. */
#define SAME(name) _Static_assert((unsigned int)IOTAP_SECOND_##name == SECOND_##name, #name)
SAME(NONE);
SAME(SOURCE);
SAME(FROM);
SAME(BASE);
SAME(PATH);
SAME(PEER);
#undef SAME

enum { ERRNO_EINTR = 4 };	/* of Linux, whatever this host is */

static int32_t
event_errno(uint32_t flags, int64_t result)
{
	if (flags & KF_INTERRUPTED)	/* the kernel's restart code was what it returned */
		return ERRNO_EINTR;
	return result < 0 && result >= -AMOUNT_LAST_ERRNO ? (int32_t)-result : 0;
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
	out->bytes = b->bytes[i];
	out->messages = amount_messages(spec, out->flags, out->result);
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
	out->second = out->target2 || out->fd2 >= 0 ? (enum iotap_second)call_second(out->call)
						     : IOTAP_SECOND_NONE;
	out->process = b->process[i];
	out->failed = amount_failed(spec, out->flags, out->result);
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

IOTAP_API int
iotap_call_failed(uint16_t call, uint32_t flags, int64_t result)
{
	return amount_failed(call_spec(call), flags, result);
}

IOTAP_API const char *
iotap_errno_name(int32_t err, char *buf, size_t bytes)
{
	return name_errno_or(err, buf, bytes);
}
