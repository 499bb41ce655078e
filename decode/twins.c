/* twins.c - one recording given twice, whose calls would count twice
 *
 * A copy begins with the same bytes: the header block has the session, a random number, and its time. What
 * was cut out of one recording, by time or process, has the same header and goes on differently, so more
 * is compared before a file is refused: of two that are equal that far one is a copy, or was cut off. What
 * else has the session is looked at for calls that both have (overlap.h).
 */
#include "decode/twins.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/overlap.h"
#include "formats/base/io.h"

enum { HEAD_BYTES = 64, COMPARED_BYTES = 65536, SESSION_AT = 16, SESSION_BYTES = 8 };

struct twin {
	struct stat st;
	size_t n;			/* bytes of head, 0 = no file */
	uint8_t head[HEAD_BYTES];
};

static size_t
read_beginning(int fd, uint8_t *p, size_t size)
{
	const ssize_t n = io_read_at(fd, 0, p, size);

	return n > 0 ? (size_t)n : 0;
}

static void
twin_look(struct twin *t, int fd)
{
	if (fstat(fd, &t->st) == 0 && S_ISREG(t->st.st_mode))
		t->n = read_beginning(fd, t->head, sizeof(t->head));
}

static bool
same_file(const struct twin *a, const struct twin *b)
{
	return a->n > 0 && b->n > 0 && a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
}

/* 1 = it is, 0 = it is not, negative: out of memory. */
static int
is_copy(int a_fd, int b_fd)
{
	uint8_t *const a = malloc(2 * COMPARED_BYTES);
	uint8_t *const b = a ? a + COMPARED_BYTES : NULL;
	size_t n, other;
	int yes;

	if (!a)
		return IOTAP_ENOMEM;
	n = read_beginning(a_fd, a, COMPARED_BYTES);
	other = read_beginning(b_fd, b, COMPARED_BYTES);
	yes = n >= HEAD_BYTES && other >= HEAD_BYTES && memcmp(a, b, n < other ? n : other) == 0;
	free(a);
	return yes;
}

/* An input that was read from before is somebody's affair who knows why. */
static bool
at_beginning(int fd)
{
	return lseek(fd, 0, SEEK_CUR) == 0;
}

static int
refuse(const struct twin *twins, size_t i, size_t k, const int *fds, const char *const *names,
       struct iotap_error *err)
{
	int copy = 0;

	if (same_file(&twins[i], &twins[k]))
		return error_set(err, IOTAP_EUSAGE, "%s: is the same file as %s: its calls would count twice; name "
				 "it once", names[i], names[k]);
	if (twins[i].n < HEAD_BYTES || twins[k].n < HEAD_BYTES ||
	    memcmp(twins[i].head + SESSION_AT, twins[k].head + SESSION_AT, SESSION_BYTES) != 0)
		return 0;
	if (memcmp(twins[i].head, twins[k].head, HEAD_BYTES) == 0)
		copy = is_copy(fds[i], fds[k]);
	if (copy > 0)
		return error_set(err, IOTAP_EUSAGE, "%s: is a copy of %s, or a part of it: its calls would count "
				 "twice; name one of them", names[i], names[k]);
	if (copy == 0 && at_beginning(fds[i]) && at_beginning(fds[k]))
		copy = overlap_find(fds[i], fds[k]);
	if (copy > 0)
		return error_set(err, IOTAP_EUSAGE, "%s: has calls of %s, too, of whose recording it is: they would "
				 "count twice; name one of them", names[i], names[k]);
	return copy == 0 ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
}

int
twins_refuse(const int *fds, const char *const *names, size_t n, struct iotap_error *err)
{
	struct twin *const twins = n > 1 ? calloc(n, sizeof(*twins)) : NULL;
	int r = 0;

	if (!twins)
		return n > 1 ? error_set(err, IOTAP_ENOMEM, "out of memory") : 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		twin_look(&twins[i], fds[i]);
		for (size_t k = 0; k < i && r == 0; k++)
			r = refuse(twins, i, k, fds, names, err);
	}
	free(twins);
	return r;
}
