/* siphash_test.c - decode/siphash.h against the vectors of its authors
 *
 * "SipHash: a fast short-input PRF", appendix A, and vectors.h of their reference implementation: key
 * 00 01 ... 0f, inputs 00 01 ... of 0 to 15 bytes.
 */
#include "decode/siphash.h"

#include "tests/lib/unit.h"

static void
the_published_vectors(void **state)
{
	static const uint64_t vectors[16] = {
		UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd), UINT64_C(0x0d6c8009d9a94f5a),
		UINT64_C(0x85676696d7fb7e2d), UINT64_C(0xcf2794e0277187b7), UINT64_C(0x18765564cd99a68d),
		UINT64_C(0xcbc9466e58fee3ce), UINT64_C(0xab0200f58b01d137), UINT64_C(0x93f5f5799a932462),
		UINT64_C(0x9e0082df0ba9e4b0), UINT64_C(0x7a5dbbc594ddb9f3), UINT64_C(0xf4b32f46226bada7),
		UINT64_C(0x751e8fbc860ee5fb), UINT64_C(0x14ea5627c0843d90), UINT64_C(0xf723ca908e7af2ee),
		UINT64_C(0xa129ca6149be45e5),
	};
	const struct siphash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	uint8_t in[16];

	(void)state;
	for (unsigned int i = 0; i < 16; i++)
		in[i] = (uint8_t)i;
	for (unsigned int n = 0; n < 16; n++) {
		if (siphash(&key, in, n) != vectors[n])
			fail_msg("%u bytes: %llx", n, (unsigned long long)siphash(&key, in, n));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
