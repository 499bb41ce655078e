/* reader_index_hostile_test.c - formats/reader_index.h: files that somebody made, or that change meanwhile
 *
 * Each finds no place, and a file that is as it should be finds its own. reader_index_test.c has what a reader
 * reads with the place and without.
 */
#include "formats/reader_index.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "formats/record.h"
#include "tests/lib/starve.h"
#include "tests/lib/unit.h"

enum { SESSION = 77, LATE_NS = 1000, CALLS = 5 };

/* A recording: header, state, calls, a few blocks between, the state that is looked for, calls, index, end. */
struct made {
	struct buf bytes, index;
	struct codec *codec;
	uint64_t sequence;
	uint32_t n_index;
	size_t calls_at, between_at, state_at, index_at, end_at;
};

/* Every second read is interrupted by a signal, and the others give a byte at a time: file systems of
 * user space do so. */
static bool reads_are_slow;

/* In place of that of libc. */
ssize_t
pread(int fd, void *out, size_t n, off_t offset)
{
	static bool interrupted;
	const struct iovec to = {.iov_base = out, .iov_len = reads_are_slow && n > 0 ? 1 : n};

	interrupted = reads_are_slow && !interrupted;
	if (interrupted) {
		errno = EINTR;
		return -1;
	}
	return preadv(fd, &to, 1, offset);
}

/* The block's place. */
static size_t
block(struct made *m, struct block_head head, const void *plain, size_t n)
{
	const size_t at = m->bytes.len;

	head.session = SESSION;
	head.sequence = m->sequence++;
	assert_int_equal(block_put(m->codec, CODEC_NONE, &head, plain, n, &m->bytes, NULL), 0);
	return at;
}

/* One that is in the index. */
static size_t
entry(struct made *m, struct block_head head)
{
	const size_t at = block(m, head, "payload", 7);
	const struct rec_block_entry e = {.offset = at, .type = head.type, .epoch = head.epoch, .count = head.count,
					  .first_ns = head.first_ns, .last_ns = head.last_ns};

	assert_int_equal(record_put(&m->index, REC_block_entry, &e, NULL), 0);
	m->n_index++;
	return at;
}

static void
make_end(struct made *m, const void *plain, size_t n)
{
	m->end_at = block(m, (struct block_head){.type = BLOCK_END, .count = 1}, plain, n);
}

static void
make_body(struct made *m, uint32_t n_between)
{
	*m = (struct made){.codec = codec_new(1)};
	assert_non_null(m->codec);
	(void)block(m, (struct block_head){.type = BLOCK_HEADER}, "", 0);
	(void)entry(m, (struct block_head){.type = BLOCK_STATE, .epoch = 1, .first_ns = 1, .last_ns = 1});
	m->calls_at = entry(m, (struct block_head){.type = BLOCK_CALLS, .epoch = 1, .count = CALLS,
						   .first_ns = 2, .last_ns = 9});
	m->between_at = m->bytes.len;
	for (uint32_t i = 0; i < n_between; i++)
		(void)block(m, (struct block_head){.type = BLOCK_PROGRESS, .epoch = 1}, "", 0);
	m->state_at = entry(m, (struct block_head){.type = BLOCK_STATE, .epoch = 2, .first_ns = 10, .last_ns = 10});
	(void)entry(m, (struct block_head){.type = BLOCK_CALLS, .epoch = 2, .count = CALLS, .first_ns = LATE_NS,
					   .last_ns = LATE_NS + 9});
}

static void
make_index(struct made *m)
{
	m->index_at = block(m, (struct block_head){.type = BLOCK_INDEX, .count = m->n_index}, m->index.data,
			    m->index.len);
}

static void
make_right_end(struct made *m)
{
	const struct rec_end end = {.reason = 1, .calls = 2 * CALLS};
	struct buf plain = {0};

	assert_int_equal(record_put(&plain, REC_end, &end, NULL), 0);
	make_end(m, plain.data, plain.len);
	buf_free(&plain);
}

static void
make(struct made *m, uint32_t n_between)
{
	make_body(m, n_between);
	make_index(m);
	make_right_end(m);
}

static void
fini(struct made *m)
{
	codec_free(m->codec);
	buf_free(&m->bytes);
	buf_free(&m->index);
}

/* Another header, with a right checksum of its own, in place of that at offset at. */
static void
put_head(struct made *m, size_t at, const struct block_head *head)
{
	block_head_put(m->bytes.data + at, head);
}

static struct block_head
get_head(const struct made *m, size_t at)
{
	struct block_head head;

	assert_int_equal(block_head_get(m->bytes.data + at, &head, NULL), 0);
	return head;
}

static int
file_of(const struct made *m)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, m->bytes.data, m->bytes.len), m->bytes.len);
	return fd;
}

