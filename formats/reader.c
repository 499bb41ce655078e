/* reader.c - takes a recording or event stream apart into blocks, whatever its state
 *
 * At each position either a block begins that fits - magic, crc32, limits, session, payload crc32 - or
 * the position is damaged. Then every later position is tried until one fits, and what lies between is
 * handed out as one range. A header that fits but whose payload does not is believed in nothing, its
 * length least of all: the search begins right behind its magic, so that a block after lost bytes is
 * found.
 */
#include "formats/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/base/unix_time.h"
#include "formats/reader_index.h"
#include "formats/reader_input.h"
#include "formats/record.h"

#define DISPROVED_MAX (64 * 1024 * 1024)
#define FIRST_BLOCK_WITHIN (8 * 1024 * 1024)	/* an unknown input is searched so far */

struct reader {
	struct reader_input in;
	struct codec *codec;
	struct buf plain;		/* of the block handed out */
	char *name;
	uint64_t session;
	uint64_t next_sequence;
	uint64_t from_ns, to_ns;
	struct reader_window window;
	uint64_t unix_offset_ns;
	uint64_t n_calls;		/* in the blocks handed out, passed over and damaged */
	uint64_t damaged_calls;		/* in the block that the search began at, */
	uint64_t damaged_sequence;	/* and its place */
	uint64_t n_disproved;		/* bytes of payloads whose checksum was wrong */
	bool claimed;			/* the input begins as a recording does */
	bool started;			/* a block was seen: session is set */
	bool ended;			/* an END block was seen */
	bool shows_passed;
	bool finished;			/* TRUNCATED was handed out, or nothing was missing */
	bool searching;			/* since offset damaged_from */
	bool cut;			/* the damage is a block that the end of the input cuts */
	uint64_t damaged_from;
	char damage_text[160];
	char text[160];			/* of the item handed out */
	struct iotap_error err;
};

static struct reader *
reader_new(const char *name)
{
	struct reader *const r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->codec = codec_new(1);
	r->name = strdup(name);
	r->to_ns = UINT64_MAX;
	r->window = (struct reader_window){INT64_MIN, INT64_MAX, 0, UINT64_MAX};
	if (!r->codec || !r->name) {
		reader_free(r);
		return NULL;
	}
	return r;
}

struct reader *
reader_new_fd(int fd, const char *name)
{
	struct reader *const r = reader_new(name);

	if (r)
		reader_input_init_fd(&r->in, fd);
	return r;
}

struct reader *
reader_new_memory(const void *p, size_t n, const char *name)
{
	struct reader *const r = reader_new(name);

	if (r)
		reader_input_init_memory(&r->in, p, n);
	return r;
}

void
reader_free(struct reader *r)
{
	if (!r)
		return;
	reader_input_fini(&r->in);
	codec_free(r->codec);
	buf_free(&r->plain);
	free(r->name);
	free(r);
}

void
reader_on_idle(struct reader *r, int (*idle)(void *arg), void *arg)
{
	r->in.idle = idle;
	r->in.idle_arg = arg;
}

void
reader_set_range(struct reader *r, uint64_t from_ns, uint64_t to_ns)
{
	r->from_ns = from_ns;
	r->to_ns = to_ns;
	r->in.sparing = from_ns > 0 || to_ns < UINT64_MAX;
}

void
reader_set_window(struct reader *r, const struct reader_window *window)
{
	r->window = *window;
	r->in.sparing = true;
}

void
reader_set_unix_offset(struct reader *r, uint64_t offset_ns)
{
	r->unix_offset_ns = offset_ns;
}

void
reader_show_passed(struct reader *r, bool shows)
{
	r->shows_passed = shows;
}

