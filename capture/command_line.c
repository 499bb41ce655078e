/* command_line.c - the words of the user as struct session_options
 *
 * The rows of options.def say what each option is; here is what they mean together.
 */
#include "capture/command_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/quantity.h"
#include "formats/sets.h"

enum { RECORD_BYTES = 64, MIN_BUFFER = 1 << 16 };
enum { REQUEST_PID = 1, REQUEST_NAME = 2, REQUEST_COMMAND = 3,
       REQUEST_CGROUP = 4, REQUEST_USER = 5, REQUEST_ALL = 6, REQUEST_CALLS = 7,
       REQUEST_PATH = 8, REQUEST_MIN_LATENCY = 9, REQUEST_FAILED = 10 };	/* request.kind */
#define DEFAULT_BUFFER (UINT64_C(524288) * RECORD_BYTES)
#define MAX_BUFFER (UINT64_C(1) << 36)

static const struct opt_row rows[] = {
#define OPT(...) OPT_ROW(struct capture_opts, __VA_ARGS__)
#define OPT_HEADING OPT_HEADING_ROW
#include "capture/options.def"
#undef OPT
#undef OPT_HEADING
};

const struct opt_spec command_line_spec = {
	.program = "iotap-capture",
	.usage = "[OPTIONS] TARGET...\n[OPTIONS] -- COMMAND [ARG...]",
	.about = "Records every read, write, open and connect of the processes named, never the data.\n"
		 "A TARGET is a process ID or a name.",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.after = "Examples:\n"
		 "  sudo iotap-capture -o cat.iotap -- cat /etc/hostname\n"
		 "  sudo iotap-capture -f -d 60 -o nginx.iotap nginx\n"
		 "  sudo iotap-capture -f -o - nginx | iotap-decode",
};

static enum opt_result
parse_buffer(const char *text, uint64_t *bytes, struct opt_args *args)
{
	*bytes = DEFAULT_BUFFER;
	if (!text)
		return OPT_RUN;
	if (quantity_u64(text, bytes))
		*bytes = *bytes <= MAX_BUFFER / RECORD_BYTES ? *bytes * RECORD_BYTES : MAX_BUFFER + 1;
	else if (!quantity_bytes(text, bytes))
		return opt_refuse(args, "--buffer: \"%s\" is no number of records and no size", text);
	if (*bytes < MIN_BUFFER || *bytes > MAX_BUFFER)
		return opt_refuse(args, "--buffer: from 64 KiB (1024 records) to 64 GiB");
	return OPT_RUN;
}

static int
add_targets(const struct capture_opts *o, const struct opt_args *args, struct targets *t,
	    struct iotap_error *err)
{
	int r = 0;

	t->wait = o->wait;
	for (size_t i = 0; r == 0 && i < args->n_operands; i++)
		r = targets_add(t, args->operands[i], o->names, err);
	for (size_t i = 0; r == 0 && i < o->pid.n; i++)
		r = targets_add_pid(t, o->pid.items[i], err);
	for (size_t i = 0; r == 0 && i < o->name.n; i++)
		r = targets_add_name(t, o->name.items[i], err);
	for (size_t i = 0; r == 0 && i < o->exclude.n; i++)
		r = targets_exclude(t, o->exclude.items[i], err);
	return r;
}

static struct scope
scope_of(const struct capture_opts *o)
{
	return (struct scope){.all = o->all, .users = o->uid.items, .n_users = o->uid.n,
			      .cgroups = o->cgroup.items, .n_cgroups = o->cgroup.n};
}

static int
add_selection(const struct capture_opts *o, struct selection *selection, struct iotap_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->calls.n; i++)
		r = selection_add(selection, o->calls.items[i], err);
	for (size_t i = 0; r == 0 && i < o->path.n; i++)
		r = glob_add(&selection->paths, o->path.items[i], err);
	selection->min_latency_ns = o->min_latency.value;
	selection->failed = o->failed;
	return r;
}

static int
add_sets(const struct capture_opts *o, uint32_t *sets, struct iotap_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->with.n; i++)
		r = sets_add(sets, o->with.items[i], err);
	return r;
}

enum { MIN_ROTATE = 4096, MIN_FLIGHT = 1 << 16 };
#define MAX_FLIGHT (UINT64_C(1) << 36)
#define DEFAULT_SYNC_NS UINT64_C(1000000000)

/* A row of zeroes is not what anybody means by a limit. */
static enum opt_result
check_numbers(const struct capture_opts *o, struct opt_args *args)
{
	const struct {
		const char *name;
		const struct opt_u64 *number;
	} not_zero[] = {{"rotate-time", &o->rotate_time}, {"keep", &o->keep}, {"max-size", &o->max_size},
			{"max-events", &o->max_events}};

	if (o->rotate_size.given && o->rotate_size.value < MIN_ROTATE)
		return opt_refuse(args, "--rotate-size: 4 KiB or more");
	for (size_t i = 0; i < sizeof(not_zero) / sizeof(not_zero[0]); i++) {
		if (not_zero[i].number->given && not_zero[i].number->value == 0)
			return opt_refuse(args, "--%s: more than 0", not_zero[i].name);
	}
	if (o->keep.given && o->keep.value > SERIES_KEEP_MAX)
		return opt_refuse(args, "--keep: at most %d", SERIES_KEEP_MAX);
	if (o->flight.given && (o->flight.value < MIN_FLIGHT || o->flight.value > MAX_FLIGHT))
		return opt_refuse(args, "--flight: from 64 KiB to 64 GiB");
	return OPT_RUN;
}

