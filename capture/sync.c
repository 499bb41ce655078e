/* sync.c - a thread that has the recording written to the disk, at most so often */
#include "capture/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/privileges.h"
#include "capture/thread.h"

enum { DONE_MAX = 4 };

struct sync {
	uint64_t interval_ns;
	pthread_t thread;
	uint64_t bytes;			/* atomic */

	pthread_mutex_t lock;		/* for all that follows */
	pthread_cond_t changed;
	int fd;				/* -1 = none */
	int done[DONE_MAX];		/* files that were left: to be seen to and closed */
	unsigned int n_done;
	bool finish, no_more;
	struct iotap_error error;	/* code 0 = none */
};

/* A descriptor that cannot be synchronised is no failure of the disk. */
static void
see_to(struct sync *s, int fd)
{
	int error = 0;

	(void)pthread_mutex_unlock(&s->lock);
	if (fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS)
		error = errno;
	(void)pthread_mutex_lock(&s->lock);
	if (error != 0 && s->error.code == 0)
		(void)error_errno(&s->error, IOTAP_EIO, error, "writing to the disk");
}

static void
see_to_done(struct sync *s)
{
	while (s->n_done > 0) {
		const int fd = s->done[0];

		see_to(s, fd);
		(void)close(fd);
		s->n_done--;
		memmove(s->done, s->done + 1, s->n_done * sizeof(s->done[0]));
		(void)pthread_cond_broadcast(&s->changed);
	}
}

/* Until the interval from there is over: what the disk took counts, or it would come on top each time. */
static void
wait_for_work(struct sync *s, struct timespec until)
{
	until.tv_sec += (time_t)(s->interval_ns / 1000000000);
	until.tv_nsec += (long)(s->interval_ns % 1000000000);
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (!s->no_more && !s->finish && s->n_done == 0) {
		if (pthread_cond_timedwait(&s->changed, &s->lock, &until) == ETIMEDOUT)
			return;
	}
}

static void *
work(void *arg)
{
	struct sync *const s = arg;
	struct timespec began;
	uint64_t seen = 0;

	(void)pthread_mutex_lock(&s->lock);
	while (!s->no_more) {
		const uint64_t bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);

		(void)clock_gettime(CLOCK_MONOTONIC, &began);
		see_to_done(s);
		if (s->fd >= 0 && (bytes != seen || s->finish))
			see_to(s, s->fd);
		seen = bytes;
		if (s->finish) {
			s->finish = false;
			(void)pthread_cond_broadcast(&s->changed);
		}
		wait_for_work(s, began);
	}
	see_to_done(s);
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct sync *
sync_new(uint64_t interval_ns, bool stays_root, struct iotap_error *err)
{
	const struct thread_options o = {.name = "iotap-sync", .stays_root = stays_root};
	struct sync *const s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;

	if (!s) {
		(void)error_set(err, IOTAP_ENOMEM, "out of memory");
		return NULL;
	}
	s->interval_ns = interval_ns;
	s->fd = -1;
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	if (thread_start(&s->thread, &o, work, s, err) < 0) {
		(void)pthread_mutex_destroy(&s->lock);
		(void)pthread_cond_destroy(&s->changed);
		free(s);
		return NULL;
	}
	return s;
}

int
sync_file(struct sync *s, int fd, struct iotap_error *err)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (copy < 0)
		return error_errno(err, IOTAP_EIO, errno, "the recording's descriptor");
	(void)pthread_mutex_lock(&s->lock);
	while (s->n_done == DONE_MAX)
		(void)pthread_cond_wait(&s->changed, &s->lock);
	if (s->fd >= 0)
		s->done[s->n_done++] = s->fd;
	s->fd = copy;
	(void)pthread_cond_broadcast(&s->changed);
	(void)pthread_mutex_unlock(&s->lock);
	return 0;
}

void
sync_wrote(struct sync *s, uint64_t bytes)
{
	__atomic_store_n(&s->bytes, bytes, __ATOMIC_RELAXED);
}

int
sync_failed(struct sync *s, struct iotap_error *err)
{
	int r;

	(void)pthread_mutex_lock(&s->lock);
	r = s->error.code;
	if (r != 0 && err)
		*err = s->error;
	(void)pthread_mutex_unlock(&s->lock);
	return r;
}

int
sync_finish(struct sync *s, struct iotap_error *err)
{
	(void)pthread_mutex_lock(&s->lock);
	s->finish = true;
	(void)pthread_cond_broadcast(&s->changed);
	while (s->finish)
		(void)pthread_cond_wait(&s->changed, &s->lock);
	(void)pthread_mutex_unlock(&s->lock);
	return sync_failed(s, err);
}

void
sync_free(struct sync *s)
{
	if (!s)
		return;
	(void)pthread_mutex_lock(&s->lock);
	s->no_more = true;
	(void)pthread_cond_broadcast(&s->changed);
	(void)pthread_mutex_unlock(&s->lock);
	(void)pthread_join(s->thread, NULL);
	if (s->fd >= 0)
		(void)close(s->fd);
	(void)pthread_mutex_destroy(&s->lock);
	(void)pthread_cond_destroy(&s->changed);
	free(s);
}
