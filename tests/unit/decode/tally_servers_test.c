/* tally_servers_test.c - the clients of a port share a row for people; exact rows stay what they are */
#include "formats/iotap.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/buf.h"
#include "tests/lib/story.h"
#include "tests/lib/unit.h"

/* n clients, each port its own, of n_addresses in turn, that came to port; each sent 10 and got 20. */
static void
clients(struct buf *targets, struct buf *calls, unsigned int *id, unsigned int n, unsigned int n_addresses,
	const char *local, unsigned int port, const char *type)
{
	for (unsigned int i = 0; i < n; i++) {
		++*id;
		(void)buf_printf(targets, "target id=%u origin=call kind=socket flags=16 family=inet %s "
				 "local=%s local_port=%u remote=10.0.0.%u remote_port=%u\n", *id, type, local, port,
				 1 + i % n_addresses, 40000 + *id);
		(void)buf_printf(calls, "call key=50000%05u tid=10 tgid=10 call=read id=%u result=10\n", *id, *id);
		(void)buf_printf(calls, "call key=50001%05u tid=10 tgid=10 call=write id=%u result=20 duration=%u\n",
				 *id, *id, *id);
	}
}

#define TCP "sock_type=1"
#define UDP "sock_type=2"

static iotap_t *
read_all(const struct buf *targets, const struct buf *calls, struct iotap_summary *s)
{
	const struct iotap_handlers none = {.size = sizeof(none)};
	struct buf story = {.data = NULL};
	iotap_t *h;

	(void)buf_printf(&story, STORY_BEGIN "%.*sblock calls\n%.*s" STORY_END, (int)targets->len,
			 (const char *)targets->data, (int)calls->len, (const char *)calls->data);
	h = story_open(buf_cstr(&story), NULL);
	assert_int_equal(iotap_keep_summary(h, 0), 0);
	assert_int_equal(iotap_consume(h, &none, NULL), 0);
	assert_int_equal(iotap_get_summary(h, s), 0);
	buf_free(&story);
	return h;
}

static bool
says(iotap_t *h, const char *line)
{
	char *const text = iotap_summary_text(h, 0, 0);
	const bool yes = text && strstr(text, line);

	if (!yes)
		print_message("%s", text);
	free(text);
	return yes;
}

static void
many_clients_share_a_row(void **state)
{
	struct buf targets = {.data = NULL}, calls = {.data = NULL};
	struct iotap_summary s;
	unsigned int id = 0;
	iotap_t *h;

	(void)state;
	clients(&targets, &calls, &id, 12, 3, "10.0.0.9", 80, TCP);
	clients(&targets, &calls, &id, 7, 7, "10.0.0.9", 443, TCP);	/* few: a row each */
	clients(&targets, &calls, &id, 7, 7, "10.0.0.9", 80, UDP);	/* another port 80 */
	h = read_all(&targets, &calls, &s);
	assert_int_equal(s.n_rows, 26);
	assert_int_equal(s.n_grouped, 15);
	assert_int_equal(s.grouped[0].peers, 3);
	assert_int_equal(s.grouped[0].row->read.bytes, 120);
	assert_int_equal(s.grouped[0].row->write.bytes, 240);
	assert_int_equal(s.grouped[0].row->write.calls, 12);
	assert_int_equal(s.grouped[0].row->latency_max_ns, 12);
	assert_int_equal(s.grouped[0].row->target->local_port, 80);
	assert_int_equal(s.grouped[0].row->target->remote_len, 0);
	assert_int_equal(s.grouped[1].peers, 0);
	assert_ptr_equal(s.grouped[1].row->target->json, NULL);
	assert_true(says(h, "tcp 10.0.0.9:80 (3 clients, 12 connections)\n"));
	assert_true(says(h, "\nNetwork (15 targets)\n"));
	assert_int_equal(iotap_get_summary(h, &s), 0);	/* and again */
	assert_int_equal(s.n_grouped, 15);
	iotap_close(h);
	buf_free(&targets);
	buf_free(&calls);
}

static void
ends_of_several_addresses(void **state)
{
	struct buf targets = {.data = NULL}, calls = {.data = NULL};
	struct iotap_summary s;
	unsigned int id = 0;
	iotap_t *h;

	(void)state;
	clients(&targets, &calls, &id, 4, 1, "10.0.0.9", 80, TCP);
	clients(&targets, &calls, &id, 4, 1, "127.0.0.1", 80, TCP);
	h = read_all(&targets, &calls, &s);
	assert_int_equal(s.n_grouped, 1);
	assert_true(says(h, "tcp *:80 (1 client, 8 connections)\n"));
	iotap_close(h);
	buf_free(&targets);
	buf_free(&calls);
}

static void
other_rows_stay(void **state)
{
	struct buf targets = {.data = NULL}, calls = {.data = NULL};
	struct iotap_summary s;
	iotap_t *h;

	(void)state;
	for (unsigned int i = 1; i <= 20; i++) {
		(void)buf_printf(&targets, "target id=%u origin=call kind=file flags=16 text=\"/f%u\"\n", i, i);
		(void)buf_printf(&calls, "call key=50000%05u tid=10 tgid=10 call=read id=%u result=1\n", i, i);
	}
	h = read_all(&targets, &calls, &s);
	assert_int_equal(s.n_grouped, s.n_rows);
	for (size_t i = 0; i < s.n_rows; i++)
		assert_ptr_equal(s.grouped[i].row, &s.rows[i]);
	iotap_close(h);
	buf_free(&targets);
	buf_free(&calls);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_clients_share_a_row),
		cmocka_unit_test(ends_of_several_addresses),
		cmocka_unit_test(other_rows_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
