/* address.h - network addresses as text */
#ifndef DECODE_ADDRESS_H
#define DECODE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* "[" 45 "]:65535" and the NUL. */
#define ADDRESS_SIZE 64

/* n bytes (4 or 16, network order) and a port as "1.2.3.4:80" or "[::1]:80"; an IPv4-mapped IPv6
 * address as the IPv4 address it is. Without with_port the address stands alone, IPv6 without
 * brackets. Returns out; "" when n is neither 4 nor 16. */
char *address_text(char out[ADDRESS_SIZE], const uint8_t *addr, unsigned int n, uint16_t port,
		   bool with_port);

/* True when all bytes are 0, or the address is the IPv4-mapped form of that: nothing bound. */
bool address_is_unspecified(const uint8_t *addr, unsigned int n);

#endif
