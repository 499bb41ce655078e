# help.sh - every program answers --help, --version and a wrong option alike

. tests/lib/check.sh
tmpdir

answer() {
	status=0
	"$B/$1" "${@:2}" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
}

for program in iotap iotap-capture iotap-decode iotap-analyze iotap-report; do
	if [ ! -x "$B/$program" ]; then
		skip "$program: --help and --version" "not built"
		continue
	fi
	answer "$program" --help
	check_eq "$program --help: exit status" 0 "$status"
	check_eq "$program --help: nothing on stderr" "" "$err"
	check_match "$program --help: begins with the usage" "^Usage: $program( |\$)" "$(head -n 1 "$tmp/out")"
	check_eq "$program --help: at most 100 columns" "" \
		"$(expand "$tmp/out" | grep -nE '^.{101,}')"
	check_match "$program --help: names --version" '--version' "$out"

	answer "$program" --version
	check_eq "$program --version: exit status" 0 "$status"
	check_match "$program --version: name and number" "^$program ${VERSION:-[0-9]+\.[0-9]+\.[0-9]+}\$" \
		"$(head -n 1 "$tmp/out")"
	check_eq "$program --version: nothing on stderr" "" "$err"

	answer "$program" --no-such-option
	check_eq "$program, unknown option: exit status" 2 "$status"
	check_eq "$program, unknown option: nothing on stdout" "" "$out"
	check_match "$program, unknown option: says which" "^$program: .*no-such-option" "$err"
	check_match "$program, unknown option: points to --help" "Try '$program( [a-z]+)? --help'" "$err"

	answer "$program" --hel
	check_eq "$program, abbreviated option: refused" 2 "$status"

	status=0
	"$B/$program" --help >/dev/full 2>/dev/null || status=$?
	check_eq "$program --help to a full device: exit status" 1 "$status"
done
