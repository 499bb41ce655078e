/* bearer.c - files, sockets, a memfd, threads and programs that bear the names it is given
 *
 * bearer DIRECTORY < NAMES      in DIRECTORY; names end with a NUL each
 *
 * For every name, as far as the kernel takes it: a file that is made, written to (1 byte more for each
 * name), removed while open and written to again; a unix socket bound to it and connected to, by path and
 * abstract; a memfd; the thread's name; every tenth: the argv[0] of a child. What could be made is said
 * on standard output: "file", "socket", "memfd" and so on with the number of the name.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char names[1 << 20];
static const char filler[1 << 16];

static void
bear_file(unsigned int i, const char *name)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return;
	printf("file %u\n", i);
	(void)!write(fd, filler, i + 1);
	(void)unlink(name);
	(void)!pwrite(fd, filler, i + 1, 0);
	close(fd);
}

static void
bear_socket(unsigned int i, const char *name, int abstract)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const size_t n = strlen(name);
	const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
	const int a = socket(AF_UNIX, SOCK_DGRAM, 0), b = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (n < sizeof(to.sun_path) - 1) {
		memcpy(to.sun_path + (abstract ? 1 : 0), name, n);
		if (bind(a, (struct sockaddr *)&to, size) == 0 && connect(b, (struct sockaddr *)&to, size) == 0) {
			printf("%s %u\n", abstract ? "abstract" : "socket", i);
			(void)!send(b, filler, i + 1, MSG_DONTWAIT);
		}
		if (!abstract)
			(void)unlink(name);
	}
	close(a);
	close(b);
}

static void
bear_memory(unsigned int i, const char *name)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return;
	printf("memfd %u\n", i);
	(void)!write(fd, filler, i + 1);
	close(fd);
}

static void
bear_program(const char *name)
{
	const pid_t child = fork();

	if (child == 0) {
		execl("/proc/self/exe", name, "child", NULL);
		_exit(1);
	}
	(void)waitpid(child, NULL, 0);
}

int
main(int argc, char **argv)
{
	size_t n;
	unsigned int i = 0;

	if (argc == 2 && strcmp(argv[1], "child") == 0)
		return 0;
	n = fread(names, 1, sizeof(names) - 1, stdin);
	if (argc != 2 || chdir(argv[1]) != 0)
		return 2;
	for (size_t at = 0; at < n; at += strlen(names + at) + 1, i++) {
		(void)prctl(PR_SET_NAME, names + at);
		bear_file(i, names + at);
		bear_socket(i, names + at, 0);
		bear_socket(i, names + at, 1);
		bear_memory(i, names + at);
		if (i % 10 == 0)
			bear_program(names + at);
	}
	return 0;
}
