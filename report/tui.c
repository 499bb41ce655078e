/* tui.c - the terminal UI: the terminal, and the loop between it and the recording
 *
 * Reading calls back: after some events, and whenever nothing more is there, keys are taken and the screen
 * is drawn if its time has come. What is on the screen is a matter of tui_draw.c, what keys do one of
 * tui_view.c; this file alone knows ncurses.
 */
#ifdef IOTAP_TUI

#include "report/tui.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/monotonic.h"
#include "formats/base/sandbox.h"
#include "formats/base/signals.h"
#include "report/tui_draw.h"

/* Machines that came later do without these. */
#ifndef __NR_poll
#define __NR_poll __NR_ppoll
#endif
#ifndef __NR_select
#define __NR_select __NR_pselect6
#endif

#define FRAME_NS UINT64_C(50000000)	/* at most 20 pictures a second */
#define IDLE_MS 250
#define EVENTS_BETWEEN 256u		/* looks at the clock */

struct tui {
	FILE *tty;
	SCREEN *screen;
	int input_fd;
	struct buf names;
	struct tui_model model, frozen;
	struct tui_order order;
	struct tui_view view;
	struct tui_canvas canvas;
	iotap_t *handle;
	uint64_t drawn_ns;		/* monotonic */
	unsigned int since;		/* events since the clock was looked at */
	bool dirty, quit;
	char ended[512];
};

static volatile sig_atomic_t stop_asked;

/* The second one does not wait for anything. */
static void
on_stop(int signo)
{
	static const char leave[] = "\033[?1049l\033[?25h\033[0m\r\n";

	(void)signo;
	if (stop_asked) {
		(void)!write(STDOUT_FILENO, leave, sizeof(leave) - 1);
		_exit(130);
	}
	stop_asked = 1;
}

/* -- the terminal -- */

static void
start_colors(void)
{
	if (!has_colors())
		return;
	(void)start_color();
	(void)use_default_colors();
	(void)init_pair(1, COLOR_CYAN, -1);
	(void)init_pair(2, COLOR_YELLOW, -1);
	(void)init_pair(3, COLOR_RED, -1);
}

static void
catch_signals(void)
{
	const struct sigaction stop = {.sa_handler = on_stop};

	for (int number = 1; number <= SIGRTMAX; number++) {
		if (signals_default(number) == SIGNAL_ENDS)
			(void)sigaction(number, &stop, NULL);
	}
}

static bool
take_terminal(struct tui *t, struct iotap_error *err)
{
	if (!isatty(STDOUT_FILENO)) {
		(void)error_set(err, IOTAP_EUSAGE, "--tui needs a terminal on standard output");
		return false;
	}
	t->tty = fopen("/dev/tty", "r+e");
	if (!t->tty) {
		(void)error_errno(err, IOTAP_EIO, errno, "--tui: /dev/tty");
		return false;
	}
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		(void)setlocale(LC_CTYPE, "C.UTF-8");
	t->screen = newterm(NULL, stdout, t->tty);
	if (!t->screen) {
		(void)error_set(err, IOTAP_EUNSUPPORTED, "--tui: this terminal is not known: set TERM");
		return false;
	}
	(void)set_term(t->screen);
	(void)raw();
	(void)noecho();
	(void)nonl();
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)set_escdelay(25);
	(void)curs_set(0);
	start_colors();
	catch_signals();
	return true;
}

struct tui *
tui_begin(int input_fd, bool quiet, struct iotap_error *err)
{
	struct tui *const t = calloc(1, sizeof(*t));

	if (!t || !model_init(&t->model, &t->names, !quiet)) {
		(void)error_set(err, IOTAP_ENOMEM, "out of memory");
		tui_end(t);
		return NULL;
	}
	t->input_fd = input_fd;
	view_init(&t->view, quiet);
	t->view.home = getenv("HOME");
	if (!take_terminal(t, err)) {
		tui_end(t);
		return NULL;
	}
	return t;
}

void
tui_end(struct tui *t)
{
	if (!t)
		return;
	if (t->screen) {
		(void)endwin();
		delscreen(t->screen);
	}
	if (t->tty)
		(void)fclose(t->tty);
	model_free(&t->model);
	model_free(&t->frozen);
	order_free(&t->order);
	canvas_free(&t->canvas);
	buf_free(&t->names);
	free(t);
}

bool
tui_confine(void)
{
	static const struct sandbox_call allowed[] = {
#define CALL(name) {.number = __NR_##name},
#include "formats/base/reader_calls.def"
#include "report/tui_calls.def"
#undef CALL
	};

	tzset();
	return sandbox_files() && (sandbox_calls(allowed, sizeof(allowed) / sizeof(allowed[0])) ||
				   errno == ENOSYS || errno == EINVAL);
}

