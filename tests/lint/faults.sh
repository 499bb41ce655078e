# faults.sh - docs/faults.md names every fault, and only tests and cases that there are

. tests/lib/check.sh

page=docs/faults.md
rows() {
	grep -E '^\| [0-9]+ \|' $page
}

check_eq "every fault from 1 to 45, once, in order" "$(seq 45)" "$(rows | cut -d ' ' -f 2)"
check_eq "each with a test, or a reason" "" "$(rows | grep -vE '`(tests/|make )|Not shown')"
check_eq "the tests are there" "" "$(rows | grep -oE '`tests/[^`]*`' | tr -d '`' | sort -u | while read -r test; do
	[ -e "$test" ] || echo "$test"
done)"
# A file, then its cases in quotes, up to the next file.
check_eq "and so are the cases" "" "$(rows | grep -oE '`[^`]*`|"[^"]*"' | while read -r word; do
	case $word in
	'`tests/'*) file=$(printf '%s' "$word" | tr -d '`') ;;
	'"'*)
		words=${word#?}
		grep -qF -e "${words%?}" "$file" || echo "$file: $word"
		;;
	esac
done)"
