/* thread.c - a further thread of capture: it takes no signal, holds no capability, and has its own name
 *
 * Whoever starts one waits until it runs and has given up its capabilities: what follows, the seccomp
 * filter of all threads, refuses both what the C library does at a thread's beginning (rseq, since
 * glibc 2.35; a refusal ends the process) and capset.
 */
#include "capture/thread.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/privileges.h"

struct beginning {
	void *(*work)(void *);
	void *arg;
	sem_t begun;
	const struct thread_options *options;
	bool dropped;
};

static void *
begin(void *arg)
{
	struct beginning *const b = arg;
	void *(*const work)(void *) = b->work;
	void *const work_arg = b->arg;

	if (b->options->nice != 0)
		(void)setpriority(PRIO_PROCESS, (id_t)gettid(), b->options->nice);
	b->dropped = privileges_of_thread(b->options->stays_root);
	(void)sem_post(&b->begun);	/* *b is gone from here on */
	return work(work_arg);
}

int
thread_start(pthread_t *thread, const struct thread_options *options, void *(*work)(void *), void *arg,
	     struct iotap_error *err)
{
	struct beginning b = {.work = work, .arg = arg, .options = options};
	sigset_t all, before;
	int error;

	(void)sem_init(&b.begun, 0, 0);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(thread, NULL, begin, &b);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		return error_errno(err, IOTAP_ESYSTEM, error, "cannot start a thread");
	while (sem_wait(&b.begun) != 0)
		;
	(void)sem_destroy(&b.begun);
	(void)pthread_setname_np(*thread, options->name);
	if (b.dropped)
		return 0;
	(void)pthread_detach(*thread);	/* the caller ends the process: capture does not go on as root */
	return error_set(err, IOTAP_EPERM, "capabilities of a thread could not be dropped");
}
