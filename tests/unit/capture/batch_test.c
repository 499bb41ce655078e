/* batch_test.c - notes in a batch can be walked, dropped, and given longer arguments */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "capture/batch.h"

static void
put(struct batch *b, uint64_t key, const char *path, const char *arg0)
{
	struct kr_note *const n = buf_extend(&b->notes, sizeof(*n));

	assert_non_null(n);
	memset(n, 0, sizeof(*n));
	n->key_ns = key;
	n->type = KR_EXEC;
	n->n_slots = 1;
	n->life.text_len = (kr_u16)strlen(path);
	n->life.arg0_len = (kr_u16)strlen(arg0);
	n->text_total = n->life.text_len + n->life.arg0_len;
	memcpy(n->text, path, strlen(path));
	memcpy(n->text + strlen(path), arg0, strlen(arg0));
	b->n_notes++;
}

/* The note with this key has this argv[0] of n bytes, all the same character unless text is given. */
static void
has(const struct batch *b, uint64_t key, const char *path, const char *text, char c, size_t n)
{
	const struct kr_note *note;
	size_t at = 0;

	while ((note = batch_next_note(b, &at)) != NULL && note->key_ns != key)
		continue;
	assert_non_null(note);
	assert_int_equal(note->life.text_len, strlen(path));
	assert_memory_equal(note_text(note), path, strlen(path));
	assert_int_equal(note->life.arg0_len, n);
	assert_int_equal(note->text_total, strlen(path) + n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(note_text(note)[strlen(path) + i], text ? text[i] : c);
}

static void
arguments_get_longer_and_shorter(void **state)
{
	static const size_t lengths[] = {0, 1, 4, 350, 355, 356, 357, 867, 868, 869, 5000, 12288, 20000};
	char *const text = malloc(20000);
	struct batch b;

	(void)state;
	assert_non_null(text);
	memset(text, 'y', 20000);
	assert_true(batch_init(&b));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const size_t n = lengths[i], kept = n < 12288 - 4 ? n : 12288 - 4;
		const struct kr_note *note;
		size_t at = 0;

		batch_clear(&b);
		put(&b, 1, "/one", "a");
		put(&b, 2, "/two", "b");
		put(&b, 3, "/three", "c");
		(void)batch_next_note(&b, &at);
		note = batch_next_note(&b, &at);
		assert_true(batch_set_arg0(&b, &at, note, text, n));
		has(&b, 1, "/one", "a", 0, 1);
		has(&b, 2, "/two", NULL, 'y', kept);
		has(&b, 3, "/three", "c", 0, 1);
		assert_int_equal(batch_next_note(&b, &at)->key_ns, 3);
		assert_null(batch_next_note(&b, &at));
	}
	batch_fini(&b);
	free(text);
}

static void
a_dropped_note_is_none(void **state)
{
	const struct kr_note *note;
	struct batch b;
	size_t at = 0;

	(void)state;
	assert_true(batch_init(&b));
	put(&b, 1, "/one", "a");
	put(&b, 2, "/two", "b");
	batch_drop_note(&b, batch_next_note(&b, &at));
	at = 0;
	note = batch_next_note(&b, &at);
	assert_int_equal(note->type, KR_NONE);
	note = batch_next_note(&b, &at);
	assert_int_equal(note->type, KR_EXEC);
	batch_fini(&b);
	batch_fini(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_get_longer_and_shorter),
		cmocka_unit_test(a_dropped_note_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
