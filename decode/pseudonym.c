/* pseudonym.c - names and addresses replaced by others that only the key leads back to */
#include "decode/pseudonym.h"

#include <stdbool.h>
#include <string.h>

#define NAME_DIGITS 12		/* 60 bits; a name of a process has at most 15 bytes */
#define SHORT_DIGITS 6		/* where a path would be too long otherwise */
#define CUT "\xe2\x80\xa6"	/* "…": first component of a path whose beginning is not known */

/* A key for one purpose: what the hash of the secret under that purpose is. */
static struct siphash_key
key_for(uint64_t purpose, const void *secret, size_t n)
{
	const struct siphash_key one = {purpose, 1}, two = {purpose, 2};

	return (struct siphash_key){siphash(&one, secret, n), siphash(&two, secret, n)};
}

void
pseudonym_keys(struct pseudonym_keys *k, const void *secret, size_t n)
{
	k->name = key_for(1, secret, n);
	k->address = key_for(2, secret, n);
	k->interface = key_for(3, secret, n);
	k->id = key_for(4, secret, n);
}

/* -- names -- */

static void
put_digits(struct buf *out, uint64_t v, unsigned int n)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";

	for (; n > 0; n--, v >>= 5)
		(void)buf_putc(out, digits[v & 31]);
}

void
pseudonym_name(const struct pseudonym_keys *k, struct buf *out, const void *p, size_t n)
{
	if (n > 0)
		put_digits(out, siphash(&k->name, p, n), NAME_DIGITS);
}

void
pseudonym_interface(const struct pseudonym_keys *k, struct buf *out, const void *p, size_t n)
{
	if (n == 0)
		return;
	(void)buf_puts(out, "if");
	put_digits(out, siphash(&k->interface, p, n), 10);
}

void
pseudonym_id(const struct pseudonym_keys *k, struct buf *out, const void *p, size_t n)
{
	if (n > 0)
		(void)buf_printf(out, "%016llx", (unsigned long long)siphash(&k->id, p, n));
}

static bool
is_common_extension(const char *p, size_t n)
{
	static const char *const extensions[] = {
#define EXTENSION(text) text,
#include "decode/extensions.def"
#undef EXTENSION
	};

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (strlen(extensions[i]) == n && memcmp(extensions[i], p, n) == 0)
			return true;
	}
	return false;
}

/* Bytes at the end of a component that stay: ".log". */
static size_t
extension_of(const char *p, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		if (p[i - 1] == '.')
			return is_common_extension(p + i, n - i) ? n - i + 1 : 0;
	}
	return 0;
}

static void
put_component(const struct pseudonym_keys *k, struct buf *out, const char *p, size_t n, unsigned int digits)
{
	const size_t kept = extension_of(p, n);

	if (n == 0 || (n <= 2 && memcmp(p, "..", n) == 0) || (n == strlen(CUT) && memcmp(p, CUT, n) == 0)) {
		(void)buf_put(out, p, n);
		return;
	}
	put_digits(out, siphash(&k->name, p, n), digits);
	(void)buf_put(out, p + n - kept, kept);
}

static void
put_path(const struct pseudonym_keys *k, struct buf *out, const char *p, size_t n, unsigned int digits)
{
	size_t from = 0;

	if (n > 0 && p[0] == '\0') {		/* the abstract namespace */
		(void)buf_putc(out, '\0');
		from = 1;
	}
	for (size_t at = from; at <= n; at++) {
		if (at < n && p[at] != '/')
			continue;
		put_component(k, out, p + from, at - from, digits);
		if (at < n)
			(void)buf_putc(out, '/');
		from = at + 1;
	}
}

void
pseudonym_path(const struct pseudonym_keys *k, struct buf *out, const void *p, size_t n, size_t limit)
{
	static const unsigned int digits[] = {NAME_DIGITS, SHORT_DIGITS};
	const size_t before = out->len;

	for (size_t i = 0; i < 2; i++) {
		out->len = before;
		put_path(k, out, p, n, digits[i]);
		if (out->len - before <= limit)
			return;
	}
	out->len = before;	/* longer than any path of a kernel */
	(void)buf_puts(out, CUT "/");
	pseudonym_name(k, out, p, n);
}

/* -- addresses -- */

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* True for those that say nothing of a network: none, and the machine itself. */
static bool
is_everywhere(const uint8_t *a, size_t n)
{
	static const uint8_t zeroes[16];

	if (n == 4)
		return memcmp(a, zeroes, 4) == 0 || a[0] == 127;
	return memcmp(a, zeroes, 15) == 0 && a[15] <= 1;
}

/* Each bit is turned or not, by a hash of those before it. */
static void
turn_bits(const struct siphash_key *key, uint8_t *a, size_t n)
{
	uint8_t before[18] = {0};

	before[16] = (uint8_t)n;
	for (size_t bit = 0; bit < 8 * n; bit++) {
		const uint8_t mask = (uint8_t)(0x80 >> bit % 8);
		const uint8_t was = a[bit / 8] & mask;

		before[17] = (uint8_t)bit;
		if (siphash(key, before, sizeof(before)) & 1)
			a[bit / 8] ^= mask;
		before[bit / 8] |= was;
	}
}

void
pseudonym_address(const struct pseudonym_keys *k, uint8_t *address, size_t n)
{
	if (n == 16 && memcmp(address, mapped, sizeof(mapped)) == 0) {
		address += sizeof(mapped);
		n = 4;
	}
	if ((n != 4 && n != 16) || is_everywhere(address, n))
		return;
	do
		turn_bits(&k->address, address, n);
	while (is_everywhere(address, n));	/* so no two addresses become one */
}
