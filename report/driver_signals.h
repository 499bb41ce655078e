/* driver_signals.h - the signals iotap answers, taken by descriptor; and how it was started with them
 *
 * They are blocked and read (signalfd), so that nothing happens in a handler. The programs, and the
 * COMMAND, get back what iotap was started with.
 */
#ifndef REPORT_DRIVER_SIGNALS_H
#define REPORT_DRIVER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "formats/error.h"

struct driver_signals {
	int fd;			/* to be polled; -1 = none */
	sigset_t mask;		/* as it was */
	struct sigaction child;	/* likewise */
};

/* Takes INT, TERM, QUIT, ALRM, USR1, USR2, CHLD, and HUP unless it was ignored (nohup). */
int driver_signals_take(struct driver_signals *s, struct iotap_error *err);

/* The next one that is there; false when there is none. */
bool driver_signals_next(const struct driver_signals *s, struct signalfd_siginfo *out);

/* In a child: as iotap was started. */
void driver_signals_restore(const struct driver_signals *s);

#endif
