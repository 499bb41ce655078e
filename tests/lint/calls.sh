# calls.sh - every row of formats/calls.def is made by a workload of the live tests, or there is a reason
#
# Reasons for what is no call of its own are in tests/live/requests_not_made; a needless one is wrong, too.

. tests/lib/check.sh
tmpdir

names=$(sed -n 's/^CALL( *[0-9]*, \([a-z0-9_]*\),.*/\1/p' formats/calls.def)
check_eq "the table has its rows" yes "$([ "$(echo "$names" | wc -l)" -ge 143 ] && echo yes)"
cat tests/live/work/*.c tests/live/i386/*.c >/dev/null || exit 1
missing=$(for name in $names; do
	grep -qE "\"$name\"|RAW\(say, $name,|SYS_$name\b" tests/live/work/*.c tests/live/i386/*.c || echo "$name"
done)
check_eq "each call is made by a workload (tests/live/work)" "" "$missing"

sed -n 's/^\(REQUEST\|TWIN\|PART\)( *[0-9]*, \([a-z0-9_]*\),.*/\2/p' formats/calls.def | sort >"$tmp/all"
check_eq "the table has its rows of requests, twins and parts" yes "$([ "$(wc -l <"$tmp/all")" -ge 76 ] && echo yes)"
while read -r name; do
	grep -q "\"$name\"" tests/live/work/*.c && echo "$name"
done <"$tmp/all" >"$tmp/made"
sed -n 's/^\([a-z0-9_]*\) ..*/\1/p' tests/live/requests_not_made | sort >"$tmp/reasons"
check_eq "each of these is made by a workload, or tests/live/requests_not_made has why not" "" \
	"$(comm -23 "$tmp/all" "$tmp/made" | comm -23 - "$tmp/reasons")"
check_eq "reasons for what is made" "" "$(comm -12 "$tmp/reasons" "$tmp/made")"
check_eq "reasons for what there is not" "" "$(comm -23 "$tmp/reasons" "$tmp/all")"
