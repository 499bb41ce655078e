/* tui_canvas.c - the picture of a screen */
#include "report/tui_canvas.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "formats/base/escape.h"
#include "formats/base/utf8.h"

static const struct tui_cell blank = {.text = " ", .n = 1};

bool
canvas_size(struct tui_canvas *c, unsigned int width, unsigned int height)
{
	const size_t n = (size_t)width * height;

	if (c->width != width || c->height != height) {
		canvas_free(c);
		c->cells = calloc(n > 0 ? n : 1, sizeof(*c->cells));
		if (!c->cells)
			return false;
		c->width = width;
		c->height = height;
	}
	for (size_t i = 0; i < n; i++)
		c->cells[i] = blank;
	return true;
}

void
canvas_free(struct tui_canvas *c)
{
	free(c->cells);
	*c = (struct tui_canvas){.width = 0};
}

static struct tui_cell *
cell_at(const struct tui_canvas *c, unsigned int y, unsigned int x)
{
	return &c->cells[(size_t)y * c->width + x];
}

/* Columns of a character: 0, 1 or 2. */
static unsigned int
columns_of(uint32_t cp)
{
	const int n = cp < 0x7f ? 1 : wcwidth((wchar_t)cp);

	return n < 0 ? 1 : (unsigned int)n;
}

static void
join(struct tui_cell *cell, const char *p, size_t n)
{
	if (cell->n + n <= CELL_BYTES) {
		memcpy(cell->text + cell->n, p, n);
		cell->n += (uint8_t)n;
	}
}

/* text is printable. */
static unsigned int
put_printable(struct tui_canvas *c, unsigned int y, unsigned int x, unsigned int width, enum tui_style style,
	      const char *text, size_t n)
{
	unsigned int at = 0;

	if (y >= c->height || x >= c->width)
		return 0;
	width = width < c->width - x ? width : c->width - x;
	for (size_t i = 0; i < n;) {
		uint32_t cp = 0;
		const size_t len = utf8_decode((const uint8_t *)text + i, n - i, &cp);
		const unsigned int columns = columns_of(cp);

		if (len == 0 || at + columns > width)
			break;
		if (columns == 0 && at > 0)
			join(cell_at(c, y, x + at - 1), text + i, len);
		if (columns > 0) {
			struct tui_cell *const cell = cell_at(c, y, x + at);

			*cell = (struct tui_cell){.n = (uint8_t)len, .style = (uint8_t)style};
			memcpy(cell->text, text + i, len);
			if (columns == 2)
				cell[1] = (struct tui_cell){.style = (uint8_t)style};
		}
		at += columns;
		i += len;
	}
	return at;
}

unsigned int
canvas_put(struct tui_canvas *c, unsigned int y, unsigned int x, unsigned int width, enum tui_style style,
	   const char *text, size_t n)
{
	struct buf printable = {.data = NULL};
	unsigned int took;

	if (escape_is_clean(text, n))
		return put_printable(c, y, x, width, style, text, n);
	(void)escape_text(&printable, text, n);
	took = put_printable(c, y, x, width, style, buf_cstr(&printable), printable.len);
	buf_free(&printable);
	return took;
}

unsigned int
canvas_str(struct tui_canvas *c, unsigned int y, unsigned int x, enum tui_style style, const char *text)
{
	return canvas_put(c, y, x, c->width, style, text, strlen(text));
}

unsigned int
canvas_columns(const char *text, size_t n)
{
	unsigned int columns = 0;

	for (size_t i = 0; i < n;) {
		uint32_t cp = 0;
		const size_t len = utf8_decode((const uint8_t *)text + i, n - i, &cp);

		columns += len > 0 ? columns_of(cp) : 1;
		i += len > 0 ? len : 1;
	}
	return columns;
}

void
canvas_right(struct tui_canvas *c, unsigned int y, unsigned int x, unsigned int width, enum tui_style style,
	     const char *text)
{
	const size_t n = strlen(text);
	const unsigned int columns = canvas_columns(text, n);

	(void)canvas_put(c, y, columns < width ? x + width - columns : x, width, style, text, n);
}

void
canvas_paint(struct tui_canvas *c, unsigned int y, unsigned int x, unsigned int width, enum tui_style style)
{
	for (unsigned int i = x; y < c->height && i < c->width && i - x < width; i++)
		cell_at(c, y, i)->style = (uint8_t)style;
}

void
canvas_row(const struct tui_canvas *c, unsigned int y, struct buf *out)
{
	unsigned int width = y < c->height ? c->width : 0;

	while (width > 0 && cell_at(c, y, width - 1)->n == 1 && cell_at(c, y, width - 1)->text[0] == ' ')
		width--;
	for (unsigned int x = 0; x < width; x++)
		(void)buf_put(out, cell_at(c, y, x)->text, cell_at(c, y, x)->n);
}
