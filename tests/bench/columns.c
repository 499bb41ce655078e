/* columns.c - the calls of a recording, decoded and encoded again: bytes and nanoseconds a call
 *
 *	build/tests/bench/columns trace.iotap
 *
 * Processor time of one thread, the best of a few runs over all blocks; calls are packed into full
 * blocks, whatever their size was. Definitions and other records are left out.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "formats/call_block.h"
#include "formats/reader.h"

enum { RUNS = 7 };

struct calls {
	struct kr_call *p;
	size_t n, cap;
	double best_ns;			/* of decoding all columns */
};

static double
cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void
keep(struct calls *calls, const struct call_columns *c)
{
	while (calls->cap < calls->n + c->n) {
		calls->cap = calls->cap ? 2 * calls->cap : 65536;
		calls->p = realloc(calls->p, calls->cap * sizeof(*calls->p));
		if (!calls->p)
			exit(1);
	}
	for (uint32_t i = 0; i < c->n; i++)
		call_columns_row(c, i, &calls->p[calls->n++]);
}

/* Decodes every block of calls; keeps the calls too in the first run. */
static int
decode(const char *name, struct call_decoder *decoder, struct calls *calls, int run)
{
	const int fd = open(name, O_RDONLY);
	struct reader *const reader = reader_new_fd(fd, name);
	struct reader_item item;
	double spent = 0;
	int r;

	while ((r = reader_next(reader, &item)) == 0) {
		struct call_columns columns;
		const double from = cpu_ns();

		if (item.what != READER_BLOCK || item.head.type != BLOCK_CALLS ||
		    call_decoder_block(decoder, &item.head, item.payload, COL_ALL, &columns, NULL) < 0)
			continue;
		spent += cpu_ns() - from;
		if (run == 0)
			keep(calls, &columns);
	}
	if (r < 0)
		fprintf(stderr, "columns: %s\n", reader_error(reader)->text);
	if (run == 0 || spent < calls->best_ns)
		calls->best_ns = spent;
	reader_free(reader);
	(void)close(fd);
	return r;
}

static void
encode(const struct calls *calls, struct call_encoder *encoder, struct codec *codec)
{
	double add_best = 0, finish_best = 0;
	size_t bytes = 0;

	for (int run = 0; run < RUNS; run++) {
		double add = 0, finish = 0;
		struct buf out = {0};

		bytes = 0;
		for (size_t i = 0; i < calls->n; i += CALL_BLOCK_MAX) {
			const size_t left = calls->n - i;
			const uint32_t n = (uint32_t)(left < CALL_BLOCK_MAX ? left : CALL_BLOCK_MAX);
			struct block_head head = {.type = BLOCK_CALLS};
			const double from = cpu_ns();
			double between;

			(void)call_encoder_add(encoder, calls->p + i, n);
			between = cpu_ns();
			buf_clear(&out);
			(void)call_encoder_finish(encoder, codec, CODEC_ZSTD, &head, &out, NULL);
			finish += cpu_ns() - between;
			add += between - from;
			bytes += BLOCK_HEAD_BYTES + out.len;
		}
		add_best = run == 0 || add < add_best ? add : add_best;
		finish_best = run == 0 || finish < finish_best ? finish : finish_best;
		buf_free(&out);
	}
	printf("%zu calls: %.2f bytes a call, encode %.1f ns (%.1f columns, %.1f zstd), decode %.1f ns\n", calls->n,
	       (double)bytes / (double)calls->n, (add_best + finish_best) / (double)calls->n,
	       add_best / (double)calls->n, finish_best / (double)calls->n, calls->best_ns / (double)calls->n);
}

int
main(int argc, char **argv)
{
	struct call_decoder *const decoder = call_decoder_new();
	struct call_encoder *const encoder = call_encoder_new();
	struct codec *const codec = codec_new(1);
	struct calls calls = {.n = 0};
	int r = argc == 2 && decoder && encoder && codec ? 0 : -1;

	for (int run = 0; r >= 0 && run < RUNS; run++)
		r = decode(argv[1], decoder, &calls, run);
	if (r >= 0 && calls.n > 0)
		encode(&calls, encoder, codec);
	free(calls.p);
	codec_free(codec);
	call_encoder_free(encoder);
	call_decoder_free(decoder);
	return r < 0;
}
