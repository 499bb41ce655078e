/* tally_servers.c - rows for people: the peers that came to one port share a row
 *
 * A socket's row is its remote end, so a server has one for each port that a client ever used. Here those
 * of one local port become one when they are many: a few are worth a row each, and the own ports of a
 * client meet by chance, but not that often. The exact rows stay what they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/address.h"
#include "decode/tally_parts.h"
#include "formats/base/array.h"
#include "formats/base/hash.h"

enum {
	PORTS = 2 << 16,		/* tcp and udp */
	TEXT_BYTES = ADDRESS_SIZE + 8,
};

struct server {
	const struct iotap_target *first;
	struct iotap_row sum;
	uint64_t peers;
	size_t row;			/* in grouped, SIZE_MAX = none yet */
	bool one_address;		/* all of its local ends have the address of the first */
};

/* What is needed while the rows are grouped. */
struct grouping {
	struct tally *tally;
	uint32_t rows[PORTS];		/* of each port */
	uint32_t server[PORTS];		/* its place in servers + 1 */
	struct server *servers;
	size_t n, cap;
	struct map peers;		/* hashes of port and remote address */
};

/* 0: not an end that peers come to. */
static uint32_t
port_of(const struct iotap_row *row)
{
	const struct iotap_target *const t = row->target;

	if (row->klass != IOTAP_CLASS_NETWORK || !t->proto || t->local_port == 0 || t->remote_len == 0)
		return 0;
	return (strcmp(t->proto, "udp") == 0 ? 1u << 16 : 0) + t->local_port;
}

static bool
same_local(const struct iotap_target *a, const struct iotap_target *b)
{
	return a->local_len == b->local_len && memcmp(a->local, b->local, a->local_len) == 0;
}

/* The server of a row that shares one, made with its first row. NULL = out of memory. */
static struct server *
server_of(struct grouping *g, const struct iotap_row *row)
{
	uint32_t *const at = &g->server[port_of(row)];
	struct server *grown;

	if (*at > 0)
		return &g->servers[*at - 1];
	grown = array_room(g->servers, g->n, &g->cap, sizeof(*grown), 8);
	if (!grown)
		return NULL;
	g->servers = grown;
	g->servers[g->n] = (struct server){.first = row->target, .sum = {.klass = IOTAP_CLASS_NETWORK},
					   .row = SIZE_MAX, .one_address = true};
	*at = (uint32_t)++g->n;
	return &g->servers[g->n - 1];
}

static bool
server_peer(struct grouping *g, struct server *s, const struct iotap_row *row)
{
	const uint64_t seed = g->tally->seed;
	const uint64_t peer = hash_pair(hash_bytes(row->target->remote, row->target->remote_len, seed),
					port_of(row), seed);

	s->one_address = s->one_address && same_local(s->first, row->target);
	if (map_find(&g->peers, peer))
		return true;
	s->peers++;
	return map_put(&g->peers, peer, 1);
}

static void
sum_add(struct iotap_sum *sum, const struct iotap_sum *a)
{
	tally_add(&sum->bytes, a->bytes);
	tally_add(&sum->calls, a->calls);
}

static void
row_add(struct iotap_row *sum, const struct iotap_row *a)
{
	sum_add(&sum->read, &a->read);
	sum_add(&sum->write, &a->write);
	tally_add(&sum->errors, a->errors);
	tally_add(&sum->messages, a->messages);
	tally_add(&sum->unsized_calls, a->unsized_calls);
	tally_add(&sum->connections, a->connections);
	tally_add(&sum->ops, a->ops);
	tally_add(&sum->latency_ns, a->latency_ns);
	if (a->latency_max_ns > sum->latency_max_ns)
		sum->latency_max_ns = a->latency_max_ns;
}

