/* sets.c - names and bits of the optional sets */
#include "formats/sets.h"

#include <stddef.h>
#include <string.h>

static const struct {
	uint32_t bit;
	const char *name;
} rows[] = {
#define SET(bit, name, text) {bit, #name},
#include "formats/sets.def"
#undef SET
	{0, NULL},
};

static const char known[] =
#define SET(bit, name, text) " " #name
#include "formats/sets.def"
#undef SET
	"";

/* 0 = not known. */
static uint32_t
bit_of(const char *name, size_t n)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (strlen(rows[i].name) == n && memcmp(rows[i].name, name, n) == 0)
			return rows[i].bit;
	}
	return 0;
}

int
sets_add(uint32_t *sets, const char *list, struct iotap_error *err)
{
	for (const char *at = list;; at++) {
		const size_t n = strcspn(at, ",");
		const uint32_t bit = bit_of(at, n);

		if (bit == 0)
			return error_set(err, IOTAP_EUSAGE, "--with: \"%.*s\" is none of the optional sets (%s)",
					 n < 80 ? (int)n : 80, at,
					 known[0] != '\0' ? known + 1 : "there are none yet");
		*sets |= bit;
		at += n;
		if (*at == '\0')
			return 0;
	}
}

const char *
set_name(uint32_t bit)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (rows[i].bit == bit)
			return rows[i].name;
	}
	return NULL;
}
