/* host.h - the rows of a summary with names of hosts in them, when somebody gives such names */
#ifndef DECODE_HOST_H
#define DECODE_HOST_H

#include <stdbool.h>

#include "formats/base/buf.h"
#include "formats/iotap.h"

/* Who is asked for names, and its argument; name NULL = nobody. */
struct hosts {
	iotap_host_name *name;
	void *arg;
};

/* As target_put_row_name, with the remote host's name in the place of its address where there is one.
 * False when the buffer has failed. */
bool host_put_row_name(struct buf *out, const struct hosts *hosts, const struct iotap_target *t);

#endif