bool
reader_seek_range(struct reader *r, uint64_t *calls)
{
	struct reader_file file = {.fd = r->in.fd, .session = r->session};
	struct reader_place place;

	if (!r->started || r->searching || r->ended || !reader_input_extent(&r->in, &file.begin, &file.end) ||
	    !reader_index_find(&file, r->codec, r->in.offset, r->from_ns, &place) ||
	    place.sequence < r->next_sequence ||
	    !reader_input_seek(&r->in, (size_t)(place.offset - r->in.offset)))
		return false;
	r->next_sequence = place.sequence;
	r->n_calls = *calls = place.calls;
	return true;
}

const struct iotap_error *
reader_error(const struct reader *r)
{
	return &r->err;
}

const char *
reader_name(const struct reader *r)
{
	return r->name;
}

uint64_t
reader_session(const struct reader *r)
{
	return r->session;
}

uint64_t
reader_offset(const struct reader *r)
{
	return r->in.offset;
}

/* -- the input -- */

static int
fill(struct reader *r, size_t n)
{
	const int got = reader_input_fill(&r->in, n);

	if (got == IOTAP_ENOMEM)
		return error_set(&r->err, got, "%s: out of memory", r->name);
	if (got == IOTAP_EIO && errno == EISDIR)
		return error_set(&r->err, IOTAP_ENOTREC, "%s is a directory: give a recording in it", r->name);
	if (got == IOTAP_EIO)
		return error_errno(&r->err, got, errno, "%s: reading at %llu", r->name,
				   (unsigned long long)(r->in.offset + reader_input_have(&r->in)));
	return got;
}

static bool
fits_session(const struct reader *r, const struct block_head *head)
{
	return !r->started || head->session == r->session;
}

/* -- items -- */

static void
item_init(struct reader *r, struct reader_item *out, enum reader_what what, uint64_t offset,
	  uint64_t bytes)
{
	*out = (struct reader_item){.what = what, .offset = offset, .bytes = bytes,
				    .n_blocks = UINT64_MAX, .text = r->text};
	r->text[0] = '\0';
}

static void
item_text(struct reader *r, const char *text)
{
	(void)snprintf(r->text, sizeof(r->text), "%.150s", text);
}

/* The end of the input: what remains to be said, once. */
static int
end_of_input(struct reader *r, struct reader_item *out)
{
	const uint64_t from = r->searching ? r->damaged_from : r->in.offset;
	const size_t rest = reader_input_have(&r->in);
	const uint64_t bytes = r->in.offset + rest - from;

	if (r->finished)
		return 1;
	if (bytes > 0 && (r->ended || (r->searching && !r->cut))) {
		item_init(r, out, READER_DAMAGE, from, bytes);
		item_text(r, r->searching ? r->damage_text : "bytes that are no block");
	} else {
		r->finished = true;
		if (r->ended)
			return 1;
		item_init(r, out, READER_TRUNCATED, from, bytes);
		item_text(r, "the recording ends abruptly, without its end block");
	}
	reader_input_pass(&r->in, rest);
	r->searching = false;
	return 0;
}

/* -- searching -- */

static void
search_from_here(struct reader *r, const char *why)
{
	r->searching = true;
	r->cut = false;
	r->damaged_from = r->in.offset;
	(void)snprintf(r->damage_text, sizeof(r->damage_text), "%.150s", why);
	reader_input_pass(&r->in, 1);
}

/* Moves to the first magic of the window, or to its end except for what may be the beginning of one.
 * True when a whole header's bytes are there. */
static bool
search_magic(struct reader *r)
{
	const size_t have = reader_input_have(&r->in);
	const uint8_t *const p = reader_input_p(&r->in);
	const uint8_t *const hit = have >= 4 ? memmem(p, have, BLOCK_MAGIC, 4) : NULL;

	if (hit)
		reader_input_pass(&r->in, (size_t)(hit - p));
	else if (have > 3)
		reader_input_pass(&r->in, have - 3);
	return hit && reader_input_have(&r->in) >= BLOCK_HEAD_BYTES;
}

