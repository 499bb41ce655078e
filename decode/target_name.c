/* target_name.c - the three forms of a target's name: for people, for sums, for JSON
 *
 *	text	"/etc/hosts"  "tcp 1.2.3.4:5 -> 6.7.8.9:80"  "unix @name"  "<eventfd>"  "<unknown>"
 *	key	"/etc/hosts"  "tcp 6.7.8.9:80"               "unix @name"  "<eventfd>"  "<unknown>"
 *	json	{"kind":"file","path":"/etc/hosts"} ...
 *
 * text is printable; key holds the bytes as they are, since two names that differ only in bytes that
 * are no UTF-8 are two targets. Most names are plain: then path, text and key are the same bytes and
 * are kept once.
 */
#include "decode/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/address.h"
#include "decode/quote.h"
#include "formats/base/escape.h"

#define NOT_THERE SIZE_MAX

/* Appends n bytes and a NUL; where they begin. */
static size_t
put_string(struct buf *scratch, const void *p, size_t n)
{
	const size_t at = scratch->len;

	(void)buf_put(scratch, p, n);
	(void)buf_putc(scratch, '\0');
	return at;
}

/* The printable form of the bytes that begin at offset at: they themselves when they are clean. The
 * room is made first, so that the bytes stay where they are while their printable form is appended:
 * one byte becomes three at most. */
static size_t
put_printable(struct buf *scratch, size_t at, size_t n, size_t *text_len)
{
	const size_t text = scratch->len;

	*text_len = n;
	if (!buf_ok(scratch) || escape_is_clean(scratch->data + at, n) ||
	    !buf_reserve(scratch, 3 * n + 1))
		return at;
	(void)escape_text(scratch, scratch->data + at, n);
	*text_len = scratch->len - text;
	(void)buf_putc(scratch, '\0');
	return text;
}

struct anon {
	const char *name, *fd_type;
	bool prefix;
};

/* NULL = not known. */
static const struct anon *
anon_find(const char *name, size_t n)
{
	static const struct anon rows[] = {
#define ANON(text, type) {text, type, false},
#define ANON_PREFIX(text, type) {text, type, true},
#include "decode/anon.def"
#undef ANON
#undef ANON_PREFIX
	};

	for (size_t i = 0; name && i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t len = strlen(rows[i].name);

		if ((rows[i].prefix ? n >= len : n == len) && memcmp(name, rows[i].name, len) == 0)
			return &rows[i];
	}
	return NULL;
}

static const char *
anon_fd_type(const char *name, size_t n)
{
	const struct anon *const known = anon_find(name, n);

	return known ? known->fd_type : "other";
}

size_t
target_anon_known(const char *name, size_t n)
{
	const struct anon *const known = anon_find(name, n);

	return known ? strlen(known->name) : 0;
}

/* -- files -- */

static void
name_file(struct iotap_target *t, struct target_names *at, struct buf *scratch)
{
	if (t->path) {
		at->key = at->path;
		t->key_len = t->path_len;
		at->text = put_printable(scratch, at->path, t->path_len, &t->text_len);
	} else {
		at->text = at->key = scratch->len;
		if (t->ino != 0)
			(void)buf_printf(scratch, "<file %u:%u inode %" PRIu64 ">", t->dev_major,
					 t->dev_minor, t->ino);
		else
			(void)buf_puts(scratch, "<unnamed file>");
		t->text_len = t->key_len = scratch->len - at->text;
		(void)buf_putc(scratch, '\0');
	}
}

static void
json_file(struct buf *out, const struct iotap_target *t)
{
	(void)buf_puts(out, "{\"kind\":\"file\"");
	if (t->path) {
		quote_member(out, "path", t->path, t->path_len);
	} else {
		(void)buf_puts(out, ",\"path\":null");
		if (t->ino != 0)
			(void)buf_printf(out, ",\"device\":\"%u:%u\",\"inode\":%" PRIu64, t->dev_major,
					 t->dev_minor, t->ino);
	}
	(void)buf_putc(out, '}');
}

/* -- sockets -- */

struct ends {
	char local[ADDRESS_SIZE], remote[ADDRESS_SIZE];	/* "" = none */
	char unix_path[2 * 108];			/* '@' for each NUL of an abstract name */
	size_t unix_len;
	bool has_addresses;				/* the protocol has some */
};

/* The unix path that names the socket: its own, else its peer's. sun_path has 108 bytes, but a file's
 * record may hold anything: what does not fit is cut. */
static void
ends_unix(struct ends *e, const struct iotap_target *t)
{
	const char *const from = t->path ? t->path : t->peer;
	const size_t n = t->path ? t->path_len : t->peer_len;

	e->unix_len = n < sizeof(e->unix_path) ? n : sizeof(e->unix_path);
	for (size_t i = 0; i < e->unix_len; i++)
		e->unix_path[i] = from[i] != '\0' ? from[i] : '@';
}

