# analyze_manual.sh - iotap-sql(5) and iotap-analyze(1) say what there is, and their examples run

. tests/lib/check.sh
need_program iotap-analyze tests/golden/assemble
need_tool mandoc sqlite3
tmpdir
analyze=$B/iotap-analyze

"$B/tests/golden/assemble" <tests/golden/rec/life.rec >"$tmp/t.iotap"
"$analyze" load -o "$tmp/t.db" "$tmp/t.iotap"
mandoc -T utf8 docs/iotap-sql.5 | sed 's/.\x08//g' >"$tmp/page"

sqlite3 "$tmp/t.db" "SELECT m.name || ' ' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
	WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%'" >"$tmp/columns"
check_eq "every table and column is in iotap-sql(5)" "" "$(while read -r table column; do
	grep -qw -e "$table" "$tmp/page" && grep -qw -e "$column" "$tmp/page" || echo "$table.$column"
done <"$tmp/columns")"
check_eq "every counter is in iotap-sql(5)" "" "$("$analyze" sql -F tsv "$tmp/t.db" 'SELECT DISTINCT name FROM counter' |
	sed 1d | while read -r name; do grep -qw -e "$name" "$tmp/page" || echo "$name"; done)"

sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' docs/iotap-sql.5 | sed -n '/^\.Bd/,/^\.Ed/p' | grep -v '^\.' >"$tmp/examples.sql"
for what in t.db t.iotap; do
	check_that "the statements of iotap-sql(5) run over $what" sh -c "'$analyze' sql '$tmp/$what' \"\$(cat '$tmp/examples.sql')\""
done

# The commands of iotap-analyze(1), those that need root aside.
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' docs/iotap-analyze.1 | sed -n '/^\.Bd/,/^\.Ed/p' | grep -v '^\.' |
	grep -v '^sudo' >"$tmp/examples.sh"
check_eq "there are examples" 4 "$(grep -c '^iotap-analyze' "$tmp/examples.sh")"
rm "$tmp/t.db"
check_that "the commands of iotap-analyze(1) run" sh -ec "cd '$tmp' && PATH='$B':\$PATH && . ./examples.sh"

in_page() {
	grep -oE 'Fl( [A-Za-z] ,)? -[a-z][a-z-]+' docs/iotap-analyze.1 | sed -E 's/.* -/--/' | sort -u
}
in_help() {
	"$analyze" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z][a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u
}
check_eq "iotap-analyze(1) has the options of --help" "$(in_help)" "$(in_page)"
