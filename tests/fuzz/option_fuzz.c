/* option_fuzz.c - a command line (words ended by NUL) and numbers, sizes, durations
 *
 * Whatever the words are: a message is one printable line, and a number is what its digits say.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/escape.h"
#include "formats/base/opt.h"
#include "formats/base/quantity.h"

enum { WORDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct options {
	bool flag;
	unsigned int count;
	const char *text;
	struct opt_u64 number, bytes, time;
	struct opt_list list;
};

static void
promise(int kept)
{
	if (!kept)
		abort();
}

static void
parse(int argc, char **argv)
{
	static const struct opt_row rows[] = {
		{"flag", NULL, "", offsetof(struct options, flag), OPT_KIND_FLAG, 'f'},
		{"count", NULL, "", offsetof(struct options, count), OPT_KIND_COUNT, 'c'},
		{"text", "T", "", offsetof(struct options, text), OPT_KIND_STR, 't'},
		{"number", "N", "", offsetof(struct options, number), OPT_KIND_U64, 'n'},
		{"bytes", "N", "", offsetof(struct options, bytes), OPT_KIND_SIZE, 'b'},
		{"time", "T", "", offsetof(struct options, time), OPT_KIND_DURATION, 0},
		{"list", "X", "", offsetof(struct options, list), OPT_KIND_LIST, 'l'},
	};
	static const struct opt_spec spec = {.program = "fuzz", .usage = "", .rows = rows, .n_rows = 7};
	struct options options = {.flag = false};
	struct opt_args args;
	const enum opt_result result = opt_parse(&spec, argc, argv, &options, &args);

	promise(result != OPT_USAGE || args.message[0] != '\0');
	promise(escape_is_clean(args.message, strlen(args.message)));
	promise(args.n_operands + options.list.n < WORDS + 1);
	promise(!args.command || args.command[args.n_command] == NULL);
	opt_fini(&spec, &options, &args);
}

static void
measure(const char *word)
{
	char digits[32];
	uint64_t v = 7;

	if (quantity_u64(word, &v)) {
		(void)snprintf(digits, sizeof(digits), "%" PRIu64, v);
		promise(strcmp(digits, word[0] != '0' ? word : word + strspn(word, "0") - (v == 0)) == 0);
	} else {
		promise(v == 7);
	}
	v = 7;
	promise(quantity_bytes(word, &v) || v == 7);
	v = 7;
	promise(quantity_duration_ns(word, &v) || v == 7);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const copy = malloc(size + 1);
	char *argv[WORDS + 2];
	int argc = 1;

	if (!copy)
		return 0;
	if (size > 0)
		memcpy(copy, data, size);
	copy[size] = '\0';
	argv[0] = (char *)(uintptr_t)"fuzz";
	for (size_t at = 0; at < size && argc <= WORDS; at += strlen(copy + at) + 1) {
		measure(copy + at);
		argv[argc++] = copy + at;
	}
	argv[argc] = NULL;
	parse(argc, argv);
	free(copy);
	return 0;
}
