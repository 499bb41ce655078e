/* file_header.c - what the HEADER block of a recording says, and says again in each file of a series */
#include "formats/file_header.h"

enum { REQUESTS_MAX_BYTES = 1024 * 1024 };

int
file_header_keep(struct file_header *h, const struct rec_host *host, bool stream,
		 const struct rec_request *requests, size_t n_requests, struct iotap_error *err)
{
	struct rec_host as_written = *host;
	int r;

	as_written.format_major = FORMAT_MAJOR;
	as_written.format_minor = FORMAT_MINOR;
	as_written.stream = stream;
	r = record_put(&h->host, REC_host, &as_written, err);
	for (size_t i = 0; r == 0 && i < n_requests && h->requests.len < REQUESTS_MAX_BYTES; i++) {
		r = record_put(&h->requests, REC_request, &requests[i], err);
		h->n_requests++;
	}
	return r;
}

/* In each file of a series the number is one more. */
static int
host_put(struct file_header *h, struct buf *out, struct iotap_error *err)
{
	struct bytes_in in = bytes_in(h->host.data, h->host.len);
	struct record host;
	const int r = record_next(&in, &host, err);

	if (r != 0)
		return r < 0 ? r : error_set(err, IOTAP_EUSAGE, "writing: no header was given");
	if (host.u.host.series != 0)
		host.u.host.part = ++h->part;
	return record_put(out, REC_host, &host.u.host, err);
}

int
file_header_records(struct file_header *h, const struct rec_clock *clock, struct block_records *out,
		    struct iotap_error *err)
{
	int r = host_put(h, &out->bytes, err);

	if (r == 0)
		r = record_put(&out->bytes, REC_clock, clock, err);
	if (r == 0 && !buf_put(&out->bytes, h->requests.data, h->requests.len))
		r = error_set(err, IOTAP_ENOMEM, "writing: out of memory");
	out->n = 2 + h->n_requests;
	out->first_ns = out->last_ns = clock->boot_ns;
	return r;
}

void
file_header_free(struct file_header *h)
{
	buf_free(&h->host);
	buf_free(&h->requests);
}
