/* json_target.c - the target objects of JSON Lines as targets */
#include "analyze/json_target.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/buf.h"
#include "formats/base/escape.h"
#include "formats/base/hash.h"

#define TARGETS_KEPT 65536

struct json_target {
	struct iotap_target pub;	/* first */
	struct json_target *next;
	char *strings;			/* what pub points to */
};

int
json_targets_init(struct json_targets *t, struct iotap_error *err)
{
	*t = (struct json_targets){.next_id = 1, .seed = hash_seed()};
	map_init(&t->by_text, t->seed, 0);
	t->object = json_line_new(err);
	return t->object ? 0 : err->code;
}

static void
targets_forget(struct json_targets *t)
{
	while (t->all) {
		struct json_target *const next = t->all->next;

		free(t->all->strings);
		free(t->all);
		t->all = next;
	}
	map_clear(&t->by_text);
}

void
json_targets_fini(struct json_targets *t)
{
	targets_forget(t);
	map_fini(&t->by_text);
	json_line_free(t->object);
}

void
json_targets_trim(struct json_targets *t)
{
	if (t->by_text.n >= TARGETS_KEPT)
		targets_forget(t);
}

static unsigned int
choice(const struct json_line *line, enum json_field field, const char *const *names, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (json_line_is(line, field, names[i]))
			return i;
	}
	return 0;
}

/* "1.2.3.4:80", "[::1]:80", either without the port. */
static void
address_parse(const char *text, size_t n, uint8_t address[16], uint8_t *len, uint16_t *port)
{
	char host[64];
	char *end;

	*len = 0;
	if (!text || n == 0 || n >= sizeof(host))
		return;
	memcpy(host, text, n);
	host[n] = '\0';
	end = host[0] == '[' ? strchr(host, ']') : strchr(host, ':') == strrchr(host, ':') ? strchr(host, ':') : NULL;
	if (end) {
		const char *const digits = *end == ']' ? (end[1] == ':' ? end + 2 : "") : end + 1;

		*port = (uint16_t)strtoul(digits, NULL, 10);
		*end = '\0';
	}
	if (inet_pton(AF_INET, host, address) == 1)
		*len = 4;
	else if (inet_pton(AF_INET6, host[0] == '[' ? host + 1 : host, address) == 1)
		*len = 16;
}

static const char *
proto_word(const struct json_line *o)
{
	static const char *const words[] = {
		"other", "tcp", "udp", "icmp", "raw", "unix", "route", "system", "netlink", "packet",
	};

	return words[choice(o, JSON_proto, words, sizeof(words) / sizeof(words[0]))];
}

/* The strings of a target under construction: offsets into one buffer. */
struct strings {
	struct buf buf;
	size_t path, text, key, device;
};

static size_t
string_end(struct strings *s, size_t start, size_t *len)
{
	*len = s->buf.len - start;
	(void)buf_putc(&s->buf, '\0');
	return start;
}

static void
put_hex_bytes(struct buf *out, const char *hex, size_t n)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		const char pair[] = {hex[i], hex[i + 1], '\0'};

		(void)buf_putc(out, (char)strtoul(pair, NULL, 16));
	}
}

/* The bytes themselves where the line has them, else the text. False: there is no path. */
static bool
put_path(struct buf *out, const struct json_line *o)
{
	size_t n;
	const char *const hex = json_line_text(o, JSON_path_hex, &n);
	const char *path;

	if (hex) {
		put_hex_bytes(out, hex, n);
		return true;
	}
	path = json_line_text(o, JSON_path, &n);
	if (path)
		(void)buf_put(out, path, n);
	return path != NULL;
}

static void
put_printable_path(struct buf *out, const struct json_line *o)
{
	struct buf path = {.data = NULL};

	(void)put_path(&path, o);
	(void)escape_text(out, path.data, path.len);
	out->failed = out->failed || !buf_ok(&path);
	buf_free(&path);
}

static void
build_path(struct iotap_target *t, struct strings *s, const struct json_line *o)
{
	const size_t start = s->buf.len;

	if (put_path(&s->buf, o))
		s->path = string_end(s, start, &t->path_len);
}

/* What stands for the ends of a socket of which none is known. */
static const char *
no_ends(const char *proto)
{
	static const char *const with_addresses[] = {"tcp", "udp", "icmp", "raw"};

	for (size_t i = 0; i < sizeof(with_addresses) / sizeof(with_addresses[0]); i++) {
		if (strcmp(proto, with_addresses[i]) == 0)
			return " ?";
	}
	return "";
}

/* text: both ends; key: the other one. */
static void
build_socket(struct iotap_target *t, struct strings *s, const struct json_line *o)
{
	size_t n_local, n_remote;
	const char *const local = json_line_text(o, JSON_local, &n_local);
	const char *const remote = json_line_text(o, JSON_remote, &n_remote);
	const bool has_path = s->path != SIZE_MAX;
	const char *proto;

	t->proto = proto_word(o);
	proto = strcmp(t->proto, "other") == 0 ? "socket" : t->proto;
	address_parse(local, n_local, t->local, &t->local_len, &t->local_port);
	address_parse(remote, n_remote, t->remote, &t->remote_len, &t->remote_port);
	s->key = s->buf.len;
	(void)buf_printf(&s->buf, "%s%s", proto, has_path || local || remote ? " " : no_ends(proto));
	if (!put_path(&s->buf, o) && (local || remote))
		(void)buf_printf(&s->buf, "%s%s", remote ? remote : local, remote ? "" : " (local)");
	(void)string_end(s, s->key, &t->key_len);
	s->text = s->buf.len;
	(void)buf_printf(&s->buf, "%s%s%s%s%s", proto, local ? " " : "", local ? local : "",
			 remote ? " -> " : "", remote ? remote : "");
	(void)buf_puts(&s->buf, has_path ? " " : local || remote ? "" : no_ends(proto));
	if (has_path)
		put_printable_path(&s->buf, o);
	(void)string_end(s, s->text, &t->text_len);
}