/* An input that does not begin as a recording is not searched for ever. */
static bool
search_is_vain(const struct reader *r)
{
	if (r->started || r->claimed)
		return false;
	return r->in.offset > FIRST_BLOCK_WITHIN ||
	       (r->in.ended && reader_input_have(&r->in) < BLOCK_HEAD_BYTES);
}

static int
not_a_recording(struct reader *r, const char *like)
{
	return error_set(&r->err, IOTAP_ENOTREC, "%s %s", r->name,
			 like ? like : "is not an iotap recording or event stream");
}

/* The calls of the damaged block, unless the block comes once more. */
static void
count_damaged(struct reader *r, const struct block_head *next, struct reader_item *out)
{
	if (next->sequence > r->damaged_sequence) {
		out->n_calls = r->damaged_calls;
		r->n_calls += r->damaged_calls;
	}
	r->damaged_calls = 0;
}

/* Goes to the next header that fits and hands out what lies before it. */
static int
search(struct reader *r, struct reader_item *out)
{
	for (;;) {
		struct block_head head;
		const int got = fill(r, BLOCK_HEAD_BYTES);

		if (got != 0)
			return got;
		if (!search_magic(r)) {
			if (search_is_vain(r))
				return not_a_recording(r, NULL);
			if (r->in.ended && reader_input_have(&r->in) < BLOCK_HEAD_BYTES)
				return end_of_input(r, out);
			continue;
		}
		if (block_head_get(reader_input_p(&r->in), &head, NULL) == 0 && fits_session(r, &head)) {
			item_init(r, out, READER_DAMAGE, r->damaged_from, r->in.offset - r->damaged_from);
			item_text(r, r->damage_text);
			count_damaged(r, &head, out);
			if (head.sequence >= r->next_sequence) {
				out->n_blocks = head.sequence - r->next_sequence;
				r->next_sequence = head.sequence;
			}
			r->searching = false;
			return 0;
		}
		reader_input_pass(&r->in, 1);
	}
}

/* -- blocks -- */

/* Blocks of another session, one after the other, as one range. */
static int
foreign(struct reader *r, struct reader_item *out)
{
	const uint64_t from = r->in.offset;
	struct block_head head;
	int got;

	for (;;) {
		got = fill(r, BLOCK_HEAD_BYTES);
		if (got != 0)
			break;
		if (reader_input_have(&r->in) < BLOCK_HEAD_BYTES ||
		    block_head_get(reader_input_p(&r->in), &head, NULL) < 0 || fits_session(r, &head))
			break;
		got = fill(r, BLOCK_HEAD_BYTES + (size_t)head.stored_bytes);
		if (got != 0)
			break;
		if (reader_input_have(&r->in) < BLOCK_HEAD_BYTES + (size_t)head.stored_bytes)
			head.stored_bytes = (uint32_t)(reader_input_have(&r->in) - BLOCK_HEAD_BYTES);
		reader_input_pass(&r->in, BLOCK_HEAD_BYTES + (size_t)head.stored_bytes);
	}
	if (got < 0)
		return got;
	if (r->in.offset == from)
		return got;
	item_init(r, out, READER_FOREIGN, from, r->in.offset - from);
	item_text(r, r->ended ? "another recording follows: give it as a file of its own" :
				"blocks of another recording");
	return 0;
}

/* A HEADER block begins with the host record, which says the version. */
static int
check_version(struct reader *r, const uint8_t *plain, size_t n)
{
	struct bytes_in in = bytes_in(plain, n);
	struct record rec;

	if (record_next_known(&in, &rec, NULL) != 0 || rec.type != REC_host ||
	    rec.u.host.format_major <= FORMAT_MAJOR)
		return 0;
	return error_set(&r->err, IOTAP_EVERSION,
			 "%s has format version %llu.%llu, made by %.*s; this program reads up to %d: "
			 "use a newer iotap", r->name, (unsigned long long)rec.u.host.format_major,
			 (unsigned long long)rec.u.host.format_minor, (int)rec.u.host.tool.n,
			 rec.u.host.tool.n ? (const char *)rec.u.host.tool.p : "", FORMAT_MAJOR);
}

