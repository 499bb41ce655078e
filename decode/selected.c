/* selected.c - what a recording is a selection of, in the words of the command line */
#include "decode/selected.h"

#include "formats/base/escape.h"
#include "formats/base/utf8.h"

enum { REQUEST_CALLS = 7 };		/* request.kind: the first of them */
enum { ENOUGH = 1000, SHOWN_MAX = 256 };	/* bytes */

static const char *const options[] = {"--calls", "--path", "--min-latency", "--failed"};

void
selected_put(struct buf *out, const struct rec_request *request)
{
	const uint64_t which = request->kind - REQUEST_CALLS;
	const size_t n = utf8_cut(request->text.p, request->text.n, SHOWN_MAX);

	if (request->kind < REQUEST_CALLS || which >= sizeof(options) / sizeof(options[0]))
		return;
	if (out->len > ENOUGH)
		return;
	(void)buf_printf(out, "%s%s", out->len > 0 ? " " : "", options[which]);
	if (request->text.n == 0)
		return;
	(void)buf_putc(out, ' ');
	(void)escape_text(out, request->text.p, n);
}
