/* kernel_types.c - a copy of the part of the kernel's type information that we need
 *
 * The format is linux/btf.h: a header, types one after the other, numbered from 1, names. Types refer to
 * each other by number. A type that ours names is needed, and what it holds: members, elements, what
 * stands behind a typedef or qualifier. What it only points to is not: libbpf compares pointers as
 * pointers. In the copy the needed ones are numbered anew, have their own names alone, and a reference to
 * any other is void. What has to be called by its number in the kernel, kernel_types_struct() knows.
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

#include "formats/base/buf.h"
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
		    !map_put(wanted, name_key(name), 0))
			return -1;
	}
	return 0;
}

/* A walk through what types hold: those still to be looked at, and who has been. */
struct walk {
	const struct types *types;
	bool *seen;			/* [types->n + 1]: needed */
	uint32_t *todo;
	size_t n_todo, n_seen;
};

static void
walk_add(struct walk *w, uint32_t i)
{
	if (i == 0 || i > w->types->n || w->seen[i])
		return;
	w->seen[i] = true;
	w->todo[w->n_todo++] = i;
	w->n_seen++;
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

static bool
walk_init(struct walk *w, const struct types *t)
{
	*w = (struct walk){.types = t, .seen = calloc(t->n + 1, sizeof(*w->seen)),
			   .todo = malloc((t->n + 1) * sizeof(*w->todo))};
	return w->seen && w->todo;
}

static void
walk_fini(struct walk *w)
{
	free(w->seen);
	free(w->todo);
}

/* Walks from every type of a wanted name, and notes the numbers of structures under their names. */
static void
walk_all(struct walk *w, struct map *wanted)
{
	const struct types *const t = w->types;

	for (uint32_t i = 1; i <= t->n; i++) {
		const struct btf_type type = type_at(t, i);
		const unsigned int kind = BTF_INFO_KIND(type.info);
		uint64_t *found;

		if (!names_something(kind) || type.name_off == 0 || type.name_off >= t->names_bytes)
			continue;
		found = map_find(wanted, name_key(t->names + type.name_off));
		if (!found)
			continue;
		if (kind == BTF_KIND_STRUCT && *found == 0)
			*found = i;
		walk_add(w, i);
		while (w->n_todo > 0)
			walk_into(w, w->todo[--w->n_todo]);
	}
}

/* Which types of the kernel's are needed for ours; wanted gets the numbers of structures by name. False:
 * nothing can be said. walk_fini and free(t->offset) in every case. */
static bool
needed(const void *bytes, size_t n, const struct btf *ours, struct types *t, struct walk *w,
       struct map *wanted)
{
	*w = (struct walk){0};
	if (types_open(t, bytes, n) < 0 || !walk_init(w, t) || names_of(ours, wanted) < 0)
		return false;
	walk_all(w, wanted);
	return w->n_seen > 0;
}

size_t
kernel_types_needed(const void *bytes, size_t n, const struct btf *ours)
{
	struct map wanted;
	struct types t;
	struct walk w;
	size_t found;

	map_init(&wanted, 0, 0);
	found = needed(bytes, n, ours, &t, &w, &wanted) ? w.n_seen : 0;
	walk_fini(&w);
	map_fini(&wanted);
	free(t.offset);
	return found;
}

/* -- the copy -- */

/* What is said of the types in the copy: their new numbers, and their names, each once. */
struct copy {
	const struct types *from;
	uint32_t *number;		/* [old number]: the new one, 0 = void */
	struct buf types, names;
	struct map name_at;		/* of a name's place in the kernel's: that in names */
};

static uint32_t
name_keep(struct copy *c, uint32_t at)
{
	const uint64_t *const kept = map_find(&c->name_at, at);
	const char *const name = at < c->from->names_bytes ? c->from->names + at : NULL;
	const uint32_t to = (uint32_t)c->names.len;

	if (kept)
		return (uint32_t)*kept;
	if (!name || !buf_put(&c->names, name, strlen(name) + 1) || !map_put(&c->name_at, at, to))
		c->names.failed = true;
	return to;
}

static uint32_t
number_of(const struct copy *c, uint32_t old)
{
	return old <= c->from->n ? c->number[old] : 0;
}

/* Every reference of one type, and every name that it has. */
static void
type_renew(struct copy *c, char *at)
{
	struct btf_type *const type = (struct btf_type *)(void *)at;
	const unsigned int kind = BTF_INFO_KIND(type->info), vlen = BTF_INFO_VLEN(type->info);

	type->name_off = name_keep(c, type->name_off);
	if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) {
		struct btf_member *const member = (struct btf_member *)(type + 1);

		for (unsigned int i = 0; i < vlen; i++) {
			member[i].type = number_of(c, member[i].type);
			member[i].name_off = name_keep(c, member[i].name_off);
		}
	} else if (kind == BTF_KIND_ARRAY) {
		struct btf_array *const array = (struct btf_array *)(type + 1);

		array->type = number_of(c, array->type);
		array->index_type = number_of(c, array->index_type);
	} else if (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) {
		for (unsigned int i = 0; i < vlen; i++) {	/* a value begins with its name */
			uint32_t *const name = (uint32_t *)(void *)(at + sizeof(*type) +
								    i * kind_size[kind].each);

			*name = name_keep(c, *name);
		}
	} else if (kind != BTF_KIND_INT && kind != BTF_KIND_FLOAT) {
		type->type = number_of(c, type->type);	/* of the others this is a size */
	}
}

