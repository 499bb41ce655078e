/* kernel_types.c - a copy of the kernel's type information that ends where we need no more of it
 *
 * The format is linux/btf.h: a header, types one after the other, numbered from 1, names. Types refer to
 * each other by number. A type that ours names is needed, and what it holds: members, elements, what
 * stands behind a typedef or qualifier. What it only points to is not: libbpf compares pointers as
 * pointers. A reference beyond the end of the copy becomes void, so that the copy is sound.
 */
#include "capture/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "formats/base/hash.h"
#include "formats/base/io.h"
#include "formats/base/map.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"

enum { TYPES_MAX = 1 << 22, KINDS = 20 };

/* What follows struct btf_type, in bytes: so many, and so many for each of its vlen parts. */
static const struct {
	uint8_t fixed, each;
} kind_size[KINDS] = {
	[BTF_KIND_INT] = {4, 0}, [BTF_KIND_ARRAY] = {sizeof(struct btf_array), 0},
	[BTF_KIND_STRUCT] = {0, sizeof(struct btf_member)},
	[BTF_KIND_UNION] = {0, sizeof(struct btf_member)},
	[BTF_KIND_ENUM] = {0, sizeof(struct btf_enum)},
	[BTF_KIND_FUNC_PROTO] = {0, sizeof(struct btf_param)},
	[BTF_KIND_VAR] = {sizeof(struct btf_var), 0},
	[BTF_KIND_DATASEC] = {0, sizeof(struct btf_var_secinfo)},
	[BTF_KIND_DECL_TAG] = {sizeof(struct btf_decl_tag), 0}, [BTF_KIND_ENUM64] = {0, 12},
};

/* All types of one body of type information, by number. */
struct types {
	const char *at, *names;		/* where they and their names begin */
	size_t bytes, names_bytes;
	uint32_t *offset;		/* [n + 1]: of each type, and of the end; [0] is void */
	size_t n;
};

static int
types_reserve(struct types *t, size_t *room)
{
	uint32_t *const more = t->n < *room ? t->offset
					    : realloc(t->offset, 2 * *room * sizeof(*more));

	if (!more)
		return -1;
	*room = t->n < *room ? *room : 2 * *room;
	t->offset = more;
	return 0;
}

/* 0, or -1 when something is not as linux/btf.h has it. */
static int
types_index(struct types *t)
{
	size_t at = 0, room = 1 << 17;

	t->offset = malloc(room * sizeof(*t->offset));
	if (!t->offset)
		return -1;
	for (t->n = 1; at < t->bytes; t->n++) {
		struct btf_type type;
		size_t kind, size;

		if (t->bytes - at < sizeof(type) || t->n > TYPES_MAX || types_reserve(t, &room) < 0)
			return -1;
		memcpy(&type, t->at + at, sizeof(type));
		kind = BTF_INFO_KIND(type.info);
		if (kind == 0 || kind >= KINDS)
			return -1;
		size = sizeof(type) + kind_size[kind].fixed +
		       (size_t)kind_size[kind].each * BTF_INFO_VLEN(type.info);
		if (t->bytes - at < size)
			return -1;
		t->offset[t->n] = (uint32_t)at;
		at += size;
	}
	if (types_reserve(t, &room) < 0)
		return -1;
	t->offset[t->n--] = (uint32_t)at;
	return 0;
}

static int
types_open(struct types *t, const void *bytes, size_t n)
{
	struct btf_header h;

	*t = (struct types){0};
	if (n < sizeof(h))
		return -1;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != BTF_MAGIC || h.hdr_len < sizeof(h) || h.hdr_len > n ||
	    h.type_off > n - h.hdr_len || h.type_len > n - h.hdr_len - h.type_off ||
	    h.str_off > n - h.hdr_len || h.str_len > n - h.hdr_len - h.str_off || h.str_len == 0 ||
	    h.type_off % 4 != 0)
		return -1;
	t->at = (const char *)bytes + h.hdr_len + h.type_off;
	t->bytes = h.type_len;
	t->names = (const char *)bytes + h.hdr_len + h.str_off;
	t->names_bytes = h.str_len;
	return t->names[t->names_bytes - 1] == '\0' ? types_index(t) : -1;
}

static struct btf_type
type_at(const struct types *t, size_t i)
{
	struct btf_type type;

	memcpy(&type, t->at + t->offset[i], sizeof(type));
	return type;
}

/* -- what is needed -- */

/* A name up to its flavour: three underscores and what follows them are ours (CO-RE). */
static uint64_t
name_key(const char *name)
{
	const char *const flavour = strstr(name, "___");

	return hash_bytes(name, flavour && flavour != name ? (size_t)(flavour - name) : strlen(name), 0) | 1;
}

