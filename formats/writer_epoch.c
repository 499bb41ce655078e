/* writer_epoch.c - where reading may begin and where it ends: header, epochs, end
 *
 * An epoch begins with what a reader must know of the time before it: the clock, the counters, who lives,
 * the sums. Definitions come when they are used.
 */
#include "formats/writer_parts.h"

static int
header_write(struct writer *w, const struct rec_clock *clock)
{
	struct block_records header = {0};
	int r = file_header_records(&w->header, clock, &header, &w->err);

	if (r == 0)
		r = writer_records_write(w, BLOCK_HEADER, &header);
	buf_free(&header.bytes);
	return r;
}

int
writer_header(struct writer *w, const struct rec_host *host, const struct rec_clock *clock,
	      const struct rec_request *requests, size_t n_requests)
{
	int r;

	if (w->out.failed)
		return w->err.code;
	r = file_header_keep(&w->header, host, w->options.stream, requests, n_requests, &w->err);
	return r < 0 ? r : header_write(w, clock);
}

static int
restate(void *arg, const struct bytes *raw)
{
	return writer_raw_put(arg, raw, 0);
}

int
writer_epoch(struct writer *w, const struct rec_clock *clock, const struct rec_counters *counters)
{
	int r = writer_flush(w);

	if (r < 0)
		return r;
	w->out.epoch++;
	w->serial++;
	map_clear(&w->gone);
	w->totals.epochs++;
	w->epoch_began_ns = clock->boot_ns;
	w->epoch_began_bytes = w->out.bytes;
	w->records_type = BLOCK_STATE;
	r = writer_record_pending(w, REC_clock, clock);
	if (r == 0 && counters)
		r = writer_record_pending(w, REC_counters, counters);
	if (r == 0)
		r = live_restate(w->live, restate, w);
	if (r == 0)
		r = writer_records_close(w);
	return r < 0 ? r : cumulative_restate(w->cumulative, w->serial, writer_aggregate_pending, w);
}

int
writer_end(struct writer *w, const struct rec_clock *clock, const struct rec_counters *counters,
	   const struct rec_end *end)
{
	struct block_records last = {.n = 1, .first_ns = end->time_ns, .last_ns = end->time_ns};
	struct rec_end as_written = *end;
	int r = writer_flush(w);

	if (r == 0)
		r = block_output_index(&w->out);
	if (r < 0)
		return r;
	as_written.calls = w->calls_here;
	as_written.blocks = w->out.blocks + 1;
	if (clock) {
		r = record_put(&last.bytes, REC_clock, clock, &w->err);
		last.n++;
	}
	if (r == 0 && counters) {
		r = record_put(&last.bytes, REC_counters, counters, &w->err);
		last.n++;
	}
	if (r == 0)
		r = record_put(&last.bytes, REC_end, &as_written, &w->err);
	if (r == 0)
		r = writer_records_write(w, BLOCK_END, &last);
	if (r == 0)
		block_output_end(&w->out);
	buf_free(&last.bytes);
	return r;
}

int
writer_reopen(struct writer *w, int fd, const struct rec_clock *clock,
	      const struct rec_counters *counters)
{
	int r;

	if (w->out.failed)
		return w->err.code;
	block_output_restart(&w->out, fd);
	w->calls_here = 0;
	r = header_write(w, clock);
	return r < 0 ? r : writer_epoch(w, clock, counters);
}
