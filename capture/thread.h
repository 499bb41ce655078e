/* thread.h - a further thread of capture: it takes no signal, holds no capability, and has its own name */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "formats/error.h"

/* Starts one with every signal blocked, and waits until it runs and has dropped its capabilities
 * (stays_root: see privileges_of_thread). IOTAP_ESYSTEM, IOTAP_EPERM. */
int thread_start(pthread_t *thread, const char *name, bool stays_root, void *(*work)(void *), void *arg,
		 struct iotap_error *err);

#endif
