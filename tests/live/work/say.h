/* say.h - how a workload states what iotap must say about it
 *
 * A workload makes calls it knows everything about and writes one line for each: what it called,
 * on which descriptor, what came back, and what that descriptor is by fstat(2), getsockname(2) and
 * readlink(2) of its own. The lines are the witness; iotap's output is compared with them by
 * tests/live/compare.py. Nothing here is read from iotap.
 *
 * Lines go into a shared mapping, so that stating costs no call that iotap would see, and so that
 * children and threads state into the same file. Its first 64 bytes are ours, the lines follow, the
 * rest is NUL bytes. Values are percent-encoded: no blanks, no control characters.
 *
 *   begin tid=                       this thread's exact statements begin: from here to its end
 *   end tid=                         every data movement must be stated, in order, and nothing else
 *   expect tid= pid= call= ...       one call
 *   absent pid=                      a process that must not appear
 *   sum pid= rchar= wchar=           what the kernel's own accounting has for read and write
 *   note key=value ...               anything a test script wants to know
 *
 * begin and end are also calls, write(-1) of a size nobody uses, so that they are found in any
 * trace of the thread.
 */
#ifndef TESTS_LIVE_WORK_SAY_H
#define TESTS_LIVE_WORK_SAY_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	SAY_HEAD = 64,
	SAY_BYTES = 64 << 20,
	SAY_TARGET = 3 * PATH_MAX + 256,	/* one target in words */
	SAY_LINE = SAY_TARGET + 512,
	SAY_BEGIN = 0x10a70b01,		/* "sizes" of the two marks */
	SAY_END = 0x10a70e02,
};

struct say {
	uint64_t used;			/* bytes of lines, shared by every process that states */
	uint64_t pad[SAY_HEAD / 8 - 1];
	char lines[];
};

#ifdef __SANITIZE_ADDRESS__
/* The leak check of a sanitized build runs in a child of its own: that is none of what we state. */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

__attribute__((noreturn, format(printf, 1, 2))) static inline void
die(const char *format, ...)
{
	const int err = errno;
	va_list list;

	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fprintf(stderr, ": %s\n", strerror(err));
	_exit(111);
}

/* Maps the statement file of a test, made by the first who asks. */
static inline struct say *
say_open(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct say *say;

	if (fd < 0 || ftruncate(fd, SAY_BYTES) != 0)
		die("%s", path);
	say = mmap(NULL, SAY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (say == MAP_FAILED)
		die("mmap %s", path);
	close(fd);
	return say;
}

__attribute__((format(printf, 2, 3))) static inline void
say_line(struct say *say, const char *format, ...)
{
	char line[SAY_LINE];
	uint64_t at;
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(line, sizeof(line) - 1, format, list);
	va_end(list);
	if (n < 0 || (size_t)n >= sizeof(line) - 1)
		die("a statement is too long");
	line[n++] = '\n';
	at = __atomic_fetch_add(&say->used, (uint64_t)n, __ATOMIC_SEQ_CST);
	if (at + (uint64_t)n > SAY_BYTES - SAY_HEAD)
		die("too many statements");
	memcpy(say->lines + at, line, (size_t)n);
}

static inline void
say_escape(char *out, size_t size, const char *bytes, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n && at + 4 < size; i++) {
		const unsigned char c = (unsigned char)bytes[i];

		if (c > ' ' && c < 0x7f && c != '%' && c != '=')
			out[at++] = (char)c;
		else
			at += (size_t)sprintf(out + at, "%%%02x", c);
	}
	out[at] = '\0';
}

static inline int
say_tid(void)
{
	return (int)syscall(SYS_gettid);
}

/* One end of an internet socket, as iotap prints it; "" if it has none. */
static inline void
say_address(char *out, size_t size, const struct sockaddr_storage *address)
{
	char text[INET6_ADDRSTRLEN];
	const struct sockaddr_in *four = (const void *)address;
	const struct sockaddr_in6 *six = (const void *)address;

	out[0] = '\0';
	if (address->ss_family == AF_INET && (four->sin_port || four->sin_addr.s_addr)) {
		inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text));
		snprintf(out, size, "%s:%u", text, ntohs(four->sin_port));
	} else if (address->ss_family == AF_INET6 &&
		   (six->sin6_port || !IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))) {
		inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text));
		snprintf(out, size, "[%s]:%u", text, ntohs(six->sin6_port));
	}
}

/* Path of a unix socket: its own, else its peer's; abstract names begin with "@". */
static inline void
say_unix(char *out, size_t size, const struct sockaddr_storage *address, socklen_t length)
{
	const struct sockaddr_un *name = (const void *)address;
	const size_t head = offsetof(struct sockaddr_un, sun_path);
	char path[sizeof(name->sun_path) + 1];
	size_t n = length > head ? length - head : 0;

	out[0] = '\0';
	if (n == 0)
		return;
	memcpy(path, name->sun_path, n);
	if (path[0] == '\0')
		path[0] = '@';
	else
		n = strnlen(path, n);
	say_escape(out, size, path, n);
}

static inline const char *
say_proto(int family, int type, int protocol)
{
	if (family == AF_UNIX)
		return "unix";
	if (family == AF_NETLINK)
		return "netlink";
	if (family == AF_PACKET)
		return "packet";
	if (family != AF_INET && family != AF_INET6)
		return "other";
	if (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6)
		return "icmp";
	if (type == SOCK_RAW)
		return "raw";
	return protocol == IPPROTO_TCP ? "tcp" : protocol == IPPROTO_UDP ? "udp" : "other";
}

