# calls.sh - every row of formats/calls.def is made by a workload of the live tests

. tests/lib/check.sh

names=$(sed -n 's/^CALL( *[0-9]*, \([a-z0-9_]*\),.*/\1/p' formats/calls.def)
check_eq "the table has its rows" yes "$([ "$(echo "$names" | wc -l)" -ge 143 ] && echo yes)"
cat tests/live/work/*.c tests/live/i386/*.c >/dev/null || exit 1
missing=$(for name in $names; do
	grep -qE "\"$name\"|RAW\(say, $name,|SYS_$name\b" tests/live/work/*.c tests/live/i386/*.c || echo "$name"
done)
check_eq "each call is made by a workload (tests/live/work)" "" "$missing"
