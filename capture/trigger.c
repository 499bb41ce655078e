/* trigger.c - rules that say when the flight recorder is to write down what it has */
#include "capture/trigger.h"

#include <fnmatch.h>
#include <string.h>

#include "formats/base/hash.h"
#include "formats/base/quantity.h"

enum { IDS_MAX = 65536, ERRNO_MAX = 4095, PATH_BYTES = 4096 };

static const struct {
	const char *name;
	uint64_t number;
} errnos[] = {
#define ERRNO(name, number) {#name, number},
#include "formats/errnos.def"
#undef ERRNO
};

static bool
errno_named(const char *name, uint64_t *out)
{
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		if (strcmp(errnos[i].name, name) == 0) {
			*out = errnos[i].number;
			return true;
		}
	}
	return quantity_u64(name, out) && *out > 0 && *out <= ERRNO_MAX;
}

static const char *
after(const char *text, const char *word)
{
	const size_t n = strlen(word);

	return strncmp(text, word, n) == 0 ? text + n : NULL;
}

bool
trigger_parse(const char *text, struct trigger_rule *out)
{
	const char *rest;

	*out = (struct trigger_rule){.text = text};
	if ((rest = after(text, "errno=")) != NULL) {
		out->kind = TRIGGER_ERRNO;
		return errno_named(rest, &out->value);
	}
	if ((rest = after(text, "latency>")) != NULL) {
		out->kind = TRIGGER_LATENCY;
		return quantity_duration_ns(rest, &out->value);
	}
	if ((rest = after(text, "path=")) != NULL) {
		out->kind = TRIGGER_PATH;
		out->pattern = rest;
		return rest[0] != '\0' && strchr("/*?[\\", rest[0]) != NULL;	/* as glob_add() of --path */
	}
	return false;
}

void
trigger_init(struct trigger *t, const struct trigger_rule *rules, size_t n)
{
	*t = (struct trigger){.rules = rules, .n_rules = n};
	map_init(&t->matching, hash_seed(), IDS_MAX);
	for (size_t i = 0; i < n; i++)
		t->wants_paths = t->wants_paths || rules[i].kind == TRIGGER_PATH;
}

void
trigger_fini(struct trigger *t)
{
	map_fini(&t->matching);
}

/* When there are too many, the older ones are forgotten: they fire again when defined again. */
void
trigger_target(struct trigger *t, const struct rec_target *target)
{
	char path[PATH_BYTES + 1];
	const size_t n = target->text.n < PATH_BYTES ? target->text.n : PATH_BYTES;

	if (!t->wants_paths || target->kind != KR_KIND_FILE || n == 0)
		return;
	memcpy(path, target->text.p, n);
	path[n] = '\0';
	for (size_t i = 0; i < t->n_rules; i++) {
		if (t->rules[i].kind != TRIGGER_PATH || fnmatch(t->rules[i].pattern, path, 0) != 0)
			continue;
		if (t->matching.n >= IDS_MAX)
			map_clear(&t->matching);
		(void)map_put(&t->matching, target->id, i);
		return;
	}
}

static bool
meets(const struct trigger_rule *rule, const struct kr_call *call)
{
	if ((call->flags & KF_UNFINISHED) != 0)
		return false;
	if (rule->kind == TRIGGER_ERRNO)
		return call->result == -(int64_t)rule->value;
	return rule->kind == TRIGGER_LATENCY && (call->flags & KF_BEFORE) == 0 &&
	       call->duration_ns > rule->value;
}

static const struct trigger_rule *
by_path(struct trigger *t, const struct kr_call *call)
{
	const uint64_t *at = call->id ? map_find(&t->matching, call->id) : NULL;

	if (!at && (call->flags & KF_SECOND) != 0 && call->id2)
		at = map_find(&t->matching, call->id2);
	return at ? &t->rules[*at] : NULL;
}

const struct trigger_rule *
trigger_calls(struct trigger *t, const struct kr_call *calls, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		const struct trigger_rule *const named = t->matching.n > 0 ? by_path(t, &calls[c])
									   : NULL;

		if (named)
			return named;
		for (size_t i = 0; i < t->n_rules; i++) {
			if (meets(&t->rules[i], &calls[c]))
				return &t->rules[i];
		}
	}
	return NULL;
}
