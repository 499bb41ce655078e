/* redraw.c - what one redraw of the terminal UI takes with as many rows as it holds, without a terminal
 *
 *	build/tests/bench/redraw [ROUNDS]
 *
 * One line a round: milliseconds of processor time for putting all rows in order and drawing the screen.
 * In between a part of the rows moves more data, so that no order is the last one. Writing the picture to
 * the terminal is left out: that is ncurses', and does not hang on the rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "formats/base/hash.h"
#include "report/tui_draw.h"

#define BEGIN_NS (UINT64_C(1700000000) * 1000000000)

enum { ROUNDS = 20, WIDTH = 200, HEIGHT = 60, CHANGED = 5000 };

static double
cpu_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A read of the target of that number, of as many bytes. */
static bool
add(struct tui_model *m, unsigned int number, uint64_t bytes)
{
	static const struct iotap_process process = {.pid = 7, .id = 1, .name = "server", .name_len = 6};
	char name[80];
	const size_t n = (size_t)snprintf(name, sizeof(name), "/srv/data/%u/part-%08x.log", number % 97, number);
	const struct iotap_target target = {
		.id = number + 1, .kind = IOTAP_KIND_FILE, .klass = IOTAP_CLASS_FILE, .text = name, .text_len = n,
		.key = name, .key_len = n};
	const struct iotap_event event = {
		.size = sizeof(event), .time_ns = BEGIN_NS + number, .duration_ns = 1000 + number, .requested = bytes,
		.bytes = bytes, .messages = IOTAP_UNKNOWN, .pid = 7, .fd = 3, .call = 1, .dir = IOTAP_DIR_READ,
		.klass = IOTAP_CLASS_FILE, .target = &target, .process = &process};

	return model_event(m, &event);
}

static bool
grow(struct tui_model *m, unsigned int first, unsigned int n, uint64_t seed)
{
	bool ok = true;

	for (unsigned int i = 0; ok && i < n; i++) {
		const uint64_t random = hash_u64(first + i, seed);

		ok = add(m, n == TUI_ROWS_MAX ? i : (unsigned int)(random % TUI_ROWS_MAX), random % 1000000 + 1);
	}
	return ok;
}

static bool
redraw(struct tui_canvas *canvas, struct tui_view *view, const struct tui_model *m, struct tui_order *order)
{
	const double from = cpu_ms();

	if (!canvas_size(canvas, WIDTH, HEIGHT) || !order_rows(order, m, view->tab, view->sort))
		return false;
	tui_draw(canvas, view, m, order);
	(void)printf("%.3f\n", cpu_ms() - from);
	return order->n >= TUI_ROWS_MAX;
}

int
main(int argc, char **argv)
{
	const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS;
	struct buf names = {0};
	struct tui_model model;
	struct tui_order order = {0};
	struct tui_view view;
	struct tui_canvas canvas = {0};
	bool ok = model_init(&model, &names, true) && grow(&model, 0, TUI_ROWS_MAX, 1);

	model.begin_ns = model.now_ns = BEGIN_NS;
	view_init(&view, false);
	for (long i = 0; ok && i < rounds; i++)
		ok = grow(&model, (unsigned int)i * CHANGED, CHANGED, 2) && redraw(&canvas, &view, &model, &order);
	canvas_free(&canvas);
	order_free(&order);
	model_free(&model);
	buf_free(&names);
	return ok ? 0 : 1;
}
