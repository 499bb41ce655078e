# report_tui.sh - iotap-report --tui on a terminal that python3 plays

. tests/lib/check.sh
need_program iotap iotap-report iotap-decode tests/golden/assemble
need_tool python3
tmpdir

"$B/tests/golden/assemble" <tests/golden/rec/curl.rec >"$tmp/curl.iotap"
said=$("$B/iotap-report" --tui "$tmp/curl.iotap" 2>&1 >"$tmp/out" </dev/null)
case $said in
*"without a terminal UI"*)
	skip_all "built without ncursesw"
	;;
esac
# situation: 122
check_status "no terminal: refused" 1 sh -c '"$1/iotap-report" --tui "$2" >/dev/null 2>&1' sh "$B" "$tmp/curl.iotap"
check_eq "no terminal: nothing on standard output" "" "$(cat "$tmp/out")"
check_eq "no terminal: one line that says why" 1 "$(printf '%s\n' "$said" | wc -l)"
check_match "no terminal: what it needs" "needs a terminal" "$said"
for options in "--json" "-F events" "--output x" "-i lo" "--all-ops"; do
	check_status "iotap --tui $options: refused" 2 "$B/iotap" --tui $options --replay "$tmp/curl.iotap"
done
check_status "iotap --tui -- COMMAND: refused" 2 "$B/iotap" --tui -- true
check_status "--tui --html: refused" 2 "$B/iotap-report" --tui --html "$tmp/x" "$tmp/curl.iotap"
PYTHONDONTWRITEBYTECODE=1 python3 tests/cli/report_tui.py "$B" "$tmp/curl.iotap"