static bool
names_something(unsigned int kind)
{
	static const bool yes[KINDS] = {
		[BTF_KIND_STRUCT] = true, [BTF_KIND_UNION] = true, [BTF_KIND_ENUM] = true,
		[BTF_KIND_FWD] = true, [BTF_KIND_TYPEDEF] = true, [BTF_KIND_INT] = true,
	};

	return kind < KINDS && yes[kind];
}

static int
names_of(const struct btf *ours, struct map *wanted)
{
	const uint32_t n = btf__type_cnt(ours);

	for (uint32_t i = 1; i < n; i++) {
		const struct btf_type *const type = btf__type_by_id(ours, i);
		const char *const name = btf__name_by_offset(ours, type->name_off);

		if (names_something(btf_kind(type)) && name && name[0] != '\0' &&
		    !map_put(wanted, name_key(name), 1))
			return -1;
	}
	return 0;
}

/* A walk through what types hold: those still to be looked at, and who has been. */
struct walk {
	const struct types *types;
	bool *seen;			/* [types->n + 1] */
	uint32_t *todo;
	size_t n_todo;
	uint32_t last;			/* the highest number so far */
};

static void
walk_add(struct walk *w, uint32_t i)
{
	if (i == 0 || i > w->types->n || w->seen[i])
		return;
	w->seen[i] = true;
	w->todo[w->n_todo++] = i;
	if (i > w->last)
		w->last = i;
}

static void
walk_members(struct walk *w, uint32_t i, uint32_t n)
{
	for (uint32_t m = 0; m < n; m++) {
		struct btf_member member;

		memcpy(&member, w->types->at + w->types->offset[i] + sizeof(struct btf_type) +
				m * sizeof(member), sizeof(member));
		walk_add(w, member.type);
	}
}

static void
walk_into(struct walk *w, uint32_t i)
{
	const struct btf_type type = type_at(w->types, i);
	const unsigned int kind = BTF_INFO_KIND(type.info);
	struct btf_array array;

	if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) {
		walk_members(w, i, BTF_INFO_VLEN(type.info));
	} else if (kind == BTF_KIND_ARRAY) {
		memcpy(&array, w->types->at + w->types->offset[i] + sizeof(type), sizeof(array));
		walk_add(w, array.type);
		walk_add(w, array.index_type);
	} else if (kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_CONST ||
		   kind == BTF_KIND_VOLATILE || kind == BTF_KIND_RESTRICT ||
		   kind == BTF_KIND_TYPE_TAG) {
		walk_add(w, type.type);
	}
}

static size_t
walk_all(const struct types *t, const struct map *wanted)
{
	struct walk w = {.types = t};

	w.seen = calloc(t->n + 1, sizeof(*w.seen));
	w.todo = malloc((t->n + 1) * sizeof(*w.todo));
	for (uint32_t i = 1; w.seen && w.todo && i <= t->n; i++) {
		const struct btf_type type = type_at(t, i);

		if (!names_something(BTF_INFO_KIND(type.info)) || type.name_off == 0 ||
		    type.name_off >= t->names_bytes ||
		    !map_find(wanted, name_key(t->names + type.name_off)))
			continue;
		walk_add(&w, i);
		while (w.n_todo > 0)
			walk_into(&w, w.todo[--w.n_todo]);
	}
	free(w.seen);
	free(w.todo);
	return w.last;
}

static size_t
needed(const struct types *t, const struct btf *ours)
{
	struct map wanted;
	size_t n = 0;

	map_init(&wanted, 0, 0);
	if (names_of(ours, &wanted) == 0)
		n = walk_all(t, &wanted);
	map_fini(&wanted);
	return n;
}

size_t
kernel_types_needed(const void *bytes, size_t n, const struct btf *ours)
{
	struct types t;
	const size_t found = types_open(&t, bytes, n) == 0 ? needed(&t, ours) : 0;

	free(t.offset);
	return found;
}

/* -- the copy -- */

static void
refuse_beyond(uint32_t *reference, size_t last)
{
	if (*reference > last)
		*reference = 0;
}

/* Makes one type refer to nothing beyond the last one. */
static void
type_cut(char *at, size_t last)
{
	struct btf_type *const type = (struct btf_type *)(void *)at;
	const unsigned int kind = BTF_INFO_KIND(type->info), vlen = BTF_INFO_VLEN(type->info);

	if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) {
		for (unsigned int i = 0; i < vlen; i++)
			refuse_beyond(&((struct btf_member *)(type + 1))[i].type, last);
	} else if (kind == BTF_KIND_FUNC_PROTO) {
		for (unsigned int i = 0; i < vlen; i++)
			refuse_beyond(&((struct btf_param *)(type + 1))[i].type, last);
	} else if (kind == BTF_KIND_DATASEC) {
		for (unsigned int i = 0; i < vlen; i++)
			refuse_beyond(&((struct btf_var_secinfo *)(type + 1))[i].type, last);
	} else if (kind == BTF_KIND_ARRAY) {
		refuse_beyond(&((struct btf_array *)(type + 1))->type, last);
		refuse_beyond(&((struct btf_array *)(type + 1))->index_type, last);
	}
	/* Of these the word is a size, not a type. */
	if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION && kind != BTF_KIND_INT &&
	    kind != BTF_KIND_ENUM && kind != BTF_KIND_ENUM64 && kind != BTF_KIND_DATASEC)
		refuse_beyond(&type->type, last);
}

