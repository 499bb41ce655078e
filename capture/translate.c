/* translate.c - a note of the kernel half, as the record a recording holds
 *
 * No conclusions here, with one exception that only saves space: what user memory said about a path
 * is dropped when the kernel's path says the same, that is, equals it or ends in it after a '/'.
 */
#include "capture/translate.h"

#include <string.h>
#include <sys/socket.h>

#include "capture/batch.h"

enum { HOW_BORN = 5, HOW_TOOK_NAME = 6, HOW_IN_SCOPE = 8 };	/* process.how */
enum { UNTRACED_ENDED = 1 };			/* untraced.reason */

static struct bytes
fixed_text(const char *p, size_t size)
{
	return rec_bytes(p, strnlen(p, size));
}

/* Bytes of an address of the family: 4, 16, or none. */
static struct bytes
address(const uint8_t *p, uint16_t family, bool there)
{
	if (!there || (family != AF_INET && family != AF_INET6))
		return (struct bytes){0};
	return rec_bytes(p, family == AF_INET ? 4 : 16);
}

static bool
says_the_same(struct bytes path, struct bytes claimed)
{
	const uint8_t *tail;

	if (claimed.n == 0 || claimed.n > path.n)
		return false;
	tail = path.p + path.n - claimed.n;
	return memcmp(tail, claimed.p, claimed.n) == 0 &&
	       (claimed.n == path.n || (claimed.p[0] != '/' && tail[-1] == '/'));
}

static bool
target(const struct kr_note *note, struct translation *out)
{
	const struct kr_target *const t = &note->target;
	const uint8_t *const text = note_text(note);
	struct rec_target *const r = &out->u.target;

	if ((uint32_t)t->text_len + t->claimed_len + t->peer_len > note->text_total)
		return false;
	out->type = REC_target;
	*r = (struct rec_target){
		.id = t->id, .time_ns = note->key_ns, .origin = t->origin, .kind = t->kind,
		.flags = t->flags, .pid = t->tgid, .dev = t->dev, .ino = t->ino, .mode = t->mode,
		.generation = t->generation, .open_flags = t->open_flags, .mount_id = t->mount_id,
		.family = t->family, .sock_type = t->sock_type, .protocol = t->protocol,
		.state = t->state, .local_port = t->local_port, .remote_port = t->remote_port,
		.netns = t->netns, .ifindex = t->ifindex, .peer_pid = t->peer_pid,
		.local = address(t->local, t->family, t->has_local != 0),
		.remote = address(t->remote, t->family, t->has_remote != 0),
		.device = fixed_text(t->device, sizeof(t->device)),
		.text = rec_bytes(text, t->text_len),
		.claimed = rec_bytes(text + t->text_len, t->claimed_len),
		.peer = rec_bytes(text + t->text_len + t->claimed_len, t->peer_len),
	};
	if (t->kind == KR_KIND_FILE && says_the_same(r->text, r->claimed))
		r->claimed.n = 0;
	return true;
}

/* How it came to be traced; otherwise is for one that no target is named by. */
static void
process(const struct kr_note *note, unsigned int otherwise, struct translation *out)
{
	const struct kr_life *const l = &note->life;
	const unsigned int how = l->by_name == KR_BY_SCOPE ? HOW_IN_SCOPE : otherwise;

	out->type = REC_process;
	out->u.process = (struct rec_process){
		.time_ns = note->key_ns, .pid = l->tgid, .start_ns = l->start_ns,
		.parent = l->parent_tgid, .how = how, .uid = l->uid, .pid_in_ns = l->pid_in_ns,
		.pid_ns = l->pid_ns, .mnt_ns = l->mnt_ns, .net_ns = l->net_ns, .gid = l->gid,
		.comm = fixed_text(l->comm, sizeof(l->comm)),
	};
}

/* A process that became a target now comes with what it runs; the exec itself would say the same. */
static bool
exec(const struct kr_note *note, translate_name *name_from, void *arg, struct translation *out)
{
	const struct kr_life *const l = &note->life;
	const struct bytes comm = fixed_text(l->comm, sizeof(l->comm));
	const struct bytes path = rec_bytes(note_text(note), l->text_len);
	const struct bytes arg0 = rec_bytes(note_text(note) + l->text_len, l->arg0_len);

	if ((uint32_t)l->text_len + l->arg0_len > note->text_total)
		return false;
	if (l->by_name != 0) {
		process(note, HOW_TOOK_NAME, out);
		out->u.process.exe = path;
		out->u.process.arg0 = arg0;
		if (name_from && l->by_name == KR_BY_NAME)
			out->u.process.name_from = name_from(arg, comm, path, arg0);
		return true;
	}
	out->type = REC_exec;
	out->u.exec = (struct rec_exec){.time_ns = note->key_ns, .pid = l->tgid,
					.start_ns = l->start_ns, .comm = comm, .path = path,
					.arg0 = arg0};
	return true;
}

static bool
rename_of(const struct kr_note *note, struct translation *out)
{
	const struct kr_life *const l = &note->life;

	if (l->by_name != 0) {
		process(note, HOW_TOOK_NAME, out);
		return true;
	}
	out->type = REC_rename;
	out->u.rename = (struct rec_rename){.time_ns = note->key_ns, .pid = l->tgid, .tid = l->tid,
					    .comm = fixed_text(l->comm, sizeof(l->comm))};
	return true;
}

static bool
exit_of(const struct kr_note *note, struct translation *out)
{
	const struct kr_life *const l = &note->life;

	out->type = REC_exit;
	out->u.exit = (struct rec_exit){
		.time_ns = note->key_ns, .pid = l->tgid, .start_ns = l->start_ns,
		.status = (uint32_t)l->exit_code, .has_io = l->has_ioac != 0, .rchar = l->rchar,
		.wchar = l->wchar, .read_bytes = l->read_bytes, .write_bytes = l->write_bytes,
	};
	return true;
}

static bool
untraced(const struct kr_note *note, struct translation *out)
{
	out->type = REC_untraced;
	out->u.untraced = (struct rec_untraced){.time_ns = note->key_ns, .pid = note->life.tgid,
						.parent = note->life.parent_tgid,
						.reason = UNTRACED_ENDED};
	return true;
}

bool
translate_note(const struct kr_note *note, translate_name *name_from, void *arg,
	       struct translation *out)
{
	switch ((enum kr_note_type)note->type) {
	case KR_TARGET:
		return target(note, out);
	case KR_FORK:
		process(note, HOW_BORN, out);
		return true;
	case KR_EXEC:
		return exec(note, name_from, arg, out);
	case KR_RENAME:
		return rename_of(note, out);
	case KR_EXIT:
		return exit_of(note, out);
	case KR_UNTRACED:
		return untraced(note, out);
	case KR_NONE:
		break;
	}
	return false;
}
