# conformance.sh - every situation of docs/conformance.txt is named by a test, or says why there is none

. tests/lib/check.sh
need_tool python3

check_eq "tests/conformance --missing" "" "$(tests/conformance --missing 2>&1)"
check_eq "live checks by number" "tests/live/08-stopped.sh tests/live/04-family.sh tests/live/25-selection.sh" \
	"$(tests/conformance --live 5 13 | xargs)"
check_status "a number that no live check has" 1 tests/conformance --live 99
check_status "another option" 1 tests/conformance --all

# It must notice: a test that is not there, a reason for what a test names by now, a number twice.
tmpdir
mkdir "$tmp/docs" "$tmp/tests"
cp -r tests/conformance tests/live tests/unit tests/golden tests/cli tests/compat tests/cross tests/hostile "$tmp/tests"
notices() {
	sed "$2" docs/conformance.txt >"$tmp/docs/conformance.txt"
	check_match "notices $1" "$3" "$("$tmp/tests/conformance" --missing 2>&1)"
}
notices "a situation without reason" '/^157	/s/ |.*//' '^157: .*no test names it'
notices "a reason that holds no longer" '/^143	/s/$/ | waits for a disk/' '^143: .*waits no longer'
notices "a number twice" '/^143	/p' '^143: twice'
notices "a number left out" '/^165	/d' '^165: not in'
