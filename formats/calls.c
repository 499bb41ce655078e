/* calls.c - the rows of calls.def, by id, by name, and by the numbers of three architectures
 *
 * The numbers are asserted against the kernel's own headers in calls_x86_64.c, calls_i386.c and
 * calls_arm64.c, wherever those headers are.
 */
#include "formats/calls.h"

#include <string.h>

#include "formats/kernel_record.h"

enum row_kind { ROW_CALL, ROW_REQUEST, ROW_TWIN, ROW_PART };

struct call_row {
	const char *name, *tag, *op;
	enum row_kind kind;
	short nr[4];			/* by enum call_arch; -1 = not there */
	struct call_spec spec;
};

static const struct call_row rows[] = {
#define ROW(kind, id, tag, name, x86, arm64, i386, op, dir, on, fd, fd2, size, offset, ret, take, taken, \
	    effect, keep0, keep1) \
	[id] = {#name, #tag, #op, ROW_##kind, {-1, x86, arm64, i386}, \
		CALL_SPEC_INIT(fd, fd2, size, offset, dir, on, ret, take, taken, effect, keep0, keep1)},
#define CALL(id, name, ...) ROW(CALL, id, name, name, __VA_ARGS__)
#define REQUEST(id, name, ...) ROW(REQUEST, id, name, name, -1, -1, -1, __VA_ARGS__)
#define TWIN(id, tag, name, ...) ROW(TWIN, id, tag, name, -1, -1, -1, __VA_ARGS__)
#define PART(id, name, ...) ROW(PART, id, name, name, -1, -1, -1, __VA_ARGS__)
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
#undef ROW
#undef CALL
#undef ALIAS
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

_Static_assert((int)N_ROWS <= (int)KR_MAX_CALLS, "call ids fit the kernel half's tables");

static const struct call_alias {
	enum call_arch arch;
	int nr;
	unsigned int id;
} aliases[] = {
#define CALL(id, name, ...)
#define ALIAS(arch, nr, name) {ARCH_##arch, nr, CALL_##name},
#include "formats/calls.def"
#undef CALL
#undef ALIAS
};

enum { N_ALIASES = sizeof(aliases) / sizeof(aliases[0]) };

const struct call_spec *
call_spec(unsigned int id)
{
	static const struct call_spec none = {.fd = -1, .fd2 = -1, .size = SIZE_NO,
					      .offset = OFFSET_NO, .taken = -1, .keep0 = -1,
					      .keep1 = -1};

	return id < N_ROWS && rows[id].name ? &rows[id].spec : &none;
}

const char *
call_name(unsigned int id)
{
	return id < N_ROWS ? rows[id].name : NULL;
}

const char *
call_op(unsigned int id)
{
	return id < N_ROWS ? rows[id].op : NULL;
}

const char *
call_tag(unsigned int id)
{
	return id < N_ROWS ? rows[id].tag : NULL;
}

enum call_second
call_second(unsigned int id)
{
	const struct call_spec *const s = call_spec(id);

	switch ((enum call_take)s->take) {
	case TAKE_PATHS1:
	case TAKE_PATHS2:
		return SECOND_PATH;
	case TAKE_PEER_TO:
	case TAKE_PEER_FROM:
	case TAKE_PEER_MSG:
		return SECOND_PEER;
	case TAKE_PATH:
		return s->fd >= 0 ? SECOND_BASE : SECOND_NONE;
	case TAKE_NONE:
	case TAKE_ADDR:
	case TAKE_PAIR:
	case TAKE_PROCESS:
	case TAKE_QUEUE:
		break;
	}
	if (s->fd2 >= 0 || s->effect == EFFECT_CLONES)
		return SECOND_SOURCE;
	if (s->effect == EFFECT_PAIR || s->effect == EFFECT_DUPS || s->effect == EFFECT_FCNTL)
		return SECOND_FROM;
	return s->effect == EFFECT_OPENS && s->fd >= 0 ? SECOND_FROM : SECOND_NONE;
}

