/* tui.h - the terminal UI: a recording or event stream on a screen, live while it comes
 *
 * Needs ncursesw; where iotap was built without it, tui_begin says so.
 */
#ifndef REPORT_TUI_H
#define REPORT_TUI_H

#include <stdbool.h>

#include "formats/error.h"
#include "formats/iotap.h"

struct tui;

/* Takes the terminal: keys from /dev/tty, the picture to standard output. input_fd is that of the recording,
 * to see when more of it is there; it stays the caller's. NULL: err says why, the terminal is as it was. */
struct tui *tui_begin(int input_fd, bool quiet, struct iotap_error *err);

/* Gives up what a program does not need that only shows (formats/base/sandbox.h). False and errno. */
bool tui_confine(void);

/* Reads all of h, shows it, and waits for the user to quit; or until SIGTERM, SIGINT or SIGHUP. 0, or the
 * negative code with which reading ended: iotap_errmsg says why. */
int tui_run(struct tui *, iotap_t *h);

/* Gives the terminal back. NULL is allowed. */
void tui_end(struct tui *);

#endif
