/* names.c - names of numbers of the recorded system: errors and address families */
#include "formats/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const errnos[] = {
#define ERRNO(name, number) [number] = #name,
#include "formats/errnos.def"
#undef ERRNO
};

/* asm-generic numbers, which this host has too where it is Linux on x86-64 or arm64. */
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
enum {
#define ERRNO(name, number) HERE_##name = number,
#include "formats/errnos.def"
#undef ERRNO
};
_Static_assert(HERE_EPERM == EPERM && HERE_EAGAIN == EAGAIN && HERE_EDEADLK == EDEADLK &&
	       HERE_ENOSYS == ENOSYS && HERE_ECONNREFUSED == ECONNREFUSED && HERE_EHWPOISON == EHWPOISON,
	       "numbers of errors");
#endif

/* include/linux/socket.h: AF_... of Linux, the same on every architecture. */
static const char *const families[] = {
	[1] = "unix", [2] = "inet", [3] = "ax25", [4] = "ipx", [5] = "appletalk", [6] = "netrom",
	[7] = "bridge", [8] = "atmpvc", [9] = "x25", [10] = "inet6", [11] = "rose", [12] = "decnet",
	[13] = "netbeui", [14] = "security", [15] = "key", [16] = "netlink", [17] = "packet",
	[18] = "ash", [19] = "econet", [20] = "atmsvc", [21] = "rds", [22] = "sna", [23] = "irda",
	[24] = "pppox", [25] = "wanpipe", [26] = "llc", [27] = "ib", [28] = "mpls", [29] = "can",
	[30] = "tipc", [31] = "bluetooth", [32] = "iucv", [33] = "rxrpc", [34] = "isdn",
	[35] = "phonet", [36] = "ieee802154", [37] = "caif", [38] = "alg", [39] = "nfc",
	[40] = "vsock", [41] = "kcm", [42] = "qipcrtr", [43] = "smc", [44] = "xdp", [45] = "mctp",
};

enum {
	N_ERRNOS = sizeof(errnos) / sizeof(errnos[0]),
	N_FAMILIES = sizeof(families) / sizeof(families[0]),
};

const char *
name_errno(int64_t err)
{
	return err > 0 && err < N_ERRNOS ? errnos[err] : NULL;
}

const char *
name_errno_or(int64_t err, char *buf, size_t bytes)
{
	const char *const name = name_errno(err);

	if (name)
		return name;
	(void)snprintf(buf, bytes, "errno %lld", (long long)err);
	return buf;
}

/* The index of such a name in a table of n, or none. */
static int
table_find(const char *const *table, int n_table, const char *name, size_t n, int none)
{
	for (int i = 1; i < n_table; i++) {
		if (table[i] && strlen(table[i]) == n && memcmp(table[i], name, n) == 0)
			return i;
	}
	return none;
}

int
name_to_errno(const char *name, size_t n)
{
	return table_find(errnos, N_ERRNOS, name, n, 0);
}

const char *
name_family(uint64_t family)
{
	return family < N_FAMILIES ? families[family] : NULL;
}

int
name_to_family(const char *name, size_t n)
{
	return table_find(families, N_FAMILIES, name, n, -1);
}
