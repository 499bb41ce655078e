/* recording.h - how a recording is known from other files before one is read or replaced */
#ifndef FORMATS_BASE_RECORDING_H
#define FORMATS_BASE_RECORDING_H

#include <stdbool.h>

#define RECORDING_MAGIC "IoTB"	/* every block of one begins so (docs/iotap-recording.5) */

/* True when the regular file or device of that name in the folder dir (AT_FDCWD: this one) begins as a
 * recording does. No link is followed, nothing waited for. */
bool recording_is_one(int dir, const char *name);

#endif
