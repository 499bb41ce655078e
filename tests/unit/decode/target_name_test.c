/* target_name_test.c - decode/target_name.c: the three forms of a name, for people, for sums, for JSON */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/target.h"
#include "formats/kernel_record.h"
#include "tests/lib/unit.h"

static void
expect(const struct rec_target *def, const char *text, const char *key, size_t key_len, const char *json)
{
	struct buf scratch = {.data = NULL};
	struct target *const t = target_new(def, NULL, &scratch);

	assert_non_null(t);
	if (strcmp(t->pub.text, text) != 0 || strlen(t->pub.text) != t->pub.text_len || t->pub.key_len != key_len ||
	    memcmp(t->pub.key, key, key_len) != 0 || strcmp(t->pub.json, json) != 0 ||
	    strlen(t->pub.json) != t->pub.json_len)
		fail_msg("text %s\nkey %s\njson %s", t->pub.text, t->pub.key, t->pub.json);
	free(t);
	buf_free(&scratch);
}

#define KEY(literal) literal, sizeof(literal) - 1

/* situation: 116 */
static void
files(void **state)
{
	(void)state;
	expect(&(struct rec_target){.kind = KR_KIND_FILE, .text = rec_str("/a\"b\\")}, "/a\"b\\", KEY("/a\"b\\"),
	       "{\"kind\":\"file\",\"path\":\"/a\\\"b\\\\\"}");
	/* Escapes of a terminal, and a character that turns the text around. */
	expect(&(struct rec_target){.kind = KR_KIND_FILE, .text = rec_str("/\x1b[2J\xe2\x80\xae")}, "/?[2J?",
	       KEY("/\x1b[2J\xe2\x80\xae"), "{\"kind\":\"file\",\"path\":\"/\\u001b[2J\\u202e\"}");
	/* No UTF-8: two names that differ there only stay two, and JSON has the bytes. */
	expect(&(struct rec_target){.kind = KR_KIND_FILE, .text = rec_str("/\xff")}, "/\xef\xbf\xbd", KEY("/\xff"),
	       "{\"kind\":\"file\",\"path\":\"/\xef\xbf\xbd\",\"path_hex\":\"2fff\"}");
	expect(&(struct rec_target){.kind = KR_KIND_FILE, .text = rec_bytes("/a\0b", 4)}, "/a?b", KEY("/a\0b"),
	       "{\"kind\":\"file\",\"path\":\"/a\\u0000b\"}");
	expect(&(struct rec_target){.kind = KR_KIND_FILE, .dev = 8 << 20 | 1, .ino = 5}, "<file 8:1 inode 5>",
	       KEY("<file 8:1 inode 5>"), "{\"kind\":\"file\",\"path\":null,\"device\":\"8:1\",\"inode\":5}");
	expect(&(struct rec_target){.kind = KR_KIND_FILE}, "<unnamed file>", KEY("<unnamed file>"),
	       "{\"kind\":\"file\",\"path\":null}");
}

static const uint8_t one[4] = {10, 0, 0, 1}, two[4] = {10, 0, 0, 2};
static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, 10, 0, 0, 2},
	six[16] = {[15] = 1};

