/* json_process.c - the processes that JSON Lines tell of */
#include "analyze/json_process.h"

#include <stdlib.h>

#include "formats/base/hash.h"

struct json_process {
	struct iotap_process pub;	/* first */
	struct json_process *next;
	bool again;			/* another one had the pid before */
	char name[64], cgroup[1024], container[128];
};

void
json_processes_init(struct json_processes *ps)
{
	*ps = (struct json_processes){.n = 0};
	map_init(&ps->by_pid, hash_seed(), 0);
}

void
json_processes_fini(struct json_processes *ps)
{
	while (ps->first) {
		struct json_process *const next = ps->first->next;

		free(ps->first);
		ps->first = next;
	}
	map_fini(&ps->by_pid);
}

static struct json_process *
json_process_new(struct json_processes *ps, uint32_t pid)
{
	const bool again = map_find_ptr(&ps->by_pid, pid) != NULL;
	struct json_process *const p = calloc(1, sizeof(*p));

	if (!p || !map_put_ptr(&ps->by_pid, pid, p)) {
		free(p);
		return NULL;
	}
	p->pub = (struct iotap_process){
		.pid = pid, .id = ++ps->n << 32 | pid, .start_ns = IOTAP_UNKNOWN,
		.uid = UINT32_MAX, .gid = UINT32_MAX, .first_ns = IOTAP_UNKNOWN, .last_ns = IOTAP_UNKNOWN,
	};
	p->again = again;
	p->next = ps->first;
	ps->first = p;
	return p;
}

static struct json_process *
json_process(struct json_processes *ps, uint32_t pid)
{
	struct json_process *const known = map_find_ptr(&ps->by_pid, pid);

	return known ? known : json_process_new(ps, pid);
}

static void
json_process_name(const struct json_line *line, struct json_process *p)
{
	if (json_line_name(line, JSON_name, JSON_name_hex, p->name, sizeof(p->name), &p->pub.name_len))
		p->pub.name = p->name;
}

static uint32_t
known_u32(const struct json_line *line, enum json_field field, uint32_t unknown)
{
	const uint64_t v = json_line_u64(line, field);

	return v < UINT32_MAX ? (uint32_t)v : unknown;
}

/* What "start" and "attached" say of a process. */
static void
json_process_identity(const struct json_line *line, struct json_process *p)
{
	struct iotap_process *const pub = &p->pub;

	json_process_name(line, p);
	pub->uid = known_u32(line, JSON_uid, UINT32_MAX);
	pub->gid = known_u32(line, JSON_gid, UINT32_MAX);
	pub->pid_ns = known_u32(line, JSON_pid_ns, 0);
	pub->mnt_ns = known_u32(line, JSON_mnt_ns, 0);
	pub->net_ns = known_u32(line, JSON_net_ns, 0);
	pub->pid_in_ns = known_u32(line, JSON_pid_in_ns, 0);
	if (json_line_name(line, JSON_cgroup, JSON_cgroup_hex, p->cgroup, sizeof(p->cgroup), &pub->cgroup_len))
		pub->cgroup = p->cgroup;
	if (json_line_name(line, JSON_container, JSON_container_hex, p->container, sizeof(p->container),
		      &pub->container_len))
		pub->container = p->container;
}

const struct iotap_process *
json_processes_get(struct json_processes *ps, uint32_t pid)
{
	const struct json_process *const p = json_process(ps, pid);

	return p ? &p->pub : NULL;
}

uint64_t
json_processes_only(const struct json_processes *ps, uint32_t pid)
{
	const struct json_process *const p = map_find_ptr(&ps->by_pid, pid);

	return p && !p->again ? p->pub.id : 0;
}

bool
json_processes_start(struct json_processes *ps, const struct json_line *line, struct json_line *inner)
{
	size_t n, item_n, at = 0;
	const char *item;
	const char *const list = json_line_text(line, JSON_processes, &n);

	while (list && json_line_item(list, n, &at, &item, &item_n)) {
		struct json_process *p;

		if (!json_line_parse(inner, item, item_n))
			return false;
		p = json_process(ps, known_u32(inner, JSON_pid, 0));
		if (!p)
			return false;
		json_process_identity(inner, p);
	}
	return true;
}

const struct iotap_process *
json_processes_notice(struct json_processes *ps, const struct json_line *line, enum iotap_notice_type type,
		      uint64_t time_ns)
{
	const uint64_t said = json_line_u64(line, JSON_pid);
	const uint32_t pid = said <= UINT32_MAX ? (uint32_t)said : 0;
	struct json_process *const p = type == IOTAP_NOTICE_ATTACHED ? json_process_new(ps, pid)
								      : json_process(ps, pid);

	if (!p)
		return NULL;
	if (type != IOTAP_NOTICE_ATTACHED)
		json_process_name(line, p);
	if (type == IOTAP_NOTICE_ATTACHED) {
		json_process_identity(line, p);
		p->pub.first_ns = time_ns;
		p->pub.parent = known_u32(line, JSON_parent, 0);
	} else if (type == IOTAP_NOTICE_EXITED) {
		p->pub.exited = 1;
		p->pub.last_ns = time_ns;
		p->pub.exit_status = known_u32(line, JSON_status, 0);
	}
	return &p->pub;
}