static void
build_other(struct iotap_target *t, struct strings *s, const struct json_line *o)
{
	size_t n;
	const char *const type = json_line_text(o, JSON_fd_type, &n);

	t->kind = type && strcmp(type, "pipe") == 0 ? IOTAP_KIND_PIPE : IOTAP_KIND_ANON;
	s->text = s->key = s->buf.len;
	(void)buf_printf(&s->buf, "<%s>", type ? type : "other");
	(void)string_end(s, s->text, &t->text_len);
	t->key_len = t->text_len;
}

static void
build_named(struct iotap_target *t, struct strings *s, const char *name)
{
	s->text = s->key = s->buf.len;
	(void)buf_puts(&s->buf, name);
	(void)string_end(s, s->text, &t->text_len);
	t->key_len = t->text_len;
}

/* A file without a path, by device and inode where they are known. */
static void
build_unnamed(struct iotap_target *t, struct strings *s, const struct json_line *o)
{
	size_t n;
	const char *const device = json_line_text(o, JSON_device, &n);
	char name[96];

	t->ino = json_line_u64(o, JSON_inode);
	if (!device || t->ino == IOTAP_UNKNOWN ||
	    sscanf(device, "%" SCNu32 ":%" SCNu32, &t->dev_major, &t->dev_minor) != 2) {
		t->ino = 0;
		build_named(t, s, "<unnamed file>");
		return;
	}
	(void)snprintf(name, sizeof(name), "<file %" PRIu32 ":%" PRIu32 " inode %" PRIu64 ">", t->dev_major,
		       t->dev_minor, t->ino);
	build_named(t, s, name);
}

static void
build_text(struct iotap_target *t, struct strings *s, const struct json_line *o)
{
	s->text = s->buf.len;
	put_printable_path(&s->buf, o);
	(void)string_end(s, s->text, &t->text_len);
}

static void
build(struct iotap_target *t, struct strings *s, const struct json_line *o)
{
	build_path(t, s, o);
	t->klass = IOTAP_CLASS_OTHER;
	if (json_line_is(o, JSON_kind, "file")) {
		t->kind = IOTAP_KIND_FILE;
		t->klass = IOTAP_CLASS_FILE;
		s->key = s->path;
		t->key_len = t->path_len;
		if (s->path == SIZE_MAX)
			build_unnamed(t, s, o);
		else
			build_text(t, s, o);
	} else if (json_line_is(o, JSON_kind, "socket")) {
		t->kind = IOTAP_KIND_SOCKET;
		t->klass = IOTAP_CLASS_NETWORK;
		build_socket(t, s, o);
	} else if (json_line_is(o, JSON_kind, "other")) {
		build_other(t, s, o);
	} else {
		build_named(t, s, "<unknown>");
	}
}

static void
build_line(struct iotap_target *t, struct strings *s, const struct json_line *line)
{
	static const char *const resolved[] = {"none", "traced", "snapshot", "lazy"};
	static const char *const evidence[] = {"none", "kernel", "proc", "user"};
	size_t n;
	const char *const device = json_line_text(line, JSON_interface, &n);

	t->resolved = (enum iotap_resolved)choice(line, JSON_resolved, resolved, 4);
	t->evidence = (enum iotap_evidence)choice(line, JSON_evidence, evidence, 4);
	t->confirmed = json_line_i64(line, JSON_confirmed, 0) != 0;
	if (device) {
		s->device = s->buf.len;
		(void)buf_put(&s->buf, device, n);
		(void)string_end(s, s->device, &n);
	}
}

static const struct iotap_target *
target_add(struct json_targets *t, const struct json_line *line, uint64_t hash)
{
	struct strings s = {.path = SIZE_MAX, .text = SIZE_MAX, .key = SIZE_MAX, .device = SIZE_MAX};
	struct json_target *const target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	target->pub.id = t->next_id++;
	build(&target->pub, &s, t->object);
	build_line(&target->pub, &s, line);
	if (!buf_ok(&s.buf) || !map_put_ptr(&t->by_text, hash, target)) {
		buf_free(&s.buf);
		free(target);
		return NULL;
	}
	target->strings = (char *)s.buf.data;
	target->pub.path = s.path == SIZE_MAX ? NULL : target->strings + s.path;
	target->pub.text = target->strings + s.text;
	target->pub.key = target->strings + s.key;
	target->pub.device = s.device == SIZE_MAX ? NULL : target->strings + s.device;
	target->next = t->all;
	t->all = target;
	return &target->pub;
}

const struct iotap_target *
json_targets_get(struct json_targets *t, const struct json_line *line, const char *object, size_t n)
{
	uint64_t hash;
	const struct json_target *known;
	size_t n_device, n_resolved;
	const char *const device = json_line_text(line, JSON_interface, &n_device);
	const char *const resolved = json_line_text(line, JSON_resolved, &n_resolved);

	if (!object) {
		object = "{}";
		n = 2;
	}
	hash = hash_pair(hash_bytes(object, n, t->seed), hash_bytes(device, n_device, t->seed), t->seed);
	hash = hash_pair(hash, hash_bytes(resolved, n_resolved, t->seed), t->seed);
	known = map_find_ptr(&t->by_text, hash);
	if (known)
		return &known->pub;
	return json_line_parse(t->object, object, n) ? target_add(t, line, hash) : NULL;
}
