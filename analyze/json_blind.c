/* json_blind.c - what the summary of JSON Lines says was not seen, process by process */
#include "analyze/json_blind.h"

#include <stdbool.h>
#include <stdlib.h>

#include "formats/base/array.h"

static const struct {
	const char *name;
	enum json_field field;
} spots[] = {
#define BLIND(name, member, noun, text, said) {#name, JSON_##name},
#include "decode/blind_spots.def"
#undef BLIND
};

static bool
add(struct json_blind *b, const struct iotap_blind_row *row)
{
	struct iotap_blind_row *const rows = array_room(b->rows, b->n, &b->cap, sizeof(*rows), 16);

	if (!rows)
		return false;
	b->rows = rows;
	b->rows[b->n++] = *row;
	return true;
}

/* An object is a process, each of its members a kind of blind spot. */
static bool
take_process(struct json_blind *b, const struct json_line *object, const struct json_processes *processes)
{
	const uint64_t pid = json_line_u64(object, JSON_pid);
	struct iotap_blind_row row = {.pid = pid <= UINT32_MAX ? (uint32_t)pid : 0, .name = "", .said = ""};
	bool ok = true;

	row.process = json_processes_only(processes, row.pid);
	for (size_t i = 0; ok && i < sizeof(spots) / sizeof(spots[0]); i++) {
		row.spot = spots[i].name;
		row.calls = json_line_u64(object, spots[i].field);
		if (row.calls != IOTAP_UNKNOWN && row.calls > 0)
			ok = add(b, &row);
	}
	return ok;
}

int
json_blind_take(struct json_blind *b, const struct json_line *line, struct json_line *inner,
		const struct json_processes *processes)
{
	size_t n, item_n, at = 0;
	const char *const list = json_line_text(line, JSON_blind_spots_by_process, &n);
	const char *item;

	b->n = 0;
	while (list && json_line_item(list, n, &at, &item, &item_n)) {
		if (!json_line_parse(inner, item, item_n))
			return IOTAP_ECORRUPT;
		if (!take_process(b, inner, processes))
			return IOTAP_ENOMEM;
	}
	return 0;
}

void
json_blind_fini(struct json_blind *b)
{
	free(b->rows);
	*b = (struct json_blind){.rows = NULL};
}
