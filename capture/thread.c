/* thread.c - a further thread of capture: it takes no signal and has no name but its own */
#include "capture/thread.h"

#include <signal.h>

int
thread_start(pthread_t *thread, const char *name, void *(*work)(void *), void *arg,
	     struct iotap_error *err)
{
	sigset_t all, before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(thread, NULL, work, arg);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		return error_errno(err, IOTAP_ESYSTEM, error, "cannot start a thread");
	(void)pthread_setname_np(*thread, name);
	return 0;
}
