/* parts.c - calls about several messages or ranges, and a call whose direction is its descriptor's
 *
 * parts STATEMENTS DIRECTORY
 *
 * States as calls_more.c does, the parts of a call behind it: what each message moved and its peer, what
 * each range shared or why not, as the kernel wrote it into the structures of the call.
 * "note left=N": so many parts of one call that were more than are recorded.
 */
#include "tests/live/work/called.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

enum { MESSAGES = 40, RECORDED = 32, RANGES = 4, SHARED = 8192 };

static char home[PATH_MAX];		/* the directory, as the kernel names it */
static char bytes[2 * SHARED];

/* Both ends of a pipe, and one that is open for both. */
static void
directions(struct say *say)
{
	struct iovec part = {bytes, 50};
	int ends[2], both;

	if (pipe(ends) != 0 || mkfifo("fifo", 0600) != 0)
		die("pipe");
	both = open("fifo", O_RDWR);
	say_begin(say);
	RAW(say, vmsplice, (ends[1], &part, 1ul, 0), "fd=%d path=pipe requested=50", ends[1]);
	CALLED(say, "vmsplice_read", syscall(SYS_vmsplice, ends[0], &part, 1ul, 0),
	       "fd=%d path=pipe requested=50", ends[0]);
	CALLED(say, "vmsplice_read", syscall(SYS_vmsplice, ends[0], &part, 1ul, SPLICE_F_NONBLOCK),
	       "fd=%d path=pipe", ends[0]);
	RAW(say, vmsplice, (both, &part, 1ul, 0), "fd=%d path=%s/fifo requested=50", both, home);
	RAW(say, vmsplice, (999, &part, 1ul, 0), "fd=999");
	say_end(say);
}

static int
bound(struct sockaddr_in *at)
{
	socklen_t n = sizeof(*at);
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (bind(fd, (void *)at, sizeof(*at)) != 0 || getsockname(fd, (void *)at, &n) != 0)
		die("bind");
	return fd;
}

static void
state_messages(struct say *say, const char *name, int fd, int own, const struct mmsghdr *m, long n)
{
	for (long i = 0; i < n && i < RECORDED; i++) {
		const struct sockaddr_in *const peer = m[i].msg_hdr.msg_name;

		state_call(say, name, m[i].msg_len,
			   "fd=%d path=local:127.0.0.1:%d second=remote:127.0.0.1:%d requested=%zu",
			   fd, own, ntohs(peer->sin_port),
			   m[i].msg_hdr.msg_iov[0].iov_len + m[i].msg_hdr.msg_iov[1].iov_len);
	}
}

/* To two sockets by turns from a third one, and to that one back; of each the more than is recorded. */
static void
messages(struct say *say)
{
	struct sockaddr_in at[3], names[MESSAGES];
	const int from = bound(&at[0]), to[2] = {bound(&at[1]), bound(&at[2])};
	struct iovec parts[MESSAGES][2];
	struct mmsghdr m[MESSAGES];
	long n;

	for (int i = 0; i < MESSAGES; i++) {
		parts[i][0] = (struct iovec){bytes, (size_t)i};
		parts[i][1] = (struct iovec){bytes, 5};
		names[i] = at[1 + i % 2];
		m[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &names[i],
						    .msg_namelen = sizeof(names[i]),
						    .msg_iov = parts[i], .msg_iovlen = 2}};
	}
	say_begin(say);
	n = RAW(say, sendmmsg, (from, m, (unsigned int)MESSAGES, 0),
		"fd=%d path=local:127.0.0.1:%d", from, ntohs(at[0].sin_port));
	state_messages(say, "sendmmsg_message", from, ntohs(at[0].sin_port), m, n);
	for (int i = 0; i < MESSAGES; i++)
		parts[i][0].iov_len = 100;
	n = RAW(say, recvmmsg, (to[0], m, 3u, 0, NULL), "fd=%d path=local:127.0.0.1:%d", to[0],
		ntohs(at[1].sin_port));
	state_messages(say, "recvmmsg_message", to[0], ntohs(at[1].sin_port), m, n);
	n = RAW(say, recvmmsg, (to[1], m, 1u, MSG_DONTWAIT, NULL), "fd=%d path=local:127.0.0.1:%d",
		to[1], ntohs(at[2].sin_port));
	state_messages(say, "recvmmsg_message", to[1], ntohs(at[2].sin_port), m, n);
	RAW(say, recvmmsg, (from, m, 2u, MSG_DONTWAIT, NULL), "fd=%d", from);
	RAW(say, sendmmsg, (999, m, 2u, 0), "fd=999");
	m[1].msg_hdr.msg_name = NULL;		/* stops there: it has no peer */
	names[0] = at[1];
	n = RAW(say, sendmmsg, (from, m, 3u, 0), "fd=%d", from);
	state_messages(say, "sendmmsg_message", from, ntohs(at[0].sin_port), m, n);
	say_end(say);
	say_line(say, "note left=%d", MESSAGES - RECORDED);
}

static int
filled(const char *name, int fill)
{
	const int fd = open(name, O_RDWR | O_CREAT, 0600);

	memset(bytes, fill, sizeof(bytes));
	if (fd < 0 || write(fd, bytes, sizeof(bytes)) != sizeof(bytes) || fsync(fd) != 0)
		die("%s", name);
	return fd;
}

/* One source and a file that is the same, one that differs, no file, and the source itself behind. */
static void
ranges(struct say *say)
{
	union {
		struct file_dedupe_range head;
		char room[sizeof(struct file_dedupe_range) + RANGES * sizeof(struct file_dedupe_range_info)];
	} ask = {.head = {.src_length = SHARED, .dest_count = RANGES}};
	static const char *const names[RANGES] = {"same", "other", NULL, "source"};
	struct file_dedupe_range_info *const info = ask.head.info;
	const int source = filled("source", 'a');
	long result;

	info[0].dest_fd = filled("same", 'a');
	info[1].dest_fd = filled("other", 'b');
	info[2].dest_fd = 999;
	info[3].dest_fd = source;
	info[3].dest_offset = SHARED;
	say_begin(say);
	result = RAW(say, ioctl, (source, FIDEDUPERANGE, &ask), "fd=%d path=%s/source", source,
		     home);
	for (int i = 0; result == 0 && i < RANGES; i++) {
		char own[PATH_MAX + 64] = "";	/* no descriptor, no offset */

		if (names[i])
			snprintf(own, sizeof(own), "path=%s/%s offset=%llu", home, names[i],
				 (unsigned long long)info[i].dest_offset);
		state_call(say, "dedupe_range",
			   info[i].status < 0 ? info[i].status : (long)info[i].bytes_deduped,
			   "fd=%d second=%s/source requested=%d %s", (int)info[i].dest_fd, home,
			   SHARED, own);
	}
	say_end(say);
	say_line(say, "note ranges=%ld shared=%llu differs=%d", result,
		 (unsigned long long)info[0].bytes_deduped,
		 info[1].status);
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc != 3)
		die("usage: parts STATEMENTS DIRECTORY");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0 || !getcwd(home, sizeof(home)))
		die("%s", argv[2]);
	directions(say);
	messages(say);
	ranges(say);
	return 0;
}
