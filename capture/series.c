/* series.c - the files of a capture that writes more than one: FILE.1, FILE.2 ...
 *
 * Why numbers that go up for ever, and not tcpdump's ring of names: a reader never finds another
 * recording under a name it has seen, and names sort by age. What tcpdump -C -W bounds, keep bounds.
 */
#include "capture/series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/quantity.h"
#include "formats/base/recording.h"

enum { NUMBER_BYTES = 24, NAME_MAX_BYTES = 255, TRIES = 8 };

static int
out_of_memory(struct iotap_error *err)
{
	return error_set(err, IOTAP_ENOMEM, "out of memory");
}

static const char *
base_name(const struct series *s)
{
	const char *const slash = strrchr(s->base, '/');

	return slash ? slash + 1 : s->base;
}

/* The number of a file of ours, or false: no other way of writing it counts. */
static bool
number_of(const char *name, const char *base, uint64_t *out)
{
	const size_t n = strlen(base);

	return strncmp(name, base, n) == 0 && name[n] == '.' && name[n + 1] != '0' &&
	       quantity_u64(name + n + 1, out) && *out < UINT64_MAX / 2;
}

static int
by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The highest are kept when there are more than can be. */
static void
number_add(struct series *s, uint64_t number)
{
	if (s->n_numbers == SERIES_KEEP_MAX) {
		memmove(s->numbers, s->numbers + 1, (s->n_numbers - 1) * sizeof(*s->numbers));
		s->n_numbers--;
	}
	s->numbers[s->n_numbers++] = number;
	if (s->n_numbers > 1 && number < s->numbers[s->n_numbers - 2])
		qsort(s->numbers, s->n_numbers, sizeof(*s->numbers), by_number);
}

static int
look_around(struct series *s, struct iotap_error *err)
{
	const int fd = dup(s->dir);
	DIR *const d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	uint64_t number;

	if (!d) {
		const int error = errno;

		if (fd >= 0)
			(void)close(fd);
		return error_errno(err, IOTAP_EIO, error, "%s: its directory", s->base);
	}
	while ((entry = readdir(d)) != NULL) {
		if (number_of(entry->d_name, base_name(s), &number))
			number_add(s, number);
	}
	(void)closedir(d);
	return 0;
}

static int
open_directory(struct series *s, struct iotap_error *err)
{
	const char *const name = base_name(s);
	char *const folder = name == s->base ? strdup(".") : strndup(s->base, (size_t)(name - s->base));

	if (!folder)
		return out_of_memory(err);
	s->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (s->dir < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", s->base);
	if (name[0] == '\0' || strlen(name) + NUMBER_BYTES > NAME_MAX_BYTES)
		return error_set(err, IOTAP_EIO, "%s: not a name to which a number can be added", s->base);
	return 0;
}

int
series_open(struct series *s, const char *base, uint64_t keep, struct iotap_error *err)
{
	int r;

	*s = (struct series){.base = base, .dir = -1, .keep = keep};
	s->numbers = calloc(SERIES_KEEP_MAX, sizeof(*s->numbers));
	s->path = malloc(strlen(base) + NUMBER_BYTES);
	s->name = malloc(strlen(base) + NUMBER_BYTES);
	if (!s->numbers || !s->path || !s->name)
		return out_of_memory(err);
	strcpy(s->path, base);
	strcpy(s->name, base_name(s));
	r = open_directory(s, err);
	return r == 0 ? look_around(s, err) : r;
}

void
series_close(struct series *s)
{
	free(s->numbers);
	free(s->path);
	free(s->name);
	if (s->numbers && s->dir >= 0)
		(void)close(s->dir);
	*s = (struct series){.dir = -1};
}

static int
make(const struct series *s, const char *name)
{
	return openat(s->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int
series_try(const struct series *s, const struct owner *as, struct iotap_error *err)
{
	char name[64];
	int fd, error;

	(void)snprintf(name, sizeof(name), ".iotap-try-%ld", (long)getpid());
	(void)setfsgid(as->gid);
	(void)setfsuid(as->uid);
	fd = make(s, name);
	error = errno;
	if (fd >= 0)
		(void)unlinkat(s->dir, name, 0);
	(void)setfsuid(geteuid());
	(void)setfsgid(getegid());
	if (fd < 0)
		return error_errno(err, IOTAP_EPERM, error,
				   "%s: user %u, as whom capture goes on, cannot make files there",
				   s->base, (unsigned int)as->uid);
	(void)close(fd);
	return 0;
}

static void
remove_oldest(struct series *s)
{
	char name[NAME_MAX_BYTES + 1];

	(void)snprintf(name, sizeof(name), "%s.%llu", base_name(s),
		       (unsigned long long)s->numbers[0]);
	if (recording_is_one(s->dir, name))	/* somebody may have put anything there since */
		(void)unlinkat(s->dir, name, 0);
	s->n_numbers--;
	memmove(s->numbers, s->numbers + 1, s->n_numbers * sizeof(*s->numbers));
}

int
series_next(struct series *s, int *fd, struct iotap_error *err)
{
	uint64_t number = s->n_numbers > 0 ? s->numbers[s->n_numbers - 1] + 1 : 1;

	for (int i = 0; i < TRIES; i++, number++) {
		(void)sprintf(s->name, "%s.%llu", base_name(s), (unsigned long long)number);
		(void)sprintf(s->path, "%s.%llu", s->base, (unsigned long long)number);
		*fd = make(s, s->name);
		if (*fd >= 0 || errno != EEXIST)
			break;
	}
	if (*fd < 0)
		return error_errno(err, IOTAP_EIO, errno, "%s", s->path);
	number_add(s, number);
	while (s->keep > 0 && s->n_numbers > s->keep)
		remove_oldest(s);
	return 0;
}

void
series_undo(struct series *s)
{
	(void)unlinkat(s->dir, s->name, 0);
	s->n_numbers--;
}

void
series_owner(const struct series *s, struct owner *owner)
{
	struct stat st;

	if (geteuid() != 0 || owner->uid != 0 || fstat(s->dir, &st) != 0)
		return;
	owner->uid = st.st_uid;
	owner->gid = st.st_uid == 0 ? owner->gid : st.st_gid;
	owner->stays_root = st.st_uid == 0;
}
