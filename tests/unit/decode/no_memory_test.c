/* no_memory_test.c - decode/ without memory: each allocation fails in turn, once and from then on
 *
 * Each step opens a golden recording (tests/golden/rec), tells all of it one way, and releases all. What went
 * through says the same as with memory; what did not says IOTAP_ENOMEM, has a text for it, and leaves
 * nothing behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/check.h"
#include "decode/csv.h"
#include "decode/explain.h"
#include "decode/json.h"
#include "decode/text.h"
#include "formats/base/io.h"
#include "formats/reader.h"
#include "tests/lib/rewriting.h"
#include "tests/lib/starve.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* What is told, and how. */
struct telling {
	const char *recording;		/* of tests/golden/rec */
	const char *second;	/* with n_inputs = 2: the other one */
	int (*event)(const struct iotap_event *, void *arg);
	int (*aggregate)(const struct iotap_aggregate *, void *arg);
	const struct iotap_filter *filter;
	const char *const *interfaces;	/* of a filter that is set after opening */
	size_t n_inputs;		/* 0 = one */
	int fds[2];
	struct buf expected;		/* what it says with memory */
	bool starving;
};

/* What is said; the telling's own, or that of one run. */
struct said {
	struct text text;
	struct buf out;
};

static int
as_text(const struct iotap_event *e, void *arg)
{
	struct said *const s = arg;

	text_event(&s->text, e);
	return IOTAP_NEXT;
}

static int
as_json(const struct iotap_event *e, void *arg)
{
	struct said *const s = arg;

	json_event(&s->out, e);
	return IOTAP_NEXT;
}

static int
as_csv(const struct iotap_event *e, void *arg)
{
	struct said *const s = arg;

	csv_event(&s->out, true, e);
	csv_event(&s->out, false, e);
	return IOTAP_NEXT;
}

static int
as_explanation(const struct iotap_event *e, void *arg)
{
	struct said *const s = arg;

	explain_event(&s->out, e);
	return IOTAP_NEXT;
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	struct said *const s = arg;

	json_notice(&s->out, n);
	return IOTAP_NEXT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	struct said *const s = arg;

	json_drop(&s->out, d);
	return IOTAP_NEXT;
}

static int
on_aggregate(const struct iotap_aggregate *a, void *arg)
{
	struct said *const s = arg;

	(void)buf_printf(&s->out, "%u %llu %s\n", a->call, (unsigned long long)a->calls, a->target->text);
	return IOTAP_NEXT;
}

/* A failure of the library has its text. */
static int
failed(const iotap_t *h, int r)
{
	assert_int_equal(iotap_errno(h), r);
	assert_non_null(strstr(iotap_errmsg(h), "out of memory"));
	return r;
}

static int
tell_sums(iotap_t *h, struct said *s)
{
	struct iotap_summary sum;
	char *text;
	int r = iotap_get_summary(h, &sum);

	if (r < 0)
		return failed(h, r);
	json_summary(&s->out, &sum, NULL, NULL);
	text = iotap_summary_text(h, 3, IOTAP_SHOW_OPS);
	if (!text)
		return IOTAP_ENOMEM;
	(void)buf_puts(&s->out, text);
	free(text);
	return 0;
}

static int
tell_batches(iotap_t *h, struct said *s)
{
	struct iotap_batch b;
	int r;

	while ((r = iotap_next_batch(h, IOTAP_COL_TIME | IOTAP_COL_BYTES, NULL, NULL, &b)) > 0) {
		for (uint32_t i = 0; i < b.n; i++)
			(void)buf_printf(&s->out, "%llu %llu\n", (unsigned long long)b.time_ns[i],
					 (unsigned long long)b.bytes[i]);
	}
	return r < 0 ? failed(h, r) : 0;
}

static int
tell(const struct telling *t, iotap_t *h, struct said *s)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .event = t->event, .notice = on_notice, .drop = on_drop,
		.aggregate = t->aggregate,
	};
	const struct iotap_filter filter = {.interfaces = t->interfaces, .n_interfaces = 2};
	int r = t->interfaces ? iotap_set_filter(h, &filter) : 0;

	if (r < 0)
		return failed(h, r);
	if (!t->event)
		return tell_batches(h, s);
	r = iotap_keep_summary(h, 0);
	if (r == 0)
		r = iotap_consume(h, &handlers, s);
	if (r < 0)
		return failed(h, r);
	return tell_sums(h, s);
}

static iotap_t *
telling_open(const struct telling *t)
{
	static const char *const names[2] = {"one", "two"};
	const size_t n = t->n_inputs > 0 ? t->n_inputs : 1;
	char why[128] = "";
	int fds[2];
	iotap_t *h;

	for (size_t i = 0; i < n; i++) {
		fds[i] = dup(t->fds[i]);
		assert_int_equal(lseek(fds[i], 0, SEEK_SET), 0);
	}
	h = iotap_open_many(fds, names, n, t->filter, why, sizeof(why));
	if (!h)
		assert_non_null(strstr(why, "out of memory"));
	return h;
}

