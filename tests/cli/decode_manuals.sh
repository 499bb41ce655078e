# decode_manuals.sh - the manual pages of iotap-decode and libiotap say what is so: options, functions,
# examples

. tests/lib/check.sh
need_program iotap-decode tests/golden/assemble
tmpdir
top=$PWD

page=docs/iotap-decode.1
in_page=$(grep -oE '^\.It .*' $page | grep -oE 'Fl( [A-Za-z] ,)? -[a-z][a-z-]+' | sed -E 's/.* -/--/' | sort -u)
in_help=$("$B/iotap-decode" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z][a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u)
check_eq "$page has the options of iotap-decode" "$in_help" \
	"$(printf '%s\n' "$in_page" "$(grep -oE ', Fl -[a-z-]+' $page | sed 's/.* -/--/')" | sort -u)"

# Every function of the header has its synopsis in one of the two pages.
declared=$(tr '\n' ' ' <formats/iotap.h | grep -oE 'IOTAP_API[^;]*;' | grep -oE 'iotap_[a-z0-9_]+ *\(' |
	tr -d ' (' | sort -u)
described=$(cat docs/libiotap.3 docs/iotap_consume.3 | sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' |
	sed -n 's/^\.Fn \(iotap_[a-z_]*\).*/\1/p' | sort -u)
check_eq "the pages have the functions of iotap.h" "$declared" "$described"

# The examples of iotap-decode(1), as a shell runs them.
sed 's/\<tgid=10\>/tgid=1234/; s/\<pid=10\>/pid=1234/' tests/golden/rec/epochs.rec |
	"$B/tests/golden/assemble" >"$tmp/trace.iotap"
sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' $page | sed -n 's/^\.Dl //p' | sed 's/\\-/-/g' >"$tmp/commands"
check_that "$page has examples" test -s "$tmp/commands"
while IFS= read -r command; do
	check_status "$command" 0 env PATH="$B:$PATH" bash -c "cd '$tmp' && $command"
done <"$tmp/commands"

# The program of iotap_consume(3).
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' docs/iotap_consume.3 | sed '1,2d; $d; s/\\e/\\/g' >"$tmp/example.c"
if [ -z "${SAN:-}" ]; then
	check_that "the program of iotap_consume(3) builds" "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror \
		-Wno-missing-field-initializers -Iformats "$tmp/example.c" -L"$B" -liotap -o "$tmp/example"
	"$B/tests/golden/assemble" <tests/golden/rec/curl.rec >"$tmp/curl.iotap"
	check_eq "and counts right" "4096 bytes read" \
		"$(LD_LIBRARY_PATH="$B" "$tmp/example" "$tmp/curl.iotap" | tail -n 1)"
else
	skip "the program of iotap_consume(3) builds" "sanitizers"
fi

if command -v mandoc >/dev/null; then
	for page in docs/iotap-decode.1 docs/libiotap.3 docs/iotap_consume.3; do
		check_eq "$page: mandoc has nothing to say" "" "$(mandoc -T lint -W warning "$top/$page" 2>&1)"
	done
fi