static bool
finds_behind(const struct made *m, uint64_t after, struct reader_place *out)
{
	const struct reader_file file = {.fd = file_of(m), .end = m->bytes.len, .session = SESSION};
	const bool found = reader_index_find(&file, m->codec, after, LATE_NS, out);

	assert_int_equal(close(file.fd), 0);
	return found;
}

static bool
finds(const struct made *m)
{
	struct reader_place place;

	return finds_behind(m, 0, &place);
}

static void
what_is_right_is_found(void **state)
{
	struct reader_place place = {0};
	struct made m;

	(void)state;
	make(&m, 3);
	assert_true(finds_behind(&m, 0, &place));
	assert_int_equal(place.offset, m.state_at);
	assert_int_equal(place.sequence, 6);
	assert_int_equal(place.calls, CALLS);
	reads_are_slow = true;
	assert_true(finds(&m));
	reads_are_slow = false;
	assert_true(finds_behind(&m, m.state_at - 1, &place));
	assert_false(finds_behind(&m, m.state_at, &place));	/* no place behind itself */
	fini(&m);
}

/* The file gets shorter, or its descriptor is none, or it never had these bytes. */
static void
a_file_that_is_not_all_there(void **state)
{
	struct reader_place place;
	struct reader_file file;
	struct made m;

	(void)state;
	make(&m, 3);
	file = (struct reader_file){.fd = file_of(&m), .end = m.bytes.len, .session = SESSION};
	assert_true(reader_index_find(&file, m.codec, 0, LATE_NS, &place));
	file.end++;
	assert_false(reader_index_find(&file, m.codec, 0, LATE_NS, &place));
	file.end = file.begin = m.bytes.len;
	assert_false(reader_index_find(&file, m.codec, 0, LATE_NS, &place));
	file.begin = 0;
	assert_int_equal(ftruncate(file.fd, (off_t)m.end_at), 0);
	assert_false(reader_index_find(&file, m.codec, 0, LATE_NS, &place));
	assert_int_equal(close(file.fd), 0);
	file.fd = -1;
	assert_false(reader_index_find(&file, m.codec, 0, LATE_NS, &place));
	fini(&m);
}

/* Headers that say another thing than the index, one member each, all checksums right. */
static void
headers_that_the_index_does_not_know(void **state)
{
	enum { OF_TYPE, OF_SESSION, OF_SEQUENCE, OF_EPOCH, OF_COUNT, OF_FIRST, OF_LAST, N };
	struct made m;

	(void)state;
	make(&m, 3);
	for (int i = 0; i < 2 * N; i++) {
		const size_t at = i < N ? m.calls_at : m.state_at;
		const struct block_head right = get_head(&m, at);
		struct block_head head = right;

		head.type = i % N == OF_TYPE ? BLOCK_RECORDS : head.type;
		head.session += i % N == OF_SESSION;
		head.sequence += i % N == OF_SEQUENCE;
		head.epoch += i % N == OF_EPOCH;
		head.count += i % N == OF_COUNT;
		head.first_ns += i % N == OF_FIRST;
		head.last_ns += i % N == OF_LAST;
		put_head(&m, at, &head);
		assert_false(finds(&m));
		put_head(&m, at, &right);
		m.bytes.data[at + 61] ^= 1;	/* and none at all */
		assert_false(finds(&m));
		m.bytes.data[at + 61] ^= 1;
	}
	assert_true(finds(&m));
	fini(&m);
}

/* A length leads behind the end of the file, or so near to it that no header is there. */
static void
lengths_that_lead_out_of_the_file(void **state)
{
	struct made m;
	struct block_head right, head;

	(void)state;
	make(&m, 0);
	right = head = get_head(&m, m.calls_at);
	head.stored_bytes = BLOCK_STORED_MAX;
	put_head(&m, m.calls_at, &head);
	assert_false(finds(&m));
	for (uint32_t left = 0; left <= BLOCK_HEAD_BYTES; left++) {
		head.stored_bytes = (uint32_t)(m.bytes.len - m.calls_at) - BLOCK_HEAD_BYTES - left;
		put_head(&m, m.calls_at, &head);
		assert_false(finds(&m));
	}
	put_head(&m, m.calls_at, &right);
	assert_true(finds(&m));
	right = head = get_head(&m, m.state_at);
	head.stored_bytes = (uint32_t)(m.bytes.len - m.state_at) - BLOCK_HEAD_BYTES + 1;
	put_head(&m, m.state_at, &head);
	assert_false(finds(&m));
	head.stored_bytes = BLOCK_STORED_MAX;
	put_head(&m, m.state_at, &head);
	assert_false(finds(&m));
	head.stored_bytes = 0;	/* a state without a byte is whole when its checksum says so */
	put_head(&m, m.state_at, &head);
	assert_false(finds(&m));
	head.payload_crc = block_crc("", 0);
	put_head(&m, m.state_at, &head);
	assert_true(finds(&m));
	fini(&m);
}