/* Of a block of calls. */
static bool
is_before(const struct reader *r, const struct block_head *head)
{
	const struct reader_window *const w = &r->window;

	return head->last_ns < r->from_ns ||
	       (int64_t)unix_time_add(head->last_ns, r->unix_offset_ns) < w->from_unix_ns ||
	       (w->first_number > 0 && r->n_calls + head->count <= w->first_number);
}

static bool
is_outside(const struct reader *r, const struct block_head *head)
{
	const struct reader_window *const w = &r->window;

	return head->type == BLOCK_CALLS &&
	       (is_before(r, head) || head->first_ns > r->to_ns || r->n_calls > w->last_number ||
		(int64_t)unix_time_add(head->first_ns, r->unix_offset_ns) > w->to_unix_ns);
}

/* Of a block outside. */
static bool
is_shown(const struct reader *r, const struct block_head *head)
{
	return r->shows_passed && is_before(r, head);
}

/* A block that is handed out or passed over in its turn. */
static void
count_block(struct reader *r, const struct block_head *head)
{
	r->next_sequence = head->sequence + 1;
	if (head->type == BLOCK_CALLS)
		r->n_calls += head->count;
}

/* A whole block is in the window, its checksum is right: hands it out. */
static int
hand_out(struct reader *r, const struct block_head *head, struct reader_item *out)
{
	const uint8_t *const stored = reader_input_p(&r->in) + BLOCK_HEAD_BYTES;
	const size_t size = BLOCK_HEAD_BYTES + (size_t)head->stored_bytes;
	const bool known = block_type_name(head->type) != NULL;
	struct iotap_error why = {0};
	int got = 0;

	item_init(r, out, READER_BLOCK, r->in.offset, size);
	out->head = *head;
	out->payload = stored;
	out->payload_bytes = head->stored_bytes;
	if (!known && (head->flags & BLOCK_REQUIRED))
		return error_set(&r->err, IOTAP_EUNSUPPORTED,
				 "%s: block at %llu has type %u, which this program must know: use a newer iotap",
				 r->name, (unsigned long long)r->in.offset, head->type);
	if (known && head->type != BLOCK_CALLS) {
		got = block_plain(r->codec, head, stored, &r->plain, &out->payload, &why);
		out->payload_bytes = head->plain_bytes;
	}
	if (got == IOTAP_ENOMEM)
		return error_set(&r->err, got, "%s: out of memory", r->name);
	if (got < 0) {
		item_init(r, out, READER_DAMAGE, r->in.offset, size);
		item_text(r, why.text);
		out->n_blocks = 1;
	} else if (head->type == BLOCK_HEADER) {
		got = check_version(r, out->payload, out->payload_bytes);
		if (got < 0)
			return got;
	}
	if (head->type == BLOCK_END && out->what == READER_BLOCK)
		r->ended = true;
	if (is_outside(r, head)) {
		out->what = READER_PASSED;
		if (!is_shown(r, head)) {
			out->payload = NULL;
			out->payload_bytes = 0;
		}
	}
	count_block(r, head);
	reader_input_pass(&r->in, size);
	return 0;
}

/* Sequence numbers: what is missing before this block, or that it is out of its order. True when there
 * is such an item. */
static bool
out_of_order(struct reader *r, const struct block_head *head, struct reader_item *out)
{
	if (head->sequence == r->next_sequence)
		return false;
	if (head->sequence > r->next_sequence) {
		item_init(r, out, READER_GAP, r->in.offset, 0);
		out->n_blocks = head->sequence - r->next_sequence;
		item_text(r, "blocks are missing");
		r->next_sequence = head->sequence;
	} else {
		const size_t size = BLOCK_HEAD_BYTES + (size_t)head->stored_bytes;

		item_init(r, out, READER_REPEATED, r->in.offset, size);
		item_text(r, "a block again, or out of its order: left out");
		reader_input_pass(&r->in, size);
	}
	return true;
}

