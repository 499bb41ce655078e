# 31-rows.sh - each row of formats/calls.def, made with success and with failure, as strace has it

. tests/lib/witness.sh
need_witness

witness names "$w/rows_names" "$tmp/dir"
witness data "$w/rows_data" "$tmp/dir"
cat "$tmp/names.err" "$tmp/data.err" | sed 's/^/    /'

# Rows that none made, against the reasons in tests/live/rows_not_made: one way is wrong as the other.
sort -u "$tmp/rows" >"$tmp/made"
sed -n 's/^CALL([ 0-9]*, *\([a-z0-9_]*\),.*/\1 ok\n\1 fail/p' formats/calls.def | sort -u >"$tmp/all"
sed -n 's/^\([a-z0-9_]* \(ok\|fail\)\) .*/\1/p' tests/live/rows_not_made | sort -u >"$tmp/reasons"
check_match "the table is read" '^(2[5-9]|[3-9]).*[0-9]$' "$(wc -l <"$tmp/all")"
check_eq "rows that no workload made, and no reason" "" \
	"$(comm -23 "$tmp/all" "$tmp/made" | comm -23 - "$tmp/reasons")"
check_eq "reasons for rows that are made" "" "$(comm -12 "$tmp/reasons" "$tmp/made")"
check_eq "reasons for rows that there are not" "" "$(comm -23 "$tmp/reasons" "$tmp/all")"