/* Adds a row to that of its server, or as it is. */
static bool
group_row(struct grouping *g, const struct iotap_row *row)
{
	struct tally *const t = g->tally;
	struct server *s;

	if (g->rows[port_of(row)] < IOTAP_SERVER_PEERS) {
		t->grouped[t->n_grouped++].row = row;
		return true;
	}
	s = server_of(g, row);
	if (!s || !server_peer(g, s, row))
		return false;
	row_add(&s->sum, row);
	if (s->row == SIZE_MAX)
		s->row = t->n_grouped++;
	return true;
}

/* What the row of a server is about: its own end. */
static bool
name_server(struct tally *t, const struct server *s)
{
	struct target *const target = calloc(1, sizeof(*target) + TEXT_BYTES);
	struct iotap_target *const pub = target ? &target->pub : NULL;
	char address[ADDRESS_SIZE];

	if (!target)
		return false;
	t->server_rows[t->n_servers] = s->sum;
	t->server_rows[t->n_servers].target = pub;
	t->grouped[s->row] = (struct iotap_grouped_row){&t->server_rows[t->n_servers], s->peers};
	t->server_targets[t->n_servers++] = target;
	*pub = (struct iotap_target){
		.kind = IOTAP_KIND_SOCKET, .klass = IOTAP_CLASS_NETWORK, .proto = s->first->proto,
		.family = s->first->family, .sock_type = s->first->sock_type, .protocol = s->first->protocol,
		.local_port = s->first->local_port, .local_len = s->one_address ? s->first->local_len : 0,
	};
	memcpy(pub->local, s->first->local, pub->local_len);
	if (s->one_address)
		(void)address_text(address, pub->local, pub->local_len, pub->local_port, true);
	else
		(void)snprintf(address, sizeof(address), "*:%u", (unsigned int)pub->local_port);
	(void)snprintf(target->strings, TEXT_BYTES, "%s %s", pub->proto, address);
	pub->text = pub->key = target->strings;
	pub->text_len = pub->key_len = strlen(target->strings);
	return true;
}

static bool
name_servers(struct grouping *g)
{
	struct tally *const t = g->tally;

	t->server_targets = calloc(g->n + 1, sizeof(struct target *));
	t->server_rows = calloc(g->n + 1, sizeof(*t->server_rows));
	if (!t->server_targets || !t->server_rows)
		return false;
	for (size_t i = 0; i < g->n; i++) {
		if (!name_server(t, &g->servers[i]))
			return false;
	}
	return true;
}

static bool
group_rows(struct grouping *g, const struct iotap_summary *s)
{
	struct tally *const t = g->tally;

	for (size_t i = 0; i < s->n_rows; i++)
		g->rows[port_of(&s->rows[i])] += port_of(&s->rows[i]) != 0;
	t->grouped = calloc(s->n_rows + 1, sizeof(*t->grouped));
	for (size_t i = 0; t->grouped && i < s->n_rows; i++) {
		if (!group_row(g, &s->rows[i]))
			return false;
	}
	return t->grouped && name_servers(g);
}

void
tally_servers_fini(struct tally *t)
{
	for (size_t i = 0; i < t->n_servers; i++)
		free(t->server_targets[i]);
	free(t->server_targets);
	free(t->server_rows);
	free(t->grouped);
	t->server_targets = NULL;
	t->server_rows = NULL;
	t->grouped = NULL;
	t->n_servers = t->n_grouped = 0;
}

bool
tally_servers(struct tally *t, struct iotap_summary *out)
{
	struct grouping *const g = calloc(1, sizeof(*g));
	bool ok;

	tally_servers_fini(t);
	if (!g)
		return false;
	g->tally = t;
	map_init(&g->peers, t->seed, 0);
	ok = group_rows(g, out);
	map_fini(&g->peers);
	free(g->servers);
	free(g);
	if (ok && t->n_servers > 0)
		tally_sort_grouped(t->grouped, t->n_grouped);
	out->grouped = t->grouped;
	out->n_grouped = t->n_grouped;
	return ok;
}
