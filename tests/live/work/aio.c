/* aio.c - requests of io_submit by the bare system calls, each stated with what came back
 *
 * aio STATEMENTS DIRECTORY
 */
#include "tests/live/work/say.h"

#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/uio.h>

static char bytes[4096];

/* Submits one request, fetches its result and states it. */
static void
one(struct say *say, aio_context_t context, const char *call, int fd, const char *extra, struct iocb iocb)
{
	struct iocb *list[1] = {&iocb};
	struct io_event event = {0};
	char target[SAY_TARGET];

	iocb.aio_fildes = (uint32_t)fd;
	say_target(target, sizeof(target), fd);
	if (syscall(SYS_io_submit, context, 1l, list) != 1 ||
	    syscall(SYS_io_getevents, context, 1l, 1l, &event, NULL) != 1)
		die("%s", call);
	say_call(say, call, fd, event.res, event.res < 0 ? (int)-event.res : 0, target, extra);
}

static void
several(struct say *say, aio_context_t context, int fd)
{
	struct iocb iocb[8], *list[8];
	struct io_event event[8];
	char target[SAY_TARGET], extra[64];

	say_target(target, sizeof(target), fd);
	for (int i = 0; i < 8; i++) {
		iocb[i] = (struct iocb){.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = (uint32_t)fd,
					.aio_buf = (uint64_t)(uintptr_t)bytes, .aio_nbytes = 10u + (unsigned int)i,
					.aio_offset = 1000 * i, .aio_data = (uint64_t)i};
		list[i] = &iocb[i];
	}
	if (syscall(SYS_io_submit, context, 8l, list) != 8 ||
	    syscall(SYS_io_getevents, context, 8l, 8l, event, NULL) != 8)
		die("eight");
	for (int i = 0; i < 8; i++) {
		snprintf(extra, sizeof(extra), " requested=%d offset=%d", 10 + (int)event[i].data,
			 1000 * (int)event[i].data);
		say_call(say, "aio_pwrite", fd, event[i].res, 0, target, extra);
	}
}

int
main(int argc, char **argv)
{
	struct iovec two[2] = {{bytes, 5}, {bytes, 6}};
	const uint64_t buffer = (uint64_t)(uintptr_t)bytes, vector = (uint64_t)(uintptr_t)two;
	aio_context_t context = 0;
	struct say *say;
	int fd, ends[2];

	if (argc != 3)
		die("usage: aio STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	if (syscall(SYS_io_setup, 16u, &context) != 0) {
		say_line(say, "note without=libaio");
		return 0;
	}
	if (pipe(ends) != 0)
		die("pipe");
	fd = open("by-aio", O_RDWR | O_CREAT, 0600);
	say_begin(say);
	one(say, context, "aio_pwrite", fd, " requested=100 offset=7", (struct iocb){
	    .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_buf = buffer, .aio_nbytes = 100, .aio_offset = 7});
	one(say, context, "aio_pread", fd, " requested=4096 offset=0", (struct iocb){
	    .aio_lio_opcode = IOCB_CMD_PREAD, .aio_buf = buffer, .aio_nbytes = 4096});
	one(say, context, "aio_pwritev", fd, " requested=11 offset=500", (struct iocb){
	    .aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_buf = vector, .aio_nbytes = 2, .aio_offset = 500});
	one(say, context, "aio_preadv", fd, " requested=11 offset=505", (struct iocb){
	    .aio_lio_opcode = IOCB_CMD_PREADV, .aio_buf = vector, .aio_nbytes = 2, .aio_offset = 505});
	one(say, context, "aio_fdsync", fd, "", (struct iocb){.aio_lio_opcode = IOCB_CMD_FDSYNC});
	one(say, context, "aio_fsync", fd, "", (struct iocb){.aio_lio_opcode = IOCB_CMD_FSYNC});
	one(say, context, "aio_poll", ends[1], "", (struct iocb){.aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLOUT});
	several(say, context, fd);
	say_end(say);
	return 0;
}
