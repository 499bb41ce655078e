/* signals.h - what a program that writes files does when it is to end */
#ifndef FORMATS_BASE_SIGNALS_H
#define FORMATS_BASE_SIGNALS_H

/* Has handler called at INT, TERM, HUP and QUIT; one of them that is ignored (nohup, a shell's background)
 * stays so. PIPE and XFSZ are ignored: both come back as the error of a write. */
void signals_take(void (*handler)(int number));

/* For the handler: ends the program by that signal, as if nobody had taken it. */
void signals_end(int number);

#endif
