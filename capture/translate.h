/* translate.h - a note of the kernel half, as the record a recording holds */
#ifndef CAPTURE_TRANSLATE_H
#define CAPTURE_TRANSLATE_H

#include <stdbool.h>

#include "formats/kernel_record.h"
#include "formats/record.h"

struct translation {
	enum rec_type type;
	union rec_any u;	/* its bytes point into the note */
};

/* Which of the three names of a process made it a target: a value of process.name_from. */
typedef unsigned int translate_name(void *arg, struct bytes comm, struct bytes exe,
				    struct bytes arg0);

/* Writes the record that the note stands for to out. False: of a type that this version does not know,
 * or with lengths that do not fit. name_from is asked about a process that was taken by name; NULL =
 * by its comm. */
bool translate_note(const struct kr_note *note, translate_name *name_from, void *arg,
		    struct translation *out);

#endif
