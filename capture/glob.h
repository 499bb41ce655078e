/* glob.h - patterns of paths as the automaton that the kernel half runs
 *
 *	*	any bytes, also none, also '/'
 *	?	one byte, also '/'
 *	[a-z_]	one byte of these; [!a-z] and [^a-z] one of the others; ']' comes first to be meant
 *	\x	x itself
 *
 * The rest stands for itself. A pattern is for the whole path, bytes are compared as they are: this is
 * fnmatch(3) in the C locale without flags, but for what it takes as it is for want of an end, and for
 * [:classes:], [.these.] and [=those=]; these are refused.
 */
#ifndef CAPTURE_GLOB_H
#define CAPTURE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/error.h"
#include "formats/kernel_record.h"

enum { GLOB_PLACES = 64 * KR_GLOB_WORDS };

/* As bpf/select.bpf.h says: a place is a bit. All zero = no pattern. */
struct glob {
	uint32_t n_places;
	uint64_t begin[KR_GLOB_WORDS], end[KR_GLOB_WORDS], stay[KR_GLOB_WORDS];
	uint64_t take[256 * KR_GLOB_WORDS];	/* [byte * KR_GLOB_WORDS + word] */
};

/* Adds a pattern to those of g. IOTAP_EUSAGE: it makes no sense, or there is no room for it. */
int glob_add(struct glob *g, const char *pattern, struct iotap_error *err);

/* Words in use. */
uint32_t glob_words(const struct glob *g);

/* Whether one of the patterns is for these n bytes. */
bool glob_matches(const struct glob *g, const char *path, size_t n);

#endif
