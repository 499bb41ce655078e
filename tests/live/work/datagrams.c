/* datagrams.c - sockets that live for one datagram: connect, send, close
 *
 * datagrams STATEMENTS N
 */
#include "tests/live/work/say.h"

int
main(int argc, char **argv)
{
	struct sockaddr_in name = { .sin_family = AF_INET };
	socklen_t length = sizeof(name);
	struct say *say;
	int server;

	if (argc != 3)
		die("usage: datagrams STATEMENTS N");
	say = say_open(argv[1]);
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(server, (void *)&name, length) != 0 ||
	    getsockname(server, (void *)&name, &length) != 0)
		die("bind");
	say_begin(say);
	for (int i = 0; i < atoi(argv[2]); i++) {
		const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		char target[SAY_TARGET], byte[64] = "";

		if (connect(fd, (void *)&name, length) != 0)
			die("connect");
		/* The statement of where it leads is taken first: afterwards the socket is gone. */
		say_target(target, sizeof(target), fd);
		(void)!send(fd, byte, (size_t)i + 1, 0);
		close(fd);
		say_call(say, "sendto", fd, i + 1, 0, target, "");
	}
	say_end(say);
	return 0;
}