/* Which of the options about files go together. */
static enum opt_result
check_files(const struct capture_opts *o, struct opt_args *args)
{
	const bool rotates = o->rotate_size.given || o->rotate_time.given;

	if ((rotates || o->flight.given) && (!o->output || strcmp(o->output, "-") == 0))
		return opt_refuse(args, "--%s needs a name for its files: give -o FILE",
				  o->flight.given ? "flight" : o->rotate_size.given ? "rotate-size" : "rotate-time");
	if (rotates && o->flight.given)
		return opt_refuse(args, "--flight keeps calls in memory and does not rotate");
	if (o->keep.given && !rotates && !o->flight.given)
		return opt_refuse(args, "--keep is for --rotate-size, --rotate-time and --flight");
	if (o->trigger.n > 0 && !o->flight.given)
		return opt_refuse(args, "--trigger is for --flight");
	if (o->max_size.given && o->flight.given)
		return opt_refuse(args, "--max-size is not for --flight, whose size is given");
	return check_numbers(o, args);
}

static enum opt_result
parse_rules(struct command_line *c)
{
	const struct opt_list *const list = &c->opts.trigger;

	c->rules = calloc(list->n + 1, sizeof(*c->rules));
	if (!c->rules)
		return opt_refuse(&c->args, "out of memory");
	for (size_t i = 0; i < list->n; i++) {
		if (!trigger_parse(list->items[i], &c->rules[i]))
			return opt_refuse(&c->args, "--trigger: \"%s\" is none of errno=NAME "
					  "(errno=EIO), latency>TIME (latency>100ms) and path=GLOB "
					  "(path=/etc/*)", list->items[i]);
	}
	return OPT_RUN;
}

/* What cannot be had without latencies: what compares them, and the set that has to know, at a page fault,
 * whether its thread is in a call. */
static enum opt_result
check_latency(struct command_line *c)
{
	bool compares = c->opts.min_latency.given;

	for (size_t i = 0; i < c->opts.trigger.n; i++)
		compares = compares || c->rules[i].kind == TRIGGER_LATENCY;
	if (c->opts.no_latency && compares)
		return opt_refuse(&c->args, "--no-latency leaves nothing to compare a latency with");
	if (c->opts.no_latency && (c->sets & SET_mmap))
		return opt_refuse(&c->args, "--with mmap cannot do without the beginning of calls: --no-latency");
	return OPT_RUN;
}

/* What can be seen to be wrong without looking at the system. */
static enum opt_result
check(const struct capture_opts *o, struct opt_args *args, const struct targets *t,
      uint64_t *buffer)
{
	const bool named = t->n_pids + t->n_names + o->uid.n + o->cgroup.n > 0 || o->all;

	if (o->source && (named || args->command))
		return opt_refuse(args, "--source takes no target and no command");
	if (args->command && args->n_command == 0)
		return opt_refuse(args, "no command after --");
	if (!o->source && !named && !args->command)
		return opt_refuse(args, "no target: give a process ID or a name, or -- COMMAND");
	if (o->wait && t->n_names == 0)
		return opt_refuse(args, "--wait needs a name to wait for");
	if (o->all && o->uid.n + o->cgroup.n > 0)
		return opt_refuse(args, "--all leaves nothing to --uid and --cgroup");
	if (o->user && !args->command)
		return opt_refuse(args, "--user is for a COMMAND");
	return check_files(o, args) == OPT_RUN ? parse_buffer(o->buffer, buffer, args) : OPT_USAGE;
}

static bool
add_request(struct command_line *c, unsigned int kind, uint32_t pid, const char *text)
{
	const struct rec_request request = {.kind = kind, .pid = pid, .text = rec_str(text)};
	struct rec_request *const grown = realloc(c->requests,
						  (c->n_requests + 1) * sizeof(*grown));

	if (!grown)
		return false;
	c->requests = grown;
	grown[c->n_requests++] = request;
	return true;
}

/* In the largest unit that it is a whole number of. */
static bool
put_time(struct buf *out, uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t unit = 0;

	for (; unit < 3 && ns % 1000 == 0; unit++)
		ns /= 1000;
	return buf_printf(out, "%" PRIu64 "%s", ns, units[unit]);
}

