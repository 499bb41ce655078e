/* types_place.c - given type information of the kernel, put where libbpf looks for the kernel's own
 *
 * unshare(CLONE_NEWNS) in a thread gives this thread alone other mounts, and ends with it
 * (unshare(2)): nothing has to be put back.
 */
#include "capture/types_place.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "formats/base/io.h"

#define BTF_FOLDER "/sys/kernel/btf"
#define BOOT_FOLDER "/boot"

struct placing {
	const void *bytes;
	size_t n;
	int (*work)(void *arg);
	void *arg;
	struct iotap_error *err;
	int result;
};

/* The first place that libbpf looks at and that can be covered. */
static const char *
place(char *file, size_t size)
{
	struct utsname host;
	struct stat st;

	if (stat(BTF_FOLDER, &st) == 0 && S_ISDIR(st.st_mode)) {
		(void)snprintf(file, size, BTF_FOLDER "/vmlinux");
		return BTF_FOLDER;
	}
	if (stat(BOOT_FOLDER, &st) != 0 || !S_ISDIR(st.st_mode) || uname(&host) != 0)
		return NULL;
	(void)snprintf(file, size, BOOT_FOLDER "/vmlinux-%s", host.release);
	return BOOT_FOLDER;
}

static bool
put(const struct placing *p, const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	const bool good = fd >= 0 && io_write_all(fd, p->bytes, p->n);

	if (fd >= 0)
		(void)close(fd);
	return good;
}

static int
prepare(const struct placing *p)
{
	char file[sizeof(BOOT_FOLDER) + sizeof(struct utsname)];
	const char *const folder = place(file, sizeof(file));

	if (!folder)
		return error_set(p->err, IOTAP_ESYSTEM, "no place for --btf: neither " BTF_FOLDER " nor "
				 BOOT_FOLDER " is there");
	if (unshare(CLONE_NEWNS) != 0)
		return error_errno(p->err, IOTAP_EPERM, errno, "--btf needs mounts of its own "
				   "(CAP_SYS_ADMIN)");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", folder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") != 0 ||
	    !put(p, file))
		return error_errno(p->err, IOTAP_ESYSTEM, errno, "cannot place --btf in %s", folder);
	return 0;
}

static void *
thread(void *arg)
{
	struct placing *const p = arg;

	p->result = prepare(p);
	if (p->result == 0)
		p->result = p->work(p->arg);
	return NULL;
}

int
types_place_run(const void *bytes, size_t n, int (*work)(void *arg), void *arg, struct iotap_error *err)
{
	struct placing p = {.bytes = bytes, .n = n, .work = work, .arg = arg, .err = err};
	sigset_t all, before;
	pthread_t other;
	int failed;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&other, NULL, thread, &p);
	if (failed == 0)
		failed = pthread_join(other, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed == 0 ? p.result : error_errno(err, IOTAP_ESYSTEM, failed, "cannot start a thread");
}
