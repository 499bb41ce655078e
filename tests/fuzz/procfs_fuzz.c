/* procfs_fuzz.c - the texts of /proc, of which a process chooses much: see capture/procfs.h */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
promise(int kept)
{
	if (!kept)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const text = (const char *)data;
	struct procfs_stat stat;
	struct procfs_status status;
	uint64_t inode = 12345;

	memset(&stat, 0xff, sizeof(stat));
	if (procfs_parse_stat(data, size, &stat)) {
		promise(memchr(stat.comm, '\0', sizeof(stat.comm)) != NULL);
		(void)procfs_is_ending(&stat);
	}
	if (procfs_parse_status(data, size, &status))
		promise(status.pid_in_ns != 0 || size > 0);
	promise(procfs_arg0_len(data, size) <= size && procfs_arg0_len(data, size) <= PROCFS_ARG0_MAX);
	promise(procfs_name_len(text, size) <= size);
	promise(procfs_base(text, size) <= size);
	if (!procfs_parse_inode(text, size, "pipe", &inode))
		promise(inode == 12345);
	(void)procfs_parse_inode(text, size, "socket", &inode);
	return 0;
}
