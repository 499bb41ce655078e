/* names.c - processes that bear a name in the different ways there are
 *
 * names STATEMENTS DIRECTORY exec NAME FILE    runs itself again as NAME (argv[0]), then writes
 * names STATEMENTS DIRECTORY rename NAME FILE  calls itself NAME by prctl, then writes
 * names STATEMENTS DIRECTORY write FILE SIZE   writes at once: the very first call of its own
 *
 * Each writes one file: before the name 11 bytes (exec and rename), with it 22.
 */
#include <sys/prctl.h>

#include "tests/live/work/say.h"

static void
write_file(struct say *say, const char *name, size_t size, const char *word)
{
	static const char bytes[4096];
	const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char target[SAY_TARGET];

	say_target(target, sizeof(target), fd);
	if (write(fd, bytes, size) != (ssize_t)size)
		die("%s", name);
	say_line(say, "%s tid=%d pid=%d call=write fd=%d result=%zu err=0%s", word, say_tid(),
		 getpid(), fd, size, target);
	close(fd);
}

int
main(int argc, char **argv)
{
	struct say *say;

	if (argc < 6)
		die("usage: names STATEMENTS DIRECTORY exec|rename|write ...");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	if (strcmp(argv[3], "write") == 0) {
		write_file(say, argv[4], (size_t)atoi(argv[5]), "expect");
		return 0;
	}
	write_file(say, argv[5], 11, "unseen");
	if (strcmp(argv[3], "exec") == 0) {
		execl("/proc/self/exe", argv[4], argv[1], argv[2], "write", argv[5], "22", NULL);
		die("exec");
	}
	prctl(PR_SET_NAME, argv[4]);
	write_file(say, argv[5], 22, "expect");
	return 0;
}
