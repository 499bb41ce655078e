/* overlap.c - two inputs of one recording that have calls in common
 *
 * Event streams and salvaged recordings keep the session, the times and the threads of calls, and nothing
 * else that is cheap to compare: blocks are cut anew. What was cut out of one recording twice, by time or
 * process, has the session in common and no call, and may be given together.
 */
#include "decode/overlap.h"

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "formats/call_block.h"
#include "formats/reader.h"

enum { SEARCH_COLUMNS = COL_BIT(key) | COL_BIT(flags) | COL_BIT(thread) };

/* A thread returns from one call at a time. */
struct landmark {
	uint64_t key;
	uint32_t tid;
	bool there;
};

struct search {
	struct reader *reader;
	struct call_decoder *decoder;
	struct landmark *mark;
	bool found;
};

/* Takes the first call of the block for a landmark, or looks for the one there is. */
static void
look_at(struct search *s, const struct call_columns *c)
{
	for (uint32_t i = 0; i < c->n && !s->found; i++) {
		const uint32_t tid = c->threads[c->thread[i]].tid;

		if (c->flags[i] & KF_UNFINISHED)	/* its time is not its end's */
			continue;
		if (!s->mark->there)
			*s->mark = (struct landmark){.key = c->key[i], .tid = tid, .there = true};
		s->found = c->key[i] == s->mark->key && tid == s->mark->tid;
	}
}

/* 1 = found, 0 = not there. What is damaged or no recording has no calls; others say so. */
static int
search_run(struct search *s)
{
	struct iotap_error err = {.code = 0};
	struct call_columns columns;
	struct reader_item item;
	int r = 0;

	while (!s->found && r != IOTAP_ENOMEM && (r = reader_next(s->reader, &item)) == 0) {
		if (s->mark->there && (item.what == READER_BLOCK || item.what == READER_PASSED) &&
		    item.head.type == BLOCK_CALLS && item.head.first_ns > s->mark->key)
			break;
		if (item.what != READER_BLOCK || item.head.type != BLOCK_CALLS)
			continue;
		r = call_decoder_block(s->decoder, &item.head, item.payload, SEARCH_COLUMNS, &columns, &err);
		if (r == 0)
			look_at(s, &columns);
	}
	return r == IOTAP_ENOMEM ? r : s->found;
}

static int
search_file(int fd, struct landmark *mark)
{
	struct search s = {.reader = reader_new_fd(fd, ""), .decoder = call_decoder_new(), .mark = mark};
	int r = IOTAP_ENOMEM;

	if (s.reader && s.decoder) {
		if (mark->there)
			reader_set_range(s.reader, mark->key, mark->key);
		r = search_run(&s);
	}
	call_decoder_free(s.decoder);
	reader_free(s.reader);
	return lseek(fd, 0, SEEK_SET) == 0 || r < 0 ? r : 0;
}

int
overlap_find(int a_fd, int b_fd)
{
	const int fds[] = {a_fd, b_fd};
	int r = 0;

	for (int i = 0; i < 2 && r == 0; i++) {
		struct landmark mark = {.there = false};

		r = search_file(fds[i], &mark);
		r = r > 0 ? search_file(fds[1 - i], &mark) : r;
	}
	return r;
}
