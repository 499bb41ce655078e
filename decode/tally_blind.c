/* tally_blind.c - the ledger of blind spots, process by process: whose calls there was more to than was seen
 *
 * Only what calls themselves tell; what the kernel counts, it counts for all. Bounded: what belongs to
 * processes beyond the limit, or to one that nobody knows, is counted together.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/tally_parts.h"
#include "formats/base/array.h"
#include "formats/base/hash.h"
#include "formats/error.h"

enum { BLIND_PROCESSES_MAX = 4096 };

struct tally_blind {
	uint64_t id;			/* of the process */
	uint32_t pid;
	char name[64];
	uint64_t n[SPOT_N];
};

static const struct {
	const char *name, *said;
} spots[SPOT_N] = {
#define BLIND(name, member, noun, text, said) {#name, said},
#include "decode/blind_spots.def"
#undef BLIND
};

/* Its row; NULL = there is no room, or no memory (*r). */
static struct tally_blind *
blind_row(struct tally *t, const struct iotap_process *process, int *r)
{
	const uint64_t *const at = map_find(&t->by_blind, process->id);
	const size_t n = process->name_len < sizeof(t->blind->name) ? process->name_len : sizeof(t->blind->name) - 1;
	struct tally_blind *row, *more;

	if (at)
		return &t->blind[*at];
	if (t->n_blind == BLIND_PROCESSES_MAX)
		return NULL;
	more = array_room(t->blind, t->n_blind, &t->cap_blind, sizeof(*more), 16);
	if (more)
		t->blind = more;
	if (!more || !map_put(&t->by_blind, process->id, t->n_blind)) {
		*r = IOTAP_ENOMEM;
		return NULL;
	}
	row = &t->blind[t->n_blind++];
	*row = (struct tally_blind){.id = process->id, .pid = process->pid};
	memcpy(row->name, process->name, n);
	return row;
}

int
tally_spot(struct tally *t, enum tally_spot spot, const struct iotap_process *process, uint64_t n)
{
	int r = 0;
	struct tally_blind *const row = process ? blind_row(t, process, &r) : NULL;

	if (n == 0 || r < 0)
		return r;
	tally_add(row ? &row->n[spot] : &t->sums.blind_further, n);
	return 0;
}

static uint64_t
all_of(const struct tally_blind *row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SPOT_N; i++)
		tally_add(&sum, row->n[i]);
	return sum;
}

/* Most first. */
static int
compare(const void *pa, const void *pb)
{
	const struct tally_blind *const a = pa, *const b = pb;
	const uint64_t of_a = all_of(a), of_b = all_of(b);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

bool
tally_blind_rows(struct tally *t, struct iotap_summary *out)
{
	size_t n = 0;

	free(t->sorted_blind);
	free(t->blind_rows);
	t->sorted_blind = malloc((t->n_blind + 1) * sizeof(*t->sorted_blind));
	t->blind_rows = malloc((t->n_blind * SPOT_N + 1) * sizeof(*t->blind_rows));
	if (!t->sorted_blind || !t->blind_rows)
		return false;
	if (t->n_blind > 0)
		memcpy(t->sorted_blind, t->blind, t->n_blind * sizeof(*t->blind));
	qsort(t->sorted_blind, t->n_blind, sizeof(*t->sorted_blind), compare);
	for (size_t i = 0; i < t->n_blind * SPOT_N; i++) {
		const struct tally_blind *const row = &t->sorted_blind[i / SPOT_N];
		const size_t spot = i % SPOT_N;

		if (row->n[spot] > 0)
			t->blind_rows[n++] = (struct iotap_blind_row){
				.pid = row->pid, .process = row->id, .name = row->name, .spot = spots[spot].name,
				.said = spots[spot].said, .calls = row->n[spot],
			};
	}
	out->blind = t->blind_rows;
	out->n_blind = n;
	return true;
}

void
tally_blind_fini(struct tally *t)
{
	free(t->blind);
	free(t->sorted_blind);
	free(t->blind_rows);
	map_fini(&t->by_blind);
}
