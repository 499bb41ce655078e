/* story.h - recordings for tests of decode, written as text in the test itself (formats/rectext.h) */
#ifndef TESTS_LIB_STORY_H
#define TESTS_LIB_STORY_H

#include "decode/epoch.h"
#include "formats/base/buf.h"
#include "formats/iotap.h"

/* Header, first STATE and one process (pid 10, "prog"), to begin a story with: boot time 5 s is Unix
 * time 1700000000 s. */
#define STORY_BEGIN \
	"block header session=1\n" \
	"host format_major=1 os=1 arch=x86_64 tool=\"t\" boot_id=\"b\"\n" \
	"clock boot_ns=5000000000 real_ns=1700000000000000000\n" \
	"block state\n" \
	"clock boot_ns=5000000000 real_ns=1700000000000000000\n" \
	"block records\n" \
	"process time_ns=5000000000 pid=10 start_ns=100 how=1 comm=\"prog\"\n"

#define STORY_END \
	"block end\n" \
	"end time_ns=9000000000 reason=1\n"

/* The recording of a text, appended to out. Fails the running test when it is no text of one. */
void story_assemble(const char *text, struct buf *out);

/* Where the i-th block of a whole recording begins. */
size_t story_block_at(const struct buf *recording, int i);

/* A descriptor from which the recording can be read, once. */
int story_fd(const char *text);

/* Gives a definition to a table, as the record that it is in a recording. What epoch_define gives. */
int story_define(struct epoch *, const struct rec_target *def);

/* An open handle. filter may be NULL. */
iotap_t *story_open(const char *text, const struct iotap_filter *filter);

#endif
