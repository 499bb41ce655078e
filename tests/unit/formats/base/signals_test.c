/* signals_test.c - which signals end a program, and how it then looks from outside */
#include "formats/base/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/unit.h"

static void
on_signal(int number)
{
	if (number == SIGINT)
		_exit(7);
	signals_end(number);
}

/* What becomes of a child that takes signals (handler NULL: leaves them as they are), with one ignored before,
 * and gets one: its status, the signal that ended it negative, 0 = it stopped. */
static int
end_of(void (*handler)(int), int ignored, int sent)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		const struct rlimit no_core = {0, 0};

		(void)setrlimit(RLIMIT_CORE, &no_core);
		for (int i = 1; i <= SIGRTMAX; i++)
			(void)signal(i, SIG_DFL);
		if (ignored > 0)
			(void)signal(ignored, SIG_IGN);
		if (handler)
			signals_take(handler);
		(void)raise(sent);
		_exit(9);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (WIFSTOPPED(status)) {
		(void)kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		return 0;
	}
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int
status_of(int ignored, int sent)
{
	return end_of(on_signal, ignored, sent);
}

static void
the_handler_decides(void **state)
{
	(void)state;
	assert_int_equal(status_of(0, SIGINT), 7);
	assert_int_equal(status_of(0, SIGTERM), -SIGTERM);
	assert_int_equal(status_of(0, SIGHUP), -SIGHUP);
}

static void
leave_a_word(int number)
{
	(void)number;
	_exit(8);
}

/* The kernel says which those are: no list of ours. */
static void
every_signal_that_ends_a_program_is_taken(void **state)
{
	unsigned int ending = 0;

	(void)state;
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction now;
		bool ends;

		if (number == SIGKILL || sigaction(number, NULL, &now) != 0)
			continue;	/* or one of the C library's own */
		ends = end_of(NULL, 0, number) == -number;
		assert_int_equal(signals_default(number) != SIGNAL_PASSES, ends);
		assert_int_equal(end_of(leave_a_word, 0, number) == 8, ends && signals_default(number) != SIGNAL_WRITE);
		ending += ends;
	}
	assert_true(ending > 20);
}

static void
what_is_ignored_stays_so(void **state)
{
	(void)state;
	assert_int_equal(status_of(SIGHUP, SIGHUP), 9);
	assert_int_equal(status_of(SIGINT, SIGINT), 9);
	assert_int_equal(status_of(SIGHUP, SIGTERM), -SIGTERM);
}

static void
failing_writes_say_so_themselves(void **state)
{
	(void)state;
	assert_int_equal(status_of(0, SIGPIPE), 9);
	assert_int_equal(status_of(0, SIGXFSZ), 9);
}

/* Which handler each of them has, with one of them ignored before. */
static void
each_has_its_handler(void **state)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
	enum { N = sizeof(numbers) / sizeof(numbers[0]) };
	struct sigaction before[N], after[N];

	(void)state;
	for (int i = 0; i < N; i++)
		assert_int_equal(sigaction(numbers[i], NULL, &before[i]), 0);
	for (int i = 0; i < N; i++)
		(void)signal(numbers[i], numbers[i] == SIGHUP ? SIG_IGN : SIG_DFL);
	signals_take(on_signal);
	for (int i = 0; i < N; i++) {
		assert_int_equal(sigaction(numbers[i], NULL, &after[i]), 0);
		assert_int_equal(sigaction(numbers[i], &before[i], NULL), 0);
	}
	for (int i = 0; i < N; i++) {
		const bool ignored = numbers[i] == SIGHUP || numbers[i] == SIGPIPE || numbers[i] == SIGXFSZ;

		assert_true(after[i].sa_handler == (ignored ? SIG_IGN : on_signal));
		assert_true(ignored || (after[i].sa_flags & SA_RESTART));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_handler_decides),
		cmocka_unit_test(every_signal_that_ends_a_program_is_taken),
		cmocka_unit_test(what_is_ignored_stays_so),
		cmocka_unit_test(failing_writes_say_so_themselves),
		cmocka_unit_test(each_has_its_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
