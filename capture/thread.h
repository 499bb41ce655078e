/* thread.h - a further thread of capture: it takes no signal and has no name but its own */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include <pthread.h>

#include "formats/error.h"

/* Starts one with every signal blocked. IOTAP_ESYSTEM. */
int thread_start(pthread_t *thread, const char *name, void *(*work)(void *), void *arg,
		 struct iotap_error *err);

#endif
