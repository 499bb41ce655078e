/* text.c - events as lines for people
 *
 *	TIME 15  PID 6>  OP 13 FD 5> REQUESTED 11> RESULT 11> LATENCY 11>  TARGET
 */
#include "decode/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decode/units.h"

#define NS_PER_S UINT64_C(1000000000)
#define LINE_FORMAT "%-15s  %6s  %-13s %5s %11s %11s %11s  "

static void
text_second(struct text *t, uint64_t second)
{
	const time_t seconds = (time_t)second;
	struct tm tm;

	t->second = second;
	t->second_known = true;
	if (!localtime_r(&seconds, &tm) || strftime(t->clock, sizeof(t->clock), "%H:%M:%S", &tm) == 0)
		memcpy(t->clock, "??:??:??", 9);
}

const char *
text_time(struct text *t, uint64_t unix_ns, char out[TEXT_TIME_SIZE])
{
	const uint64_t second = unix_ns / NS_PER_S;

	if (!t->second_known || t->second != second)
		text_second(t, second);
	(void)snprintf(out, TEXT_TIME_SIZE, "%s.%06u", t->clock,
		       (unsigned int)(unix_ns % NS_PER_S / 1000));
	return out;
}

static const char *
text_number(char out[UNITS_SIZE], uint64_t n)
{
	if (n == IOTAP_UNKNOWN)
		return "-";
	(void)snprintf(out, UNITS_SIZE, "%" PRIu64, n);
	return out;
}

static const char *
text_result(char out[UNITS_SIZE], const struct iotap_event *e)
{
	if (e->err != 0)
		return e->err_name;
	if (e->bytes != IOTAP_UNKNOWN)
		(void)snprintf(out, UNITS_SIZE, "%" PRIu64, e->bytes);
	else if (e->messages != IOTAP_UNKNOWN)
		return units_count(out, e->messages, "msg");
	else if (e->dir == IOTAP_DIR_NONE)
		(void)snprintf(out, UNITS_SIZE, "%" PRId64, e->result);
	else
		return "?";
	return out;
}

void
text_event(struct text *t, const struct iotap_event *e)
{
	char when[TEXT_TIME_SIZE], pid[UNITS_SIZE], fd[UNITS_SIZE], requested[UNITS_SIZE];
	char result[UNITS_SIZE], latency[UNITS_SIZE];

	if (!t->begun) {
		t->begun = true;
		(void)buf_printf(&t->out, LINE_FORMAT "%s\n", "TIME", "PID", "OP", "FD", "REQUESTED",
				 "RESULT", "LATENCY", "TARGET");
	}
	(void)snprintf(fd, sizeof(fd), "%" PRId32, e->fd);
	(void)buf_printf(&t->out, LINE_FORMAT, text_time(t, e->time_ns, when),
			 text_number(pid, e->pid), e->op, e->fd < 0 ? "-" : fd,
			 text_number(requested, e->requested), text_result(result, e),
			 e->duration_ns == IOTAP_UNKNOWN ? "-" : units_latency(latency, e->duration_ns));
	(void)buf_put(&t->out, e->target->text, e->target->text_len);
	(void)buf_putc(&t->out, '\n');
}