static int
telling_step(void *arg)
{
	struct telling *const t = arg;
	struct said s = {.out = {.data = NULL}};
	iotap_t *const h = telling_open(t);
	int r = h ? tell(t, h, &s) : IOTAP_ENOMEM;

	if (r == 0 && s.text.out.len > 0)
		(void)buf_put(&s.out, s.text.out.data, s.text.out.len);
	if (r == 0 && (!buf_ok(&s.out) || !buf_ok(&s.text.out)))
		r = IOTAP_ENOMEM;
	if (r == 0 && t->starving) {
		assert_int_equal(s.out.len, t->expected.len);
		assert_memory_equal(s.out.data, t->expected.data, s.out.len);
	} else if (r == 0) {
		assert_true(buf_put(&t->expected, s.out.data, s.out.len));
	}
	buf_free(&s.out);
	buf_free(&s.text.out);
	iotap_close(h);
	return r;
}

static void
recording_read(const char *name, struct buf *out)
{
	struct buf text = {.data = NULL};
	char path[64];
	FILE *file;
	int c;

	(void)snprintf(path, sizeof(path), "tests/golden/rec/%s.rec", name);
	file = fopen(path, "r");
	assert_non_null(file);
	while ((c = getc(file)) != EOF)
		(void)buf_putc(&text, (char)c);
	(void)fclose(file);
	story_assemble(buf_cstr(&text), out);
	buf_free(&text);
}

static int
recording_fd(const char *name)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);
	struct buf recording = {.data = NULL};

	recording_read(name, &recording);
	assert_true(fd >= 0 && io_write_all(fd, recording.data, recording.len));
	buf_free(&recording);
	return fd;
}

static void
telling_starve(struct telling t)
{
	t.fds[0] = recording_fd(t.recording);
	t.fds[1] = recording_fd(t.second ? t.second : t.recording);
	assert_int_equal(telling_step(&t), 0);
	assert_true(t.expected.len > 0);
	t.starving = true;
	starve_each(telling_step, &t, IOTAP_ENOMEM);
	(void)close(t.fds[0]);
	(void)close(t.fds[1]);
	buf_free(&t.expected);
}

static void
every_format(void **state)
{
	(void)state;
	telling_starve((struct telling){.recording = "seconds", .event = as_text});
	telling_starve((struct telling){.recording = "sockets", .event = as_json});
	telling_starve((struct telling){.recording = "names", .event = as_csv});
	telling_starve((struct telling){.recording = "strange", .event = as_explanation});
}

static void
what_lies_between_calls(void **state)
{
	(void)state;
	telling_starve((struct telling){.recording = "life", .event = as_json});
	telling_starve((struct telling){.recording = "loss", .event = as_text, .aggregate = on_aggregate});
	telling_starve((struct telling){.recording = "epochs", .event = as_text});
	telling_starve((struct telling){.recording = "abrupt", .event = as_text});
}

static void
mapped_files(void **state)
{
	(void)state;
	telling_starve((struct telling){.recording = "mapped", .event = as_text});
	telling_starve((struct telling){.recording = "shared", .event = as_text});
}

static void
batches(void **state)
{
	(void)state;
	telling_starve((struct telling){.recording = "seconds"});
}

static void
filters(void **state)
{
	static const char *const interfaces[] = {"en0", "en1"};
	static const struct iotap_filter first = {.interfaces = interfaces, .n_interfaces = 2};
	static const struct iotap_filter network = {.classes = 1u << IOTAP_CLASS_NETWORK};
	static const struct iotap_filter files = {.classes = 1u << IOTAP_CLASS_FILE};

	(void)state;
	telling_starve((struct telling){.recording = "curl", .event = as_text, .filter = &first});
	telling_starve((struct telling){.recording = "curl", .event = as_text, .interfaces = interfaces});
	telling_starve((struct telling){.recording = "seconds", .event = as_text, .filter = &files});
	telling_starve((struct telling){.recording = "sockets", .filter = &network});
}

static void
several_inputs(void **state)
{
	(void)state;
	telling_starve((struct telling){.recording = "life", .second = "sockets", .event = as_text, .n_inputs = 2});
}

/* -- what does not go by way of the public interface -- */

static int
check_step(void *arg)
{
	const struct buf *const recording = arg;
	struct reader *const reader = reader_new_memory(recording->data, recording->len, "r");
	struct buf out = {.data = NULL};
	struct check c = {.broken = false};
	int r = reader ? check_recording(&c, reader, &out) : IOTAP_ENOMEM;

	if (r < 0 && reader)
		assert_non_null(strstr(c.err.text, "out of memory"));
	if (r == 0 && !buf_ok(&out))
		r = IOTAP_ENOMEM;
	if (r == 0)
		assert_non_null(strstr(buf_cstr(&out), "calls here = calls of the end block"));
	buf_free(&out);
	reader_free(reader);
	return r;
}

static void
checking(void **state)
{
	struct buf recording = {.data = NULL};

	(void)state;
	recording_read("loss", &recording);
	starve_each(check_step, &recording, IOTAP_ENOMEM);
	buf_free(&recording);
}

static void
rewriting(void **state)
{
	static const char *const recordings[] = {"life", "sockets", "loss", "mapped"};

	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct rewriting w = {.fd = memfd_create("written", MFD_CLOEXEC), .hides = i % 2 == 1};

		if (i == 2)
			w.filter.classes = 1u << IOTAP_CLASS_FILE;
		recording_read(recordings[i], &w.recording);
		starve_each(rewriting_step, &w, IOTAP_ENOMEM);
		buf_free(&w.recording);
		(void)close(w.fd);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format),
		cmocka_unit_test(what_lies_between_calls),
		cmocka_unit_test(mapped_files),
		cmocka_unit_test(batches),
		cmocka_unit_test(filters),
		cmocka_unit_test(several_inputs),
		cmocka_unit_test(checking),
		cmocka_unit_test(rewriting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
