/* tui_none.c - where there is no ncursesw */
#ifndef IOTAP_TUI

#include "report/tui.h"

struct tui *
tui_begin(int input_fd, bool quiet, struct iotap_error *err)
{
	(void)input_fd;
	(void)quiet;
	(void)error_set(err, IOTAP_EUNSUPPORTED, "built without a terminal UI: install libncurses-dev and build again");
	return NULL;
}

bool
tui_confine(void)
{
	return true;
}

int
tui_run(struct tui *t, iotap_t *h)
{
	(void)t;
	(void)h;
	return IOTAP_EUNSUPPORTED;
}

void
tui_end(struct tui *t)
{
	(void)t;
}

#endif
