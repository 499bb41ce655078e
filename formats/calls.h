/* calls.h - the call table: what a system call is, and which id a number of some architecture has
 *
 * Rows are in calls.def. The kernel half includes this header too (IOTAP_BPF defined) and sees the
 * enums and struct call_spec only; user space has the functions below.
 */
#ifndef FORMATS_CALLS_H
#define FORMATS_CALLS_H

enum iotap_call {
	CALL_NONE = 0,
#define CALL(id, name, ...) CALL_##name = id,
#define ALIAS(arch, nr, name)
#include "formats/calls.def"
#undef CALL
#undef ALIAS
};

enum call_arch { ARCH_X86_64 = 1, ARCH_ARM64 = 2, ARCH_I386 = 3 };	/* in the file: pinned */
enum call_dir { DIR_NONE = 0, DIR_READ = 1, DIR_WRITE = 2 };		/* in the file: pinned */
enum call_on { ON_ANY = 0, ON_SOCK = 1 };
enum call_ret { RET_BYTES, RET_MESSAGES, RET_FD, RET_ZERO, RET_ANY, RET_SIZE };
enum call_take {
	TAKE_NONE, TAKE_PATH, TAKE_ADDR, TAKE_PAIR, TAKE_PATHS1, TAKE_PATHS2, TAKE_PEER_TO,
	TAKE_PEER_FROM, TAKE_PEER_MSG, TAKE_PROCESS, TAKE_QUEUE
};
enum call_effect {
	EFFECT_NONE, EFFECT_OPENS, EFFECT_DUPS, EFFECT_FCNTL, EFFECT_PAIR, EFFECT_CLOSES,
	EFFECT_CONNECTS, EFFECT_BINDS, EFFECT_CLONES, EFFECT_MAPS, EFFECT_MAPPED, EFFECT_SUBMITS, EFFECT_REAPS,
	EFFECT_TURNS
};
/* Low 3 bits: the argument; the rest: how the size is found there. */
enum call_size {
	SIZE_A0 = 0, SIZE_A1, SIZE_A2, SIZE_A3, SIZE_A4, SIZE_A5,
	SIZE_IOV1 = 0x11, SIZE_MSG1 = 0x21, SIZE_MMSG1 = 0x31, SIZE_NO = 0x7f
};
enum call_offset {
	OFFSET_A1 = 1, OFFSET_A2 = 2, OFFSET_A3 = 3, OFFSET_A5 = 5, OFFSET_P3 = 0x13, OFFSET_H3 = 0x23,
	OFFSET_POS = 0x7e,
	OFFSET_NO = 0x7f
};

/* The part of a row that the kernel half needs: 16 bytes, host order, never in a file. */
struct call_spec {
	signed char fd, fd2;		/* argument, -1 none */
	unsigned char size;		/* enum call_size */
	unsigned char offset;		/* enum call_offset */
	unsigned char dir, on, ret, take;
	signed char taken;
	unsigned char effect;
	signed char keep0, keep1;
	unsigned char known;		/* 1: there is such a row */
	unsigned char pad[3];
};

#define CALL_SPEC_INIT(fd, fd2, size, offset, dir, on, ret, take, taken, effect, keep0, keep1) \
	{ fd, fd2, SIZE_##size, OFFSET_##offset, DIR_##dir, ON_##on, RET_##ret, TAKE_##take, taken, \
	  EFFECT_##effect, keep0, keep1, 1, { 0 } }

#ifndef IOTAP_BPF
#include <stddef.h>
#include <stdint.h>

/* Row of a call id; a row whose known is 0 for an id without one. Never NULL. */
const struct call_spec *call_spec(unsigned int id);

/* The kernel's name ("pread64") and the base call's ("pread"); "call N" is the caller's to print
 * when NULL comes back (an id this version has no row for). */
const char *call_name(unsigned int id);
const char *call_op(unsigned int id);

/* The word that no other row has: the name, but for a TWIN. NULL as above. */
const char *call_tag(unsigned int id);

/* Our id of a number on an architecture, or CALL_NONE. */
unsigned int call_from_nr(enum call_arch arch, long nr);

/* Our id of a kernel name or tag, or CALL_NONE; of a name that two rows have, the row with the numbers.
 * call_that_moves: of the two the one that moves data so, or id itself. */
unsigned int call_from_name(const char *name);
unsigned int call_that_moves(unsigned int id, enum call_dir dir);

/* A number of an id, -1 if the architecture lacks it. */
long call_nr(enum call_arch arch, unsigned int id);

/* Fills table[nr] with our ids (CALL_NONE where there is none) for nr < n: what the loader gives
 * to the kernel half. */
void call_fill_numbers(enum call_arch arch, uint16_t *table, size_t n);

/* What the second descriptor and target of a call are. */
enum call_second {
	SECOND_NONE,
	SECOND_SOURCE,		/* what the bytes of a copy came from; FICLONE's source */
	SECOND_FROM,		/* what the made descriptor came from: listener, original, other end */
	SECOND_BASE,		/* directory at which the path begins */
	SECOND_PATH,		/* second path: the new name */
	SECOND_PEER,		/* peer of this datagram; there is no second descriptor */
};
enum call_second call_second(unsigned int id);

/* The architecture that this program was built for; 0 where nothing can be recorded. */
enum call_arch call_host_arch(void);

/* The operations of a ring by opcode, those of io_submit by command: as call_fill_numbers. An opcode that
 * this version does not know is CALL_uring_other. */
void call_fill_uring(uint16_t *table, size_t n);
void call_fill_aio(uint16_t *table, size_t n);

/* Whether an id is such an operation (a REQUEST), not a system call; whether it is a PART of one. */
int call_is_request(unsigned int id);
int call_is_part(unsigned int id);

/* One more than the highest id with a row. */
unsigned int call_id_end(void);
#endif
#endif
