/* iotap.c - the program iotap: one command line for tracing, recording and replaying
 *
 * It traces nothing itself: iotap-capture and iotap-decode, found beside it, do the work. Their
 * joining is report/driver_pipeline.c; this file reads the command line, prints and exits.
 */
#include <fcntl.h>
#include <unistd.h>

#include "formats/base/buf.h"
#include "formats/base/io.h"
#include "report/driver_options.h"
#include "report/driver_pipeline.h"

/* One line on standard error, in one write: children say things, too. */
static void
say(const struct iotap_error *err)
{
	struct buf line;

	buf_init(&line, 0);
	(void)buf_printf(&line, "iotap: %s\n", err->text);
	if (buf_ok(&line))
		(void)io_write_all(STDERR_FILENO, line.data, line.len);
	buf_free(&line);
}

/* A pipe must never become descriptor 0, 1 or 2 because the caller had closed it. */
static bool
fill_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return fd >= 0;
}

int
main(int argc, char **argv)
{
	const struct opt_spec *const spec = driver_options_spec();
	struct driver_opts opts = {.children = false};
	struct opt_args args;
	enum opt_result result;
	int status;

	if (!fill_standard_fds())
		return 1;
	result = opt_parse(spec, argc, argv, &opts, &args);
	if (result == OPT_RUN)
		result = driver_options_check(&opts, &args);
	if (result == OPT_RUN)
		status = driver_pipeline_run(&opts, &args, say);
	else
		status = opt_finish(spec, result, &args, STDOUT_FILENO, STDERR_FILENO);
	opt_fini(spec, &opts, &args);
	return status;
}
