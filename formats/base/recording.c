/* recording.c - how a recording is known from other files before one is read or replaced */
#include "formats/base/recording.h"

#include <string.h>

#include "formats/base/io.h"

bool
recording_is_one(int dir, const char *name)
{
	return io_begins(dir, name, RECORDING_MAGIC, strlen(RECORDING_MAGIC));
}
