/* scope.h - targets that are no single processes: users, cgroups, the whole machine
 *
 * The kernel half decides who belongs (bpf/scope.bpf.h); here is what the user wrote, found in the
 * system: the number of a user, the hierarchy and id of a cgroup.
 */
#ifndef CAPTURE_SCOPE_H
#define CAPTURE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/error.h"
#include "formats/kernel_record.h"

struct scope {
	bool all;
	const char *const *users;	/* names or numbers; the strings are the caller's */
	const char *const *cgroups;	/* folders, or their paths as /proc/PID/cgroup has them */
	size_t n_users, n_cgroups;
	/* found: */
	uint32_t uid[KR_SCOPE_MAX];
	uint64_t cgroup[KR_SCOPE_MAX];
	uint32_t hierarchy[KR_SCOPE_MAX];	/* 0 = version 2 */
};

/* False: none was given. */
static inline bool
scope_given(const struct scope *s)
{
	return s && (s->all || s->n_users > 0 || s->n_cgroups > 0);
}

/* Fills what is to be found. IOTAP_ENOTFOUND: no such user or cgroup; IOTAP_EUNSUPPORTED: a version 1
 * hierarchy without a controller; IOTAP_ELIMIT. */
int scope_find(struct scope *s, struct iotap_error *err);

/* The number of the hierarchy whose controllers are the super block options of its mount, from the text
 * of /proc/self/cgroup; 0 = none of them is there. */
uint32_t scope_hierarchy_of(const char *options, const char *cgroup_text);

/* The cgroup of a process to show, out of the text of its /proc/PID/cgroup: version 2's, or the first one
 * of version 1 that is not "/". Points into the text; "" and 0 when there is none. */
const char *scope_cgroup_path(const char *text, size_t n, size_t *len);

/* The id of the container that a cgroup's path names: its last part with 12 or more hexadecimal digits in
 * a row of them. Points into path; 0 in *len = none. */
const char *scope_container(const char *path, size_t n, size_t *len);

#endif
