/* host_test.c - decode/host.c: an address in the name of a row gives way to a name, nothing else does */
#include <stdlib.h>
#include <string.h>

#include "decode/host.h"
#include "decode/target.h"
#include "formats/kernel_record.h"
#include "tests/lib/unit.h"

/* Knows two hosts, and remembers who was asked for last. */
static int
known(void *arg, const char *address, char name[IOTAP_HOST_NAME_SIZE])
{
	char *const asked = arg;

	strcpy(asked, address);
	if (strcmp(address, "10.0.0.2") != 0 && strcmp(address, "2001:db8::1") != 0)
		return 0;
	strcpy(name, address[0] == '1' ? "web.example" : "six\x1b.example");
	return 1;
}

static void
expect(const struct rec_target *def, iotap_host_name *name, const char *row, const char *asked)
{
	char last[IOTAP_HOST_NAME_SIZE] = "";
	const struct hosts hosts = {name, last};
	struct buf scratch = {.data = NULL}, out = {.data = NULL};
	struct target *const t = target_new(def, NULL, &scratch);

	assert_non_null(t);
	assert_true(host_put_row_name(&out, &hosts, &t->pub));
	assert_string_equal(buf_cstr(&out), row);
	assert_string_equal(last, asked);
	free(t);
	buf_free(&scratch);
	buf_free(&out);
}

static const uint8_t one[4] = {10, 0, 0, 1}, two[4] = {10, 0, 0, 2}, other[4] = {110, 0, 0, 2}, none[4];
static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, 10, 0, 0, 2};
static const uint8_t six[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};

#define TCP(bytes, port) &(struct rec_target){.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 1, .protocol = 6, \
	.local = rec_bytes(one, sizeof(one)), .local_port = 50000, .remote = rec_bytes(bytes, sizeof(bytes)), \
	.remote_port = port}

static void
the_remote_host_is_named(void **state)
{
	(void)state;
	expect(TCP(two, 80), known, "tcp web.example:80", "10.0.0.2");
	expect(TCP(mapped, 80), known, "tcp web.example:80", "10.0.0.2");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 10, .sock_type = 1, .protocol = 6,
				    .remote = rec_bytes(six, sizeof(six)), .remote_port = 443},
	       known, "tcp six?.example:443", "2001:db8::1");
	/* Without ports. */
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 2, .sock_type = 3, .protocol = 1,
				    .remote = rec_bytes(two, sizeof(two))},
	       known, "icmp web.example", "10.0.0.2");
	expect(&(struct rec_target){.kind = KR_KIND_SOCKET, .family = 10, .sock_type = 3, .protocol = 58,
				    .remote = rec_bytes(six, sizeof(six))},
	       known, "icmp six?.example", "2001:db8::1");
}

static void
all_else_keeps_its_name(void **state)
{
	(void)state;
	expect(TCP(two, 80), NULL, "tcp 10.0.0.2:80", "");
	expect(TCP(other, 80), known, "tcp 110.0.0.2:80", "110.0.0.2");
	expect(TCP(none, 0), known, "tcp 10.0.0.1:50000 (local)", "");
	expect(&(struct rec_target){.kind = KR_KIND_FILE, .text = rec_str("/tcp 10.0.0.2:80")}, known,
	       "/tcp 10.0.0.2:80", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_remote_host_is_named),
		cmocka_unit_test(all_else_keeps_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
