# report_manuals.sh - manual pages are well formed, and their options are those of --help

. tests/lib/check.sh

if command -v mandoc >/dev/null; then
	for page in docs/*.[1-8]; do
		check_eq "$page: mandoc finds no error" "" "$(mandoc -T lint -W error "$page" 2>&1)"
	done
else
	skip "manual pages are well formed" "mandoc is not installed"
fi

# Long options of a page: "Fl -name" of mdoc. Of a program: lines of --help, also of subcommands.
in_page() {
	grep -oE 'Fl( [A-Za-z] ,)? -[a-z][a-z-]+' "$1" | sed -E 's/.* -/--/' | sort -u
}

in_help() {
	"$B/$1" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z][a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u
}

for program in iotap iotap-report; do
	page=docs/$program.1
	[ -x "$B/$program" ] || { skip "$page has the options of $program" "not built"; continue; }
	check_eq "$page has every option of $program" "" "$(comm -13 <(in_page "$page") <(in_help "$program"))"
	check_eq "$page has no option that $program does not" "" \
		"$(comm -23 <(in_page "$page") <(in_help "$program"))"
done

# What the driver hands on, the programs take.
for pair in "CAPTURE iotap-capture" "DECODE iotap-decode"; do
	set -- $pair
	[ -x "$B/$2" ] || { skip "$2 takes what iotap hands on" "not built"; continue; }
	handed=$(grep -E "$1\)\$" report/driver_options.def | grep -oE '"[a-z-]+",' | grep -oE '[a-z-]+' | sed 's/^/--/')
	check_eq "$2 takes what iotap hands on" "" "$(for option in $handed; do
		in_help "$2" | grep -qx -e "$option" || echo "$option"
	done)"
done

# Completions come from --help.
completed() {
	PATH="$B:$PATH" bash -c '. docs/completions/iotap.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_iotap "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
		echo "${COMPREPLY[*]}"' bash "$@"
}
if [ -x "$B/iotap" ]; then
	check_eq "iotap --re is completed" "--record --replay" "$(completed iotap --re)"
	check_eq "iotap -F is completed" "json" "$(completed iotap -F j)"
fi
