/* resolver.c - both ends of two pipes: addresses go one way, their names the other
 *
 * Requests and answers have fixed sizes below PIPE_BUF, so that threads can share the pipes (pipe(7):
 * such writes are not mixed).
 */
#include "report/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/io.h"
#include "formats/base/monotonic.h"
#include "report/resolver_child.h"

struct resolver {
	int ask, answers;
	size_t n, n_answered;
	struct resolver_answer hosts[RESOLVER_HOSTS];	/* name "" = none, or not known yet */
};

struct resolver *
resolver_begin(void)
{
	struct resolver *const r = calloc(1, sizeof(*r));
	int ask[2] = {-1, -1}, answers[2] = {-1, -1};
	pid_t pid = -1;

	if (r && pipe2(ask, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		resolver_child(ask[0], answers[1]);
	(void)close(ask[0]);
	(void)close(answers[1]);
	if (pid > 0) {
		r->ask = ask[1];
		r->answers = answers[0];
		return r;
	}
	(void)close(ask[1]);
	(void)close(answers[0]);
	free(r);
	return NULL;
}

void
resolver_end(struct resolver *r)
{
	if (!r)
		return;
	(void)close(r->ask);
	(void)close(r->answers);
	free(r);
}

static struct resolver_answer *
find(struct resolver *r, const char *address)
{
	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->hosts[i].address, address) == 0)
			return &r->hosts[i];
	}
	return NULL;
}

static void
ask(struct resolver *r, const char *address)
{
	struct resolver_request request = {.address = ""};
	const size_t n = strlen(address);

	if (r->n == RESOLVER_HOSTS || n >= sizeof(request.address))
		return;
	memcpy(request.address, address, n + 1);
	if (!io_write_all(r->ask, &request, sizeof(request)))
		return;
	memcpy(r->hosts[r->n++].address, address, n + 1);
}

int
resolver_name(void *resolver, const char *address, char name[IOTAP_HOST_NAME_SIZE])
{
	struct resolver *const r = resolver;
	const struct resolver_answer *const host = find(r, address);

	if (!host)
		ask(r, address);
	if (!host || host->name[0] == '\0')
		return 0;
	memcpy(name, host->name, strlen(host->name) + 1);
	return 1;
}

/* What a host name may be made of (RFC 952, RFC 1123), and the underscore that some have: a name server
 * says what it likes. */
static bool
is_host_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

	return name[0] != '\0' && name[strspn(name, allowed)] == '\0';
}

static bool
take_answer(struct resolver *r)
{
	struct resolver_answer a;
	struct resolver_answer *host;

	if (read(r->answers, &a, sizeof(a)) != (ssize_t)sizeof(a))
		return false;
	a.address[sizeof(a.address) - 1] = a.name[sizeof(a.name) - 1] = '\0';
	host = find(r, a.address);
	if (host && is_host_name(a.name))
		*host = a;
	r->n_answered++;
	return true;
}

void
resolver_wait(struct resolver *r)
{
	const uint64_t until_ns = monotonic_ns() + RESOLVER_WAIT_MS * UINT64_C(1000000);
	struct pollfd fd = {.fd = r->answers, .events = POLLIN};

	while (r->n_answered < r->n) {
		const uint64_t now_ns = monotonic_ns();
		const int ready = now_ns < until_ns ? poll(&fd, 1, (int)((until_ns - now_ns) / 1000000)) : 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0 || !take_answer(r))
			return;
	}
}
