/* command_test.c - a command waits, runs with what it was given, and its end is ours to tell */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/command.h"

static void
wait_for_end(struct command *c)
{
	const struct timespec a_moment = {.tv_nsec = 1000000};

	for (int i = 0; i < 50000 && !command_has_ended(c); i++)
		nanosleep(&a_moment, NULL);
	assert_true(c->ended);
}

/* Runs argv to its end; the exit status. */
static int
status_of(char **argv)
{
	const struct owner owner = {.uid = getuid(), .gid = getgid()};
	const struct command_options o = {.argv = argv, .owner = &owner};
	struct iotap_error err = {0};
	struct command c;
	int status;

	if (command_start(&c, &o, &status, &err) < 0) {
		command_abandon(&c);
		return status + 1000;
	}
	command_release(&c);
	wait_for_end(&c);
	command_abandon(&c);
	return command_exit_status(&c);
}

#define STATUS(...) status_of((char *[]){__VA_ARGS__, NULL})

static void
statuses(void **state)
{
	(void)state;
	assert_int_equal(STATUS("true"), 0);
	assert_int_equal(STATUS("sh", "-c", "exit 7"), 7);
	assert_int_equal(STATUS("sh", "-c", "kill -9 $$"), 137);
	assert_int_equal(STATUS("/bin/sh", "-c", "exit 3"), 3);
}

static void
not_there_or_not_to_be_run(void **state)
{
	(void)state;
	assert_int_equal(STATUS("no-such-program-anywhere"), 1127);
	assert_int_equal(STATUS("/nowhere/at/all"), 1127);
	assert_int_equal(STATUS("/etc/passwd"), 1126);
	assert_int_equal(STATUS("/etc"), 1126);
	assert_int_equal(STATUS(""), 1127);
}

static void
waits_until_released(void **state)
{
	const struct owner owner = {.uid = getuid(), .gid = getgid()};
	char path[] = "/tmp/command_test.XXXXXX";
	char *argv[] = {"rm", path, NULL};
	const struct command_options o = {.argv = argv, .owner = &owner};
	const struct timespec a_while = {.tv_nsec = 250000000};
	struct iotap_error err = {0};
	struct command c;
	int status;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(command_start(&c, &o, &status, &err), 0);
	nanosleep(&a_while, NULL);
	assert_int_equal(access(path, F_OK), 0);
	assert_false(command_has_ended(&c));
	command_release(&c);
	wait_for_end(&c);
	assert_int_equal(access(path, F_OK), -1);
	command_abandon(&c);
}

static void
abandoned_before_it_ran(void **state)
{
	const struct owner owner = {.uid = getuid(), .gid = getgid()};
	char *argv[] = {"true", NULL};
	const struct command_options o = {.argv = argv, .owner = &owner};
	struct iotap_error err = {0};
	struct command c;
	int status;

	(void)state;
	assert_int_equal(command_start(&c, &o, &status, &err), 0);
	command_abandon(&c);
	assert_true(c.ended);
	assert_int_equal(kill(c.pid, 0), -1);
}

static void
stdout_out_of_the_way(void **state)
{
	const struct owner owner = {.uid = getuid(), .gid = getgid()};
	char *argv[] = {"sh", "-c", "test /dev/fd/1 -ef /dev/fd/2", NULL};
	const struct command_options o = {.argv = argv, .owner = &owner, .stdout_to_stderr = true};
	struct iotap_error err = {0};
	int ends[2], before = dup(STDERR_FILENO), status;
	struct command c;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	status = command_start(&c, &o, &status, &err);
	dup2(before, STDERR_FILENO);
	assert_int_equal(status, 0);
	command_release(&c);
	wait_for_end(&c);
	assert_int_equal(command_exit_status(&c), 0);
	command_abandon(&c);
	close(before);
	close(ends[0]);
	close(ends[1]);
}

/* Needs root: as somebody else, with his groups. */
static void
as_another_user(void **state)
{
	const struct owner sudo = {.uid = 65534, .gid = 65534, .by_sudo = true};
	const struct owner root = {.uid = 0, .gid = 0};
	char *argv[] = {"sh", "-c", "test $(id -u) = 65534 && test \"$(id -G)\" = 65534", NULL};
	struct command_options o = {.argv = argv, .owner = &sudo};
	struct iotap_error err = {0};
	struct command c;
	int status;

	(void)state;
	if (getuid() != 0)
		skip();
	assert_int_equal(command_start(&c, &o, &status, &err), 0);
	command_release(&c);
	wait_for_end(&c);
	assert_int_equal(command_exit_status(&c), 0);
	command_abandon(&c);
	o.owner = &root;
	o.user = "nobody";
	assert_int_equal(command_start(&c, &o, &status, &err), 0);
	command_release(&c);
	wait_for_end(&c);
	assert_int_equal(command_exit_status(&c), 0);
	command_abandon(&c);
	o.user = "no such user";
	assert_int_equal(command_start(&c, &o, &status, &err), IOTAP_EUSAGE);
	assert_int_equal(status, 1);
	command_abandon(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
		cmocka_unit_test(not_there_or_not_to_be_run),
		cmocka_unit_test(waits_until_released),
		cmocka_unit_test(abandoned_before_it_ran),
		cmocka_unit_test(stdout_out_of_the_way),
		cmocka_unit_test(as_another_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
