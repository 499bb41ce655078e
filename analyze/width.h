/* width.h - how many columns of a terminal a text takes
 *
 * Without the locale, so that the same bytes are laid out the same everywhere: two columns for East
 * Asian wide characters and emoji, none for combining ones, one for all others.
 */
#ifndef ANALYZE_WIDTH_H
#define ANALYZE_WIDTH_H

#include <stddef.h>

size_t width_text(const void *p, size_t n);

#endif
