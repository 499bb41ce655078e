/* rectext.h - a recording as text: one line a record or call, for tests, reviews and the curious
 *
 *   # comment
 *   block header session=1 codec=none
 *   host format_major=1 os=1 arch=x86_64 hostname="here"
 *   block state
 *   clock boot_ns=1000 real_ns=1700000000000000000
 *   block records
 *   target id=7 kind=file origin=call flags=16 dev=2049 ino=12 text="/etc/hosts"
 *   block calls
 *   call key=2000 tid=10 tgid=10 call=read flags=fd|requested fd=3 id=7 requested=100 result=100
 *   block end
 *   end time_ns=3000 reason=3
 *
 * A line is a word, then field=value, separated by spaces. Fields are those of records.def, for calls
 * those of struct kr_call (key, duration, tid ...); left out = 0 or empty. Numbers are decimal or 0x hex,
 * negative where the field may be. Bytes are in double quotes, with \" \\ \n \t \xHH; clean UTF-8 stands
 * as it is; addresses stand bare (127.0.0.1, ::1), lists of numbers as [1,2,3]. Names that are pinned
 * (kind=file, call=read) stand for their numbers: both are read, the name is written.
 *
 * Of a block line everything may be left out but the type: seq counts up, session is that of the block
 * before, epoch goes up by one at each state, first and last are computed, codec is none. "entry" lines
 * in a calls block give its target dictionary (1 is the first); a call names a target by id, or by
 * entry=N (entry2=N) when its id is 0. An unknown record is: record type=99 body="..."; bytes after the
 * known fields are more="...".
 */
#ifndef FORMATS_RECTEXT_H
#define FORMATS_RECTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/buf.h"
#include "formats/block.h"
#include "formats/call_block.h"
#include "formats/error.h"
#include "formats/record.h"

/* -- text to recording -- */

enum rectext_what { RECTEXT_NOTHING, RECTEXT_BLOCK, RECTEXT_RECORD, RECTEXT_CALL, RECTEXT_ENTRY };

struct rectext_line {
	enum rectext_what what;		/* NOTHING: blank or comment */
	struct block_head head;		/* BLOCK */
	uint32_t given;			/* BLOCK: RECTEXT_HAS_... */
	uint32_t type;			/* RECORD: enum rec_type, or unknown with more = the body */
	union rec_any u;		/* RECORD */
	struct bytes more;
	struct kr_call call;		/* CALL */
	uint32_t entry, entry2;		/* CALL: by number instead of id; 0 = by id */
	struct call_target target;	/* ENTRY */
};

enum {
	RECTEXT_HAS_SEQUENCE = 1, RECTEXT_HAS_SESSION = 2, RECTEXT_HAS_EPOCH = 4, RECTEXT_HAS_FIRST = 8,
	RECTEXT_HAS_LAST = 16, RECTEXT_HAS_FLAGS = 32
};

/* Parses one line (without its newline). Bytes of records point into scratch, whose content is replaced.
 * 0 or IOTAP_EUSAGE with what is wrong. */
int rectext_parse(const char *line, size_t n, struct buf *scratch, struct rectext_line *out,
		  struct iotap_error *err);

/* Appends the recording that n bytes of text describe to out. IOTAP_EUSAGE names the line. */
int rectext_assemble(const char *text, size_t n, struct buf *out, struct iotap_error *err);

/* -- recording to text: each appends one line with its newline -- */

void rectext_put_block(struct buf *out, const struct block_head *head, uint64_t session_before);
void rectext_put_record(struct buf *out, const struct record *);
void rectext_put_entry(struct buf *out, const struct call_target *);
void rectext_put_call(struct buf *out, const struct call_columns *, uint32_t i);

#endif