/* What is asked for of the calls of the targets. */
static bool
add_selected(struct command_line *c)
{
	const struct capture_opts *const o = &c->opts;
	const size_t at = c->numbers.len;
	bool ok = true;

	for (size_t i = 0; ok && i < o->calls.n; i++)
		ok = add_request(c, REQUEST_CALLS, 0, o->calls.items[i]);
	for (size_t i = 0; ok && i < o->path.n; i++)
		ok = add_request(c, REQUEST_PATH, 0, o->path.items[i]);
	if (ok && o->min_latency.value > 0)
		ok = put_time(&c->numbers, o->min_latency.value) && buf_putc(&c->numbers, '\0') &&
		     add_request(c, REQUEST_MIN_LATENCY, 0, (const char *)c->numbers.data + at);
	return ok && (!o->failed || add_request(c, REQUEST_FAILED, 0, ""));
}

/* The targets as they were named; a pid's text is its digits. */
static bool
add_requests(struct command_line *c)
{
	const struct targets *const t = &c->targets;
	bool ok = buf_reserve(&c->numbers, t->n_pids * 12 + 32);	/* texts in it stay where they are */

	for (size_t i = 0; ok && i < t->n_pids; i++) {
		const size_t at = c->numbers.len;

		ok = buf_printf(&c->numbers, "%u", t->pids[i]) && buf_putc(&c->numbers, '\0') &&
		     add_request(c, REQUEST_PID, t->pids[i], (const char *)c->numbers.data + at);
	}
	for (size_t i = 0; ok && i < t->n_names; i++)
		ok = add_request(c, REQUEST_NAME, 0, t->names[i]);
	for (size_t i = 0; ok && i < c->scope.n_cgroups; i++)
		ok = add_request(c, REQUEST_CGROUP, 0, c->scope.cgroups[i]);
	for (size_t i = 0; ok && i < c->scope.n_users; i++)
		ok = add_request(c, REQUEST_USER, 0, c->scope.users[i]);
	if (ok && c->scope.all)
		ok = add_request(c, REQUEST_ALL, 0, "");
	if (ok && c->args.command)
		ok = add_request(c, REQUEST_COMMAND, 0, c->args.command[0]);
	return ok && add_selected(c);
}

/* The words as they were given; of a COMMAND's, its name only, unless arguments are to be kept. */
static bool
join_words(struct command_line *c, int argc, char **argv)
{
	const bool all = c->opts.argv || c->args.n_command == 0;
	const int n = all ? argc : argc - c->args.n_command + 1;

	for (int i = 1; i < n; i++) {
		if (i > 1)
			(void)buf_putc(&c->words, ' ');
		(void)buf_puts(&c->words, argv[i]);
	}
	return buf_putc(&c->words, '\0');
}

static struct outlet_options
outlet_options(const struct command_line *c)
{
	const struct capture_opts *const o = &c->opts;

	return (struct outlet_options){
		.rotate_bytes = o->rotate_size.value, .rotate_ns = o->rotate_time.value,
		.keep = o->keep.value, .flight_bytes = o->flight.value, .rules = c->rules,
		.n_rules = o->trigger.n, .max_bytes = o->max_size.value,
		.max_calls = o->max_events.value,
		.sync_ns = o->sync.given ? o->sync.value : DEFAULT_SYNC_NS,
	};
}

static void
fill(struct command_line *c)
{
	c->session = (struct session_options){
		.output = c->opts.output, .force = c->opts.force, .targets = &c->targets,
		.selection = &c->selection, .sets = c->sets, .btf = c->opts.btf, .scope = &c->scope,
		.requests = c->requests, .n_requests = c->n_requests, .follow = c->opts.children,
		.no_latency = c->opts.no_latency,
		.all_arguments = c->opts.argv, .command = c->args.command, .user = c->opts.user,
		.limited = c->opts.duration.given,
		.duration_ns = c->opts.duration.value, .buffer_bytes = c->buffer_bytes,
		.outlet = outlet_options(c), .source = c->opts.source, .options = (const char *)c->words.data,
	};
}

enum opt_result
command_line_parse(struct command_line *c, int argc, char **argv)
{
	struct iotap_error err = {0};
	enum opt_result result;

	*c = (struct command_line){0};
	result = opt_parse(&command_line_spec, argc, argv, &c->opts, &c->args);
	if (result != OPT_RUN)
		return result;
	if (add_targets(&c->opts, &c->args, &c->targets, &err) < 0 ||
	    add_selection(&c->opts, &c->selection, &err) < 0 ||
	    add_sets(&c->opts, &c->sets, &err) < 0 ||
	    selection_complete(&c->selection, c->sets, &err) < 0)
		return opt_refuse(&c->args, "%s", err.text);
	c->scope = scope_of(&c->opts);
	result = check(&c->opts, &c->args, &c->targets, &c->buffer_bytes);
	if (result == OPT_RUN)
		result = parse_rules(c);
	if (result == OPT_RUN)
		result = check_latency(c);
	if (result != OPT_RUN)
		return result;
	if (!add_requests(c) || !join_words(c, argc, argv))
		return opt_refuse(&c->args, "out of memory");
	fill(c);
	return OPT_RUN;
}

void
command_line_fini(struct command_line *c)
{
	opt_fini(&command_line_spec, &c->opts, &c->args);
	targets_free(&c->targets);
	free(c->requests);
	free(c->rules);
	buf_free(&c->numbers);
	buf_free(&c->words);
}