/* A type that is walked to but holds types in ways of its own, which nobody here reads: void. */
static bool
is_simple(const struct types *t, uint32_t i)
{
	const unsigned int kind = BTF_INFO_KIND(type_at(t, i).info);

	return kind != BTF_KIND_FUNC_PROTO && kind != BTF_KIND_FUNC && kind != BTF_KIND_VAR &&
	       kind != BTF_KIND_DATASEC && kind != BTF_KIND_DECL_TAG;
}

static void
copy_fini(struct copy *c)
{
	free(c->number);
	buf_free(&c->types);
	buf_free(&c->names);
	map_fini(&c->name_at);
}

/* The needed types one after the other. False: out of memory. copy_fini in every case. */
static bool
copy_make(struct copy *c, const struct walk *w)
{
	const struct types *const t = w->types;
	uint32_t number = 0;

	*c = (struct copy){.from = t, .number = calloc(t->n + 1, sizeof(*c->number))};
	buf_init(&c->types, t->bytes);
	buf_init(&c->names, t->names_bytes);
	map_init(&c->name_at, hash_seed(), 0);
	for (uint32_t i = 1; c->number && i <= t->n; i++) {
		if (w->seen[i] && is_simple(t, i))
			c->number[i] = ++number;
	}
	if (!c->number || name_keep(c, 0) != 0)
		return false;
	for (uint32_t i = 1; i <= t->n; i++) {
		const size_t at = c->types.len;

		if (c->number[i] == 0)
			continue;
		if (!buf_put(&c->types, t->at + t->offset[i], t->offset[i + 1] - t->offset[i]))
			return false;
		type_renew(c, (char *)c->types.data + at);
	}
	return buf_ok(&c->names);
}

/* Header, types, names: a whole of its own. */
static bool
copy_write(int fd, const struct walk *w)
{
	struct copy c;
	bool good = copy_make(&c, w);
	const struct btf_header h = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h),
				     .type_len = (uint32_t)c.types.len, .str_off = (uint32_t)c.types.len,
				     .str_len = (uint32_t)c.names.len};

	good = good && io_write_all(fd, &h, sizeof(h)) && io_write_all(fd, c.types.data, c.types.len) &&
	       io_write_all(fd, c.names.data, c.names.len);
	copy_fini(&c);
	return good;
}

int
kernel_types_copy(struct kernel_types *k, const struct btf *ours, struct iotap_error *err)
{
	struct types t;
	struct walk w;
	struct rlimit limit, lifted;
	bool good;

	/* The copy is in memory: a limit on the size of the user's files is not meant. */
	(void)getrlimit(RLIMIT_FSIZE, &limit);
	lifted = (struct rlimit){.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
	(void)setrlimit(RLIMIT_FSIZE, &lifted);
	map_init(&k->structs, 0, 0);
	if (needed(k->bytes, k->n, ours, &t, &w, &k->structs)) {
		good = copy_write(k->fd, &w);
	} else {
		map_clear(&k->structs);
		good = io_write_all(k->fd, k->bytes, k->n);
	}
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	walk_fini(&w);
	free(t.offset);
	return good ? 0 : error_errno(err, IOTAP_ESYSTEM, errno, "cannot copy the kernel's types");
}

uint32_t
kernel_types_struct(const struct kernel_types *k, const char *name)
{
	const uint64_t *const found = map_find(&k->structs, name_key(name));

	return found ? (uint32_t)*found : 0;
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
	const size_t size = strlen(name) + 1;
	const char *at = t->bytes, *const end = t->bytes + t->n;

	while ((at = memmem(at, (size_t)(end - at), name, size)) != NULL) {
		if (at > t->bytes && at[-1] == '\0')	/* not the end of a longer name */
			return true;
		at += size;
	}
	return false;
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
	map_fini(&t->structs);
	*t = (struct kernel_types){.fd = -1};
}
