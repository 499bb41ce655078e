/* address.c - network addresses as text
 *
 * inet_ntop(3) writes IPv6 as RFC 5952 wants it and looks at nothing but the bytes it is given.
 */
#include "decode/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* Steps over the prefix of an IPv4-mapped address. */
static void
address_unmap(const uint8_t **addr, unsigned int *n)
{
	if (*n == 16 && memcmp(*addr, mapped, sizeof(mapped)) == 0) {
		*addr += sizeof(mapped);
		*n = 4;
	}
}

char *
address_text(char out[ADDRESS_SIZE], const uint8_t *addr, unsigned int n, uint16_t port,
	     bool with_port)
{
	char text[INET6_ADDRSTRLEN];

	out[0] = '\0';
	address_unmap(&addr, &n);
	if ((n != 4 && n != 16) || !inet_ntop(n == 4 ? AF_INET : AF_INET6, addr, text, sizeof(text)))
		return out;
	if (!with_port)
		(void)snprintf(out, ADDRESS_SIZE, "%s", text);
	else if (n == 4)
		(void)snprintf(out, ADDRESS_SIZE, "%s:%u", text, port);
	else
		(void)snprintf(out, ADDRESS_SIZE, "[%s]:%u", text, port);
	return out;
}

bool
address_is_unspecified(const uint8_t *addr, unsigned int n)
{
	address_unmap(&addr, &n);
	for (unsigned int i = 0; i < n; i++) {
		if (addr[i] != 0)
			return false;
	}
	return true;
}
