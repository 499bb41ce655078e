/* select.c - which calls a filter lets through */
#include "decode/select.h"

#include <stdlib.h>
#include <string.h>

#include "formats/error.h"

int
select_init(struct select *s, const struct iotap_filter *from)
{
	*s = (struct select){.names = NULL};
	if (from)
		s->f = *from;
	if (s->f.to_ns == 0)
		s->f.to_ns = UINT64_MAX;
	s->by_target = s->f.target != 0 || s->f.classes != 0 || s->f.n_interfaces > 0;
	if (s->f.n_interfaces == 0)
		return 0;
	s->names = calloc(s->f.n_interfaces, sizeof(*s->names));
	for (size_t i = 0; s->names && i < s->f.n_interfaces; i++) {
		s->names[i] = strdup(from->interfaces[i]);
		if (!s->names[i]) {
			select_fini(s);
			return IOTAP_ENOMEM;
		}
	}
	s->f.interfaces = (const char *const *)s->names;
	return s->names ? 0 : IOTAP_ENOMEM;
}

void
select_fini(struct select *s)
{
	for (size_t i = 0; s->names && i < s->f.n_interfaces; i++)
		free(s->names[i]);
	free(s->names);
	*s = (struct select){.names = NULL};
}

enum select_verdict
select_target(const struct select *s, const struct iotap_target *t)
{
	if (s->f.classes != 0 && !(s->f.classes & 1u << t->klass))
		return SELECT_DROP;
	if (s->f.target != 0 && s->f.target != t->id)
		return SELECT_DROP;
	if (s->f.n_interfaces == 0)
		return SELECT_KEEP;
	if (t->klass != IOTAP_CLASS_NETWORK || !t->device)
		return SELECT_DROP;
	for (size_t i = 0; i < s->f.n_interfaces; i++) {
		if (strcmp(s->f.interfaces[i], t->device) == 0)
			return SELECT_KEEP;
	}
	return strcmp(t->device, "?") == 0 ? SELECT_DROP_UNKNOWN_INTERFACE : SELECT_DROP;
}
