# decode_confined.sh - once its inputs are open, iotap-decode needs no file, no socket, no program

. tests/lib/check.sh
need_program iotap-decode tests/golden/assemble
[ -z "${SAN:-}" ] || skip_all "sanitizers need other calls"
need_tool strace
tmpdir

"$B/tests/golden/assemble" <tests/golden/rec/curl.rec >"$tmp/t.iotap"
strace -f -o "$tmp/trace" true 2>/dev/null || skip_all "strace may not trace here"

confined() {
	strace -f -o "$tmp/trace" "$B/iotap-decode" "$@" >"$tmp/out" 2>"$tmp/err"
	check_that "iotap-decode $*: has a filter" grep -q 'seccomp(SECCOMP_SET_MODE_FILTER' "$tmp/trace"
	check_eq "iotap-decode $*: nothing that it needs is refused" "" \
		"$(sed -n '/seccomp(SECCOMP_SET_MODE_FILTER/,$p' "$tmp/trace" | grep -E '= -1 E(PERM|ACCES)' | head -n 3)"
	check_eq "iotap-decode $*: and opens nothing after" "" \
		"$(sed -n '/seccomp(SECCOMP_SET_MODE_FILTER/,$p' "$tmp/trace" | grep -E 'open(at)?\(|socket\(|exec' | head -n 3)"
}
cd "$tmp" || exit 1
confined t.iotap
confined -F json --from 10ms t.iotap
confined -F events t.iotap
confined --check t.iotap
confined --dump t.iotap
head -c 32 /dev/urandom >key
confined --redact key -o hidden.iotap t.iotap
confined --redact - -o - t.iotap
confined --salvage --output saved.iotap t.iotap
confined -F events -o "$tmp/t.events" t.iotap
echo none >none
confined --salvage --output no.iotap none
check_that "what failed is removed, confined as it is" test ! -e no.iotap

# The time zone is read before.
TZ=Asia/Tokyo "$B/iotap-decode" --no-summary t.iotap >"$tmp/there" 2>/dev/null
TZ=UTC "$B/iotap-decode" --no-summary t.iotap >"$tmp/here" 2>/dev/null
if [ -e /usr/share/zoneinfo/Asia/Tokyo ]; then
	check_that "time zones are known all the same" sh -c "! cmp -s '$tmp/there' '$tmp/here'"
else
	skip "time zones are known all the same" "no zoneinfo here"
fi
