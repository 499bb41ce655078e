/* selected.c - what a recording is a selection of, in the words of the command line */
#include "decode/selected.h"

#include "formats/base/escape.h"

enum { REQUEST_CALLS = 7 };		/* request.kind: the first of them */
enum { ENOUGH = 1000, SHOWN_MAX = 256 };	/* bytes */

static const char *const options[] = {"--calls", "--path", "--min-latency", "--failed"};

void
selected_put(struct buf *out, const struct rec_request *request)
{
	const uint64_t which = request->kind - REQUEST_CALLS;
	size_t n = request->text.n;

	if (request->kind < REQUEST_CALLS || which >= sizeof(options) / sizeof(options[0]))
		return;
	if (out->len > ENOUGH)
		return;
	(void)buf_printf(out, "%s%s", out->len > 0 ? " " : "", options[which]);
	if (n == 0)
		return;
	if (n > SHOWN_MAX) {
		for (n = SHOWN_MAX; n > 0 && (request->text.p[n] & 0xc0) == 0x80; n--)
			;
	}
	(void)buf_putc(out, ' ');
	(void)escape_text(out, request->text.p, n);
}
