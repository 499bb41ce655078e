/* translate_test.c - notes of the kernel half become records, whatever they hold */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>

#include "capture/batch.h"
#include "capture/translate.h"

/* A note of up to three slots with text. */
union room {
	struct kr_note note;
	uint8_t bytes[3 * KR_NOTE_SLOT];
};

static void
note_begin(union room *r, enum kr_note_type type, const char *text, size_t n)
{
	memset(r, 0, sizeof(*r));
	r->note.key_ns = 77;
	r->note.type = (kr_u16)type;
	r->note.n_slots = 3;
	r->note.text_total = (kr_u32)n;
	memcpy(r->bytes + KR_NOTE_HEAD + KR_NOTE_FIXED, text, n);
}

static void
text_is(struct bytes b, const char *expected)
{
	assert_int_equal(b.n, strlen(expected));
	assert_memory_equal(b.p ? (const char *)b.p : "", expected, b.n);
}

/* What becomes of a claimed path beside a kernel's path. */
static struct bytes
claimed(union room *r, const char *path, const char *claim)
{
	char text[300];
	struct translation t;

	strcpy(text, path);
	strcat(text, claim);
	note_begin(r, KR_TARGET, text, strlen(text));
	r->note.target.kind = KR_KIND_FILE;
	r->note.target.text_len = (kr_u16)strlen(path);
	r->note.target.claimed_len = (kr_u16)strlen(claim);
	assert_true(translate_note(&r->note, NULL, NULL, &t));
	assert_int_equal(t.type, REC_target);
	text_is(t.u.target.text, path);
	return t.u.target.claimed;
}

static void
claims(void **state)
{
	union room r;

	(void)state;
	text_is(claimed(&r, "/etc/hosts", "/etc/hosts"), "");
	text_is(claimed(&r, "/etc/hosts", "hosts"), "");
	text_is(claimed(&r, "/etc/hosts", "etc/hosts"), "");
	text_is(claimed(&r, "/etc/hosts", "osts"), "osts");
	text_is(claimed(&r, "/a/etc/hosts", "/etc/hosts"), "/etc/hosts");
	text_is(claimed(&r, "/etc/hosts", "/lib/hosts"), "/lib/hosts");
	text_is(claimed(&r, "/etc/hosts", "./hosts"), "./hosts");
	text_is(claimed(&r, "", "x"), "x");
	text_is(claimed(&r, "/", "/"), "");
	text_is(claimed(&r, "/x", ""), "");
}

/* situation: 53 */
static void
sockets(void **state)
{
	union room r;
	struct translation t;
	struct kr_target *const k = &r.note.target;

	(void)state;
	note_begin(&r, KR_TARGET, "own\0peer", 8);
	*k = (struct kr_target){.id = 9, .origin = KR_ORIGIN_CALL, .kind = KR_KIND_SOCKET,
				.family = AF_INET, .sock_type = SOCK_STREAM, .protocol = 6,
				.local = {127, 0, 0, 1}, .local_port = 80, .has_local = 1,
				.remote_port = 90, .device = "lo", .text_len = 4, .peer_len = 4};
	assert_true(translate_note(&r.note, NULL, NULL, &t));
	assert_int_equal(t.u.target.id, 9);
	assert_int_equal(t.u.target.time_ns, 77);
	assert_int_equal(t.u.target.local.n, 4);
	assert_memory_equal(t.u.target.local.p, "\177\0\0\1", 4);
	assert_int_equal(t.u.target.remote.n, 0);
	assert_int_equal(t.u.target.local_port, 80);
	text_is(t.u.target.device, "lo");
	assert_int_equal(t.u.target.text.n, 4);
	text_is(t.u.target.peer, "peer");
	k->family = AF_INET6;
	k->has_remote = 1;
	memset(k->device, 'x', sizeof(k->device));
	assert_true(translate_note(&r.note, NULL, NULL, &t));
	assert_int_equal(t.u.target.remote.n, 16);
	assert_int_equal(t.u.target.device.n, 16);
	k->family = AF_UNIX;
	assert_true(translate_note(&r.note, NULL, NULL, &t));
	assert_int_equal(t.u.target.local.n, 0);
}

static unsigned int
by_arg0(void *arg, struct bytes comm, struct bytes exe, struct bytes arg0)
{
	(void)arg;
	text_is(comm, "node");
	text_is(exe, "/opt/2.1");
	text_is(arg0, "worker");
	return 2;
}

/* situation: 54 */
static void
life(void **state)
{
	union room r;
	struct translation t;
	struct kr_life *const l = &r.note.life;

	(void)state;
	note_begin(&r, KR_EXEC, "/opt/2.1worker", 14);
	*l = (struct kr_life){.tgid = 5, .start_ns = 6, .text_len = 8, .arg0_len = 6, .comm = "node"};
	assert_true(translate_note(&r.note, by_arg0, NULL, &t));
	assert_int_equal(t.type, REC_exec);
	text_is(t.u.exec.path, "/opt/2.1");
	text_is(t.u.exec.arg0, "worker");
	l->by_name = 1;
	assert_true(translate_note(&r.note, by_arg0, NULL, &t));
	assert_int_equal(t.type, REC_process);
	assert_int_equal(t.u.process.how, 6);
	assert_int_equal(t.u.process.name_from, 2);
	text_is(t.u.process.exe, "/opt/2.1");

	note_begin(&r, KR_FORK, "", 0);
	*l = (struct kr_life){.tgid = 5, .parent_tgid = 4, .uid = 3, .comm = "0123456789abcdef"};
	assert_true(translate_note(&r.note, NULL, NULL, &t));
	assert_int_equal(t.u.process.how, 5);
	assert_int_equal(t.u.process.parent, 4);
	assert_int_equal(t.u.process.comm.n, 16);

	note_begin(&r, KR_RENAME, "", 0);
	*l = (struct kr_life){.tgid = 5, .tid = 7, .comm = "x"};
	assert_true(translate_note(&r.note, NULL, NULL, &t));
	assert_int_equal(t.type, REC_rename);
	assert_int_equal(t.u.rename.tid, 7);

	note_begin(&r, KR_EXIT, "", 0);
	*l = (struct kr_life){.tgid = 5, .exit_code = 0x8b, .has_ioac = 1, .rchar = 10};
	assert_true(translate_note(&r.note, NULL, NULL, &t));
	assert_int_equal(t.u.exit.status, 0x8b);
	assert_int_equal(t.u.exit.has_io, 1);
	assert_int_equal(t.u.exit.rchar, 10);
}

static void
nonsense(void **state)
{
	union room r;
	struct translation t;

	(void)state;
	note_begin(&r, KR_NONE, "", 0);
	assert_false(translate_note(&r.note, NULL, NULL, &t));
	r.note.type = 999;
	assert_false(translate_note(&r.note, NULL, NULL, &t));
	note_begin(&r, KR_TARGET, "abc", 3);
	r.note.target.text_len = 4;
	assert_false(translate_note(&r.note, NULL, NULL, &t));
	r.note.target.text_len = 1;
	r.note.target.claimed_len = 1;
	r.note.target.peer_len = 2;
	assert_false(translate_note(&r.note, NULL, NULL, &t));
	note_begin(&r, KR_EXEC, "abc", 3);
	r.note.life.text_len = 65535;
	r.note.life.arg0_len = 65535;
	assert_false(translate_note(&r.note, NULL, NULL, &t));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims),
		cmocka_unit_test(sockets),
		cmocka_unit_test(life),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
