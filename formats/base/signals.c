/* signals.c - what a program that writes files does when it is to end */
#include "formats/base/signals.h"

#include <signal.h>
#include <stddef.h>

void
signals_take(void (*handler)(int number))
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction old;

	(void)sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			(void)sigaction(numbers[i], &action, NULL);
	}
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
}

void
signals_end(int number)
{
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}
