/* host.c - an address within the name of a row is replaced by its host's name */
#include "decode/host.h"

#include <stdio.h>
#include <string.h>

#include "decode/address.h"
#include "decode/target.h"
#include "formats/base/escape.h"

/* Where the remote address stands in the key, its brackets counted, and its length: "TEXT:" with a port
 * behind it, or TEXT at the end. 0 = nowhere. The local one comes first where there are both. */
static size_t
find_remote(const struct iotap_target *t, const char *text, const char *with_port, size_t *n)
{
	const size_t end = t->key_len;

	*n = strlen(text);
	if (end > *n && t->key[end - *n - 1] == ' ' && memcmp(t->key + end - *n, text, *n) == 0)
		return end - *n;
	*n = strlen(with_port);
	for (size_t i = end > *n ? end - *n : 0; i-- > 1;) {
		if (t->key[i - 1] == ' ' && t->key[i + *n] == ':' && memcmp(t->key + i, with_port, *n) == 0)
			return i;
	}
	return 0;
}

bool
host_put_row_name(struct buf *out, const struct hosts *hosts, const struct iotap_target *t)
{
	char address[ADDRESS_SIZE], with_port[ADDRESS_SIZE + 2], name[IOTAP_HOST_NAME_SIZE];
	size_t at, n = 0;

	if (!hosts->name || t->remote_len == 0 || address_is_unspecified(t->remote, t->remote_len))
		return target_put_row_name(out, t);
	(void)address_text(address, t->remote, t->remote_len, 0, false);
	(void)snprintf(with_port, sizeof(with_port), strchr(address, ':') ? "[%s]" : "%s", address);
	at = find_remote(t, address, with_port, &n);
	if (at == 0 || !hosts->name(hosts->arg, address, name))
		return target_put_row_name(out, t);
	return escape_text(out, t->key, at) && escape_text(out, name, strlen(name)) &&
	       escape_text(out, t->key + at + n, t->key_len - at - n);
}