static void
paint(const struct tui_canvas *c)
{
	static const struct { attr_t attributes; short color; } styles[N_STYLES] = {
		[STYLE_DIM] = {A_DIM, 0}, [STYLE_BOLD] = {A_BOLD, 0}, [STYLE_MARKED] = {A_REVERSE, 0},
		[STYLE_SORTED] = {A_UNDERLINE, 1}, [STYLE_WARNING] = {A_BOLD, 2}, [STYLE_BAD] = {A_NORMAL, 3},
		[STYLE_BAR] = {A_REVERSE | A_DIM, 0},
	};

	for (unsigned int y = 0; y < c->height; y++) {
		const struct tui_cell *const row = c->cells + (size_t)y * c->width;

		(void)move((int)y, 0);
		for (unsigned int x = 0; x < c->width; x++) {
			(void)attr_set(styles[row[x].style].attributes, styles[row[x].style].color, NULL);
			if (row[x].n > 0)
				(void)addnstr(row[x].text, row[x].n);
		}
	}
	(void)refresh();
}

/* -- what keys ask for -- */

static const struct tui_model *
shown(const struct tui *t)
{
	return t->view.paused ? &t->frozen : &t->model;
}

static void
put_base64(struct buf *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		const size_t left = n - i;
		const uint32_t bits = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
				      (left > 2 ? p[i + 2] : 0);

		(void)buf_putc(out, digits[bits >> 18]);
		(void)buf_putc(out, digits[bits >> 12 & 63]);
		(void)buf_putc(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		(void)buf_putc(out, left > 2 ? digits[bits & 63] : '=');
	}
}

/* Hands it to the terminal (OSC 52), which puts it where its user pastes from. */
static void
copy(struct tui *t)
{
	const struct tui_model *const m = shown(t);
	struct buf name = {.data = NULL};
	struct buf said = {.data = NULL};

	if (t->view.selected[t->view.tab] < m->n_rows)
		tui_copied(&name, m, &m->rows[t->view.selected[t->view.tab]]);
	if (name.len > 0) {
		(void)buf_puts(&said, "\033]52;c;");
		put_base64(&said, name.data, name.len);
		(void)buf_puts(&said, "\a");
		(void)io_write_all(STDOUT_FILENO, said.data, said.len);
	}
	(void)snprintf(t->view.status, sizeof(t->view.status), "%s",
		       name.len > 0 ? "copied" : "nothing to copy here");
	buf_free(&name);
	buf_free(&said);
}

static void
act(struct tui *t, enum tui_action action)
{
	switch (action) {
	case ACTION_QUIT:
		t->quit = true;
		break;
	case ACTION_PAUSE:
		if (t->view.paused && !model_copy(&t->frozen, &t->model)) {
			t->view.paused = false;
			(void)snprintf(t->view.status, sizeof(t->view.status), "no memory for a pause");
		}
		break;
	case ACTION_RESET:
		model_reset(&t->model);
		if (t->view.paused)
			model_reset(&t->frozen);
		break;
	case ACTION_COPY:
		copy(t);
		break;
	case ACTION_NONE:
		break;
	}
}

static int
key_of(int c)
{
	static const struct { int code; enum tui_key key; } keys[] = {
		{KEY_UP, TUI_KEY_UP}, {KEY_DOWN, TUI_KEY_DOWN}, {KEY_PPAGE, TUI_KEY_PAGE_UP},
		{KEY_NPAGE, TUI_KEY_PAGE_DOWN}, {KEY_HOME, TUI_KEY_HOME}, {KEY_END, TUI_KEY_END},
		{KEY_ENTER, TUI_KEY_ENTER}, {'\r', TUI_KEY_ENTER}, {'\n', TUI_KEY_ENTER}, {27, TUI_KEY_ESCAPE},
		{'\t', TUI_KEY_TAB}, {KEY_BTAB, TUI_KEY_BACK_TAB}, {3, TUI_KEY_INTERRUPT},
		{KEY_RESIZE, TUI_KEY_RESIZE},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == c)
			return keys[i].key;
	return c >= 0x20 && c < 0x7f ? c : TUI_KEY_NONE;
}

/* A key after Escape within the delay is that key with Alt: not ours. */
static void
take_keys(struct tui *t)
{
	int c;

	while (!t->quit && (c = getch()) != ERR) {
		if (c == 27) {
			const int next = getch();

			if (next != ERR && next != 27)
				continue;
		}
		t->dirty = true;
		act(t, view_key(&t->view, shown(t), &t->order, key_of(c)));
		if (t->view.tab != TAB_EVENTS)
			(void)order_rows(&t->order, shown(t), t->view.tab, t->view.sort);
	}
	if (stop_asked)
		t->quit = true;
}

