/* synth.c - writes a recording of made-up calls to standard output, the same every time
 *
 * Usage: synth CALLS [CALLS_PER_TARGET [EPOCH_CALLS [PROCESSES]]]
 * Each target serves so many calls (default 1000) and then is never used again; a new epoch begins
 * after so many calls (default 3000000). What decode costs can so be measured without root.
 * With PROCESSES the calls are of so many by turns, not of 16, and nothing is compressed: many bytes in
 * little time. How many it were is said to standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/calls.h"
#include "formats/writer.h"

#define START UINT64_C(1000000000)

static void
define(struct writer *w, uint64_t id, uint64_t now)
{
	const uint8_t address[4] = {10, (uint8_t)(id >> 16), (uint8_t)(id >> 8), (uint8_t)id};
	struct rec_target t = {.id = id, .time_ns = now, .origin = 1, .flags = KT_CONFIRMED, .dev = 8 << 20 | 1,
			       .ino = id, .mode = 0100644};
	char path[64];

	(void)snprintf(path, sizeof(path), "/var/lib/service/data/%03u/file-%08llx.dat",
		       (unsigned int)(id % 100), (unsigned long long)id);
	if (id % 8 == 0) {
		t.kind = KR_KIND_SOCKET;
		t.family = 2;
		t.sock_type = 1;
		t.local = rec_bytes(address, 4);
		t.local_port = 8080;
		t.remote = rec_bytes(address, 4);
		t.remote_port = (uint16_t)(id % 60000);
		t.device = rec_str("eth0");
	} else {
		t.kind = KR_KIND_FILE;
		t.text = rec_str(path);
	}
	(void)writer_record(w, REC_target, &t);
}

static void
make_call(struct kr_call *c, uint64_t i, uint64_t id, uint64_t now, uint64_t processes)
{
	static const uint16_t files[] = {CALL_read, CALL_write, CALL_pread64, CALL_openat};
	static const uint16_t sockets[] = {CALL_recvfrom, CALL_sendto, CALL_read, CALL_write};

	memset(c, 0, sizeof(*c));
	c->key_ns = now;
	c->duration_ns = 500 + i * 7919 % 4000;
	c->tgid = 1000 + (uint32_t)(i / 64 % processes);
	c->tid = c->tgid + (uint32_t)(i / 16 % 4);
	c->call = id % 8 == 0 ? sockets[i % 4] : files[i % 4];
	c->cpu = (uint16_t)(i / 64 % 4);
	c->flags = KF_FD | KF_IDENTITY | KF_REQUESTED;
	c->fd = 3 + (int)(id % 64);
	c->id = id;
	c->dev = 8 << 20 | 1;
	c->ino = id;
	c->mode = id % 8 == 0 ? 0140777 : 0100644;
	c->requested = 4096;
	c->result = i % 50 == 0 ? -11 : (int64_t)(i * 31 % 4097);
}

int
main(int argc, char **argv)
{
	const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	const uint64_t per_target = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	const uint64_t per_epoch = argc > 3 ? strtoull(argv[3], NULL, 10) : 3000000;
	const uint64_t processes = argc > 4 ? strtoull(argv[4], NULL, 10) : 16;
	const struct writer_options options = {.fd = STDOUT_FILENO, .codec = argc > 4 ? CODEC_NONE : CODEC_ZSTD,
					       .index = true};
	const struct rec_host host = {.os = 1, .arch = 1, .tool = rec_str("synth")};
	struct rec_clock clock = {.boot_ns = START, .real_ns = 1700000000000000000};
	struct iotap_error err = {.code = 0};
	struct writer *const w = writer_new(&options, &err);
	struct writer_totals totals;
	uint64_t now = START;
	uint64_t id = 0;

	if (!w || per_target == 0 || per_epoch == 0 || processes == 0)
		return 1;
	(void)writer_header(w, &host, &clock, NULL, 0);
	(void)writer_epoch(w, &clock, NULL);
	for (uint64_t i = 0; i < n; i++) {
		struct kr_call call;

		now += 900 + i * 613 % 200;
		if (i % per_epoch == per_epoch - 1) {
			clock.boot_ns = now;
			clock.real_ns = 1700000000000000000 + (int64_t)(now - START);
			(void)writer_epoch(w, &clock, NULL);
		}
		if (i % per_target == 0)
			define(w, ++id, now);
		make_call(&call, i, id, now, processes);
		if (writer_calls(w, &call, 1) < 0)
			break;
	}
	(void)writer_end(w, NULL, NULL, &(struct rec_end){.time_ns = now, .reason = 1});
	if (writer_error(w)->code != 0)
		fprintf(stderr, "synth: %s\n", writer_error(w)->text);
	writer_get_totals(w, &totals);
	if (argc > 4)
		fprintf(stderr, "%llu\n", (unsigned long long)totals.bytes);
	writer_free(w);
	return 0;
}