/* The row up to the state: a type in it that the index must have, a block too few, too many of them. */
static void
rows_that_are_none(void **state)
{
	struct block_head right, head;
	struct made m;

	(void)state;
	make(&m, 3);
	right = get_head(&m, m.between_at);
	for (int i = 0; i < 3; i++) {
		head = right;
		head.type = i == 0 ? BLOCK_STATE : i == 1 ? BLOCK_CALLS : head.type;
		head.sequence += i == 2;
		put_head(&m, m.between_at, &head);
		assert_false(finds(&m));
	}
	put_head(&m, m.between_at, &right);
	assert_true(finds(&m));
	fini(&m);
	make(&m, 4095);
	assert_true(finds(&m));
	fini(&m);
	make(&m, 4096);
	assert_false(finds(&m));
	fini(&m);
}

/* The block of the end: of another session, in a frame that is none, without its record, of no records. */
static void
ends_that_are_none(void **state)
{
	const struct rec_request request = {.kind = 1};
	struct buf plain = {0};
	struct block_head head;
	struct made m;

	(void)state;
	make(&m, 3);
	head = get_head(&m, m.end_at);
	head.session++;
	put_head(&m, m.end_at, &head);
	assert_false(finds(&m));
	head.session--;
	head.codec = CODEC_ZSTD;
	put_head(&m, m.end_at, &head);
	assert_false(finds(&m));
	head.codec = CODEC_NONE;
	put_head(&m, m.end_at, &head);
	assert_true(finds(&m));
	head = get_head(&m, m.index_at);
	head.codec = CODEC_ZSTD;
	put_head(&m, m.index_at, &head);
	assert_false(finds(&m));
	fini(&m);
	assert_int_equal(record_put(&plain, REC_request, &request, NULL), 0);
	for (int i = 0; i < 3; i++) {
		make_body(&m, 3);
		make_index(&m);
		make_end(&m, i < 2 ? plain.data : (const void *)"\x80\x80\x80", i == 0 ? 0 : i == 1 ? plain.len : 3);
		assert_false(finds(&m));
		fini(&m);
	}
	buf_free(&plain);
}

static const uint8_t unknown[100000];	/* a record of a later version */

/* The index may have records that a later version knows, many of them. */
static void
an_index_far_from_the_end(void **state)
{
	static const int n_unknown[] = {1, 6, 41};

	(void)state;
	for (size_t i = 0; i < sizeof(n_unknown) / sizeof(n_unknown[0]); i++) {
		struct made m;

		make_body(&m, 3);
		for (int k = 0; k < n_unknown[i]; k++)
			assert_int_equal(record_put_raw(&m.index, 99, unknown, sizeof(unknown), NULL), 0);
		make_index(&m);
		make_right_end(&m);
		assert_true(finds(&m));
		fini(&m);
	}
}

/* More megabytes than are looked at stand between the index and the end. */
static void
no_index_in_sight(void **state)
{
	static const uint8_t zeros[1 << 20];
	struct made m;

	(void)state;
	make_body(&m, 3);
	make_index(&m);
	for (int i = 0; i < 5; i++)
		assert_true(buf_put(&m.bytes, zeros, sizeof(zeros)));
	make_right_end(&m);
	assert_false(finds(&m));
	fini(&m);
}

struct look {
	struct reader_file file;
	struct codec *codec;
	uint64_t at;
};

/* There is no error to tell: the place is found, or it is not. */
static int
look(void *arg)
{
	const struct look *const l = arg;
	struct reader_place place = {0};

	if (!reader_index_find(&l->file, l->codec, 0, LATE_NS, &place))
		return IOTAP_ENOMEM;
	assert_int_equal(place.offset, l->at);
	return 0;
}

static void
without_memory(void **state)
{
	struct made m;
	struct look l;

	(void)state;
	make(&m, 3);
	l = (struct look){.file = {.fd = file_of(&m), .end = m.bytes.len, .session = SESSION}, .codec = m.codec,
			  .at = m.state_at};
	starve_each(look, &l, IOTAP_ENOMEM);
	assert_int_equal(close(l.file.fd), 0);
	fini(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_right_is_found),
		cmocka_unit_test(a_file_that_is_not_all_there),
		cmocka_unit_test(headers_that_the_index_does_not_know),
		cmocka_unit_test(lengths_that_lead_out_of_the_file),
		cmocka_unit_test(rows_that_are_none),
		cmocka_unit_test(ends_that_are_none),
		cmocka_unit_test(an_index_far_from_the_end),
		cmocka_unit_test(no_index_in_sight),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
