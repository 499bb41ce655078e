/* tui_canvas.h - the picture of a screen: characters and styles in rows and columns, without a terminal
 *
 * What is drawn beyond an edge is left out. Text passes formats/base/escape.h on its way in, so that no
 * cell holds anything that a terminal would obey; a character two columns wide takes two cells, one
 * without width joins the cell before it.
 */
#ifndef REPORT_TUI_CANVAS_H
#define REPORT_TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"

enum tui_style {
	STYLE_PLAIN, STYLE_DIM, STYLE_BOLD, STYLE_MARKED, STYLE_SORTED, STYLE_WARNING, STYLE_BAD, STYLE_BAR,
	N_STYLES
};

enum { CELL_BYTES = 12 };

struct tui_cell {
	char text[CELL_BYTES];		/* UTF-8; "" = the right half of a wide character */
	uint8_t n;
	uint8_t style;			/* enum tui_style */
};

struct tui_canvas {
	unsigned int width, height;
	struct tui_cell *cells;		/* rows from the top */
};

/* Makes it so large and blank. False: out of memory; then it is 0 by 0. */
bool canvas_size(struct tui_canvas *, unsigned int width, unsigned int height);
void canvas_free(struct tui_canvas *);

/* Writes n bytes of text from column x on, at most width columns; how many it took. */
unsigned int canvas_put(struct tui_canvas *, unsigned int y, unsigned int x, unsigned int width,
			enum tui_style style, const char *text, size_t n);

/* The same for a C string, all that fits into the row. */
unsigned int canvas_str(struct tui_canvas *, unsigned int y, unsigned int x, enum tui_style style,
			const char *text);

/* So that it ends at column x + width. */
void canvas_right(struct tui_canvas *, unsigned int y, unsigned int x, unsigned int width,
		  enum tui_style style, const char *text);

/* Gives width cells another style, keeping the text. */
void canvas_paint(struct tui_canvas *, unsigned int y, unsigned int x, unsigned int width, enum tui_style style);

/* Columns that n bytes take. */
unsigned int canvas_columns(const char *text, size_t n);

/* The text of row y without the blanks at its end: for tests. */
void canvas_row(const struct tui_canvas *, unsigned int y, struct buf *out);

#endif
