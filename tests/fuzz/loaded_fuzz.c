/* loaded_fuzz.c - a recording, whatever it says, asked as it is and asked after it was loaded
 *
 * Checksums are put right first. Where both can be done, both give the same events, with the same numbers
 * and the same targets. (All columns are asked for: a block with one value that cannot be is refused by
 * whoever reads that column.)
 */
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
#include "tests/lib/mend.h"
#include "tests/lib/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char asked[] = "SELECT * FROM event ORDER BY number";

static void
promise(int kept)
{
	if (!kept)
		abort();
}

/* A file in memory, and the name under which it can be opened. */
static int
memory(const void *p, size_t n, char path[64])
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	promise(fd >= 0 && io_write_all(fd, p, n) && lseek(fd, 0, SEEK_SET) == 0);
	(void)snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* What is answered. False: an error. */
static bool
ask(const char *path, struct buf *answer)
{
	struct iotap_error err = {.code = 0};
	const int out = memfd_create("answer", MFD_CLOEXEC);
	struct question q;
	struct result result;
	int r = question_open(&q, path, NULL, &err);

	promise(out >= 0);
	result_init(&result, RESULT_JSON, out, &err);
	if (r == 0)
		r = question_ask(&q, asked, &result, &err);
	if (r == 0)
		r = result_flush(&result, true);
	promise(r == 0 || (escape_is_clean(err.text, strlen(err.text)) && !strstr(err.text, "no such column")));
	result_fini(&result);
	question_close(&q);
	promise(lseek(out, 0, SEEK_SET) == 0 && io_read_rest(out, answer));
	(void)close(out);
	return r == 0;
}

/* A database with the recording in it. False: it could not be loaded. */
static bool
load(const char *path, struct buf *database)
{
	struct iotap_error err = {.code = 0};
	struct load_result loaded;
	struct supply *from = NULL;
	struct input in;
	sqlite3 *db = NULL;
	sqlite3_int64 n = 0;
	uint8_t *bytes;
	int r = input_open(&in, path, &err);

	promise(sqlite3_open(":memory:", &db) == SQLITE_OK && schema_create(db, true, &err) == 0);
	if (r == 0)
		r = supply_open(&from, &in, NULL, true, &err);
	promise(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
	if (r == 0)
		r = load_recording(db, from, LOAD_ALL, NULL, &loaded, &err);
	promise(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
	promise(r == 0 || escape_is_clean(err.text, strlen(err.text)));
	supply_close(from);
	input_close(&in);
	bytes = r == 0 ? sqlite3_serialize(db, "main", &n, 0) : NULL;
	promise(r < 0 || (bytes && buf_put(database, bytes, (size_t)n)));
	sqlite3_free(bytes);
	(void)sqlite3_close_v2(db);
	return r == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf recording = {.data = NULL}, database = {.data = NULL};
	struct buf as_is = {.data = NULL}, after = {.data = NULL};
	char path[64];
	int fd;

	promise(buf_put(&recording, data, size));
	mend(recording.data, recording.len);
	fd = memory(recording.data, recording.len, path);
	if (ask(path, &as_is) && load(path, &database)) {
		promise(ask(scratch_put(database.data, database.len), &after));
		promise(after.len == as_is.len);
		promise(after.len == 0 || memcmp(after.data, as_is.data, after.len) == 0);
	}
	(void)close(fd);
	buf_free(&recording);
	buf_free(&database);
	buf_free(&as_is);
	buf_free(&after);
	return 0;
}
