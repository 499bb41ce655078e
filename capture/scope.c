/* scope.c - targets that are no single processes: users, cgroups, the whole machine */
#include "capture/scope.h"

#include <errno.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "formats/base/buf.h"
#include "formats/base/io.h"
#include "formats/base/quantity.h"

enum { PATH_BYTES = 4096, CONTAINER_MIN = 12 };

static int
find_user(const char *text, uint32_t *uid, struct iotap_error *err)
{
	uint64_t number;
	const struct passwd *who;

	if (quantity_u64(text, &number) && number < UINT32_MAX) {
		*uid = (uint32_t)number;
		return 0;
	}
	who = getpwnam(text);
	if (!who)
		return error_set(err, IOTAP_ENOTFOUND, "there is no user \"%s\"", text);
	*uid = who->pw_uid;
	return 0;
}

/* The next of words that are separated by one of these characters; false: no more. */
static bool
next_word(const char **at, const char *separators, const char **word, size_t *n)
{
	*at += strspn(*at, separators);
	*word = *at;
	*n = strcspn(*at, separators);
	*at += *n;
	return *n > 0;
}

static bool
has_word(const char *words, const char *word, size_t n)
{
	const char *one;
	size_t len;

	while (next_word(&words, ",", &one, &len)) {
		if (len == n && memcmp(one, word, n) == 0)
			return true;
	}
	return false;
}

uint32_t
scope_hierarchy_of(const char *options, const char *cgroup_text)
{
	const char *line, *name;
	size_t n, len;

	while (next_word(&cgroup_text, "\n", &line, &n)) {
		char head[256];
		unsigned int number;
		int used = 0;
		const char *names = head;

		(void)snprintf(head, sizeof(head), "%.*s", (int)(n < 255 ? n : 255), line);
		if (sscanf(head, "%u:%n", &number, &used) != 1 || used == 0 || number == 0)
			continue;
		names += used;
		head[used + (int)strcspn(names, ":")] = '\0';
		while (next_word(&names, ",", &name, &len)) {
			if (memchr(name, '=', len) == NULL && has_word(options, name, len))
				return number;
		}
	}
	return 0;
}

/* The super block options of the mount of that device, which are the last word of its line. */
static bool
mount_options(dev_t device, struct buf *out)
{
	char wanted[32];
	struct buf text;
	const char *at, *line;
	size_t n;

	(void)snprintf(wanted, sizeof(wanted), " %u:%u ", major(device), minor(device));
	buf_init(&text, 0);
	if (io_read_file("/proc/self/mountinfo", &text)) {
		at = buf_cstr(&text);
		while (out->len == 0 && next_word(&at, "\n", &line, &n)) {
			const char *const found = memmem(line, n, wanted, strlen(wanted));
			const char *const last = memrchr(line, ' ', n);

			if (found && last)
				(void)buf_put(out, last + 1, (size_t)(line + n - last - 1));
		}
	}
	buf_free(&text);
	return out->len > 0;
}

static uint32_t
hierarchy_of_device(dev_t device)
{
	struct buf options, groups;
	uint32_t number = 0;

	buf_init(&options, 0);
	buf_init(&groups, 0);
	if (mount_options(device, &options) && io_read_file("/proc/self/cgroup", &groups))
		number = scope_hierarchy_of(buf_cstr(&options), buf_cstr(&groups));
	buf_free(&groups);
	buf_free(&options);
	return number;
}

/* As the user wrote it, or below where cgroups are usually mounted. */
static bool
find_folder(const char *text, char *path, struct stat *st, long *type)
{
	struct statfs fs;

	for (int i = 0; i < 2; i++) {
		const int n = snprintf(path, PATH_BYTES, "%s%s", i == 0 ? "" : "/sys/fs/cgroup/", text);

		if (n >= PATH_BYTES || stat(path, st) != 0 || !S_ISDIR(st->st_mode) ||
		    statfs(path, &fs) != 0)
			continue;
		*type = (long)fs.f_type;
		if (*type == CGROUP2_SUPER_MAGIC || *type == CGROUP_SUPER_MAGIC)
			return true;
	}
	return false;
}

static int
find_cgroup(const char *text, uint64_t *id, uint32_t *hierarchy, struct iotap_error *err)
{
	char path[PATH_BYTES];
	struct stat st;
	long type;

	if (!find_folder(text, path, &st, &type))
		return error_set(err, IOTAP_ENOTFOUND, "there is no cgroup \"%s\": give its folder, "
				 "or its path below /sys/fs/cgroup", text);
	*id = st.st_ino;
	*hierarchy = type == CGROUP2_SUPER_MAGIC ? 0 : hierarchy_of_device(st.st_dev);
	if (type != CGROUP2_SUPER_MAGIC && *hierarchy == 0)
		return error_set(err, IOTAP_EUNSUPPORTED, "the cgroup \"%s\" is in a hierarchy without "
				 "a controller, which cannot be traced: name it in another one", text);
	return 0;
}

int
scope_find(struct scope *s, struct iotap_error *err)
{
	int r = 0;

	if (s->n_users > KR_SCOPE_MAX || s->n_cgroups > KR_SCOPE_MAX)
		return error_set(err, IOTAP_ELIMIT, "at most %d users and %d cgroups", KR_SCOPE_MAX,
				 KR_SCOPE_MAX);
	for (size_t i = 0; r == 0 && i < s->n_users; i++)
		r = find_user(s->users[i], &s->uid[i], err);
	for (size_t i = 0; r == 0 && i < s->n_cgroups; i++)
		r = find_cgroup(s->cgroups[i], &s->cgroup[i], &s->hierarchy[i], err);
	return r;
}

const char *
scope_cgroup_path(const char *text, size_t n, size_t *len)
{
	const char *best = "", *const end = text + n;

	*len = 0;
	for (const char *line = text; line < end;) {
		const char *const stop = memchr(line, '\n', (size_t)(end - line));
		const char *const line_end = stop ? stop : end;
		const char *const first = memchr(line, ':', (size_t)(line_end - line));
		const char *const path = first ? memchr(first + 1, ':', (size_t)(line_end - first - 1))
					       : NULL;
		const size_t bytes = path ? (size_t)(line_end - path - 1) : 0;

		/* "/" tells least; the line of version 2, "0::", comes last and most. */
		if (bytes > 0 && (*len <= 1 || (bytes > 1 && line[0] == '0' && line[1] == ':'))) {
			best = path + 1;
			*len = bytes;
		}
		line = line_end + 1;
	}
	return best;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

const char *
scope_container(const char *path, size_t n, size_t *len)
{
	const char *best = path;

	*len = 0;
	for (size_t at = 0; at < n;) {
		size_t run = 0;
		bool digits = false;

		while (at + run < n && is_hex(path[at + run])) {
			digits = digits || path[at + run] <= '9';
			run++;
		}
		if (run >= CONTAINER_MIN && digits) {
			best = path + at;
			*len = run;
		}
		at += run + 1;
	}
	return best;
}