/* Header, types up to the last one, names: a whole of its own. */
static bool
copy_write(int fd, const struct types *t, size_t last)
{
	const uint32_t bytes = t->offset[last + 1];
	const struct btf_header h = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h),
				     .type_len = bytes, .str_off = bytes,
				     .str_len = (uint32_t)t->names_bytes};
	char *const copy = malloc(bytes);
	bool good = copy != NULL;

	if (good) {
		memcpy(copy, t->at, bytes);
		for (size_t i = 1; i <= last; i++)
			type_cut(copy + t->offset[i], last);
		good = io_write_all(fd, &h, sizeof(h)) && io_write_all(fd, copy, bytes) &&
		       io_write_all(fd, t->names, t->names_bytes);
	}
	free(copy);
	return good;
}

int
kernel_types_copy(struct kernel_types *k, const struct btf *ours, struct iotap_error *err)
{
	struct types t;
	const size_t last = types_open(&t, k->bytes, k->n) == 0 ? needed(&t, ours) : 0;
	struct rlimit limit, lifted;
	bool good;

	/* The copy is in memory: a limit on the size of the user's files is not meant. */
	(void)getrlimit(RLIMIT_FSIZE, &limit);
	lifted = (struct rlimit){.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
	(void)setrlimit(RLIMIT_FSIZE, &lifted);
	good = last > 0 ? copy_write(k->fd, &t, last) : io_write_all(k->fd, k->bytes, k->n);
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	free(t.offset);
	return good ? 0 : error_errno(err, IOTAP_ESYSTEM, errno, "cannot copy the kernel's types");
}

/* -- what the kernel has -- */

/* Mapped where it can be (6.16), else read: each read gives a page. */
static void
bytes_get(struct kernel_types *t, int fd, size_t size)
{
	void *const p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	ssize_t got = -1;

	t->mapped = p != MAP_FAILED;
	t->bytes = t->mapped ? p : malloc(size);
	t->n = size;
	if (t->mapped || !t->bytes)
		return;
	got = io_read_full(fd, t->bytes, size);
	t->n = got > 0 ? (size_t)got : 0;
}

static int
own_get(struct kernel_types *t, struct iotap_error *err)
{
	const int fd = open(BTF_PATH, O_RDONLY | O_CLOEXEC);
	struct stat st = {0};

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		bytes_get(t, fd, (size_t)st.st_size);
	if (!t->bytes || t->n == 0)
		(void)error_errno(err, IOTAP_EUNSUPPORTED, errno, "no type information of this kernel (%s): "
				  "mount sysfs, or give a file of it with --btf", BTF_PATH);
	if (fd >= 0)
		(void)close(fd);
	return t->bytes && t->n > 0 ? 0 : IOTAP_EUNSUPPORTED;
}

static int
file_get(struct kernel_types *t, const char *path, struct iotap_error *err)
{
	struct btf *const btf = access(path, R_OK) == 0 ? btf__parse(path, NULL) : NULL;
	const int failed = errno;
	const void *bytes = NULL;
	uint32_t n = 0;

	if (!btf)
		return error_errno(err, IOTAP_EUNSUPPORTED, failed, "--btf: no type information in %s", path);
	bytes = btf__raw_data(btf, &n);
	t->bytes = bytes ? malloc(n) : NULL;
	if (t->bytes)
		memcpy(t->bytes, bytes, n);
	t->n = t->bytes ? n : 0;
	btf__free(btf);
	return t->bytes ? 0 : error_set(err, IOTAP_ENOMEM, "out of memory");
}

int
kernel_types_open(struct kernel_types *t, const char *path, struct iotap_error *err)
{
	int r;

	*t = (struct kernel_types){.fd = -1};
	r = path ? file_get(t, path, err) : own_get(t, err);
	if (r < 0)
		return r;
	t->fd = memfd_create("iotap-types", MFD_CLOEXEC);
	if (t->fd < 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot copy the kernel's types");
	(void)snprintf(t->path, sizeof(t->path), "/proc/self/fd/%d", t->fd);
	return 0;
}

bool
kernel_types_function(const struct kernel_types *t, const char *name)
{
	return memmem(t->bytes, t->n, name, strlen(name) + 1) != NULL;
}

void
kernel_types_close(struct kernel_types *t)
{
	if (t->mapped)
		(void)munmap(t->bytes, t->n);
	else
		free(t->bytes);
	if (t->fd >= 0)
		(void)close(t->fd);
	*t = (struct kernel_types){.fd = -1};
}
