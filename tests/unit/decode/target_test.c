/* target_test.c - decode/target.h: definitions as targets */
#include "decode/target.h"

#include <stdlib.h>
#include <string.h>

#include "formats/kernel_record.h"
#include "tests/lib/unit.h"

static struct target *
make(const struct rec_target *def)
{
	struct buf scratch = {.data = NULL};
	struct target *const t = target_new(def, NULL, &scratch);

	buf_free(&scratch);	/* nothing of a target may lie there */
	assert_non_null(t);
	return t;
}

static void
a_file(void **state)
{
	const struct rec_target def = {
		.id = 7, .origin = KR_ORIGIN_CALL, .kind = KR_KIND_FILE, .flags = KT_CONFIRMED | KT_UNLINKED,
		.dev = 8 << 20 | 1, .ino = 12, .mode = 0100644, .text = rec_str("/etc/hosts"),
		.claimed = rec_str("hosts"),
	};
	struct target *const t = make(&def);

	(void)state;
	assert_string_equal(t->pub.text, "/etc/hosts");
	assert_string_equal(t->pub.key, "/etc/hosts");
	assert_string_equal(t->pub.path, "/etc/hosts");
	assert_string_equal(t->pub.claimed, "hosts");
	assert_string_equal(t->pub.json, "{\"kind\":\"file\",\"path\":\"/etc/hosts\"}");
	assert_int_equal(t->pub.json_len, strlen(t->pub.json));
	assert_int_equal(t->pub.dev_major, 8);
	assert_int_equal(t->pub.dev_minor, 1);
	assert_true(t->pub.confirmed);
	assert_int_equal(t->pub.klass, IOTAP_CLASS_FILE);
	assert_int_equal(t->pub.resolved, IOTAP_RESOLVED_TRACED);
	assert_null(t->pub.proto);
	assert_null(t->pub.device);
	free(t);
}

static void
a_claim_is_never_confirmed(void **state)
{
	const struct rec_target def = {.origin = KR_ORIGIN_CLAIM, .kind = KR_KIND_FILE,
				       .claimed = rec_str("no/such")};
	struct target *const t = make(&def);

	(void)state;
	assert_string_equal(t->pub.text, "no/such");
	assert_int_equal(t->pub.evidence, IOTAP_EVIDENCE_USER);
	assert_false(t->pub.confirmed);
	free(t);
}

static void
a_path_cut_by_the_walk_is_never_confirmed(void **state)
{
	struct rec_target def = {.origin = KR_ORIGIN_CALL, .kind = KR_KIND_FILE,
				 .flags = KT_CONFIRMED | KT_CUT, .text = rec_str("\xe2\x80\xa6/x")};
	struct target *t = make(&def);

	(void)state;
	assert_false(t->pub.confirmed);
	free(t);
	def.flags = KT_CUT;	/* as the kernel half has it: read by the kernel all the same */
	t = make(&def);
	assert_false(t->pub.confirmed);
	assert_int_equal(t->pub.evidence, IOTAP_EVIDENCE_KERNEL);
	free(t);
}

