/* target.c - what calls refer to: from a definition to the public struct
 *
 * Here the conclusions are drawn that depend on the definition alone: which class, which protocol,
 * how it was learned and how sure the name is. The names themselves are target_name.c's.
 */
#include "decode/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/address.h"
#include "formats/base/escape.h"
#include "formats/base/hash.h"
#include "formats/kernel_record.h"

/* Numbers of Linux, the same on every architecture we read: the recording's, not this host's. */
enum {
	LINUX_AF_UNIX = 1, LINUX_AF_INET = 2, LINUX_AF_INET6 = 10, LINUX_AF_NETLINK = 16,
	LINUX_AF_PACKET = 17,
	LINUX_SOCK_STREAM = 1, LINUX_SOCK_DGRAM = 2, LINUX_SOCK_RAW = 3,
	LINUX_IPPROTO_ICMP = 1, LINUX_IPPROTO_TCP = 6, LINUX_IPPROTO_UDP = 17, LINUX_IPPROTO_ICMPV6 = 58,
};

static const char *
proto_of_inet(uint64_t type, uint64_t protocol)
{
	if (protocol == LINUX_IPPROTO_ICMP || protocol == LINUX_IPPROTO_ICMPV6)
		return "icmp";
	if (type == LINUX_SOCK_RAW)
		return "raw";
	if (protocol == LINUX_IPPROTO_TCP || (protocol == 0 && type == LINUX_SOCK_STREAM))
		return "tcp";
	if (protocol == LINUX_IPPROTO_UDP || (protocol == 0 && type == LINUX_SOCK_DGRAM))
		return "udp";
	return "other";
}

static const char *
proto_of(uint64_t family, uint64_t type, uint64_t protocol)
{
	switch (family) {
	case LINUX_AF_UNIX:
		return "unix";
	case LINUX_AF_NETLINK:
		return "netlink";
	case LINUX_AF_PACKET:
		return "packet";
	case LINUX_AF_INET:
	case LINUX_AF_INET6:
		return proto_of_inet(type, protocol);
	default:
		return "other";
	}
}

static enum iotap_class
class_of(enum iotap_kind kind)
{
	switch (kind) {
	case IOTAP_KIND_FILE:
	case IOTAP_KIND_MEMFD:
		return IOTAP_CLASS_FILE;
	case IOTAP_KIND_SOCKET:
		return IOTAP_CLASS_NETWORK;
	case IOTAP_KIND_PIPE:
	case IOTAP_KIND_ANON:
	case IOTAP_KIND_UNKNOWN:
		break;
	}
	return IOTAP_CLASS_OTHER;
}

static enum iotap_kind
kind_of(uint64_t kind)
{
	return kind <= IOTAP_KIND_MEMFD ? (enum iotap_kind)kind : IOTAP_KIND_UNKNOWN;
}

static enum iotap_resolved
resolved_of(uint64_t origin)
{
	switch (origin) {
	case KR_ORIGIN_CALL:
	case KR_ORIGIN_CLAIM:
		return IOTAP_RESOLVED_TRACED;
	case KR_ORIGIN_ATTACH:
		return IOTAP_RESOLVED_SNAPSHOT;
	case KR_ORIGIN_USE:
		return IOTAP_RESOLVED_LAZY;
	default:
		return IOTAP_RESOLVED_NONE;
	}
}

/* One allocation for *t, the strings that target_name laid out in scratch, and raw. */
static struct target *
target_build(struct iotap_target *t, const struct bytes *raw, struct buf *scratch)
{
	struct target_names at;
	struct target *out;

	if (!target_name(t, &at, scratch) || (raw && !buf_put(scratch, raw->p, raw->n)))
		return NULL;
	out = malloc(sizeof(*out) + scratch->len);
	if (!out)
		return NULL;
	memset(out, 0, sizeof(*out));
	memcpy(out->strings, scratch->data, scratch->len);
	out->bytes = (uint32_t)(sizeof(*out) + scratch->len);
	out->n_raw = raw ? raw->n : 0;
	out->pub = *t;
#define STRING(member) out->pub.member = at.member == SIZE_MAX ? NULL : out->strings + at.member
	STRING(path);
	STRING(claimed);
	STRING(peer);
	STRING(device);
#undef STRING
	out->pub.text = out->strings + at.text;
	out->pub.key = out->strings + at.key;
	out->pub.json = out->strings + at.json;
	return out;
}

