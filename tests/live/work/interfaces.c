/* interfaces.c - datagrams over interfaces that the workload knows, each with a size of its own
 *
 * interfaces STATEMENTS
 */
#include <ifaddrs.h>
#include <net/if.h>

#include "tests/live/work/say.h"

/* The interface that holds the address the socket is bound to, "" if none does. */
static const char *
holder(int fd)
{
	static char name[IF_NAMESIZE];
	struct sockaddr_in own = { 0 };
	socklen_t length = sizeof(own);
	struct ifaddrs *list;

	name[0] = '\0';
	if (getsockname(fd, (void *)&own, &length) != 0 || getifaddrs(&list) != 0)
		return name;
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		const struct sockaddr_in *address = (const void *)at->ifa_addr;

		if (address && address->sin_family == AF_INET &&
		    address->sin_addr.s_addr == own.sin_addr.s_addr)
			snprintf(name, sizeof(name), "%s", at->ifa_name);
	}
	freeifaddrs(list);
	return name;
}

static int
connected(const char *address, int family)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(9) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(9) };
	const int fd = socket(family, SOCK_DGRAM, 0);

	inet_pton(family, address, family == AF_INET ? (void *)&four.sin_addr :
						       (void *)&six.sin6_addr);
	if (connect(fd, family == AF_INET ? (void *)&four : (void *)&six,
		    family == AF_INET ? sizeof(four) : sizeof(six)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
send_over(struct say *say, int fd, size_t size, const char *interface)
{
	static const char bytes[2000];
	char extra[64];

	snprintf(extra, sizeof(extra), " interface=%s", interface);
	DID_MORE(say, "sendto", fd, extra, send(fd, bytes, size, MSG_DONTWAIT));
	close(fd);
}

static void
own_address(struct say *say, int route)
{
	struct sockaddr_in own = { 0 };
	socklen_t length = sizeof(own);
	char text[INET_ADDRSTRLEN];

	getsockname(route, (void *)&own, &length);
	inet_ntop(AF_INET, &own.sin_addr, text, sizeof(text));
	send_over(say, connected(text, AF_INET), 103, "lo");
}

int
main(int argc, char **argv)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	static char bytes[2000];
	const char *route;
	struct say *say;
	int fd, ends[2];

	if (argc != 2)
		die("usage: interfaces STATEMENTS");
	say = say_open(argv[1]);
	fd = connected("192.0.2.1", AF_INET);
	route = fd >= 0 ? holder(fd) : "";	/* asks over a socket of its own: so before */
	close(fd);
	say_begin(say);
	send_over(say, connected("127.0.0.1", AF_INET), 101, "lo");
	fd = connected("::1", AF_INET6);
	if (fd >= 0)
		send_over(say, fd, 102, "lo");
	fd = connected("192.0.2.1", AF_INET);
	if (fd >= 0 && route[0]) {
		own_address(say, fd);
		DID_MORE(say, "recvfrom", fd, "", recv(fd, bytes, 10, MSG_DONTWAIT));
		send_over(say, fd, 104, route);
	}
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
		die("socketpair");
	send_over(say, ends[0], 105, "null");
	close(ends[1]);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(fd, (void *)&any, sizeof(any)) != 0)
		die("bind");
	DID_MORE(say, "recvfrom", fd, " interface=?", recv(fd, bytes, 10, MSG_DONTWAIT));
	close(fd);
	say_end(say);
	return 0;
}