/* Who said a name that is not confirmed: /proc answers for what was open at attach only. */
static void
evidence_is_by_origin(void **state)
{
	static const struct {
		uint64_t origin, flags, ino;
		const char *text, *claimed;
		enum iotap_evidence evidence;
	} rows[] = {
		{KR_ORIGIN_ATTACH, 0, 3, "/a", NULL, IOTAP_EVIDENCE_PROC},
		{KR_ORIGIN_ATTACH, KT_CONFIRMED, 3, "/a", NULL, IOTAP_EVIDENCE_KERNEL},
		{KR_ORIGIN_ATTACH, KT_CUT, 3, "/a", NULL, IOTAP_EVIDENCE_KERNEL},
		{KR_ORIGIN_CALL, 0, 3, "/a", "b", IOTAP_EVIDENCE_KERNEL},
		{KR_ORIGIN_USE, 0, 3, "/a", NULL, IOTAP_EVIDENCE_KERNEL},
		{KR_ORIGIN_CALL, 0, 3, NULL, "b", IOTAP_EVIDENCE_USER},
		{KR_ORIGIN_CLAIM, 0, 0, "/a", NULL, IOTAP_EVIDENCE_USER},
		{KR_ORIGIN_CALL, 0, 3, NULL, NULL, IOTAP_EVIDENCE_KERNEL},
		{KR_ORIGIN_CALL, 0, 0, NULL, NULL, IOTAP_EVIDENCE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rec_target def = {
			.origin = rows[i].origin, .flags = rows[i].flags, .ino = rows[i].ino,
			.kind = KR_KIND_FILE, .text = rec_str(rows[i].text), .claimed = rec_str(rows[i].claimed),
		};
		struct target *const t = make(&def);

		if (t->pub.evidence != rows[i].evidence)
			fail_msg("row %zu: %d", i, (int)t->pub.evidence);
		free(t);
	}
}

static const char *
proto(uint64_t family, uint64_t type, uint64_t protocol)
{
	const struct rec_target def = {.kind = KR_KIND_SOCKET, .family = family, .sock_type = type,
				       .protocol = protocol};
	struct target *const t = make(&def);
	const char *const name = t->pub.proto;	/* a constant, not part of the target */

	free(t);
	return name;
}

static void
protocols(void **state)
{
	(void)state;
	assert_string_equal(proto(1, 1, 0), "unix");
	assert_string_equal(proto(16, 3, 0), "netlink");
	assert_string_equal(proto(17, 3, 768), "packet");
	assert_string_equal(proto(2, 1, 0), "tcp");
	assert_string_equal(proto(10, 1, 6), "tcp");
	assert_string_equal(proto(2, 2, 0), "udp");
	assert_string_equal(proto(10, 2, 17), "udp");
	assert_string_equal(proto(2, 2, 1), "icmp");
	assert_string_equal(proto(10, 3, 58), "icmp");
	assert_string_equal(proto(2, 3, 89), "raw");
	assert_string_equal(proto(2, 1, 262), "other");
	assert_string_equal(proto(2, 5, 132), "other");
	assert_string_equal(proto(40, 1, 0), "other");
}

/* situation: 53, 82 */
static void
a_wildcard_without_port_is_no_end(void **state)
{
	static const uint8_t none[4] = {0}, some[4] = {127, 0, 0, 1};
	const struct rec_target def = {
		.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 2, .local = rec_bytes(none, 4),
		.remote = rec_bytes(some, 4), .remote_port = 53,
	};
	struct target *const t = make(&def);

	(void)state;
	assert_int_equal(t->pub.local_len, 0);
	assert_string_equal(t->pub.text, "udp -> 127.0.0.1:53");
	assert_string_equal(t->pub.key, "udp 127.0.0.1:53");
	assert_string_equal(t->pub.device, "?");
	free(t);
}

/* situation: 53 */
static void
addresses_of_odd_length_and_names_too_long_are_left_out(void **state)
{
	static const uint8_t odd[7] = {1, 2, 3, 4, 5, 6, 7};
	char device[64];
	const struct rec_target def = {
		.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 1, .local = rec_bytes(odd, 7),
		.device = rec_bytes(memset(device, 'x', sizeof(device)), sizeof(device)),
	};
	struct target *const t = make(&def);

	(void)state;
	assert_string_equal(t->pub.text, "tcp ?");
	assert_string_equal(t->pub.device, "?");
	free(t);
}

static void
a_copy_stands_alone(void **state)
{
	const struct rec_target def = {.kind = KR_KIND_FILE, .text = rec_str("/a\nb"), .origin = KR_ORIGIN_USE};
	struct target *const t = make(&def);
	void *const memory = test_malloc(target_copy_size(&t->pub));
	struct iotap_target *const copy = target_copy(&t->pub, memory);

	(void)state;
	memset(t->strings, 'X', t->bytes - sizeof(*t));
	free(t);
	assert_string_equal(copy->key, "/a\nb");
	assert_string_equal(copy->text, "/a?b");
	assert_null(copy->json);
	test_free(memory);
}

static void
undefined_targets_keep_device_and_inode(void **state)
{
	struct buf scratch = {.data = NULL};
	const struct call_target entry = {.kind = KR_KIND_FILE, .dev = 8 << 20 | 1, .ino = 99};
	struct target *const t = target_new_undefined(&entry, &scratch);

	(void)state;
	assert_string_equal(t->pub.text, "<file 8:1 inode 99>");
	assert_true(t->pub.id & TARGET_UNDEFINED_BIT);
	assert_true(t->pub.id == target_undefined_id(8 << 20 | 1, 99));
	assert_null(t->pub.path);
	free(t);
	buf_free(&scratch);
}

/* A name that cannot be one of an interface is none that anybody could ask for. */
static void
names_of_interfaces(void **state)
{
	static const struct {
		struct bytes name;
		const char *device;
	} rows[] = {
		{{.p = (const uint8_t *)"eth0", .n = 4}, "eth0"},
		{{.p = (const uint8_t *)"et\0h", .n = 4}, "?"},
		{{.p = (const uint8_t *)"0123456789012345678901234567890", .n = 31}, "0123456789012345678901234567890"},
		{{.p = (const uint8_t *)"01234567890123456789012345678901", .n = 32}, "?"},
		{{.p = NULL, .n = 0}, "?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rec_target def = {.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 1,
					       .device = rows[i].name};
		struct target *const t = make(&def);

		assert_string_equal(t->pub.device, rows[i].device);
		free(t);
	}
}

/* Of what had to make room, a name is not believed: another may have taken its place. */
static void
names_that_made_room(void **state)
{
	const struct rec_target def = {.kind = KR_KIND_FILE, .flags = TARGET_EVICTED, .dev = 8 << 20 | 1, .ino = 12,
				       .text = rec_str("/a")};
	struct target *const t = make(&def);

	(void)state;
	assert_null(t->pub.path);
	assert_string_equal(t->pub.text, "<file 8:1 inode 12>");
	free(t);
}

/* Raw sockets have no ports; one that says a number all the same is shown with it. */
static void
a_raw_socket_with_a_port(void **state)
{
	const struct rec_target def = {
		.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 3, .protocol = 1,
		.local = rec_bytes("\x01\x02\x03\x04", 4), .remote = rec_bytes("\x05\x06\x07\x08", 4), .remote_port = 9,
	};
	struct target *const t = make(&def);

	(void)state;
	assert_non_null(strstr(t->pub.text, "5.6.7.8:9"));
	assert_non_null(strstr(t->pub.text, "1.2.3.4"));
	assert_null(strstr(t->pub.text, "1.2.3.4:"));
	free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file),
		cmocka_unit_test(a_claim_is_never_confirmed),
		cmocka_unit_test(a_path_cut_by_the_walk_is_never_confirmed),
		cmocka_unit_test(evidence_is_by_origin),
		cmocka_unit_test(protocols),
		cmocka_unit_test(a_wildcard_without_port_is_no_end),
		cmocka_unit_test(addresses_of_odd_length_and_names_too_long_are_left_out),
		cmocka_unit_test(a_copy_stands_alone),
		cmocka_unit_test(undefined_targets_keep_device_and_inode),
		cmocka_unit_test(names_of_interfaces),
		cmocka_unit_test(names_that_made_room),
		cmocka_unit_test(a_raw_socket_with_a_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
