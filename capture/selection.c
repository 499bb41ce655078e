/* selection.c - which system calls are recorded: the sets of --calls
 *
 * Classes follow from the columns of the call table, so a new row is in the right ones by itself. A
 * name is that of calls before it is that of a class: write means write, %write all that write.
 */
#include "capture/selection.h"

#include <string.h>

#include "formats/sets.h"

enum { NAME_MAX_BYTES = 64, AIO_COMMANDS = 16 };

static bool
reads(const struct call_spec *c)
{
	return c->dir == DIR_READ;
}

static bool
writes(const struct call_spec *c)
{
	return c->dir == DIR_WRITE;
}

static bool
moves(const struct call_spec *c)
{
	return c->dir != DIR_NONE;
}

static bool
is_net(const struct call_spec *c)
{
	return c->on == ON_SOCK || c->effect == EFFECT_CONNECTS || c->effect == EFFECT_BINDS;
}

static bool
opens(const struct call_spec *c)
{
	return c->effect == EFFECT_OPENS || c->effect == EFFECT_CONNECTS ||
	       c->effect == EFFECT_PAIR || c->effect == EFFECT_CLOSES || c->effect == EFFECT_DUPS;
}

static bool
has_path(const struct call_spec *c)
{
	return c->take == TAKE_PATH || c->take == TAKE_PATHS1 || c->take == TAKE_PATHS2;
}

/* Works on files, or may: read(2) takes any descriptor. */
static bool
is_file(const struct call_spec *c)
{
	return has_path(c) || (c->on == ON_ANY && c->fd >= 0 && !is_net(c));
}

static bool
is_meta(const struct call_spec *c)
{
	return c->dir == DIR_NONE && !is_net(c) && !opens(c);
}

static bool
is_any(const struct call_spec *c)
{
	(void)c;
	return true;
}

static const struct call_class {
	const char *name;
	bool (*has)(const struct call_spec *);
} classes[] = {
	{"read", reads}, {"write", writes}, {"data", moves}, {"net", is_net}, {"open", opens},
	{"path", has_path}, {"file", is_file}, {"meta", is_meta}, {"all", is_any},
};

static bool (*class_of(const char *name))(const struct call_spec *)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].has;
	}
	return NULL;
}

static bool
add_class(struct selection *s, const char *name)
{
	bool (*const has)(const struct call_spec *) = class_of(name);

	for (unsigned int id = 1; has && id < call_id_end(); id++) {
		if (call_spec(id)->known && has(call_spec(id)))
			s->call[id] = true;
	}
	return has != NULL;
}

/* The set of --with that records a request (calls.def). */
static uint32_t
set_of_request(unsigned int id)
{
	uint16_t aio[AIO_COMMANDS];

	call_fill_aio(aio, AIO_COMMANDS);
	for (size_t i = 0; i < AIO_COMMANDS; i++) {
		if (aio[i] == id)
			return SET_libaio;
	}
	return SET_io_uring;
}

/* A name that is of requests alone means nothing without their set. */
static bool
add_calls(struct selection *s, const char *name)
{
	uint32_t sets = 0;
	bool found = false, recorded = false;

	for (unsigned int id = 1; id < call_id_end(); id++) {
		const struct call_spec *const spec = call_spec(id);

		if (!spec->known ||
		    (strcmp(call_op(id), name) != 0 && strcmp(call_name(id), name) != 0))
			continue;
		s->call[id] = found = true;
		if (call_is_request(id))
			sets |= set_of_request(id);
		else
			recorded = true;
	}
	if (!recorded)
		s->sets |= sets;
	return found;
}

static bool
add_name(struct selection *s, const char *name)
{
	if (name[0] == '%')
		return add_class(s, name + 1);
	return add_calls(s, name) || add_class(s, name);
}

int
selection_add(struct selection *s, const char *set, struct iotap_error *err)
{
	s->given = true;
	for (const char *at = set;; at++) {
		const size_t n = strcspn(at, ",");
		char name[NAME_MAX_BYTES];

		if (n > 0 && n < sizeof(name)) {
			memcpy(name, at, n);
			name[n] = '\0';
		}
		if (n == 0 || n >= sizeof(name) || !add_name(s, name))
			return error_set(err, IOTAP_EUSAGE, "--calls: \"%.*s\" is no call and no class "
					 "(%%read, %%write, data, net, %%open, path, file, meta, all)",
					 n < 80 ? (int)n : 80, at);
		at += n;
		if (*at == '\0')
			return 0;
	}
}

bool
selection_looks_at(const struct selection *s, unsigned int id)
{
	if (selection_has(s, id))
		return true;
	return call_spec(id)->effect == EFFECT_TURNS && (selection_has(s, call_that_moves(id, DIR_READ)) ||
							 selection_has(s, call_that_moves(id, DIR_WRITE)));
}

static int
check_sets(const struct selection *s, uint32_t sets, struct iotap_error *err)
{
	const uint32_t missing = s->sets & ~sets;
	const uint32_t first = missing & (~missing + 1);

	return first == 0 ? 0 : error_set(err, IOTAP_EUSAGE, "--calls: what it names is recorded with --with %s "
					  "only", set_name(first));
}

int
selection_complete(struct selection *s, uint32_t sets, struct iotap_error *err)
{
	bool wanted = false;

	for (unsigned int id = 1; id < call_id_end(); id++)
		wanted = wanted || (s->call[id] && call_is_request(id) && set_of_request(id) == SET_libaio);
	for (unsigned int id = 1; s->given && wanted && (sets & SET_libaio) && id < call_id_end(); id++) {
		const unsigned char effect = call_spec(id)->effect;

		if (effect == EFFECT_SUBMITS || effect == EFFECT_REAPS)
			s->call[id] = true;
	}
	return check_sets(s, sets, err);
}
