/* progress.c - one line on a terminal that says how far a long reading has come */
#include "report/progress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/monotonic.h"

#define NS_PER_S 1000000000u
#define FIRST_NS NS_PER_S	/* a reading that ends sooner says nothing */
#define EVERY_NS (NS_PER_S / 5)

void
progress_begin(struct progress *p, int input_fd, int terminal_fd)
{
	struct stat st;

	*p = (struct progress){.input_fd = -1, .terminal_fd = -1, .begin_ns = monotonic_ns()};
	if (!isatty(terminal_fd))
		return;
	p->terminal_fd = terminal_fd;
	p->next_ns = p->begin_ns + FIRST_NS;
	if (fstat(input_fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		p->size = (uint64_t)st.st_size;
		p->input_fd = fcntl(input_fd, F_DUPFD_CLOEXEC, 0);
	}
}

/* A count in three digits or so: "999", "1.2 k", "34.5 M". */
static void
put_count(struct buf *out, uint64_t n)
{
	static const char unit[] = {'k', 'M', 'G', 'T', 'P', 'E'};
	uint64_t tenths = n;
	size_t i = 0;

	if (n < 1000) {
		(void)buf_printf(out, "%" PRIu64, n);
		return;
	}
	for (tenths = n / 100; tenths >= 10000 && i + 1 < sizeof(unit); i++)
		tenths /= 1000;
	(void)buf_printf(out, "%" PRIu64 ".%" PRIu64 " %c", tenths / 10, tenths % 10, unit[i]);
}

void
progress_text(struct buf *out, uint64_t calls, uint64_t elapsed_ns, uint64_t done, uint64_t size)
{
	const double seconds = (double)elapsed_ns / NS_PER_S;

	put_count(out, calls);
	(void)buf_puts(out, " calls");
	if (seconds > 0) {
		(void)buf_puts(out, ", ");
		put_count(out, (uint64_t)((double)calls / seconds));
		(void)buf_puts(out, "/s");
	}
	if (size == 0 || done == 0 || done > size)
		return;
	(void)buf_printf(out, ", %.0f %%, %.0f s left", 100.0 * (double)done / (double)size,
			 seconds * (double)(size - done) / (double)done);
}

void
progress_update(struct progress *p, uint64_t calls)
{
	uint64_t now;
	struct buf line;
	off_t at = -1;

	if (p->terminal_fd < 0)
		return;
	now = monotonic_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + EVERY_NS;
	if (p->input_fd >= 0)
		at = lseek(p->input_fd, 0, SEEK_CUR);
	buf_init(&line, 0);
	(void)buf_puts(&line, "\r\033[K");
	progress_text(&line, calls, now - p->begin_ns, at > 0 ? (uint64_t)at : 0, p->size);
	if (buf_ok(&line))
		(void)io_write_all(p->terminal_fd, line.data, line.len);
	buf_free(&line);
	p->shown = true;
}

void
progress_end(struct progress *p)
{
	if (p->shown)
		(void)io_write_all(p->terminal_fd, "\r\033[K", 4);
	if (p->input_fd >= 0)
		close(p->input_fd);
	*p = (struct progress){.input_fd = -1, .terminal_fd = -1};
}
