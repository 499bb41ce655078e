/* driver_signals.c - the signals iotap answers, taken by descriptor; and how it was started with them */
#include "report/driver_signals.h"

#include <errno.h>
#include <unistd.h>

#include "formats/base/signals.h"

int
driver_signals_take(struct driver_signals *s, struct iotap_error *err)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction hangup;
	sigset_t set;

	(void)sigemptyset(&set);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (signals_default(number) == SIGNAL_ENDS)
			(void)sigaddset(&set, number);
	}
	(void)sigaddset(&set, SIGCHLD);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
		(void)sigdelset(&set, SIGHUP);
	(void)sigaction(SIGCHLD, &by_default, &s->child);
	(void)sigprocmask(SIG_BLOCK, &set, &s->mask);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->fd < 0 ? error_errno(err, IOTAP_ESYSTEM, errno, "cannot take signals") : 0;
}

bool
driver_signals_next(const struct driver_signals *s, struct signalfd_siginfo *out)
{
	return read(s->fd, out, sizeof(*out)) == (ssize_t)sizeof(*out);
}

void
driver_signals_restore(const struct driver_signals *s)
{
	(void)sigaction(SIGCHLD, &s->child, NULL);
	(void)sigprocmask(SIG_SETMASK, &s->mask, NULL);
}