static inline int
say_option(int fd, int option)
{
	int value = -1;
	socklen_t length = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

static inline void
say_socket(char *out, size_t size, int fd)
{
	struct sockaddr_storage own = { 0 }, peer = { 0 };
	socklen_t own_length = sizeof(own), peer_length = sizeof(peer);
	const char *proto = say_proto(say_option(fd, SO_DOMAIN), say_option(fd, SO_TYPE),
				      say_option(fd, SO_PROTOCOL));
	char local[512], remote[512];
	size_t at;

	if (getsockname(fd, (void *)&own, &own_length) != 0)
		own_length = 0;
	if (getpeername(fd, (void *)&peer, &peer_length) != 0)
		peer_length = 0;
	at = (size_t)snprintf(out, size, " kind=socket proto=%s", proto);
	if (strcmp(proto, "unix") == 0) {
		say_unix(local, sizeof(local), &own, own_length);
		say_unix(remote, sizeof(remote), &peer, peer_length);
		snprintf(out + at, size - at, " path=%s", local[0] ? local : remote);
		return;
	}
	say_address(local, sizeof(local), &own);
	say_address(remote, sizeof(remote), &peer);
	if (peer_length == 0)
		remote[0] = '\0';
	snprintf(out + at, size - at, " local=%s remote=%s", local, remote);
}

/* What a descriptor refers to, now, in the words of a statement. */
static inline void
say_target(char *out, size_t size, int fd)
{
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t n;
	size_t at;

	out[0] = '\0';
	if (fstat(fd, &st) != 0)
		return;
	if (S_ISSOCK(st.st_mode)) {
		say_socket(out, size, fd);
		return;
	}
	snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return;
	path[n] = '\0';
	if (strncmp(path, "pipe:", 5) == 0) {
		snprintf(out, size, " kind=other fd_type=pipe");
	} else if (strncmp(path, "anon_inode:", 11) == 0) {
		const char *name = path + 11 + (path[11] == '[');

		snprintf(out, size, " kind=other fd_type=%.*s", (int)strcspn(name, "]"), name);
		if (strncmp(name, "eventpoll", 9) == 0)
			snprintf(out, size, " kind=other fd_type=epoll");
	} else {
		if (st.st_nlink == 0 && n > 10 && strcmp(path + n - 10, " (deleted)") == 0)
			n -= 10;
		at = (size_t)snprintf(out, size, " kind=file dev=%u:%u ino=%llu path=",
				      major(st.st_dev), minor(st.st_dev),
				      (unsigned long long)st.st_ino);
		say_escape(out + at, size - at, path, (size_t)n);
	}
}

/* The time of day, without a system call. */
static inline unsigned long long
say_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

/* States one call that returned result (or -1 and err) on fd; extra is " key=value..." or "". */
static inline void
say_call(struct say *say, const char *call, int fd, long result, int err, const char *target,
	 const char *extra)
{
	say_line(say, "expect tid=%d pid=%d call=%s fd=%d result=%ld err=%d%s%s", say_tid(),
		 getpid(), call, fd, err ? -1 : result, err, target, extra);
}

/* Makes a call on fd and states it, with what fd was before the call. */
#define DID(say, call, fd, expression) DID_MORE(say, call, fd, "", expression)
#define DID_MORE(say, call, fd, extra, expression) \
	({ \
		char did_target[SAY_TARGET], did_extra[256]; \
		const int did_fd = (fd); \
		say_target(did_target, sizeof(did_target), did_fd); \
		errno = 0; \
		const unsigned long long did_began = say_now(); \
		const long did_result = (long)(expression); \
		const int did_err = did_result < 0 ? errno : 0; \
		snprintf(did_extra, sizeof(did_extra), "%s began=%llu ended=%llu", extra, \
			 did_began, say_now()); \
		say_call(say, call, did_fd, did_result, did_err, did_target, did_extra); \
		errno = did_err; \
		did_result; \
	})

/* Makes a call that returns a descriptor and states it, with what the new descriptor is. */
#define MADE(say, call, expression) \
	({ \
		char made_target[SAY_TARGET]; \
		const int made_fd = (int)(expression); \
		const int made_err = made_fd < 0 ? errno : 0; \
		made_target[0] = '\0'; \
		if (made_fd >= 0) \
			say_target(made_target, sizeof(made_target), made_fd); \
		say_call(say, call, made_fd, made_fd, made_err, made_target, ""); \
		errno = made_err; \
		made_fd; \
	})

/* A failed open or the like: what user memory named. */
static inline void
say_failed_path(struct say *say, const char *call, int err, const char *claimed)
{
	char path[SAY_TARGET];

	say_escape(path, sizeof(path), claimed, strlen(claimed));
	say_line(say, "expect tid=%d pid=%d call=%s result=-1 err=%d claimed=%s", say_tid(),
		 getpid(), call, err, path);
}

static inline void
say_begin(struct say *say)
{
	say_line(say, "begin tid=%d", say_tid());
	(void)!syscall(SYS_write, -1, NULL, (size_t)SAY_BEGIN);
}

static inline void
say_end(struct say *say)
{
	(void)!syscall(SYS_write, -1, NULL, (size_t)SAY_END);
	say_line(say, "end tid=%d", say_tid());
}

/* The kernel's accounting of read(2) and write(2) families, asked without moving it: the answer is
 * of the moment before this very read. */
static inline void
say_io(struct say *say, const char *word)
{
	char text[512] = "";
	unsigned long long rchar = 0, wchar = 0;
	const int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    sscanf(text, "rchar: %llu wchar: %llu", &rchar, &wchar) != 2)
		return;
	close(fd);
	say_line(say, "%s pid=%d rchar=%llu wchar=%llu", word, getpid(), rchar, wchar);
}

#endif
