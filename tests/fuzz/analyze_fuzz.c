/* analyze_fuzz.c - JSON Lines, and pairs of a damaged database and SQL, through iotap-analyze's own path
 *
 * First byte 'J': JSON Lines are loaded; every event is a row, and the database is whole. 'D': a byte
 * n, then n times {offset u24, value u8} put into a good database, then SQL that is asked of it. What is
 * asked never changes the file, and is ended after a while.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/load.h"
#include "analyze/question.h"
#include "analyze/schema.h"
#include "formats/base/buf.h"
#include "formats/base/escape.h"
#include "formats/base/io.h"
#include "tests/lib/scratch.h"

enum { TIMEOUT_NS = 20 * 1000 * 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
promise(int kept)
{
	if (!kept)
		abort();
}

static int
memory(const void *p, size_t n)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0) {
		(void)io_write_all(fd, p, n);
		(void)lseek(fd, 0, SEEK_SET);
	}
	return fd;
}

/* The only row's only column. */
static int64_t
number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
		n = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_finalize(stmt);
	return n;
}

/* A database with our tables and nothing in them: copied from the first one made, which takes less time. */
static sqlite3 *
database(void)
{
	static uint8_t *first;
	static sqlite3_int64 size;
	struct iotap_error err = {.code = 0};
	sqlite3 *db = NULL;
	uint8_t *copy;

	promise(sqlite3_open(":memory:", &db) == SQLITE_OK);
	if (!first) {
		promise(schema_create(db, true, &err) == 0);
		first = sqlite3_serialize(db, "main", &size, 0);
		promise(first != NULL);
		return db;
	}
	copy = sqlite3_malloc64((sqlite3_uint64)size);
	promise(copy != NULL);
	memcpy(copy, first, (size_t)size);
	promise(sqlite3_deserialize(db, "main", copy, size, size, SQLITE_DESERIALIZE_FREEONCLOSE |
				    SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK);
	return db;
}

/* Loads into db; true when it did. */
static bool
load(sqlite3 *db, const void *p, size_t n, struct load_result *out)
{
	struct iotap_error err = {.code = 0};
	struct supply *from = NULL;
	int r = json_supply_open(&from, memory(p, n), "fuzz", &err);

	promise(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
	if (r == 0)
		r = load_recording(db, from, LOAD_ALL, NULL, out, &err);
	promise(sqlite3_exec(db, r == 0 ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
	if (from)
		supply_close(from);
	promise(escape_is_clean(err.text, strlen(err.text)));
	return r == 0;
}

static void
json_lines(const uint8_t *p, size_t n)
{
	struct load_result loaded = {.calls = 0};
	sqlite3 *const db = database();

	if (load(db, p, n, &loaded)) {
		promise(number(db, "SELECT count(*) FROM event_row") == (int64_t)loaded.calls);
		promise(number(db, "SELECT count(*) FROM event") == (int64_t)loaded.calls);
		promise(number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0);
		promise(number(db, "SELECT coalesce(sum(reads + writes + ops), 0) FROM total_by_call") ==
			(int64_t)loaded.calls);
	}
	(void)sqlite3_close_v2(db);
}

/* A good database, as bytes; made once. */
static const struct buf *
good(void)
{
	static const char lines[] =
		"{\"type\":\"start\",\"time_ns\":1700000000000000000,\"processes\":[{\"pid\":10,\"name\":\"a\"}]}\n"
		"{\"type\":\"event\",\"time_ns\":1700000000000000009,\"pid\":10,\"tid\":10,\"op\":\"read\","
		"\"dir\":\"read\",\"syscall\":\"read\",\"fd\":1,\"requested\":9,\"bytes\":9,\"errno\":0,"
		"\"latency_ns\":5,\"target\":{\"kind\":"
		"\"file\",\"path\":\"/a\"},\"interface\":null,\"resolved\":\"traced\"}\n";
	static struct buf made;
	struct load_result loaded;
	sqlite3 *db;
	sqlite3_int64 n = 0;
	uint8_t *bytes;

	if (made.len > 0)
		return &made;
	db = database();
	promise(load(db, lines, sizeof(lines) - 1, &loaded));
	bytes = sqlite3_serialize(db, "main", &n, 0);
	promise(bytes != NULL && buf_put(&made, bytes, (size_t)n));
	sqlite3_free(bytes);
	(void)sqlite3_close_v2(db);
	return &made;
}

/* True when path could be opened. */
static bool
ask(const char *path, const char *sql, int null)
{
	struct iotap_error err = {.code = 0};
	struct question q;
	struct result result;
	const int opened = question_open(&q, path, NULL, &err);
	int r = opened;

	result_init(&result, RESULT_JSON, null, &err);
	if (r == 0) {
		q.limits.timeout_ns = TIMEOUT_NS;
		r = question_ask(&q, sql, &result, &err);
	}
	promise(r == 0 || escape_is_clean(err.text, strlen(err.text)));
	result_fini(&result);
	question_close(&q);
	return opened == 0;
}

static void
pair(const uint8_t *p, size_t n)
{
	struct buf bytes = {.data = NULL};
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const char *path;
	size_t at = 1;
	char *sql;

	promise(buf_put(&bytes, good()->data, good()->len) && null >= 0);
	for (size_t i = 0; i < p[0] && at + 4 <= n; i++, at += 4) {
		const size_t offset = (size_t)p[at] | (size_t)p[at + 1] << 8 | (size_t)p[at + 2] << 16;

		bytes.data[offset % bytes.len] = p[at + 3];
	}
	sql = strndup((const char *)p + at, n - at);
	path = scratch_put(bytes.data, bytes.len);
	promise(sql && path);
	promise(ask(path, sql, null) || at > 1);	/* nothing was damaged */
	promise(scratch_is(bytes.data, bytes.len));
	free(sql);
	(void)close(null);
	buf_free(&bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1 && data[0] == 'J')
		json_lines(data + 1, size - 1);
	else if (size > 2 && data[0] == 'D')
		pair(data + 1, size - 1);
	return 0;
}
