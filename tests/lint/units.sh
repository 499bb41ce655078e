# units.sh - every module has a unit test, or a line that says which test holds it
#
# A module is a .c file outside bpf/ that is no program's main file. Its unit test is
# tests/unit/FOLDER/NAME_test.c; else tests/unit/COVERED_ELSEWHERE has a line
#	MODULE TEST REASON
# with a test that exists. Lines for modules that are gone, or have a test of their own, are wrong too.

. tests/lib/check.sh

list=tests/unit/COVERED_ELSEWHERE

modules() {
	find formats decode capture analyze report -name '*.c' ! -name main.c ! -path report/iotap.c | sort
}

unit_test_of() {
	echo "tests/unit/${1%.c}_test.c"
}

rows() {
	grep -vE '^[[:space:]]*(#|$)' "$list"
}

check_eq "every module has a unit test, or a line in $list" "" "$(modules | while read -r module; do
	[ -e "$(unit_test_of "$module")" ] || rows | cut -d ' ' -f 1 | grep -qxF "$module" || echo "$module"
done)"
check_eq "$list: module, test and reason in each line" "" "$(rows | grep -vE '^[^ ]+\.c [^ ]+ [^ ].*$')"
check_eq "$list: the modules are there" "" "$(rows | while read -r module _; do
	[ -e "$module" ] || echo "$module"
done)"
check_eq "$list: none has a unit test of its own" "" "$(rows | while read -r module _; do
	[ ! -e "$(unit_test_of "$module")" ] || echo "$module"
done)"
check_eq "$list: the tests are there" "" "$(rows | while read -r _ held _; do
	[ -e "$held" ] || echo "$held"
done | sort -u)"
check_eq "$list: no module twice" "" "$(rows | cut -d ' ' -f 1 | sort | uniq -d)"
