/* signals.h - what a program that writes files does when it is to end */
#ifndef FORMATS_BASE_SIGNALS_H
#define FORMATS_BASE_SIGNALS_H

/* What a signal does to a program that does not take it (signal(7)), as far as it can be taken. */
enum signal_default {
	SIGNAL_PASSES,			/* nothing, or it stops; KILL, too, which nobody can take */
	SIGNAL_ENDS,			/* ends it: from outside, a timer or a limit */
	SIGNAL_FAULT,			/* ends it: by a fault of its own, as a rule; to go on would repeat it */
	SIGNAL_WRITE,			/* ends it: PIPE and XFSZ, which are the error of a write where ignored */
};

/* Of every number from 1 to SIGRTMAX. */
enum signal_default signals_default(int number);

/* Has handler called at every signal that would end the program; one that is ignored (nohup, a shell's
 * background) stays so, and one that has a handler keeps it (a sanitizer's). Those of SIGNAL_WRITE are
 * ignored. */
void signals_take(void (*handler)(int number));

/* For the handler: ends the program by that signal, as if nobody had taken it. */
void signals_end(int number);

#endif
