# runner.sh - the test runner itself: that it counts right, shows failures and cannot be pleased by nothing

. tests/lib/check.sh
tmpdir
mkdir -p "$tmp/tests/lib" "$tmp/tests/cli" "$tmp/build/tests/unit"
cp tests/run "$tmp/tests/"
cp tests/lib/check.sh "$tmp/tests/lib/"

script() {
	printf '%s\n' '. tests/lib/check.sh' "${@:2}" >"$tmp/tests/cli/$1.sh"
}

runner() {
	status=0
	out=$(cd "$tmp" && O=build SAN='' TIMEOUT="${limit:-}" tests/run "$@" 2>&1) || status=$?
	last=$(printf '%s\n' "$out" | tail -n 1)
}

runner
check_eq "no test at all: the count" "0 passed, 0 failed, 0 skipped" "$last"
check_eq "no test at all: a failure" 1 "$status"

script a 'ok one' 'ok two' 'skip three "no such thing"'
script b 'true'
script c 'skip_all "not here"'
runner
check_eq "passes and skips are counted" "3 passed, 0 failed, 2 skipped" "$last"
check_eq "passes and skips succeed" 0 "$status"
check_match "a skipped case gives its reason" '^skip .*three # no such thing$' "$out"
check_match "a skipped file gives its reason" '^skip .*c\.sh # not here$' "$out"

script d 'check_eq four 1 2' 'ok five'
script e 'exit 3'
script f '# timeout: 3' 'ok six' 'sleep 60'
runner
check_eq "failures are counted" "5 passed, 3 failed, 2 skipped" "$last"
check_eq "failures fail" 1 "$status"
check_match "a failure is shown in full" 'got: +2' "$out"
check_match "a bad exit status is told" 'e\.sh \(exit status 3\)' "$out"
check_match "a test without end is told" 'f\.sh \(no end within its time\)' "$out"
script g '# timeout: 1' 'sleep 2'
limit=20 runner 'cli/g'
check_eq "more time for all" "1 passed, 0 failed, 0 skipped" "$last"
rm "$tmp/tests/cli/g.sh"
runner 'cli/[ab]'
check_eq "a pattern chooses" "3 passed, 0 failed, 1 skipped" "$last"
runner nothing
check_eq "a pattern that matches nothing fails" 1 "$status"

cat >"$tmp/u_test.c" <<'C'
#include "tests/lib/unit.h"
static void good(void **s) { (void)s; }
static void bad(void **s) { (void)s; assert_int_equal(1, 2); }
static void left(void **s) { (void)s; print_message("no luck today\n"); skip(); }
#ifdef CRASH
static void crash(void **s) { (void)s; __builtin_trap(); }
#endif
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good), cmocka_unit_test(left),
#ifdef CRASH
		cmocka_unit_test(crash),
#else
		cmocka_unit_test(bad),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
C
mkdir -p "$tmp/tests/unit"
: >"$tmp/tests/unit/u_test.c"
if ${CC:-gcc} -I. "$tmp/u_test.c" -lcmocka -o "$tmp/build/tests/unit/u_test" 2>"$tmp/err"; then
	runner u_test
	check_eq "unit cases are counted" "1 passed, 1 failed, 1 skipped" "$last"
	check_match "a skipped unit case gives its reason" 'left # no luck today' "$out"
	${CC:-gcc} -DCRASH -I. "$tmp/u_test.c" -lcmocka -o "$tmp/build/tests/unit/u_test" 2>/dev/null
	runner u_test
	check_match "a crash is a failure" '^1 passed, 1 failed, 1 skipped$' "$last"
	printf 'int main(void) { return 0; }\n' | ${CC:-gcc} -x c - -o "$tmp/build/tests/unit/u_test"
	runner u_test
	check_eq "a unit binary without cases is a failure" "0 passed, 1 failed, 0 skipped" "$last"
	rm "$tmp/tests/unit/u_test.c"
	runner u_test
	check_eq "a unit binary whose source is gone is left out" "0 passed, 0 failed, 0 skipped" "$last"
else
	skip "unit cases are counted" "cmocka is not installed"
fi
