# style.sh - what can be seen of the house style by grep: width, tabs, comments, file names

. tests/lib/check.sh

files() {
	find formats bpf capture decode analyze report tests -name '*.[ch]' 2>/dev/null | sort
}

check_eq "C files: no line over 120 columns (100 is the rule, a table row may exceed it)" "" "$(files | while read -r f; do
	expand "$f" | grep -nE '^.{121,}' | sed "s|^|$f:|" | cut -c -120
done | head -n 20)"
check_eq "C files: no white space at a line's end" "" \
	"$(files | xargs grep -nE '[[:blank:]]$' | head -n 20)"
check_eq "C files: indented by tabs" "" "$(files | xargs grep -nE '^ {8,}[^ *]' | head -n 20)"
check_eq "C files: comments are /* */" "" \
	"$(files | xargs grep -nE '(^|[;{}),[:blank:]])//([^"]*$)' | grep -vE '"[^"]*//' | head -n 20)"
check_eq "C files begin with a comment that names them" "" "$(files | while read -r f; do
	head -n 3 "$f" | grep -qE "/\* .*$(basename "$f")|/\* SPDX" || echo "$f"
done | head -n 20)"
check_eq "no junk drawers" "" "$(find formats bpf capture decode analyze report |
	grep -E '/(utils?|common|misc|helpers?|manager)(\.[ch])?$')"
check_eq "file names are unique in the tree (main.c, options.def aside)" "" \
	"$(find formats bpf capture decode analyze report -name '*.[ch]' ! -name main.c |
		sed 's|.*/||' | sort | uniq -d)"

# "1 calls": a noun that is counted somewhere (units_count) has no number of its own put before its plural.
nouns=$(files | grep -v '^tests/' | xargs grep -hoE 'units_count\([^;]*"[a-z ]+"\)' | sed 's/.* \([a-z]*\)")$/\1/; s/.*"\([a-z]*\)")$/\1/' | sort -u)
plurals=$(for noun in $nouns; do
	case $noun in
	*s) echo "${noun}es" ;;
	*y) echo "${noun%y}ies" ;;
	*) echo "${noun}s" ;;
	esac
done | paste -sd'|')
check_match "nouns that are counted" '\|calls\|' "$plurals"
check_eq "they are counted by units_count alone (limits and failures to allocate aside)" "" \
	"$(files | grep -v '^tests/' | xargs grep -nE "(%(zu|u|d|llu|lu)|PRIu(64|32) \"|NUMBER) ([a-z]+ )?($plurals)\b" |
		grep -vE '(more|longer|fewer) than|at most|at least|record of|out of memory' | head -n 20)"