/* An address of a definition, unless it says "nothing": the wildcard without a port. */
static uint8_t
address_take(uint8_t out[16], const struct bytes *from, uint64_t port)
{
	if ((from->n != 4 && from->n != 16) || (port == 0 && address_is_unspecified(from->p, from->n)))
		return 0;
	memcpy(out, from->p, from->n);
	return (uint8_t)from->n;
}

/* Which interface the traffic goes over: the route's device as the kernel knew it; "?" when there is
 * none; NULL for what goes over no interface. device is a buffer for the name. */
static const char *
device_of(const struct iotap_target *t, const struct bytes *name, char device[32])
{
	if (t->family == LINUX_AF_UNIX || t->family == LINUX_AF_NETLINK)
		return NULL;
	if (name->n == 0 || name->n >= 32 || memchr(name->p, '\0', name->n))
		return "?";
	memcpy(device, name->p, name->n);
	device[name->n] = '\0';
	return device;
}

static void
target_socket(struct iotap_target *t, const struct rec_target *def, char device[32])
{
	t->family = (uint16_t)def->family;
	t->sock_type = (uint16_t)def->sock_type;
	t->protocol = (uint16_t)def->protocol;
	t->proto = proto_of(def->family, def->sock_type, def->protocol);
	t->local_port = (uint16_t)def->local_port;
	t->remote_port = (uint16_t)def->remote_port;
	t->local_len = address_take(t->local, &def->local, def->local_port);
	t->remote_len = address_take(t->remote, &def->remote, def->remote_port);
	t->netns = (uint32_t)def->netns;
	t->ifindex = (uint32_t)def->ifindex;
	t->peer_pid = (uint32_t)def->peer_pid;
	t->device = device_of(t, &def->device, device);
}

/* A name that the kernel half read, cut or not, is the kernel's; one that was there at attach and is not
 * the kernel's is an answer of /proc. Device and inode are the kernel's even when the name is not known
 * any more. */
static enum iotap_evidence
evidence_of(const struct iotap_target *t, const struct rec_target *def, bool named)
{
	if (def->flags & (KT_CONFIRMED | KT_CUT))
		return IOTAP_EVIDENCE_KERNEL;
	if (def->origin == KR_ORIGIN_CLAIM || (!named && t->claimed))
		return IOTAP_EVIDENCE_USER;
	if (named)
		return def->origin == KR_ORIGIN_ATTACH ? IOTAP_EVIDENCE_PROC : IOTAP_EVIDENCE_KERNEL;
	return t->ino != 0 ? IOTAP_EVIDENCE_KERNEL : IOTAP_EVIDENCE_NONE;
}

/* path: the kernel's own, or else what user memory said, unless the kernel knew the peer's (connected
 * unix sockets); and what that makes of the evidence. */
static void
target_path(struct iotap_target *t, const struct rec_target *def, struct buf *memfd)
{
	const bool named = def->text.n > 0 && !(def->flags & TARGET_EVICTED);

	if (def->claimed.n > 0) {
		t->claimed = (const char *)def->claimed.p;
		t->claimed_len = def->claimed.n;
	}
	if (named && t->kind == IOTAP_KIND_MEMFD && buf_puts(memfd, "/memfd:") &&
	    buf_put(memfd, def->text.p, def->text.n)) {
		t->path = (const char *)memfd->data;
		t->path_len = memfd->len;
	} else if (named) {
		t->path = (const char *)def->text.p;
		t->path_len = def->text.n;
	} else if (t->claimed && def->peer.n == 0) {
		t->path = t->claimed;
		t->path_len = t->claimed_len;
	}
	t->evidence = evidence_of(t, def, named);
	t->confirmed = (def->flags & KT_CONFIRMED) && !(def->flags & (KT_CUT | TARGET_EVICTED));
}

