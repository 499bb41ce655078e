/* absent.c - see absent.h */
#include "decode/absent.h"

#include <string.h>
#include <strings.h>

#include "formats/error.h"

enum { NAMES_BYTES_MAX = 16 * 1024 };

typedef int compare_fn(const char *, const char *);

/* The first name that is equal by that measure, or NULL. */
static const char *
absent_find(const struct absent *a, const char *name, compare_fn *compare)
{
	const char *const all = (const char *)a->names.data;

	for (size_t at = 0; at < a->names.len; at += strlen(all + at) + 1)
		if (compare(all + at, name) == 0)
			return all + at;
	return NULL;
}

int
absent_seen(struct absent *a, const struct rec_interface *rec)
{
	char name[64];

	if (rec->name.n == 0 || rec->name.n >= sizeof(name) || memchr(rec->name.p, '\0', rec->name.n))
		return 0;
	memcpy(name, rec->name.p, rec->name.n);
	name[rec->name.n] = '\0';
	if (a->names.len + rec->name.n + 1 > NAMES_BYTES_MAX || absent_find(a, name, strcmp))
		return 0;
	return buf_put(&a->names, name, rec->name.n + 1) ? 0 : IOTAP_ENOMEM;
}

bool
absent_text(const struct absent *a, const char *name, struct buf *out)
{
	const char *like;

	if (a->names.len == 0) {
		(void)buf_printf(out, "the recording lists no interfaces: whether there is one called \"%s\" "
				 "is not known", name);
		return true;
	}
	if (absent_find(a, name, strcmp))
		return false;
	(void)buf_printf(out, "no interface is called \"%s\" at the start", name);
	like = absent_find(a, name, strcasecmp);
	if (like)
		(void)buf_printf(out, "; did you mean \"%s\"?", like);
	return true;
}

void
absent_fini(struct absent *a)
{
	buf_free(&a->names);
}
