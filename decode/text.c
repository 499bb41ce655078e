/* text.c - events as lines for people
 *
 *	TIME 15  PID 6>  OP 13 FD 5> REQUESTED 11> RESULT 11> LATENCY 11>  TARGET
 */
#include "decode/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decode/digits.h"
#include "decode/mapping.h"
#include "formats/base/units.h"

#define NS_PER_S UINT64_C(1000000000)
#define LINE_ROOM 512	/* what a line takes besides its target */

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

/* -- a line, written by hand: this is what a terminal shows live, and most of what decode costs -- */

/* n bytes at s in a column of width, to its right end, and a blank. */
static char *
put_right(char *p, size_t width, const char *s, size_t n)
{
	const size_t pad = n < width ? width - n : 0;

	memset(p, ' ', pad);
	memcpy(p + pad, s, n);
	p[pad + n] = ' ';
	return p + pad + n + 1;
}

static char *
put_left(char *p, size_t width, const char *s)
{
	const size_t n = strlen(s);
	const size_t pad = n < width ? width - n : 0;

	memcpy(p, s, n);
	memset(p + n, ' ', pad + 1);
	return p + n + pad + 1;
}

/* A number, or a dash for IOTAP_UNKNOWN. */
static char *
put_number(char *p, size_t width, uint64_t v)
{
	char text[DIGITS_MAX];

	if (v == IOTAP_UNKNOWN)
		return put_right(p, width, "-", 1);
	return put_right(p, width, text, (size_t)(digits_u64(text, v) - text));
}

static char *
put_result(char *p, const struct iotap_event *e)
{
	char text[UNITS_SIZE];

	if (e->err != 0)
		return put_right(p, 11, e->err_name, strlen(e->err_name));
	if (e->bytes != IOTAP_UNKNOWN)
		return put_number(p, 11, e->bytes);
	if (e->messages != IOTAP_UNKNOWN) {
		(void)units_count(text, e->messages, "msg");
		return put_right(p, 11, text, strlen(text));
	}
	if (e->dir != IOTAP_DIR_NONE)
		return put_right(p, 11, "?", 1);
	if (mapping_is_made(e->call) && e->arg0 != IOTAP_UNKNOWN)	/* where it is says less than how */
		return put_right(p, 11, text, (size_t)snprintf(text, sizeof(text), "%s %s",
							       mapping_access(e->arg0),
							       mapping_is_shared(e->arg1) ? "shared"
											  : "private"));
	return put_right(p, 11, text, (size_t)(digits_i64(text, e->result) - text));
}

static char *
put_latency(char *p, uint64_t ns)
{
	const uint64_t us = ns / 1000;
	char text[UNITS_SIZE];
	char *end;

	if (ns == IOTAP_UNKNOWN)
		return put_right(p, 11, "-", 1);
	end = digits_u64(text, us / 1000);
	end[0] = '.';
	end[1] = (char)('0' + us % 1000 / 100);
	end[2] = (char)('0' + us % 100 / 10);
	end[3] = (char)('0' + us % 10);
	memcpy(end + 4, " ms", 3);
	return put_right(p, 11, text, (size_t)(end + 7 - text));
}

static char *
put_time(char *p, struct text *t, uint64_t unix_ns)
{
	const uint64_t second = unix_ns / NS_PER_S;
	uint32_t us = (uint32_t)(unix_ns % NS_PER_S / 1000);

	if (!t->second_known || t->second != second)
		text_second(t, second);
	memcpy(p, t->clock, 8);
	p[8] = '.';
	for (int i = 14; i > 8; i--, us /= 10)
		p[i] = (char)('0' + us % 10);
	return p + 15;
}

static char *
put_text(char *p, const char *text, size_t n)
{
	memcpy(p, text, n);
	return p + n;
}

#define ARROW " -> "
#define ARROW_LEN (sizeof(ARROW) - 1)

/* "from -> to" of what goes from one to the other: a copy, a rename, one datagram. The peer of a datagram is
 * left out where the socket names it itself. */
static char *
put_targets(char *p, const struct iotap_event *e)
{
	const struct iotap_target *const one = e->target;
	const struct iotap_target *const two = e->target2;
	const char *peer = NULL;

	if (two && e->second == IOTAP_SECOND_SOURCE) {
		p = put_text(put_text(p, two->text, two->text_len), ARROW, ARROW_LEN);
		return put_text(p, one->text, one->text_len);
	}
	p = put_text(p, one->text, one->text_len);
	if (!two || (e->second != IOTAP_SECOND_PATH && e->second != IOTAP_SECOND_PEER) ||
	    (e->second == IOTAP_SECOND_PEER && one->remote_len > 0))
		return p;
	if (e->second == IOTAP_SECOND_PEER)
		peer = memmem(two->text, two->text_len, "-> ", 3);	/* of "udp -> 1.2.3.4:5" */
	p = put_text(p, ARROW, peer ? 1 : ARROW_LEN);
	return peer ? put_text(p, peer, two->text_len - (size_t)(peer - two->text))
		    : put_text(p, two->text, two->text_len);
}

void
text_event(struct text *t, const struct iotap_event *e)
{
	struct buf *const out = &t->out;
	char *p;

	if (!t->begun) {
		t->begun = true;
		(void)buf_printf(out, "%-15s  %6s  %-13s %5s %11s %11s %11s  %s\n", "TIME", "PID", "OP", "FD",
				 "REQUESTED", "RESULT", "LATENCY", "TARGET");
	}
	if (!buf_reserve(out, LINE_ROOM + e->target->text_len + (e->target2 ? e->target2->text_len : 0)))
		return;
	p = (char *)out->data + out->len;
	p = put_time(p, t, e->time_ns);
	*p++ = ' ';
	*p++ = ' ';
	p = put_number(p, 6, e->pid);
	*p++ = ' ';
	p = put_left(p, 13, e->op);
	p = put_number(p, 5, e->fd < 0 ? IOTAP_UNKNOWN : (uint64_t)e->fd);
	p = put_number(p, 11, e->requested);
	p = put_result(p, e);
	p = put_latency(p, e->duration_ns);
	*p++ = ' ';
	p = put_targets(p, e);
	*p++ = '\n';
	out->len = (size_t)(p - (char *)out->data);
}
