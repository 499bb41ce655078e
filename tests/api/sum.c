/* sum.c - a stranger's program: bytes per process and target of a recording, by libiotap alone
 *
 *	cc sum.c -liotap -o sum && ./sum trace.iotap
 *
 * It knows <iotap.h> and nothing else of iotap. Without an argument it only shows that an input which
 * is no recording is refused with a reason. iotap_consume(3) has it as its example.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotap.h>

struct totals {
	uint64_t calls, read, written, failed, latency_ns;
	uint64_t notices, lost;
};

static int
on_event(const struct iotap_event *e, void *arg)
{
	struct totals *const t = arg;

	if (e->dir == IOTAP_DIR_NONE)
		return IOTAP_NEXT;	/* an open, a close ... */
	t->calls++;
	if (e->err != 0)
		t->failed++;
	if (e->bytes != IOTAP_UNKNOWN && e->dir == IOTAP_DIR_READ)
		t->read += e->bytes;
	if (e->bytes != IOTAP_UNKNOWN && e->dir == IOTAP_DIR_WRITE)
		t->written += e->bytes;
	if (e->duration_ns != IOTAP_UNKNOWN)
		t->latency_ns += e->duration_ns;
	printf("%" PRIu32 " %s %s %s\n", e->pid, e->op, e->err_name ? e->err_name : "ok",
	       e->target->text);
	return IOTAP_NEXT;
}

static int
on_notice(const struct iotap_notice *n, void *arg)
{
	struct totals *const t = arg;

	t->notices++;
	if (n->message[0] != '\0')
		printf("notice: %s\n", n->message);
	return IOTAP_NEXT;
}

static int
on_drop(const struct iotap_drop *d, void *arg)
{
	struct totals *const t = arg;

	t->lost++;
	printf("lost: %s\n", d->message);
	return IOTAP_NEXT;
}

static int
sum(const char *path)
{
	struct iotap_handlers handlers;
	struct totals t = {0, 0, 0, 0, 0, 0, 0};
	char why[256];
	iotap_t *h;
	int r;

	h = iotap_open(open(path, O_RDONLY), path, NULL, why, sizeof(why));
	if (!h) {
		fprintf(stderr, "sum: %s\n", why);
		return 1;
	}
	memset(&handlers, 0, sizeof(handlers));
	handlers.size = sizeof(handlers);
	handlers.event = on_event;
	handlers.notice = on_notice;
	handlers.drop = on_drop;
	r = iotap_consume(h, &handlers, &t);
	if (r < 0)
		fprintf(stderr, "sum: %s\n", iotap_errmsg(h));
	printf("%" PRIu64 " calls, %" PRIu64 " failed, %" PRIu64 " bytes read, %" PRIu64
	       " written, %" PRIu64 " ns, %" PRIu64 " notices, %" PRIu64 " losses\n",
	       t.calls, t.failed, t.read, t.written, t.latency_ns, t.notices, t.lost);
	iotap_close(h);
	return r < 0;
}

int
main(int argc, char **argv)
{
	char why[256] = "";

	if (argc > 1)
		return sum(argv[1]);
	if (iotap_open(open("/dev/null", O_RDONLY), "/dev/null", NULL, why, sizeof(why)) || why[0] == '\0') {
		puts("an empty input was not refused");
		return 1;
	}
	return 0;
}
