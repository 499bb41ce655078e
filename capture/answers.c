/* answers.c - what the host says about itself and its processes, as records
 *
 * Read at one moment and stored with it; what follows from them is for the readers of the recording.
 */
#include "capture/answers.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "capture/procfs.h"
#include "formats/base/io.h"
#include "formats/calls.h"

enum { CLOCK_TRIES = 5 };

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec t = {0};

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t
answers_boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

void
answers_clock(struct rec_clock *out)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		const uint64_t before = clock_ns(CLOCK_BOOTTIME);
		const uint64_t real = clock_ns(CLOCK_REALTIME);
		const uint64_t tai = clock_ns(CLOCK_TAI);
		const uint64_t took = clock_ns(CLOCK_BOOTTIME) - before;

		if (took >= best)
			continue;
		best = took;
		*out = (struct rec_clock){.boot_ns = before + took / 2, .real_ns = (int64_t)real,
					  .tai_ns = (int64_t)tai};
	}
}

void
answers_host(struct answers_host *out)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF), page = sysconf(_SC_PAGESIZE);
	struct buf id;

	memset(out, 0, sizeof(*out));
	buf_init(&id, sizeof(out->boot_id));
	if (io_read_file("/proc/sys/kernel/random/boot_id", &id) && id.len > 0)
		memcpy(out->boot_id, id.data, id.len - (id.data[id.len - 1] == '\n'));
	buf_free(&id);
	(void)uname(&out->names);
	out->rec = (struct rec_host){
		.os = OS_LINUX, .arch = call_host_arch(), .cpus = cpus > 0 ? (uint64_t)cpus : 0,
		.page_bytes = page > 0 ? (uint64_t)page : 0, .pid = (uint64_t)getpid(),
		.netns = procfs_namespace((uint32_t)getpid(), "net"),
		.tool = rec_str("iotap-capture " IOTAP_VERSION),
		.hostname = rec_str(out->names.nodename), .release = rec_str(out->names.release),
		.boot_id = rec_bytes(out->boot_id, strnlen(out->boot_id, sizeof(out->boot_id))),
	};
}

/* The name that the kernel will give a program: its file name, cut. */
static struct bytes
comm_of(const char *path)
{
	const size_t n = strlen(path), at = procfs_base(path, n);

	return rec_bytes(path + at, n - at < KR_COMM_LEN ? n - at : KR_COMM_LEN - 1);
}

int
answers_process(const struct kr_task_seen *task, enum answers_how how, unsigned int name_from,
		bool all_arguments, const char *becomes, struct buf *records,
		struct iotap_error *err)
{
	struct buf exe, arg0, cwd;
	struct rec_process r = {
		.time_ns = answers_boot_ns(), .pid = task->tgid, .start_ns = task->start_ns,
		.parent = task->parent_tgid, .how = how, .uid = task->uid,
		.gid = task->gid,
		.pid_in_ns = task->pid_in_ns, .pid_ns = task->pid_ns, .mnt_ns = task->mnt_ns,
		.net_ns = task->net_ns, .name_from = name_from,
		.comm = rec_bytes(task->comm, strnlen(task->comm, sizeof(task->comm))),
	};
	int result;

	buf_init(&exe, 0);
	buf_init(&arg0, 0);
	buf_init(&cwd, 0);
	if (becomes) {
		r.arg0 = rec_str(becomes);
		r.comm = comm_of(becomes);
	} else {
		if (procfs_link(task->tgid, "exe", &exe))
			r.exe = rec_bytes(exe.data,
					  procfs_name_len((const char *)exe.data, exe.len));
		if (all_arguments ? procfs_arguments(task->tgid, &arg0)
				  : procfs_arg0(task->tgid, &arg0))
			r.arg0 = rec_bytes(arg0.data, arg0.len);
	}
	if (procfs_link(task->tgid, "cwd", &cwd))
		r.cwd = rec_bytes(cwd.data, procfs_name_len((const char *)cwd.data, cwd.len));
	result = record_put(records, REC_process, &r, err);
	buf_free(&cwd);
	buf_free(&arg0);
	buf_free(&exe);
	return result;
}

/* The bytes of an IP address. */
static struct bytes
address_bytes(const struct sockaddr *a)
{
	if (a && a->sa_family == AF_INET)
		return rec_bytes(&((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
	if (a && a->sa_family == AF_INET6)
		return rec_bytes(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, 16);
	return (struct bytes){0};
}

int
answers_interfaces(struct buf *records, struct iotap_error *err)
{
	const uint64_t netns = procfs_namespace((uint32_t)getpid(), "net");
	struct ifaddrs *all = NULL;
	int r = 0;

	if (getifaddrs(&all) != 0)
		return error_errno(err, IOTAP_ESYSTEM, errno, "cannot list network interfaces");
	for (const struct ifaddrs *i = all; i && r == 0; i = i->ifa_next) {
		const struct rec_interface rec = {
			.netns = netns, .ifindex = if_nametoindex(i->ifa_name),
			.flags = i->ifa_flags, .name = rec_str(i->ifa_name),
			.address = address_bytes(i->ifa_addr),
		};

		/* Every interface has an AF_PACKET entry besides those of its addresses. */
		r = record_put(records, REC_interface, &rec, err);
	}
	freeifaddrs(all);
	return r;
}
