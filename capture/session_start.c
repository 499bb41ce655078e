/* session_start.c - from a look at the options to the first traced call
 *
 * Everything that can be wrong is looked at before anything is touched: output, privileges, command,
 * targets. A recording appears and privileges go when all the rest has worked.
 */
#include "capture/session_parts.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/answers.h"
#include "capture/confine.h"
#include "formats/base/hash.h"

enum { HOST_ARGUMENTS = 1, HOST_FOLLOWS = 2, HOST_NO_LATENCY = 8 };	/* host.flags */

static struct name_bytes
name_bytes(struct bytes b)
{
	return (struct name_bytes){(const char *)b.p, b.n};
}

/* Which name of a process that was taken by name is shown (translate.h). */
static unsigned int
name_from(void *arg, struct bytes comm, struct bytes exe, struct bytes arg0)
{
	const struct targets *const t = ((const struct session_options *)arg)->targets;
	const unsigned int which = names_match(t->names, t->n_names, name_bytes(comm),
					       name_bytes(exe), name_bytes(arg0));

	return which > 0 ? which - 1 : 0;
}

/* What is open is defined faster than the encoder may take it, and nothing else comes meanwhile: the
 * iterators wait for it, as a full ring would lose definitions; not for a reader that does not read. */
static int
pump_between(void *arg)
{
	const struct timespec a_moment = {.tv_nsec = 500000};
	struct session *const s = arg;
	int r;

	while ((r = session_pump(s)) == 0 && s->no_room && s->options->signals->stops == 0)
		(void)nanosleep(&a_moment, NULL);
	return r;
}

static int
start_kernel(struct session *s)
{
	const struct session_options *const o = s->options;
	const struct targets *const t = o->targets;
	const struct kernel_options k = {.buffer_bytes = o->buffer_bytes, .follow = o->follow,
					 .no_latency = o->no_latency,
					 .names = t->names, .n_names = t->n_names,
					 .excluded = t->excluded_names,
					 .n_excluded = t->n_excluded_names,
					 .scope = o->scope, .selection = o->selection,
					 .sets = o->sets, .btf = o->btf};
	int r = kernel_open(&s->kernel, &k, s->err);

	if (r < 0)
		return r;
	s->source = source_bpf_new(s->kernel);
	if (!s->source)
		return error_set(s->err, IOTAP_ENOMEM, "out of memory");
	r = kernel_attach(s->kernel, s->err);
	if (r == 0)
		r = attach_mark(&s->attach, s->kernel, &s->attach_options, s->err);
	s->exclusion = &s->attach.exclusion;
	return r;
}

static int
start_encoder(struct session *s, int fd)
{
	const struct session_options *const o = s->options;
	struct places *const places = s->places = s->kernel ? places_new() : NULL;
	const struct encoder_options e = {
		.writer = {.fd = fd, .pipe = s->output.pipe, .codec = CODEC_ZSTD,
			   .index = !s->output.pipe && !s->outlet.flight, .keeps_room = true,
			   .sink = s->outlet.flight ? flight_sink : NULL,
			   .sink_arg = s->outlet.flight},
		.outlet = &s->outlet, .stays_root = s->works_as.stays_root,
		.cost = s->kernel != NULL,
		.places = places, .name_from = name_from, .name_arg = (void *)(uintptr_t)o,
	};
	struct answers_host host;
	struct rec_clock clock;
	int r;

	if (s->kernel && !s->places)
		return error_set(s->err, IOTAP_ENOMEM, "out of memory");
	s->encoder = encoder_new(&e, s->err);
	if (!s->encoder)
		return s->err->code;
	answers_host(&host);
	if (!s->kernel && source_text_header(s->source)->has_host)
		host.rec = source_text_header(s->source)->host;
	session_clock(s, &clock);
	host.rec.options = rec_str(o->options);
	host.rec.flags |= (o->all_arguments ? HOST_ARGUMENTS : 0) | (o->follow ? HOST_FOLLOWS : 0) |
			  (o->no_latency ? HOST_NO_LATENCY : 0);
	host.rec.sets = o->sets;
	host.rec.series = s->outlet.series.numbers ? hash_seed() | 1 : 0;
	s->outlet.began_ns = clock.boot_ns;
	s->encoder_runs = true;
	r = encoder_start(s->encoder, &host.rec, &clock, o->requests, o->n_requests, NULL, s->err);
	return r < 0 ? session_output_failed(s) : 0;
}

static uint64_t
pipe_inode(const struct session *s)
{
	const char *const path = s->options->output;
	struct stat st;
	/* The driver names a descriptor by /dev/fd/N, which is the pipe itself. */
	const int r = !path || strcmp(path, "-") == 0 ? fstat(STDOUT_FILENO, &st) : stat(path, &st);

	return r == 0 && S_ISFIFO(st.st_mode) ? st.st_ino : 0;
}

static int
start_command(struct session *s, int *status)
{
	const struct session_options *const o = s->options;
	const bool to_stdout = !o->output || strcmp(o->output, "-") == 0;
	const struct command_options c = {.argv = o->command, .user = o->user, .owner = &s->owner,
					  .stdout_to_stderr = to_stdout};

	int r;

	if (!o->command)
		return 0;
	r = command_start(&s->command, &c, status, s->err);
	if (r == 0)
		*status = 0;
	return r;
}

/* This thread alone, and no child or thread that it has: what empties the rings needs little time, but
 * needs it before they are full, also on a machine with more to do than CPUs. It may be refused. */
static void
drain_first(void)
{
	(void)setpriority(PRIO_PROCESS, 0, -20);
}

/* From a look at the options to the first traced call. */
int
session_start(struct session *s, int *status)
{
	const struct session_options *const o = s->options;
	int r = session_output_check(s), fd = -1;

	if (r == 0 && o->scope)
		r = scope_find(o->scope, s->err);
	if (r == 0)
		r = privileges_check(s->err);
	if (r == 0)
		r = start_command(s, status);
	if (r < 0)
		return r;
	o->watch_signals();
	privileges_settle();
	s->attach_options = (struct attach_options){
		.targets = o->targets, .scope = o->scope, .follow = o->follow, .all_arguments = o->all_arguments,
		.command = (uint32_t)s->command.pid,
		.command_name = o->command ? o->command[0] : NULL, .output_pipe = pipe_inode(s)};
	r = attach_look(&s->attach_options, s->err);
	if (r == 0)
		r = session_output_open(s, &fd);
	if (r == 0)
		r = start_kernel(s);
	if (r == 0)
		r = start_encoder(s, fd);
	if (r == 0)
		r = answers_interfaces(&s->pending, s->err);
	drain_first();
	if (r == 0)
		r = attach_begin(&s->attach, &s->pending, &s->live, pump_between, s, s->err);
	if (r == 0)
		r = session_output_commit(s);
	if (r == 0) {
		s->works_as.keeps_bpf = kernel_bpf_is_privileged(s->kernel);
		r = privileges_drop(&s->works_as, s->err);
	}
	if (r == 0)
		r = confine(s->err);
	if (r == 0)
		command_release(&s->command);
	return r;
}

int
session_start_text(struct session *s)
{
	const struct session_options *const o = s->options;
	int r = session_output_check(s), fd = -1;

	if (r < 0)
		return r;
	o->watch_signals();
	s->source = source_text_open(o->source, s->err);
	if (!s->source)
		return s->err->code;
	r = session_output_open(s, &fd);
	if (r == 0)
		r = start_encoder(s, fd);
	return r == 0 ? session_output_commit(s) : r;
}
