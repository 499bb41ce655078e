/* signals.c - what a program that writes files does when it is to end */
#include "formats/base/signals.h"

#include <signal.h>
#include <stddef.h>

enum signal_default
signals_default(int number)
{
	switch (number) {
	case SIGKILL: case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU:
	case SIGCHLD: case SIGCONT: case SIGURG: case SIGWINCH:
		return SIGNAL_PASSES;
	case SIGILL: case SIGTRAP: case SIGABRT: case SIGBUS: case SIGFPE: case SIGSEGV: case SIGSYS:
		return SIGNAL_FAULT;
	case SIGPIPE: case SIGXFSZ:
		return SIGNAL_WRITE;
	default:	/* those between SIGSYS and SIGRTMIN are the C library's */
		return number > SIGSYS && number < SIGRTMIN ? SIGNAL_PASSES : SIGNAL_ENDS;
	}
}

void
signals_take(void (*handler)(int number))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction old;

	(void)sigemptyset(&action.sa_mask);
	for (int number = 1; number <= SIGRTMAX; number++) {
		const enum signal_default kind = signals_default(number);

		if (kind == SIGNAL_WRITE)
			(void)signal(number, SIG_IGN);
		else if (kind != SIGNAL_PASSES && sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			(void)sigaction(number, &action, NULL);
	}
}

void
signals_end(int number)
{
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}