static void
draw(struct tui *t)
{
	int height, width;

	getmaxyx(stdscr, height, width);
	if (height <= 0 || width <= 0 ||
	    !canvas_size(&t->canvas, (unsigned int)width, (unsigned int)height))
		return;
	if (t->view.tab != TAB_EVENTS)
		(void)order_rows(&t->order, shown(t), t->view.tab, t->view.sort);
	tui_draw(&t->canvas, &t->view, shown(t), &t->order);
	paint(&t->canvas);
	t->dirty = false;
}

/* Keys; and a picture when its time has come. */
static void
turn(struct tui *t)
{
	const uint64_t now = monotonic_ns();

	take_keys(t);
	if (!t->quit && t->dirty && now - t->drawn_ns >= FRAME_NS) {
		draw(t);
		t->drawn_ns = now;
	}
}

/* -- reading -- */

static int
on_event(const struct iotap_event *event, void *arg)
{
	struct tui *const t = arg;

	t->dirty = true;
	if (!model_event(&t->model, event))
		return IOTAP_ABORT;
	if (++t->since >= EVENTS_BETWEEN) {
		t->since = 0;
		if (monotonic_ns() - t->drawn_ns >= FRAME_NS)
			turn(t);
	}
	return t->quit ? IOTAP_STOP : IOTAP_NEXT;
}

static int
on_aggregate(const struct iotap_aggregate *aggregate, void *arg)
{
	struct tui *const t = arg;

	t->dirty = true;
	return model_aggregate(&t->model, aggregate) ? IOTAP_NEXT : IOTAP_ENOMEM;
}

static int
on_drop(const struct iotap_drop *drop, void *arg)
{
	struct tui *const t = arg;

	t->dirty = true;
	model_drop(&t->model, drop);
	return IOTAP_NEXT;
}

static int
on_notice(const struct iotap_notice *notice, void *arg)
{
	struct tui *const t = arg;
	const struct iotap_process *const *processes = NULL;
	size_t n = 0;

	t->dirty = true;
	if (notice->type == IOTAP_NOTICE_START)
		n = iotap_get_processes(t->handle, &processes);
	for (size_t i = 0; processes && i < n; i++)
		(void)model_process(&t->model, processes[i], processes[i]->exited);
	if (notice->type == IOTAP_NOTICE_END && notice->message[0] != '\0')
		(void)snprintf(t->ended, sizeof(t->ended), "%s", notice->message);
	return model_notice(&t->model, notice) ? IOTAP_NEXT : IOTAP_ABORT;
}

/* Until there is more to read. */
static int
on_idle(void *arg)
{
	struct tui *const t = arg;

	while (!t->quit) {
		struct pollfd fds[] = {{.fd = t->input_fd, .events = POLLIN},
				       {.fd = fileno(t->tty), .events = POLLIN}};
		/* A picture that is due soon is waited for. */
		const int wait = t->dirty ? (int)(FRAME_NS / 1000000) : IDLE_MS;

		turn(t);
		if (t->quit || (poll(fds, 2, wait) > 0 && fds[0].revents != 0))
			break;
	}
	return t->quit ? IOTAP_STOP : IOTAP_NEXT;
}

/* All has been read: the user looks at it as long as he likes. */
static void
linger(struct tui *t, int result)
{
	if (result < 0)
		(void)snprintf(t->ended, sizeof(t->ended), "%s", iotap_errmsg(t->handle));
	else if (t->ended[0] == '\0')
		(void)snprintf(t->ended, sizeof(t->ended), "ended");
	t->view.ended = t->ended;
	t->dirty = true;
	t->drawn_ns = 0;
	while (!t->quit) {
		struct pollfd key = {.fd = fileno(t->tty), .events = POLLIN};

		turn(t);
		if (!t->quit)
			(void)poll(&key, 1, t->dirty ? (int)(FRAME_NS / 1000000) : IDLE_MS);
	}
}

int
tui_run(struct tui *t, iotap_t *h)
{
	const struct iotap_handlers handlers = {
		.size = sizeof(handlers), .event = on_event, .notice = on_notice, .drop = on_drop,
		.idle = on_idle, .aggregate = on_aggregate,
	};
	int r;

	t->handle = h;
	draw(t);
	r = iotap_consume(h, &handlers, t);
	if (!t->quit)
		linger(t, r);
	return r;
}

#endif