static void
target_inode(struct iotap_target *t, uint64_t dev, uint64_t ino, uint64_t mode)
{
	t->dev_major = (uint32_t)(dev >> 20);
	t->dev_minor = (uint32_t)(dev & 0xfffff);
	t->ino = ino;
	t->mode = (uint32_t)mode;
}

struct target *
target_new(const struct rec_target *def, const struct bytes *raw, struct buf *scratch)
{
	struct iotap_target t = {.id = def->id, .kind = kind_of(def->kind), .flags = (uint32_t)def->flags};
	struct buf memfd = {.data = NULL};
	struct target *out;
	char device[32];

	t.klass = class_of(t.kind);
	t.resolved = resolved_of(def->origin);
	target_inode(&t, def->dev, def->ino, def->mode);
	target_path(&t, def, &memfd);
	if (t.kind == IOTAP_KIND_SOCKET)
		target_socket(&t, def, device);
	if (def->peer.n > 0) {
		t.peer = (const char *)def->peer.p;
		t.peer_len = def->peer.n;
	}
	out = buf_ok(&memfd) ? target_build(&t, raw, scratch) : NULL;
	buf_free(&memfd);
	return out;
}

struct bytes
target_raw(const struct target *t)
{
	return (struct bytes){.p = (const uint8_t *)t->strings + t->bytes - sizeof(*t) - t->n_raw, .n = t->n_raw};
}

uint64_t
target_undefined_id(uint32_t dev, uint64_t ino)
{
	return TARGET_UNDEFINED_BIT | (hash_pair(dev, ino, 0) & (TARGET_UNDEFINED_BIT - 1));
}

struct target *
target_new_undefined(const struct call_target *entry, struct buf *scratch)
{
	struct iotap_target t = {.id = entry->id, .kind = kind_of(entry->kind)};

	if (t.id == 0)
		t.id = target_undefined_id(entry->dev, entry->ino);
	t.klass = class_of(t.kind);
	t.evidence = entry->ino != 0 ? IOTAP_EVIDENCE_KERNEL : IOTAP_EVIDENCE_NONE;
	target_inode(&t, entry->dev, entry->ino, entry->mode);
	if (t.kind == IOTAP_KIND_SOCKET) {
		t.proto = "other";
		t.device = "?";
	}
	return target_build(&t, NULL, scratch);
}

struct target *
target_new_unknown(struct buf *scratch)
{
	return target_new_undefined(&(struct call_target){.id = TARGET_UNDEFINED_BIT}, scratch);
}

struct target *
target_new_socket(struct buf *scratch)
{
	return target_new_undefined(&(struct call_target){.id = TARGET_UNDEFINED_BIT | 1,
							  .kind = KR_KIND_SOCKET}, scratch);
}

/* The JSON form comes last. */
size_t
target_copy_size(const struct iotap_target *of)
{
	return sizeof(*of) + (size_t)(of->json - ((const struct target *)of)->strings);
}

struct iotap_target *
target_copy(const struct iotap_target *of, void *memory)
{
	const struct target *const from = (const struct target *)of;
	struct iotap_target *const out = memory;
	char *const strings = (char *)(out + 1);

	*out = *of;
	memcpy(strings, from->strings, target_copy_size(of) - sizeof(*of));
#define STRING(member) out->member = of->member ? strings + (of->member - from->strings) : NULL
	STRING(path);
	STRING(claimed);
	STRING(peer);
	STRING(device);
#undef STRING
	out->text = strings + (of->text - from->strings);
	out->key = strings + (of->key - from->strings);
	out->json = NULL;
	out->json_len = 0;
	return out;
}

bool
target_put_row_name(struct buf *out, const struct iotap_target *t)
{
	return escape_text(out, t->key, t->key_len);
}
