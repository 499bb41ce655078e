/* connections.c - many short TCP connections over loopback, each with a number of bytes of its own
 *
 * connections STATEMENTS N
 *
 * One thread, both ends. Every tenth is ended by RST; ports and kernel sockets are used again and
 * again. Each send and receive is stated with both addresses of that end.
 */
#include <netinet/tcp.h>

#include "tests/live/work/say.h"

static void
one(struct say *say, int server, const struct sockaddr_in *name, int i)
{
	const struct linger at_once = { 1, 0 };
	const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static char bytes[4096];
	const size_t size = (size_t)(i % 4000) + 1;
	int accepted;

	if (connect(client, (const void *)name, sizeof(*name)) != 0)
		die("connect %d", i);
	accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	if (accepted < 0)
		die("accept %d", i);
	DID(say, "sendto", client, send(client, bytes, size, 0));
	DID(say, "recvfrom", accepted, recv(accepted, bytes, sizeof(bytes), 0));
	/* Which end goes first, and how: ports do not run out in TIME_WAIT when it is by RST. */
	setsockopt(i % 10 ? client : accepted, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(i % 10 ? client : accepted);
	close(i % 10 ? accepted : client);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in name = { .sin_family = AF_INET };
	socklen_t length = sizeof(name);
	struct say *say;
	int server;

	if (argc != 3)
		die("usage: connections STATEMENTS N");
	say = say_open(argv[1]);
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server, (void *)&name, length) != 0 || listen(server, 16) != 0 ||
	    getsockname(server, (void *)&name, &length) != 0)
		die("bind");
	say_begin(say);
	for (int i = 0; i < atoi(argv[2]); i++)
		one(say, server, &name, i);
	say_end(say);
	return 0;
}
