/* main.c - iotap-capture: records what processes do with files and network
 *
 * Signals, errors to stderr, exit status; the rest is session.c.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "capture/command_line.h"
#include "capture/session.h"
#include "formats/base/signals.h"

enum { FORCED = 130 };

/* A signal to the process and one to its group, as timeout(1) sends them and as a signal comes that
 * iotap hands on, are one. */
#define SAME_SIGNAL_NS INT64_C(100000000)

static struct session_signals signals;
static struct timespec first_signal;	/* written by the first one, with all others held off */

static int64_t
since_first_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - first_signal.tv_sec) * 1000000000 + now.tv_nsec -
	       first_signal.tv_nsec;
}

/* The second signal does not wait for anything. */
static void
on_signal(int number)
{
	(void)number;
	if (signals.stops == 0) {
		(void)clock_gettime(CLOCK_MONOTONIC, &first_signal);
		signals.stops = 1;
	} else if (since_first_ns() > SAME_SIGNAL_NS) {
		_exit(FORCED);
	}
}

/* A count that goes round is fine: only its change is looked at. */
static void
on_request(int number)
{
	if (number == SIGUSR2)
		signals.pauses = (signals.pauses + 1) & 0xff;
	else
		signals.dumps = (signals.dumps + 1) & 0xff;
}

static void
watch_signals(void)
{
	struct sigaction act = {.sa_handler = on_signal};
	struct sigaction old;

	(void)sigfillset(&act.sa_mask);
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (signals_default(number) != SIGNAL_ENDS)
			continue;
		/* nohup(1) means what it says. */
		if (number == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		(void)sigaction(number, &act, NULL);
	}
	act.sa_handler = on_request;
	(void)sigaction(SIGUSR1, &act, NULL);
	(void)sigaction(SIGUSR2, &act, NULL);
	(void)signal(SIGPIPE, SIG_IGN);		/* both come back as the error of a write */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
}

static void
say(const struct iotap_error *err)
{
	if (err->text[0] != '\0')
		(void)fprintf(stderr, "iotap-capture: %s\n", err->text);
}

int
main(int argc, char **argv)
{
	struct command_line line;
	struct iotap_error err = {0};
	const enum opt_result parsed = command_line_parse(&line, argc, argv);
	int status;

	if (parsed != OPT_RUN) {
		status = opt_finish(&command_line_spec, parsed, &line.args, STDOUT_FILENO,
				    STDERR_FILENO);
	} else {
		line.session.signals = &signals;
		line.session.watch_signals = watch_signals;
		line.session.failed = say;
		if (session_run(&line.session, &status, &err) < 0)
			say(&err);
	}
	command_line_fini(&line);
	return status;
}
