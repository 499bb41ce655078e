/* driver_pipeline.h - the programs joined: live tracing, and replay of a recording */
#ifndef REPORT_DRIVER_PIPELINE_H
#define REPORT_DRIVER_PIPELINE_H

#include "formats/error.h"
#include "report/driver_options.h"

/* Runs what the command line asks for until all of it has ended. say prints one line for the user
 * at once, also from a child. Returns the exit status of iotap: that of the COMMAND, or 0, 1, 2 (a
 * program did not take an option's value), 4 (strict), 130 (forced). What went wrong has been said. */
int driver_pipeline_run(const struct driver_opts *opts, const struct opt_args *args,
			void (*say)(const struct iotap_error *));

#endif
