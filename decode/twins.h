/* twins.h - one recording given twice, whose calls would count twice */
#ifndef DECODE_TWINS_H
#define DECODE_TWINS_H

#include <stddef.h>

#include "formats/error.h"

/* 0, or IOTAP_EUSAGE when two of the inputs are the same file, or one file is a copy of another or of its
 * beginning, or has calls of another (overlap.h). Pipes are not looked at; the files are where they were
 * afterwards. IOTAP_ENOMEM. */
int twins_refuse(const int *fds, const char *const *names, size_t n, struct iotap_error *err);

#endif
