/* sets.h - the optional sets of --with, by name and by bit; rows are in sets.def */
#ifndef FORMATS_SETS_H
#define FORMATS_SETS_H

enum iotap_set {		/* in the file: pinned */
	SET_NONE = 0,
#define SET(bit, name, text) SET_##name = (bit),
#include "formats/sets.def"
#undef SET
};

#ifndef IOTAP_BPF
#include <stdint.h>

#include "formats/error.h"

/* Adds the sets of a list of names separated by commas to *sets, bits of enum iotap_set. IOTAP_EUSAGE
 * names one that is not known, and those that are. */
int sets_add(uint32_t *sets, const char *list, struct iotap_error *err);

/* Name of the set of that bit, NULL = not known. */
const char *set_name(uint32_t bit);
#endif
#endif
