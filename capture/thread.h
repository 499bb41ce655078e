/* thread.h - a further thread of capture: it takes no signal, holds no capability, and has its own name */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "formats/error.h"

struct thread_options {
	const char *name;	/* at most 15 bytes */
	int nice;		/* asked for; it may be refused, without a word */
	bool stays_root;	/* see privileges_of_thread */
};

/* Starts one with every signal blocked, and waits until it runs and has dropped its capabilities.
 * IOTAP_ESYSTEM, IOTAP_EPERM. */
int thread_start(pthread_t *thread, const struct thread_options *options, void *(*work)(void *), void *arg,
		 struct iotap_error *err);

#endif
