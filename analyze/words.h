/* words.h - the words that the database has for the enums of formats/iotap.h */
#ifndef ANALYZE_WORDS_H
#define ANALYZE_WORDS_H

#include <stdint.h>

/* Each gives the word, or "unknown" (resolved, evidence: "none") for a number without one. */
const char *word_kind(unsigned int kind);
const char *word_class(unsigned int klass);
const char *word_resolved(unsigned int resolved);
const char *word_evidence(unsigned int evidence);
const char *word_notice(unsigned int type);
const char *word_cause(unsigned int cause);
const char *word_arch(uint32_t arch);
const char *word_os(uint32_t os);

#endif
