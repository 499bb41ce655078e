/* driver.c - runs a fuzz target over the files given, without a fuzzer: seeds as ordinary tests
 *
 * Each file goes in whole, then cut short at up to CUTS places, then with single bytes changed, so
 * that a plain "make check" already leaves the path of well-formed input. What it does depends on
 * the files alone.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)16 << 20)
#define CUTS 64
#define FLIPS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly n bytes, so that reading past the end is seen by a sanitizer. */
static void
feed(const uint8_t *bytes, size_t n)
{
	uint8_t *const copy = malloc(n > 0 ? n : 1);

	if (!copy)
		return;
	if (n > 0)
		memcpy(copy, bytes, n);
	(void)LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void
feed_variants(uint8_t *bytes, size_t n)
{
	uint32_t lot = 12345;

	feed(bytes, n);
	for (size_t i = 0; i < CUTS; i++)
		feed(bytes, n * i / CUTS);
	for (size_t i = 0; n > 0 && i < FLIPS; i++) {
		size_t at;
		uint8_t was;

		lot = lot * 1664525 + 1013904223;
		at = (size_t)lot % n;
		was = bytes[at];
		bytes[at] = (uint8_t)(was ^ (1u << (lot >> 29)));
		feed(bytes, n);
		bytes[at] = was;
	}
}

int
main(int argc, char **argv)
{
	uint8_t *const bytes = malloc(FILE_MAX);

	if (!bytes)
		return 1;
	for (int i = 1; i < argc; i++) {
		FILE *const f = fopen(argv[i], "rb");
		size_t n;

		if (!f) {
			perror(argv[i]);
			free(bytes);
			return 1;
		}
		n = fread(bytes, 1, FILE_MAX, f);
		(void)fclose(f);
		feed_variants(bytes, n);
	}
	free(bytes);
	printf("%d seeds, each with %d cuts and %d changed bytes\n", argc - 1, CUTS, FLIPS);
	return 0;
}
