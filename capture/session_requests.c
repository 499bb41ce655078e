/* session_requests.c - what signals ask for while a capture runs: to pause, to go on, to dump
 *
 * A pause stops calls, not the life of processes: who is traced stays known. That there was one, and
 * when, is a notice in the recording.
 */
#include "capture/session_parts.h"

#include <stdio.h>

#include "capture/answers.h"

enum { NOTICE_INFORMATION = 1 };	/* notice.level */

static int
notice(struct session *s, uint64_t now_ns, const char *text)
{
	const struct rec_notice rec = {.time_ns = now_ns, .level = NOTICE_INFORMATION,
				       .text = rec_str(text)};

	return record_put(&s->pending, REC_notice, &rec, s->err);
}

static int
pause_begin(struct session *s, uint64_t now_ns)
{
	s->source->ops->pause(s->source, true);
	s->paused_ns = now_ns;
	return notice(s, now_ns, "paused: calls from here on are not recorded");
}

static int
pause_end(struct session *s, uint64_t now_ns)
{
	const uint64_t for_ns = now_ns - s->paused_ns;
	char text[96];

	(void)snprintf(text, sizeof(text), "recording again after a pause of %llu.%03u s",
		       (unsigned long long)(for_ns / 1000000000),
		       (unsigned int)(for_ns / 1000000 % 1000));
	s->paused_ns = 0;
	s->source->ops->pause(s->source, false);
	return notice(s, now_ns, text);
}

int
session_requests(struct session *s)
{
	const unsigned int pauses = (unsigned int)s->options->signals->pauses;
	const unsigned int dumps = (unsigned int)s->options->signals->dumps;
	const unsigned int new = (pauses - s->pauses) & 0xff;
	const uint64_t now_ns = answers_boot_ns();

	s->pauses = pauses;
	if (dumps != s->dumps && s->outlet.flight)
		s->dump = true;
	s->dumps = dumps;
	if (new % 2 == 0 || !s->source->ops->pause)
		return 0;
	return s->paused_ns == 0 ? pause_begin(s, now_ns) : pause_end(s, now_ns);
}
