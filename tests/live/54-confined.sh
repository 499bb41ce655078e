# 54-confined.sh - after it has attached, capture can do next to nothing, and needs nothing more

. tests/lib/trace.sh
need_trace

mkdir "$tmp/r"
# The command begins when all of it is done.
mkfifo "$tmp/go"
exec 3<>"$tmp/go"
background "$B/iotap-capture" -f -o "$tmp/t.iotap" -- \
	sh -c "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status >'$tmp/child'; echo >'$tmp/begun'; read x <'$tmp/go'"
capture=$!
wait_for 30 test -s "$tmp/begun"
cat /proc/$capture/task/*/status >"$tmp/status"
threads=$(ls /proc/$capture/task | wc -l)
echo >&3
wait $capture
check_that "there are several threads" test "$threads" -ge 2
for field in CapEff CapPrm CapInh CapBnd CapAmb; do
	check_eq "no $field in any thread" "" "$(grep "^$field:" "$tmp/status" | grep -v '0000000000000000')"
done
check_eq "no new privileges in any" "$threads" "$(grep -c '^NoNewPrivs:.*1' "$tmp/status")"
check_eq "no user 0 in any" "" "$(grep '^Uid:' "$tmp/status" | grep -wE '0')"
check_eq "the command is not concerned" "NoNewPrivs: 0" "$(grep NoNew "$tmp/child" | tr -s '[:space:]' ' ' | sed 's/ $//')"
if [ -n "${SAN:-}" ]; then
	skip "the filter" "sanitizers need other calls"
	exit
fi
check_eq "a filter in every thread" "$threads" "$(grep -c '^Seccomp:.*2' "$tmp/status")"
check_match "and none in the command" '^Seccomp:[[:space:]]*0' "$(cat "$tmp/child")"

# What it needs, it may: nothing is refused, whatever it is asked to do.
need_tool strace
refused() {
	local name=$1 status=0
	shift
	timeout 60 strace -f -o "$tmp/trace" "$B/iotap-capture" --force "$@" >"$tmp/out" 2>&1 || status=$?
	grep -q 'seccomp(SECCOMP_SET_MODE_FILTER' "$tmp/trace" || not_ok "$name: there is a filter"
	check_eq "$name: no call is refused" "" \
		"$(sed -n '/seccomp(SECCOMP_SET_MODE_FILTER/,$p' "$tmp/trace" | grep -E '= -1 EPERM|SIGSYS' | head -n 3)"
	check_match "$name: status" "^(${expected:-0})\$" "$status"
}
cat >"$tmp/work.sh" <<'WORK'
i=0
while [ $i -lt 20 ]; do
	head -c 100 /etc/passwd
	i=$((i + 1))
done
WORK
refused "a command" -f -o "$tmp/t.iotap" -- sh "$tmp/work.sh"
refused "all arguments" -f --argv -o "$tmp/t.iotap" -- sh "$tmp/work.sh"
refused "files of a rotation" -f -o "$tmp/r/t.iotap" --rotate-time 50ms --keep 2 -- sh "$tmp/work.sh"
refused "a flight recorder" -f -o "$tmp/r/f.iotap" --flight 64k --trigger 'path=*/passwd' -- sh "$tmp/work.sh"
expected='0|4' refused "small rings" -f --buffer 64k -o "$tmp/t.iotap" -- dd if=/dev/zero of=/dev/null bs=1 count=200000
refused "a name to wait for" --wait -d 0.5 -o "$tmp/t.iotap" iotap-no-such-name
