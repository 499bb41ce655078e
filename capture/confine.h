/* confine.h - the last step of giving privileges back: only the calls of allowed.def are left */
#ifndef CAPTURE_CONFINE_H
#define CAPTURE_CONFINE_H

#include "formats/error.h"

/* In all threads, for good. A COMMAND that was forked before is not concerned. A kernel without seccomp
 * is no error. IOTAP_EPERM. */
int confine(struct iotap_error *err);

#endif