/* The block here is not whole; its calls have their numbers all the same. Its length is not believed,
 * unless somebody made many headers whose long payloads are wrong: each byte is worth a few looks, not
 * thousands. */
static void
damaged_block(struct reader *r, const struct block_head *head, const char *what)
{
	const char *const name = block_type_name(head->type);
	char why[sizeof(r->damage_text)];

	(void)snprintf(why, sizeof(why), "%s in a block of type %s", what, name ? name : "unknown");
	search_from_here(r, why);
	if (r->started && head->type == BLOCK_CALLS && head->sequence >= r->next_sequence) {
		r->damaged_calls = head->count;
		r->damaged_sequence = head->sequence;
	}
	r->n_disproved += head->stored_bytes;
	if (r->n_disproved > DISPROVED_MAX + 4 * r->in.offset && reader_input_have(&r->in) >= head->stored_bytes)
		reader_input_pass(&r->in, head->stored_bytes);
}

/* A header that fits is at the window position. 3 = go on searching. */
static int
block_here(struct reader *r, const struct block_head *head, struct reader_item *out)
{
	const size_t size = BLOCK_HEAD_BYTES + (size_t)head->stored_bytes;
	int got;

	if (r->started && is_outside(r, head) && !is_shown(r, head) && head->sequence == r->next_sequence) {
		item_init(r, out, READER_PASSED, r->in.offset, size);
		out->head = *head;
		if (reader_input_seek(&r->in, size)) {
			count_block(r, head);
			return 0;
		}
	}
	got = fill(r, size);
	if (got != 0)
		return got;
	if (reader_input_have(&r->in) < size) {
		damaged_block(r, head, "the end of the input");
		r->cut = true;
		return 3;
	}
	if (block_crc(reader_input_p(&r->in) + BLOCK_HEAD_BYTES, head->stored_bytes) != head->payload_crc) {
		damaged_block(r, head, "bad checksum");
		return 3;
	}
	if (!r->started) {
		r->started = true;
		r->session = head->session;
	}
	return out_of_order(r, head, out) ? 0 : hand_out(r, head, out);
}

/* No header that fits is here. At the very beginning, this may be no recording at all. */
static int
no_block_here(struct reader *r, const struct iotap_error *why)
{
	if (!r->started && !r->claimed) {
		const size_t have = reader_input_have(&r->in);
		const char *const like = reader_looks_like(reader_input_p(&r->in), have);

		if (like || have < BLOCK_HEAD_BYTES)
			return not_a_recording(r, like);
	}
	search_from_here(r, why->text);
	return 3;
}

/* A magic, or as much of it as there is. */
static bool
begins_as_recording(const struct reader_input *in)
{
	const size_t have = reader_input_have(in);

	return have > 0 && memcmp(reader_input_p(in), BLOCK_MAGIC, have < 4 ? have : 4) == 0;
}

static int
next_here(struct reader *r, struct reader_item *out)
{
	struct iotap_error why = {0};
	struct block_head head;
	int got = fill(r, BLOCK_HEAD_BYTES);

	if (got != 0)
		return got;
	if (r->in.offset == 0)
		r->claimed = begins_as_recording(&r->in);
	if (reader_input_have(&r->in) < BLOCK_HEAD_BYTES)
		return r->started || r->claimed ? end_of_input(r, out) : no_block_here(r, &why);
	if (block_head_get(reader_input_p(&r->in), &head, &why) < 0)
		return no_block_here(r, &why);
	if (fits_session(r, &head))
		return block_here(r, &head, out);
	return foreign(r, out);
}

int
reader_next(struct reader *r, struct reader_item *out)
{
	int got;

	if (r->err.code < 0)
		return r->err.code;
	if (r->finished)
		return 1;
	do
		got = r->searching ? search(r, out) : next_here(r, out);
	while (got == 3);
	return got;
}