static void
ends_of(struct ends *e, const struct iotap_target *t)
{
	const bool ports = strcmp(t->proto, "icmp") != 0 && strcmp(t->proto, "raw") != 0;

	memset(e, 0, sizeof(*e));
	if (t->path || t->peer)
		ends_unix(e, t);
	e->has_addresses = !ports || strcmp(t->proto, "tcp") == 0 || strcmp(t->proto, "udp") == 0;
	if (t->local_len > 0)
		(void)address_text(e->local, t->local, t->local_len, t->local_port,
				   ports || t->local_port != 0);
	if (t->remote_len > 0)
		(void)address_text(e->remote, t->remote, t->remote_len, t->remote_port,
				   ports || t->remote_port != 0);
}

static void
name_socket(struct iotap_target *t, struct target_names *at, struct buf *scratch)
{
	const char *const proto = strcmp(t->proto, "other") == 0 ? "socket" : t->proto;
	struct ends e;

	ends_of(&e, t);
	at->key = scratch->len;
	(void)buf_puts(scratch, proto);
	if (e.unix_len > 0) {
		(void)buf_putc(scratch, ' ');
		(void)buf_put(scratch, e.unix_path, e.unix_len);
	} else if (e.remote[0] != '\0' || e.local[0] != '\0') {
		(void)buf_printf(scratch, " %s%s", e.remote[0] != '\0' ? e.remote : e.local,
				 e.remote[0] != '\0' ? "" : " (local)");
	} else if (e.has_addresses) {
		(void)buf_puts(scratch, " ?");
	}
	t->key_len = scratch->len - at->key;
	(void)buf_putc(scratch, '\0');
	if (e.unix_len > 0 || (e.local[0] == '\0' && e.remote[0] == '\0')) {
		at->text = put_printable(scratch, at->key, t->key_len, &t->text_len);
		return;
	}
	at->text = scratch->len;
	(void)buf_printf(scratch, "%s %s%s%s", proto, e.local, e.remote[0] == '\0' ? "" :
			 e.local[0] == '\0' ? "-> " : " -> ", e.remote);
	t->text_len = scratch->len - at->text;
	(void)buf_putc(scratch, '\0');
}

static void
json_socket(struct buf *out, const struct iotap_target *t)
{
	struct ends e;

	ends_of(&e, t);
	(void)buf_printf(out, "{\"kind\":\"socket\",\"proto\":\"%s\"", t->proto);
	if (e.local[0] != '\0')
		(void)buf_printf(out, ",\"local\":\"%s\"", e.local);
	if (e.remote[0] != '\0')
		(void)buf_printf(out, ",\"remote\":\"%s\"", e.remote);
	if (e.unix_len > 0)
		quote_member(out, "path", e.unix_path, e.unix_len);
	(void)buf_putc(out, '}');
}

/* -- others -- */

static const char *
other_name(const struct iotap_target *t)
{
	if (t->kind == IOTAP_KIND_PIPE)
		return "pipe";
	if (t->kind == IOTAP_KIND_ANON)
		return anon_fd_type(t->path, t->path_len);
	return "unknown";
}

static void
name_other(struct iotap_target *t, struct target_names *at, struct buf *scratch)
{
	at->text = at->key = scratch->len;
	(void)buf_printf(scratch, "<%s>", other_name(t));
	t->text_len = t->key_len = scratch->len - at->text;
	(void)buf_putc(scratch, '\0');
}

static void
json_other(struct buf *out, const struct iotap_target *t)
{
	if (t->kind == IOTAP_KIND_UNKNOWN)
		(void)buf_puts(out, "{\"kind\":\"unknown\"}");
	else
		(void)buf_printf(out, "{\"kind\":\"other\",\"fd_type\":\"%s\"}", other_name(t));
}

bool
target_name(struct iotap_target *t, struct target_names *at, struct buf *scratch)
{
	buf_clear(scratch);
	at->path = t->path ? put_string(scratch, t->path, t->path_len) : NOT_THERE;
	at->claimed = t->claimed ? put_string(scratch, t->claimed, t->claimed_len) : NOT_THERE;
	at->peer = t->peer ? put_string(scratch, t->peer, t->peer_len) : NOT_THERE;
	at->device = t->device ? put_string(scratch, t->device, strlen(t->device)) : NOT_THERE;

	switch (t->kind) {
	case IOTAP_KIND_FILE:
	case IOTAP_KIND_MEMFD:
		name_file(t, at, scratch);
		at->json = scratch->len;
		json_file(scratch, t);
		break;
	case IOTAP_KIND_SOCKET:
		name_socket(t, at, scratch);
		at->json = scratch->len;
		json_socket(scratch, t);
		break;
	case IOTAP_KIND_PIPE:
	case IOTAP_KIND_ANON:
	case IOTAP_KIND_UNKNOWN:
		name_other(t, at, scratch);
		at->json = scratch->len;
		json_other(scratch, t);
		break;
	}
	t->json_len = scratch->len - at->json;
	return buf_putc(scratch, '\0') && buf_ok(scratch);
}
