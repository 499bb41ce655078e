# scripts.sh - shell scripts parse, and shellcheck finds no error in them

. tests/lib/check.sh

scripts() {
	find tests .ci docs -name '*.sh' 2>/dev/null
	for f in tests/run tests/bench/run tests/torture/run .ci/run .ci/setup; do
		[ -e "$f" ] && echo "$f"
	done
}

check_eq "scripts parse" "" "$(scripts | while read -r f; do bash -n "$f" 2>&1; done)"
if command -v shellcheck >/dev/null; then
	check_eq "shellcheck finds no error" "" \
		"$(scripts | xargs shellcheck -s bash -S error -f gcc 2>&1)"
else
	skip "shellcheck finds no error" "shellcheck is not installed"
fi
