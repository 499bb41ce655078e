/* resolver_child.c - several names are looked up at a time, since each may take as long as it likes */
#include "report/resolver_child.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "formats/base/io.h"

#define LOOKUPS_AT_ONCE 16

struct pipes {
	pthread_mutex_t reading;
	int ask, answers;
};

/* The name of an address; stays "" when there is none. */
static void
look_up(const char *address, char *name, size_t n)
{
	const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;

	if (getaddrinfo(address, NULL, &numeric, &found) != 0)
		return;
	if (getnameinfo(found->ai_addr, found->ai_addrlen, name, (socklen_t)n, NULL, 0, NI_NAMEREQD) != 0)
		name[0] = '\0';
	freeaddrinfo(found);
}

static bool
take_request(struct pipes *p, struct resolver_request *request)
{
	ssize_t n;

	(void)pthread_mutex_lock(&p->reading);
	n = read(p->ask, request, sizeof(*request));
	(void)pthread_mutex_unlock(&p->reading);
	request->address[sizeof(request->address) - 1] = '\0';
	return n == (ssize_t)sizeof(*request);
}

static void *
answer_requests(void *arg)
{
	struct pipes *const p = arg;
	struct resolver_request request;

	while (take_request(p, &request)) {
		struct resolver_answer answer = {.name = ""};

		memcpy(answer.address, request.address, sizeof(answer.address));
		look_up(request.address, answer.name, sizeof(answer.name));
		if (!io_write_all(p->answers, &answer, sizeof(answer)))
			break;
	}
	return NULL;
}

_Noreturn void
resolver_child(int ask, int answers)
{
	struct pipes p = {PTHREAD_MUTEX_INITIALIZER, STDIN_FILENO, STDOUT_FILENO};
	pthread_t thread;

	/* Of the parent's files nothing stays but these two. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || dup2(ask, STDIN_FILENO) < 0 ||
	    dup2(answers, STDOUT_FILENO) < 0 || close_range(STDERR_FILENO, ~0u, 0) < 0)
		_exit(1);
	for (int i = 1; i < LOOKUPS_AT_ONCE; i++) {
		if (pthread_create(&thread, NULL, answer_requests, &p) != 0)
			break;
	}
	(void)answer_requests(&p);
	_exit(0);			/* nobody asks any more */
}
