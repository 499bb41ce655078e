# readers_confined.sh - before a byte of a stranger's is read, iotap-report and iotap-analyze give up
# sockets, programs and all files but their own

. tests/lib/check.sh
need_program iotap-report iotap-analyze iotap-decode tests/golden/assemble
[ -z "${SAN:-}" ] || skip_all "sanitizers need other calls"
need_tool strace
tmpdir

strace -f -o "$tmp/trace" true 2>/dev/null || skip_all "strace may not trace here"
mkdir "$tmp/spool" "$tmp/in" || exit 1
"$B/tests/golden/assemble" <tests/golden/rec/curl.rec >"$tmp/in/t.iotap"
"$B/tests/golden/assemble" <tests/golden/rec/names.rec >"$tmp/in/u.iotap"
"$B/iotap-decode" -F json --all-ops "$tmp/in/t.iotap" >"$tmp/in/t.json"
export TMPDIR="$tmp/spool"

# confined PROGRAM ARGUMENT...: opened, what it opened after, in order.
confined() {
	program=$1
	shift
	strace -f -s 4096 -o "$tmp/trace" "$B/$program" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	sed -n '/seccomp(SECCOMP_SET_MODE_FILTER/,$p' "$tmp/trace" >"$tmp/after"
	check_that "$program $*: has a filter" test -s "$tmp/after"
	check_that "$program $*: and a rule for files" grep -q 'landlock_restrict_self(.*= 0' "$tmp/trace"
	check_eq "$program $*: nothing that it needs is refused" "" \
		"$(grep -E '= -1 E(PERM|ACCES)' "$tmp/after" | head -n 3)"
	check_eq "$program $*: no socket, no program" "" "$(grep -E '^[0-9]+ +(socket|exec)' "$tmp/after" | head -n 3)"
	opened=$(sed -n 's/.*open\(at\)\?(.*"\(.*\)".*/\2/p' "$tmp/after" | grep -v -e '^/proc/self/fd/' -e "^$tmp/spool/")
}

cd "$tmp/in" || exit 1
confined iotap-report t.iotap
check_eq "iotap-report: opens nothing after" "" "$opened"
confined iotap-report --files-only t.iotap u.iotap
check_eq "iotap-report, several: opens nothing after" "" "$opened"

for name in new old; do
	confined iotap-report --html page.html t.iotap
	check_eq "iotap-report --html, $name: opens nothing after" "" "$opened"
	check_eq "iotap-report --html, $name: makes its page" "0 0" "$status $(test -s page.html; echo $?)"
done
rm page.html
confined iotap-analyze report files t.iotap
check_eq "a report: opens its input again, nothing else" "" "$opened"
confined iotap-analyze sql t.json "SELECT count(*) FROM event_v"
check_eq "SQL over JSON Lines: opens nothing" "" "$opened"
confined iotap-analyze load -o t.db t.iotap
check_eq "a load: opens its input, its own file, its folder" "" \
	"$(printf '%s\n' "$opened" | grep -v -x -e t.iotap -e '.*t\.db\.load-......' -e '\.\|')"
check_eq "the database is there" 0 "$status"
confined iotap-analyze load -o t.db u.iotap
check_eq "a load into it: opens its input and folders" "" \
	"$(printf '%s\n' "$opened" | grep -v -x -e u.iotap -e "\.\|$tmp/in" -e '')"
check_eq "it is loaded" "0 2" "$status $("$B/iotap-analyze" sql -F tsv t.db 'SELECT count(*) FROM recording' | tail -n 1)"
sort='WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 12000)
SELECT count(*) FROM (SELECT x, hex(randomblob(300)) AS y FROM r ORDER BY y LIMIT -1 OFFSET 1)'
for what in t.db t.iotap; do
	confined iotap-analyze sql -F tsv $what "$sort"
	check_eq "a great sort in $what has its temporary files, and opens nothing else" "11999 " \
		"$(tail -n 1 "$tmp/out") $opened"
	check_that "they are in a folder of their own" grep -q "openat(.*$tmp/spool/iotap-....../" "$tmp/after"
done
check_eq "nothing is left of them, nor of journals" "t.db t.iotap t.json u.iotap |" "$(echo *) |$(ls "$tmp/spool")"

# Ended by a signal: the folder goes, too.
"$B/iotap-analyze" sql t.db 'WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r' >/dev/null &
pid=$!
check_that "a question that goes on has its folder" wait_for 20 sh -c "ls -d '$tmp'/spool/iotap-*"
kill -TERM $pid
wait $pid
check_eq "a signal: none is left" "" "$(ls "$tmp/spool")"
