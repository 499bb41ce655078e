/* pseudonym.h - names and addresses replaced by others that only the key leads back to
 *
 * Equal names get equal pseudonyms under one key, different names different ones (but for one chance in
 * 2^60 a pair). Of a path the depth stays, and the extension where it is one that everybody has. Two
 * addresses that share their first n bits share the first n bits of their pseudonyms, no more.
 */
#ifndef DECODE_PSEUDONYM_H
#define DECODE_PSEUDONYM_H

#include <stddef.h>
#include <stdint.h>

#include "decode/siphash.h"
#include "formats/base/buf.h"

enum { PSEUDONYM_KEY_MIN = 16 };	/* bytes of a key file */

struct pseudonym_keys {
	struct siphash_key name, address, interface, id;
};

/* Keys for each purpose from n bytes of secret, at least PSEUDONYM_KEY_MIN. */
void pseudonym_keys(struct pseudonym_keys *, const void *secret, size_t n);

/* Each appends to out; a buffer that fails is found by buf_ok. "" stays "". */
void pseudonym_name(const struct pseudonym_keys *, struct buf *out, const void *p, size_t n);
void pseudonym_path(const struct pseudonym_keys *, struct buf *out, const void *p, size_t n, size_t limit);
void pseudonym_interface(const struct pseudonym_keys *, struct buf *out, const void *p, size_t n);
void pseudonym_id(const struct pseudonym_keys *, struct buf *out, const void *p, size_t n);	/* hexadecimal */

/* n is 4 or 16; else nothing is done. What every machine has - no address, loopback - stays. */
void pseudonym_address(const struct pseudonym_keys *, uint8_t *address, size_t n);

#endif
