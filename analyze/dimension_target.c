/* dimension_target.c - the rows of target, and which of them share a row of totals
 *
 * Totals are kept by name: the key of the target, as decode made it. The first target of a name is the
 * row they are kept under (target.sums). A hash of 64 bits stands for the name; its seed is of this
 * run, so nobody can aim at it.
 */
#include "analyze/dimension_target.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/db.h"
#include "analyze/words.h"
#include "formats/base/hash.h"

#define UNMOVABLE (UINT64_C(1) << 62)	/* ids from here on: made from device and inode, or nonsense */

int
dimension_target_prepare(struct dimension *d)
{
	const struct {
		sqlite3_stmt **stmt;
		const char *sql;
	} texts[] = {
		{&d->add_definition, "INSERT INTO definition (id, recording, sums, kind, class, path, text, name, "
		 "proto, local, local_port, remote, remote_port, peer, peer_pid, device, netns, dev, ino, mode, "
		 "claimed, confirmed, resolved, evidence, flags) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
		 "?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)"},
		{&d->add_target, "INSERT OR IGNORE INTO target_row VALUES (?1, ?2)"},
		{&d->add_raw, "INSERT INTO target_raw VALUES (?1, ?2, ?3)"},
		{&d->find_target, "SELECT r.id, d.sums FROM target_row AS r JOIN definition AS d "
		 "ON d.id = r.definition WHERE r.id = ?1"},
		{&d->find_raw, "SELECT r.id, d.sums FROM target_raw AS x JOIN target_row AS r ON r.id = x.id "
		 "JOIN definition AS d ON d.id = r.definition WHERE x.raw = ?1 AND x.recording = ?2"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const int r = db_prepare(d->db, texts[i].sql, texts[i].stmt, d->err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* -- names -- */

static uint64_t
name_hash(const struct dimension *d, uint32_t klass, const void *name, size_t n)
{
	return hash_pair(klass, hash_bytes(name, n, d->seed), d->seed);
}

/* The row of a name, id if the name is new. */
static int
name_row(struct dimension *d, uint32_t klass, const void *name, size_t n, int64_t id, int64_t *row)
{
	const uint64_t hash = name_hash(d, klass, name, n);
	const uint64_t *const known = map_find(&d->names, hash);

	*row = id;
	if (known) {
		*row = (int64_t)*known;
	} else if (d->names.n >= DIMENSION_NAMES) {
		*row = TARGET_FURTHER;
		d->further++;
	} else if (!map_put(&d->names, hash, (uint64_t)id)) {
		return error_set(d->err, IOTAP_ENOMEM, "out of memory");
	}
	return 0;
}

static int
names_of_before(struct dimension *d)
{
	sqlite3_stmt *stmt = NULL;
	int r = db_prepare(d->db, "SELECT sums, class, coalesce(name, path, text) FROM definition "
			   "WHERE sums > 0 AND ?1 > 1", &stmt, d->err);

	(void)sqlite3_bind_int64(stmt, 1, d->recording);
	while (r == 0 && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *const klass = (const char *)sqlite3_column_text(stmt, 1);
		const void *const name = sqlite3_column_blob(stmt, 2);
		const size_t n = (size_t)sqlite3_column_bytes(stmt, 2);
		uint32_t number = IOTAP_CLASS_FILE;
		int64_t row;

		while (number < IOTAP_CLASS_OTHER && (!klass || strcmp(word_class(number), klass) != 0))
			number++;
		r = name_row(d, number, name, n, sqlite3_column_int64(stmt, 0), &row);
	}
	if (sqlite3_finalize(stmt) != SQLITE_OK && r == 0)
		r = db_error(d->db, d->err, "database");
	return r;
}

int
dimension_target_begin(struct dimension *d)
{
	static const struct {
		const char *name;
		int64_t id;
		uint32_t klass;
	} shared[] = {
		{"<unknown>", TARGET_UNKNOWN, IOTAP_CLASS_OTHER},
		{"socket", TARGET_SOCKET, IOTAP_CLASS_NETWORK},
	};
	int64_t row;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(shared) / sizeof(shared[0]); i++)
		r = name_row(d, shared[i].klass, shared[i].name, strlen(shared[i].name), shared[i].id, &row);
	return r == 0 ? names_of_before(d) : r;
}

/* -- rows -- */

/* True for the targets that mean "not known", which all recordings share. */
static bool
is_shared(const struct iotap_target *t, int64_t *id)
{
	if (t->id < UNMOVABLE || t->ino != 0 || t->dev_major != 0 || t->dev_minor != 0 || t->path)
		return false;
	*id = t->kind == IOTAP_KIND_SOCKET ? TARGET_SOCKET : TARGET_UNKNOWN;
	return t->kind == IOTAP_KIND_SOCKET || t->kind == IOTAP_KIND_UNKNOWN;
}

int64_t
dimension_target_id(const struct iotap_target *t)
{
	int64_t id;

	return is_shared(t, &id) ? id : (int64_t)(t->id & INT64_MAX);
}

static void
bind_address(sqlite3_stmt *stmt, int at, const uint8_t *address, uint8_t len, uint16_t port)
{
	char text[INET6_ADDRSTRLEN];

	if (len != 4 && len != 16)
		return;
	if (inet_ntop(len == 4 ? AF_INET : AF_INET6, address, text, sizeof(text)))
		(void)sqlite3_bind_text(stmt, at, text, -1, SQLITE_TRANSIENT);
	(void)sqlite3_bind_int(stmt, at + 1, port);
}

static bool
same_bytes(const char *a, size_t n_a, const char *b, size_t n_b)
{
	return a && b && n_a == n_b && memcmp(a, b, n_a) == 0;
}

/* Names: text and name are kept where they are not the path. */
static void
bind_names(sqlite3_stmt *stmt, const struct iotap_target *t)
{
	db_bind_name(stmt, 6, t->path, t->path_len);
	if (!same_bytes(t->text, t->text_len, t->path, t->path_len))
		db_bind_name(stmt, 7, t->text, t->text_len);
	if (!same_bytes(t->key, t->key_len, t->path, t->path_len) &&
	    !same_bytes(t->key, t->key_len, t->text, t->text_len))
		db_bind_name(stmt, 8, t->key, t->key_len);
	db_bind_name(stmt, 14, t->peer, t->peer_len);
	db_bind_name(stmt, 21, t->claimed, t->claimed_len);
	if (t->device)
		db_bind_name(stmt, 16, t->device, strlen(t->device));
}

static void
bind_socket(sqlite3_stmt *stmt, const struct iotap_target *t)
{
	db_bind_text(stmt, 9, t->proto);
	bind_address(stmt, 10, t->local, t->local_len, t->local_port);
	bind_address(stmt, 12, t->remote, t->remote_len, t->remote_port);
	db_bind_u64(stmt, 15, t->peer_pid > 0 ? t->peer_pid : IOTAP_UNKNOWN);
	db_bind_u64(stmt, 17, t->netns > 0 ? t->netns : IOTAP_UNKNOWN);
}

static int
definition_insert(struct dimension *d, const struct iotap_target *t, int64_t id, int64_t sums)
{
	sqlite3_stmt *const stmt = d->add_definition;

	(void)sqlite3_clear_bindings(stmt);
	(void)sqlite3_bind_int64(stmt, 1, id);
	(void)sqlite3_bind_int64(stmt, 2, d->recording);
	(void)sqlite3_bind_int64(stmt, 3, sums);
	db_bind_text(stmt, 4, word_kind(t->kind));
	db_bind_text(stmt, 5, word_class(t->klass));
	bind_names(stmt, t);
	bind_socket(stmt, t);
	if (t->ino != 0) {
		(void)sqlite3_bind_int64(stmt, 18, (int64_t)t->dev_major << 20 | t->dev_minor);
		db_bind_u64(stmt, 19, t->ino);
		(void)sqlite3_bind_int64(stmt, 20, t->mode);
	}
	(void)sqlite3_bind_int(stmt, 22, t->confirmed != 0);
	db_bind_text(stmt, 23, word_resolved(t->resolved));
	db_bind_text(stmt, 24, word_evidence(t->evidence));
	(void)sqlite3_bind_int64(stmt, 25, t->flags);
	return db_run(stmt, d->err);
}

static uint64_t
mix(const struct dimension *d, uint64_t hash, const void *p, size_t n)
{
	return hash_pair(hash, p ? hash_bytes(p, n, d->seed) ^ n : UINT64_MAX, d->seed);
}

/* Of everything that definition_insert writes. */
static uint64_t
definition_hash(const struct dimension *d, const struct iotap_target *t)
{
	const uint64_t numbers[] = {
		t->kind, t->klass, t->resolved, t->evidence, (uint64_t)t->confirmed, t->flags, t->dev_major,
		t->dev_minor, t->mode, t->ino, t->family, t->sock_type, t->protocol, t->local_port,
		t->remote_port, t->local_len, t->remote_len, t->netns, t->ifindex, t->peer_pid,
	};
	uint64_t hash = hash_bytes(numbers, sizeof(numbers), d->seed);

	hash = mix(d, hash, t->path, t->path_len);
	hash = mix(d, hash, t->text, t->text_len);
	hash = mix(d, hash, t->key, t->key_len);
	if (t->claimed)
		hash = mix(d, hash, t->claimed, t->claimed_len);
	if (t->peer)
		hash = mix(d, hash ^ 1, t->peer, t->peer_len);
	if (t->kind != IOTAP_KIND_SOCKET)
		return hash;
	hash = mix(d, hash, t->local, t->local_len);
	hash = mix(d, hash, t->remote, t->remote_len);
	hash = mix(d, hash, t->proto, t->proto ? strlen(t->proto) : 0);
	return mix(d, hash, t->device, t->device ? strlen(t->device) : 0);
}

/* The row of what a target is, and where its totals go. The map forgets at its limit: then equal
 * definitions get a second row, which costs room only. */
static int
definition_row(struct dimension *d, const struct iotap_target *t, struct dimension_target *row, int64_t *definition)
{
	const uint64_t hash = definition_hash(d, t);
	const uint64_t *const known = map_find(&d->definitions, hash);
	int r = name_row(d, t->klass, t->key, t->key_len, row->id, &row->sums);

	if (r < 0)
		return r;
	*definition = known ? (int64_t)*known : d->next_definition;
	if (known)
		return 0;
	d->next_definition++;
	if (d->definitions.n >= DIMENSION_DEFINITIONS)
		map_clear(&d->definitions);
	if (!map_put(&d->definitions, hash, (uint64_t)*definition))
		return error_set(d->err, IOTAP_ENOMEM, "out of memory");
	return definition_insert(d, t, *definition, row->sums);
}

/* Looks for the row of a target, which is there only if the map was emptied since. 1 = there is none. */
static int
target_find(struct dimension *d, const struct iotap_target *t, bool raw, struct dimension_target *row)
{
	sqlite3_stmt *const stmt = raw ? d->find_raw : d->find_target;
	int r = 1;

	if (!d->emptied && row->id > 0)
		return 1;
	(void)sqlite3_bind_int64(stmt, 1, raw ? db_i64(t->id) : row->id);
	if (raw)
		(void)sqlite3_bind_int64(stmt, 2, d->recording);
	if (sqlite3_step(stmt) == SQLITE_ROW) {
		row->id = sqlite3_column_int64(stmt, 0);
		row->sums = sqlite3_column_int64(stmt, 1);
		r = 0;
	}
	if (sqlite3_reset(stmt) != SQLITE_OK)
		return db_error(d->db, d->err, "database");
	return r;
}

static int
target_insert(struct dimension *d, const struct iotap_target *t, struct dimension_target *row, bool raw)
{
	int64_t definition;
	int r = definition_row(d, t, row, &definition);

	if (r == 0) {
		(void)sqlite3_bind_int64(d->add_target, 1, row->id);
		(void)sqlite3_bind_int64(d->add_target, 2, definition);
		r = db_run(d->add_target, d->err);
	}
	if (r == 0 && raw) {
		(void)sqlite3_bind_int64(d->add_raw, 1, d->recording);
		(void)sqlite3_bind_int64(d->add_raw, 2, db_i64(t->id));
		(void)sqlite3_bind_int64(d->add_raw, 3, row->id);
		r = db_run(d->add_raw, d->err);
	}
	return r;
}

/* Of the first recording every id stays; of others those that can be moved up. */
static int
target_row(struct dimension *d, const struct iotap_target *t, struct dimension_target *row)
{
	const bool shared = is_shared(t, &row->id);
	const bool raw = !shared && d->first_target > 0 && t->id >= UNMOVABLE - (uint64_t)d->first_target;
	int r;

	if (!shared)
		row->id = raw ? 0 : (int64_t)(t->id & INT64_MAX) + d->first_target;
	row->klass = t->klass;
	r = target_find(d, t, raw, row);
	if (r != 1)
		return r;
	if (raw)
		row->id = d->next_raw--;
	return target_insert(d, t, row, raw);
}

/* The place of a new entry; the map is emptied when it is full. */
static struct dimension_target *
entry_new(struct dimension *d, uint64_t id)
{
	if (d->targets.n >= DIMENSION_TARGETS) {
		map_clear(&d->targets);
		d->n_entries = 0;
		d->emptied = true;
	}
	if (d->n_entries == d->cap_entries) {
		const size_t cap = d->cap_entries > 0 ? d->cap_entries * 2 : 1024;
		struct dimension_target *const grown = realloc(d->entries, cap * sizeof(*grown));

		if (!grown)
			return NULL;
		d->entries = grown;
		d->cap_entries = cap;
	}
	if (!map_put(&d->targets, id, d->n_entries))
		return NULL;
	return &d->entries[d->n_entries++];
}

static int
target_any(struct dimension *d, const struct iotap_target *t, struct dimension_target *row)
{
	const uint64_t *const known = map_find(&d->targets, t->id);
	struct dimension_target *entry;
	int r;

	if (known) {
		*row = d->entries[*known];
		return 0;
	}
	r = target_row(d, t, row);
	if (r < 0)
		return r;
	entry = entry_new(d, t->id);
	if (!entry)
		return error_set(d->err, IOTAP_ENOMEM, "out of memory");
	*entry = *row;
	return 0;
}

int
dimension_target(struct dimension *d, const struct iotap_target *t, const struct dimension_target **out)
{
	struct dimension_recent *const recent = &d->recent_targets[t->id % DIMENSION_RECENT_TARGETS];

	if (recent->raw != t->id + 1) {
		const int r = target_any(d, t, &recent->target);

		if (r < 0)
			return r;
		recent->raw = t->id + 1;
	}
	*out = &recent->target;
	return 0;
}