/* situation: 53, 95, 125 */
static void
network_sockets(void **state)
{
	(void)state;
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 1, .local = rec_bytes(one, 4),
				    .local_port = 5, .remote = rec_bytes(two, 4), .remote_port = 80},
	       "tcp 10.0.0.1:5 -> 10.0.0.2:80", KEY("tcp 10.0.0.2:80"),
	       "{\"kind\":\"socket\",\"proto\":\"tcp\",\"local\":\"10.0.0.1:5\",\"remote\":\"10.0.0.2:80\"}");
	/* The same peer over an IPv6 socket is the same row. */
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 10, .sock_type = 1,
				    .remote = rec_bytes(mapped, 16), .remote_port = 80},
	       "tcp -> 10.0.0.2:80", KEY("tcp 10.0.0.2:80"),
	       "{\"kind\":\"socket\",\"proto\":\"tcp\",\"remote\":\"10.0.0.2:80\"}");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 10, .sock_type = 2, .local = rec_bytes(six, 16),
				    .local_port = 53},
	       "udp [::1]:53", KEY("udp [::1]:53 (local)"),
	       "{\"kind\":\"socket\",\"proto\":\"udp\",\"local\":\"[::1]:53\"}");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 1}, "tcp ?", KEY("tcp ?"),
	       "{\"kind\":\"socket\",\"proto\":\"tcp\"}");
	/* No ports where there are none. */
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 3, .protocol = 1,
				    .remote = rec_bytes(two, 4)},
	       "icmp -> 10.0.0.2", KEY("icmp 10.0.0.2"),
	       "{\"kind\":\"socket\",\"proto\":\"icmp\",\"remote\":\"10.0.0.2\"}");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 40}, "socket", KEY("socket"),
	       "{\"kind\":\"socket\",\"proto\":\"other\"}");
}

/* situation: 26, 125 */
static void
unix_sockets(void **state)
{
	(void)state;
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 1, .text = rec_str("/run/x")}, "unix /run/x",
	       KEY("unix /run/x"), "{\"kind\":\"socket\",\"proto\":\"unix\",\"path\":\"/run/x\"}");
	/* An abstract name begins with a NUL; it may hold more. */
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 1, .text = rec_bytes("\0a\0b", 4)}, "unix @a@b",
	       KEY("unix @a@b"), "{\"kind\":\"socket\",\"proto\":\"unix\",\"path\":\"@a@b\"}");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 1, .peer = rec_str("/peer\x1b")}, "unix /peer?",
	       KEY("unix /peer\x1b"), "{\"kind\":\"socket\",\"proto\":\"unix\",\"path\":\"/peer\\u001b\"}");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 1}, "unix", KEY("unix"),
	       "{\"kind\":\"socket\",\"proto\":\"unix\"}");
}

/* Longer than any name of a socket: cut, not believed. */
static void
a_unix_path_without_end(void **state)
{
	enum { MOST = 216 };
	static char longer[1000], text[MOST + 6] = "unix ", json[MOST + 100];

	(void)state;
	memset(longer, 'x', sizeof(longer));
	memset(text + 5, 'x', MOST);
	(void)snprintf(json, sizeof(json), "{\"kind\":\"socket\",\"proto\":\"unix\",\"path\":\"%s\"}", text + 5);
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 1, .text = rec_bytes(longer, sizeof(longer))},
	       text, text, MOST + 5, json);
}

/* situation: 92 */
static void
others(void **state)
{
	static const struct {
		const char *name, *fd_type;
	} rows[] = {
		{"[eventpoll]", "epoll"}, {"[eventfd]", "eventfd"}, {"inotify", "inotify"}, {"bpf-map", "bpf"},
		{"pidfd:[4]", "pidfd"}, {"[eventfd]x", "other"}, {"[eventf", "other"}, {"", "other"},
		{"\x1b<x>", "other"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[40] = "<", json[80] = "{\"kind\":\"other\",\"fd_type\":\"";

		strcat(strcat(text, rows[i].fd_type), ">");
		strcat(strcat(json, rows[i].fd_type), "\"}");
		expect(&(struct rec_target){.kind = KR_KIND_ANON, .text = rec_str(rows[i].name)}, text, text,
		       strlen(text), json);
	}
	expect(&(struct rec_target){.kind = KR_KIND_PIPE, .ino = 7}, "<pipe>", KEY("<pipe>"),
	       "{\"kind\":\"other\",\"fd_type\":\"pipe\"}");
	expect(&(struct rec_target){.kind = KR_KIND_UNKNOWN}, "<unknown>", KEY("<unknown>"), "{\"kind\":\"unknown\"}");
	/* A kind of a later version. */
	expect(&(struct rec_target){.kind = 77}, "<unknown>", KEY("<unknown>"), "{\"kind\":\"unknown\"}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(network_sockets),
		cmocka_unit_test(unix_sockets),
		cmocka_unit_test(a_unix_path_without_end),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