unsigned int
call_from_nr(enum call_arch arch, long nr)
{
	if (nr < 0)
		return CALL_NONE;
	for (unsigned int id = 1; id < N_ROWS; id++) {
		if (rows[id].name && rows[id].nr[arch] == nr)
			return id;
	}
	for (size_t i = 0; i < N_ALIASES; i++) {
		if (aliases[i].arch == arch && aliases[i].nr == nr)
			return aliases[i].id;
	}
	return CALL_NONE;
}

unsigned int
call_from_name(const char *name)
{
	for (unsigned int id = 1; id < N_ROWS; id++) {
		if (rows[id].name && (strcmp(rows[id].name, name) == 0 || strcmp(rows[id].tag, name) == 0))
			return id;
	}
	return CALL_NONE;
}

unsigned int
call_that_moves(unsigned int id, enum call_dir dir)
{
	if (id >= N_ROWS || !rows[id].name || rows[id].spec.dir == dir)
		return id;
	for (unsigned int other = 1; other < N_ROWS; other++) {
		if (rows[other].name && rows[other].spec.dir == dir && strcmp(rows[other].name, rows[id].name) == 0)
			return other;
	}
	return id;
}

long
call_nr(enum call_arch arch, unsigned int id)
{
	return id < N_ROWS && rows[id].name ? rows[id].nr[arch] : -1;
}

void
call_fill_numbers(enum call_arch arch, uint16_t *table, size_t n)
{
	memset(table, 0, n * sizeof(*table));
	for (unsigned int id = 1; id < N_ROWS; id++) {
		if (rows[id].name && rows[id].nr[arch] >= 0 && (size_t)rows[id].nr[arch] < n)
			table[rows[id].nr[arch]] = (uint16_t)id;
	}
	for (size_t i = 0; i < N_ALIASES; i++) {
		if (aliases[i].arch == arch && (size_t)aliases[i].nr < n)
			table[aliases[i].nr] = (uint16_t)aliases[i].id;
	}
}

static const struct request {
	unsigned char number;
	unsigned short id;
} uring[] = {
#define CALL(id, name, ...)
#define ALIAS(arch, nr, name)
#define URING(opcode, name, ...) {opcode, CALL_##name},
#include "formats/calls.def"
#undef CALL
#undef ALIAS
}, aio[] = {
#define CALL(id, name, ...)
#define ALIAS(arch, nr, name)
#define AIO(command, name) {command, CALL_##name},
#include "formats/calls.def"
#undef CALL
#undef ALIAS
};

static void
fill_requests(const struct request *from, size_t n_from, uint16_t *table, size_t n)
{
	for (size_t i = 0; i < n_from; i++) {
		if (from[i].number < n)
			table[from[i].number] = from[i].id;
	}
}

void
call_fill_uring(uint16_t *table, size_t n)
{
	for (size_t i = 0; i < n; i++)
		table[i] = CALL_uring_other;
	fill_requests(uring, sizeof(uring) / sizeof(uring[0]), table, n);
}

void
call_fill_aio(uint16_t *table, size_t n)
{
	memset(table, 0, n * sizeof(*table));
	fill_requests(aio, sizeof(aio) / sizeof(aio[0]), table, n);
}

int
call_is_request(unsigned int id)
{
	return id < N_ROWS && rows[id].name && rows[id].kind == ROW_REQUEST;
}

int
call_is_part(unsigned int id)
{
	return id < N_ROWS && rows[id].name && rows[id].kind == ROW_PART;
}

unsigned int
call_id_end(void)
{
	return N_ROWS;
}

enum call_arch
call_host_arch(void)
{
#if defined(__x86_64__)
	return ARCH_X86_64;
#elif defined(__aarch64__)
	return ARCH_ARM64;
#else
	return (enum call_arch)0;
#endif
}
