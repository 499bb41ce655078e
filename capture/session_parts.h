/* session_parts.h - the inside of a session, for session*.c only */
#ifndef CAPTURE_SESSION_PARTS_H
#define CAPTURE_SESSION_PARTS_H

#include "capture/aggregates.h"
#include "capture/attach.h"
#include "capture/command.h"
#include "capture/encoder.h"
#include "capture/kernel.h"
#include "capture/mapped.h"
#include "capture/output.h"
#include "capture/privileges.h"
#include "capture/session.h"
#include "capture/source.h"
#include "formats/base/map.h"

enum end_reason {		/* end.reason in formats/records.def */
	RUNNING = 0,
	END_SIGNAL = 1, END_DURATION = 2, END_EXITED = 3, END_OUTPUT = 4, END_ERROR = 5, END_INPUT = 6,
	END_SIZE = 7, END_EVENTS = 8,
};

struct session {
	const struct session_options *options;
	struct iotap_error *err;
	struct owner owner;
	struct owner works_as;		/* whom capture becomes, if it was root: as a rule the owner */
	struct output output;
	struct outlet outlet;
	bool named;			/* the recording is a file that had a name when it began */
	unsigned int dumps;		/* requests for one that were followed */
	bool dump;			/* a copy of the flight recorder is wanted */
	struct command command;
	struct kernel *kernel;		/* NULL with a text */
	struct source *source;
	struct encoder *encoder;
	struct places *places;		/* NULL with a text */
	struct aggregates *aggregates;
	struct mapped *mapped;
	struct exclusion *exclusion;	/* attach's */
	struct attach_options attach_options;
	struct attach attach;
	struct buf pending;		/* records for the next batch */
	struct map live;		/* processes that are traced */
	bool had_live;			/* there was one */
	uint64_t n_taken;		/* calls and notes of the last pump */
	bool no_room;			/* it ended because the encoder has more than it can do */
	uint64_t until_ns;		/* as of the last round */
	uint64_t began_ns, ticked_ns;
	uint64_t clock_offset_ns;	/* of CLOCK_REALTIME, at the last look; 0 = none yet */
	uint64_t in_flight, waiting, requests_in_flight;	/* found unfinished */
	uint64_t written_counters[KC_N];
	int pause_ms;
	struct buf evicted;		/* definitions that the kernel half is to forget */
	bool evicted_all;		/* more than could be listed: it is to forget everything */
	uint64_t forgot_ns;
	bool forgetting;
	unsigned int pauses;		/* requests that were followed */
	uint64_t paused_ns;		/* since when, 0 = not paused */
	bool incomplete;		/* calls or names are not there one by one */
	bool source_ended;
	bool stopping;			/* batches are waited for */
	bool encoder_runs;
};

/* session.c: puts the name of the output in front of its error, whose code it gives. */
int session_output_failed(struct session *s);

/* session_output.c: looks whether the output would do, and touches nothing; opens it (*fd, -1 = memory);
 * gives the recording its name. A series of files instead is in s->outlet. */
int session_output_check(struct session *s);
int session_output_open(struct session *s, int *fd);
int session_output_commit(struct session *s);

/* session_output.c: at the end, when all is written. IOTAP_EIO when the name has been taken from it. */
int session_output_kept(const struct session *s);

/* session_pump.c */

/* Takes one round out of the source, or as much of it as there are batches for. */
int session_pump(struct session *s);

/* Counters that differ from those written last, and the sums that go with them: once a second. */
int session_tick(struct session *s, uint64_t now_ns);

void session_counters(struct session *s, bool final, struct counters *out);

/* The clocks of the recording's host: with a text that names a pair, these and the time that passed. */
void session_clock(const struct session *s, struct rec_clock *out);

/* session_start.c: from a look at the options to the first traced call. *status as session_run. */
int session_start(struct session *s, int *status);
int session_start_text(struct session *s);

/* session_requests.c: what signals ask for while it runs. */
int session_requests(struct session *s);

/* session_stop.c: from the last traced call to the end block. */
int session_stop(struct session *s, enum end_reason reason);

/* After a failure of ours, whose text is in s->err and stays there: the recording says so and ends. */
void session_fail(struct session *s);

/* After a failure of the output, likewise. */
void session_salvage(struct session *s);

#endif
