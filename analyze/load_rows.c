/* load_rows.c - a batch of calls as the rows of event_row and event_more */
#include "analyze/load_rows.h"

#include "analyze/event_value.h"

/* The columns of event_row in their order, then those of event_more. */
enum row_column {
	ROW_NUMBER, ROW_TIME, ROW_DURATION, ROW_THREAD, ROW_CALL, ROW_FD, ROW_TARGET, ROW_REQUESTED, ROW_BYTES,
	ROW_RESULT, ROW_OFFSET, ROW_FLAGS, ROW_CPU, ROW_FD2, ROW_TARGET2, ROW_ARG0, ROW_ARG1
};

static void
value_fd(sqlite3_context *context, int32_t fd)
{
	if (fd != -1)
		sqlite3_result_int(context, fd);
}

static void
row_value(const void *arg, size_t row, int column, sqlite3_context *context)
{
	const struct load_rows *const rows = arg;
	const struct iotap_batch *const b = &rows->batch;
	const uint32_t i = rows->row[row];

	switch ((enum row_column)column) {
	case ROW_NUMBER:
		sqlite3_result_int64(context, rows->first_number + (int64_t)event_number(b, i));
		break;
	case ROW_TIME:
		sqlite3_result_int64(context, (int64_t)(b->time_ns[i] + b->unix_offset_ns - rows->time_base_ns));
		break;
	case ROW_DURATION:
		event_result(context, b->duration_ns[i]);
		break;
	case ROW_THREAD:
		sqlite3_result_int64(context, rows->thread[i]);
		break;
	case ROW_CALL:
		sqlite3_result_int(context, b->call[i]);
		break;
	case ROW_FD:
		value_fd(context, b->fd[i]);
		break;
	case ROW_TARGET:
		sqlite3_result_int64(context, rows->target[i]);
		break;
	case ROW_REQUESTED:
		event_result(context, b->requested[i]);
		break;
	case ROW_BYTES:
		event_result(context, b->bytes[i]);
		break;
	case ROW_RESULT:
		if (b->bytes[i] == IOTAP_UNKNOWN || b->bytes[i] != (uint64_t)b->result[i])
			sqlite3_result_int64(context, b->result[i]);
		break;
	case ROW_OFFSET:
		event_result(context, b->offset[i]);
		break;
	case ROW_FLAGS:
		sqlite3_result_int64(context, event_flags(b->flags[i]));
		break;
	case ROW_CPU:
		sqlite3_result_int(context, b->cpu[i]);
		break;
	case ROW_FD2:
		value_fd(context, b->fd2[i]);
		break;
	case ROW_TARGET2:
		if (b->target2[i])
			sqlite3_result_int64(context, rows->target2[i]);
		break;
	case ROW_ARG0:
		event_result(context, b->arg0[i]);
		break;
	case ROW_ARG1:
		event_result(context, b->arg1[i]);
		break;
	}
}

void
load_rows_init(struct load_rows *rows)
{
	rows->table = (struct array_rows){
		.declaration = "CREATE TABLE batch (number INTEGER, time INTEGER, duration_ns INTEGER, thread INTEGER, "
			       "call INTEGER, fd INTEGER, target INTEGER, requested INTEGER, bytes INTEGER, "
			       "result INTEGER, offset INTEGER, flags INTEGER, cpu INTEGER, fd2 INTEGER, "
			       "target2 INTEGER, arg0 INTEGER, arg1 INTEGER)",
		.value = row_value, .arg = rows,
	};
}
