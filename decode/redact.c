/* redact.c - records without what tells whose they are */
#include "decode/redact.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "decode/notice.h"
#include "decode/target.h"
#include "formats/kernel_record.h"

enum how { EMPTY, KEEP, NAME, PATH, ARGUMENTS, INTERFACE, ADDRESS, ID, TEXT, TARGET };

static const struct rule {
	enum rec_type type;
	const char *field;
	enum how how;
} rules[] = {
#define REDACT(record, field, how) {REC_##record, #field, how},
#include "decode/redact.def"
#undef REDACT
};

/* -- the key -- */

static int
key_read(const char *path, uint8_t *secret, size_t size, size_t *n, struct iotap_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t got = 0;

	*n = 0;
	if (fd < 0)
		return error_errno(err, IOTAP_EIO, errno, "--redact: %s: cannot open it", path);
	do {
		got = read(fd, secret + *n, size - *n);
		if (got > 0)
			*n += (size_t)got;
	} while (*n < size && (got > 0 || (got < 0 && errno == EINTR)));
	if (got < 0)
		(void)error_errno(err, IOTAP_EIO, errno, "--redact: %s: cannot read it", path);
	else if (*n < PSEUDONYM_KEY_MIN)
		(void)error_set(err, IOTAP_EUSAGE, "--redact: %s: a key has at least %d bytes: make one with "
				"\"head -c 32 /dev/urandom >FILE\"", path, PSEUDONYM_KEY_MIN);
	(void)close(fd);
	return got < 0 ? IOTAP_EIO : *n < PSEUDONYM_KEY_MIN ? IOTAP_EUSAGE : 0;
}

int
redact_open(struct redact *r, const char *path, struct iotap_error *err)
{
	uint8_t secret[4096];
	size_t n = 32;
	int status = 0;

	*r = (struct redact){.keys = {{0, 0}, {0, 0}, {0, 0}, {0, 0}}};
	if (strcmp(path, "-") != 0)
		status = key_read(path, secret, sizeof(secret), &n, err);
	else if (getrandom(secret, n, 0) != (ssize_t)n)
		status = error_errno(err, IOTAP_ESYSTEM, errno, "--redact: no random key");
	if (status == 0)
		pseudonym_keys(&r->keys, secret, n);
	explicit_bzero(secret, sizeof(secret));
	return status;
}

void
redact_close(struct redact *r)
{
	for (size_t i = 0; i < sizeof(r->scratch) / sizeof(r->scratch[0]); i++)
		buf_free(&r->scratch[i]);
	explicit_bzero(&r->keys, sizeof(r->keys));
}

/* -- fields -- */

static enum how
how_of(enum rec_type type, const char *field)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].type == type && strcmp(rules[i].field, field) == 0)
			return rules[i].how;
	}
	return EMPTY;
}

/* The kernel's own names of anonymous inodes stay: they are the same everywhere. */
static enum how
how_of_target(struct rec_target *t)
{
	const size_t known = t->kind == KR_KIND_ANON ? target_anon_known((const char *)t->text.p, t->text.n) : 0;

	if (known == 0)
		return PATH;
	t->text.n = (uint32_t)known;
	return KEEP;
}

/* Messages may name anything; those of pauses are needed to know what was not recorded. */
static void
put_text(struct buf *out, const struct bytes *from)
{
	char text[128];

	if (from->n > 0 && from->n < sizeof(text)) {
		memcpy(text, from->p, from->n);
		text[from->n] = '\0';
		if (notice_pause(text) != NOTICE_NO_PAUSE) {
			(void)buf_puts(out, text);
			return;
		}
	}
	(void)buf_puts(out, from->n > 0 ? "a message of the recording, hidden by --redact" : "");
}

static void
put_field(const struct redact *r, struct buf *out, enum how how, const struct bytes *from)
{
	const uint8_t *nul;

	switch (how) {
	case EMPTY:
	case TARGET:
		return;
	case KEEP:
		(void)buf_put(out, from->p, from->n);
		return;
	case NAME:
		pseudonym_name(&r->keys, out, from->p, from->n);
		return;
	case PATH:
		pseudonym_path(&r->keys, out, from->p, from->n, REC_BYTES_MAX);
		return;
	case ARGUMENTS:
		nul = from->n > 0 ? memchr(from->p, '\0', from->n) : NULL;
		pseudonym_path(&r->keys, out, from->p, nul ? (size_t)(nul - from->p) : from->n, REC_BYTES_MAX);
		return;
	case INTERFACE:
		pseudonym_interface(&r->keys, out, from->p, from->n);
		return;
	case ADDRESS:
		(void)buf_put(out, from->p, from->n == 4 || from->n == 16 ? from->n : 0);
		if (buf_ok(out))
			pseudonym_address(&r->keys, out->data, out->len);
		return;
	case ID:
		pseudonym_id(&r->keys, out, from->p, from->n);
		return;
	case TEXT:
		put_text(out, from);
		return;
	}
}

bool
redact_record(struct redact *r, enum rec_type type, void *rec)
{
	const struct rec_info *const info = rec_info(type);
	size_t at = 0;

	for (uint32_t i = 0; info && i < info->n_fields; i++) {
		const struct rec_field *const field = &info->fields[i];
		struct bytes *const value = (struct bytes *)((char *)rec + field->offset);
		enum how how;

		if (field->how != 'B')
			continue;
		if (at == sizeof(r->scratch) / sizeof(r->scratch[0]))
			return false;
		how = how_of(type, field->name);
		if (how == TARGET)
			how = how_of_target(rec);
		buf_clear(&r->scratch[at]);
		put_field(r, &r->scratch[at], how, value);
		if (!buf_ok(&r->scratch[at]))
			return false;
		*value = rec_bytes(r->scratch[at].data, r->scratch[at].len);
		at++;
	}
	return info != NULL;
}
