/* file_header.h - what the HEADER block of a recording says, and says again in each file of a series */
#ifndef FORMATS_FILE_HEADER_H
#define FORMATS_FILE_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/block_output.h"
#include "formats/error.h"
#include "formats/record.h"

struct file_header {
	struct buf host, requests;	/* encoded */
	uint32_t n_requests;
	uint64_t part;			/* of a series, from 1 */
};

/* Keeps host, whose format_major, format_minor and stream are set here, and the requests: at most as many
 * as a block of records has room for. IOTAP_ENOMEM, IOTAP_EUSAGE. */
int file_header_keep(struct file_header *, const struct rec_host *host, bool stream,
		     const struct rec_request *requests, size_t n_requests, struct iotap_error *err);

/* The records of the HEADER block of the next file, into an empty block, which the caller frees in any
 * case. Where host.series is not 0, host.part is set. IOTAP_EUSAGE: nothing was kept. */
int file_header_records(struct file_header *, const struct rec_clock *, struct block_records *out,
			struct iotap_error *err);

void file_header_free(struct file_header *);

#endif
