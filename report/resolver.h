/* resolver.h - names of hosts, asked of the system by a process of its own
 *
 * The reader of a recording runs in a sandbox without sockets; who asks is forked before that, sees
 * nothing but addresses, and ends with its parent. All addresses are asked at once and waited for
 * together, so that a name server that is slow or dead costs one wait.
 */
#ifndef REPORT_RESOLVER_H
#define REPORT_RESOLVER_H

#include "formats/iotap.h"

enum {
	RESOLVER_HOSTS = 1024,		/* asked at most; the others keep their addresses */
	RESOLVER_WAIT_MS = 2000,
};

struct resolver;

/* Starts the process. NULL with errno set. */
struct resolver *resolver_begin(void);

/* NULL is allowed. */
void resolver_end(struct resolver *);

/* For iotap_set_host_names: the name of the host if it is known by now; else it is asked for, and 0. */
int resolver_name(void *resolver, const char *address, char name[IOTAP_HOST_NAME_SIZE]);

/* Until all that was asked is answered, RESOLVER_WAIT_MS at most. */
void resolver_wait(struct resolver *);

#endif
